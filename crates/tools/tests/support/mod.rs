//! A library of two small regulations, written as Markdown and read as any document is.

use std::sync::Arc;

use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::Regulation;
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_tools::{Toolbox, ToolboxOptions};

const STABILITY: &str = "\
# 2 断面限额

## 2.1 天中直流

限额见表2-1。超过限额时，应在 5 分钟内调整到位，不得拖延。

表2-1 天中直流限额

| 开机台数 | 限额（万千瓦） |
|---|---|
| 1 | 185 |
| 2 | 240 |
| 3 | 340 |

注1：环境温度高于 40℃时限额降低 4%。

## 2.2 汇报

调整完毕后按 2.1 的规定汇报国调。
";

pub const SAFETY: &str = "\
# 6 事故处理

## 6.2 母线失压

母线失压时，应立即拉开失压母线上的全部开关，未查明原因前不得试送。
";

/// The library with its indexes, in a folder that lives as long as it is held.
pub fn toolbox() -> (tempfile::TempDir, Toolbox) {
    toolbox_of([regulation("wengui_2024", STABILITY), regulation("angui_2024", SAFETY)])
}

/// A regulation read from Markdown.
pub fn regulation(reg_id: &str, text: &str) -> Regulation {
    let parsed =
        regreader_parse::parse(text.as_bytes(), "规程.md", &regreader_parse::ParseOptions::default())
            .unwrap();
    let options = AssembleOptions::new(reg_id.parse().unwrap(), format!("{reg_id}.md"));
    assemble(parsed.document, parsed.diagnostics, &options)
}

/// A library of these regulations.
pub fn toolbox_of(regulations: impl IntoIterator<Item = Regulation>) -> (tempfile::TempDir, Toolbox) {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path().join("library"), OpenOptions::new()).unwrap();
    for regulation in regulations {
        library.replace(&regulation, None).unwrap();
    }
    let index = folder.path().join("index");
    let engine = SearchEngine::open(library.clone(), &index, EngineOptions::default(), None).unwrap();
    engine.refresh(&mut |_| {}).unwrap();
    (folder, Toolbox::new(library, Arc::new(engine), ToolboxOptions::default()))
}
