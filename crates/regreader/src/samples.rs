//! The sample library inside the program: invented regulations that say so on their first page, and questions on them.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use regreader_model::{RegId, Regulation};
use regreader_store::Library;

use crate::pipeline::{self, KnownInfo, ReadOptions, SourceFile};

/// A language of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// 安规2023, 安规2024 and 稳规2024.
    Chinese,
    /// The short English standard.
    English,
}

/// A document by its name, compressed by the build script.
type Packed = (&'static str, &'static [u8]);

macro_rules! packed {
    ($name:literal) => {
        ($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".zlib")))
    };
}

const CHINESE: &[Packed] =
    &[packed!("angui_2023.pdf"), packed!("angui_2024.pdf"), packed!("wengui_2024.pdf")];
const ENGLISH: &[Packed] = &[packed!("rel_901_2.pdf")];

impl Samples {
    /// Questions on the editions among the Chinese samples: what changed, what concerns a thing, what applied on a day.
    pub const EDITIONS: &'static str = include_str!("../../../samples/editions.jsonl");

    /// Questions with their answers, in the form that `regreader eval` reads.
    pub fn questions(self) -> &'static str {
        match self {
            Self::Chinese => include_str!("../../../samples/questions.jsonl"),
            Self::English => include_str!("../../../samples/en/questions.jsonl"),
        }
    }

    /// Reads the documents into a library; `stored` is told of each.
    pub fn ingest(self, library: &Library, stored: &mut dyn FnMut(&Regulation)) -> anyhow::Result<()> {
        let known: Vec<KnownInfo> = serde_json::from_str(self.metadata())?;
        for (name, packed) in self.documents() {
            let mut bytes = Vec::new();
            ZlibDecoder::new(*packed).read_to_end(&mut bytes)?;
            let file = SourceFile::built_in(name, bytes);
            let reg_id: RegId = name.trim_end_matches(".pdf").parse()?;
            let options = ReadOptions::default();
            if pipeline::is_current(library, &reg_id, &file.hash) {
                continue;
            }
            let info = known.iter().find(|info| info.reg_id.as_ref() == Some(&reg_id)).cloned();
            let regulation = pipeline::read(&file, &reg_id, &info.unwrap_or_default(), &options)?;
            pipeline::store(library, &file, &regulation)?;
            stored(&regulation);
        }
        Ok(())
    }

    fn documents(self) -> &'static [Packed] {
        match self {
            Self::Chinese => CHINESE,
            Self::English => ENGLISH,
        }
    }

    fn metadata(self) -> &'static str {
        match self {
            Self::Chinese => include_str!("../../../samples/metadata.json"),
            Self::English => include_str!("../../../samples/en/metadata.json"),
        }
    }
}
