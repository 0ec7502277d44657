//! The two languages of the reader, and every word that it says of its own.
//!
//! Words of documents, tools and agents come in the language they have. Everything else is in this catalogue, so that a
//! line never mixes the two.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;

/// A language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// 中文
    Zh,
    /// Interface in English.
    En,
}

impl Lang {
    /// The value of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Zh => "zh-CN",
            Self::En => "en",
        }
    }

    /// The short name used in addresses and cookies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zh => "zh",
            Self::En => "en",
        }
    }

    /// The other language, for the switch.
    pub fn other(self) -> Self {
        match self {
            Self::Zh => Self::En,
            Self::En => Self::Zh,
        }
    }

    /// The language of a short name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "zh" => Some(Self::Zh),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// The language that the browser asks for, Chinese when it asks for neither. Weights are honoured only by order,
    /// which is how browsers send them.
    pub fn of_browser(headers: &HeaderMap) -> Self {
        let wanted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut tags = wanted.split(',').map(|part| part.trim().to_ascii_lowercase());
        tags.find_map(|tag| match tag.get(..2) {
            Some("zh") => Some(Self::Zh),
            Some("en") => Some(Self::En),
            _ => None,
        })
        .unwrap_or(Self::Zh)
    }

    /// A word of the catalogue in this language.
    pub fn say(self, word: Word) -> &'static str {
        match self {
            Self::Zh => word.0,
            Self::En => word.1,
        }
    }

    /// A sentence of the catalogue with its `{}` filled in, in order.
    pub fn fill(self, word: Word, values: &[&dyn std::fmt::Display]) -> String {
        let mut parts = self.say(word).split("{}");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (part, value) in parts.zip(values) {
            text.push_str(&value.to_string());
            text.push_str(part);
        }
        text
    }
}

/// A word or sentence in Chinese and in English.
#[derive(Debug, Clone, Copy)]
pub struct Word(pub &'static str, pub &'static str);

macro_rules! catalogue {
    ($($name:ident = $zh:literal, $en:literal;)*) => {
        /// The catalogue.
        #[allow(missing_docs, reason = "each word says what it is")]
        pub mod words {
            use super::Word;
            $(pub const $name: Word = Word($zh, $en);)*
            /// Every entry, for tests.
            #[cfg(test)]
            pub const ALL: &[(&str, Word)] = &[$((stringify!($name), $name)),*];
        }
    };
}

catalogue! {
    SKIP = "跳到正文", "Skip to content";
    LIBRARY = "规程库", "Library";
    SEARCH = "检索", "Search";
    ASK = "提问", "Ask";
    COMPARE = "版本对比", "Compare";
    IMPACT = "影响查询", "Impact";
    MENU = "主菜单", "Main menu";
    OTHER_LANGUAGE = "English", "中文";
    DARK = "深色", "Dark";
    LIGHT = "浅色", "Light";
    SIGN_OUT = "退出", "Sign out";
    KEYS = "快捷键", "Keys";
    CLOSE = "关闭", "Close";

    SEARCH_ALL = "检索全部规程…", "Search all regulations…";
    SEARCH_HERE = "在本规程中检索…", "Search this regulation…";
    FILTER_LIBRARY = "筛选规程名称、编号、关键词", "Filter by title, number or keyword";
    FILTER = "筛选", "Filter";
    REGULATIONS_N = "共 {} 部规程", "{} regulations";
    PAGES_N = "{} 页", "{} pages";
    ROWS_N = "{} 行", "{} rows";
    PAGE_N = "第 {} 页", "Page {}";
    NEEDS_OCR_N = "待 OCR {} 页", "{} pages need OCR";
    FINDINGS_N = "{} 处待核对", "{} to check";
    SIGNED_OFF = "已签核", "Signed off";
    IN_FORCE = "现行", "In force";
    UPCOMING = "即将实施", "Upcoming";
    PARTLY_REPLACED = "部分被代替", "Partly replaced";
    SUPERSEDED = "已废止", "Superseded";
    UNKNOWN_STATUS = "状态未知", "Status unknown";
    EFFECTIVE_FROM = "自 {} 起实施", "In force from {}";
    ENDED_ON = "{} 起废止", "Ended on {}";
    REPLACED_BY = "由 {} 代替", "Replaced by {}";
    OUTDATED = "由旧版程序读入", "Read by an older version";
    OUTDATED_HINT = "重新读入源文件后可精确标出位置：regreader ingest --force {}", "Reading the source again marks exactly: regreader ingest --force {}";
    UNINDEXED = "尚未编入检索", "Not in the search yet";
    NEEDS_ATTENTION = "需要关注", "Needs attention";
    EMPTY_LIBRARY = "规程库是空的。", "The library is empty.";
    EMPTY_LIBRARY_HINT = "用 regreader ingest 读入文件，或由编辑者在此上传。", "Read files in with regreader ingest, or upload one here as an editor.";
    UNREADABLE = "无法读取", "Unreadable";
    UPLOAD = "上传规程", "Upload a regulation";
    UPLOAD_HINT = "把 PDF、DOCX、PPTX、XLSX、HTML 或图片文件拖到这里，或选择文件。", "Drop a PDF, DOCX, PPTX, XLSX, HTML or image file here, or choose one.";
    UPLOAD_NEEDS_SCRIPT = "上传需要启用 JavaScript。", "Uploading needs JavaScript.";
    CHOOSE_FILE = "选择文件", "Choose a file";
    QUALITY = "质量报告", "Quality report";
    TABLES = "表格", "Tables";

    EDIT = "编辑信息", "Edit details";
    EDIT_SAVED = "已保存，并记入审计日志。", "Saved, and kept in the audit log.";
    EDIT_TITLE = "名称", "Title";
    EDIT_ALIASES = "简称（每行一个，常用的在先）", "Short names (one a line, the usual one first)";
    EDIT_EDITION = "版本", "Edition";
    EDIT_SERIES = "系列（各版本共用）", "Series (shared by its editions)";
    EDIT_DESCRIPTION = "内容简介", "Description";
    EDIT_SCOPE = "适用范围", "What it answers";
    EDIT_KEYWORDS = "关键词（每行一个）", "Keywords (one a line)";
    EDIT_SUPERSEDES = "代替的版本", "Edition that it replaces";
    SAVE = "保存", "Save";
    EVENTS = "版本事件", "Events of this edition";
    EVENT_ADD = "登记事件", "Record an event";
    EVENT_KIND = "事件", "Event";
    EVENT_DATE = "日期", "Date";
    EVENT_BY = "由谁或由哪个文件", "By whom or by what";
    EVENT_NOTE = "依据", "Where you have it from";
    EVENT_FORGET = "撤销人工登记", "Take back what was recorded by hand";
    EVENT_FROM_PAGE = "第 {} 页：{}", "Page {}: {}";
    EVENT_BY_HAND = "人工登记 {} {}", "Recorded by hand {} {}";
    EVENT_ADOPTED = "通过", "Adopted";
    EVENT_PUBLISHED = "发布", "Published";
    EVENT_EFFECTIVE = "实施", "In force";
    EVENT_AMENDED = "修改", "Amended";
    EVENT_REPLACED = "被代替", "Replaced";
    EVENT_PARTLY = "部分被代替", "Partly replaced";
    EVENT_ABOLISHED = "废止", "Abolished";
    OTHER_EDITIONS = "其他版本", "Other editions";
    SAME_PLACE_IN = "在 {} 中的同一处", "The same place in {}";
    NO_SAME_PLACE = "该版本中没有找到同一处，已打开其首页。", "The same place was not found in that edition; its first page is shown.";
    PRINTED_LABEL = "印刷页码 {}", "printed as {}";

    CONTENTS = "目录", "Contents";
    PAGE_PICTURE = "原页", "Page";
    PAGE_TEXT = "文字", "Text";
    PREVIOUS_PAGE = "上一页", "Previous page";
    NEXT_PAGE = "下一页", "Next page";
    GO_TO_PAGE = "转到页", "Go to page";
    GO = "转到", "Go";
    ZOOM_IN = "放大", "Zoom in";
    ZOOM_OUT = "缩小", "Zoom out";
    FIT = "适合宽度", "Fit width";
    ROTATE = "旋转", "Rotate";
    TWO_PAGES = "双页", "Two pages";
    ONE_PAGE = "单页", "One page";
    COPY_CITATION = "复制引文", "Copy citation";
    PERMALINK = "永久链接", "Permalink";
    PRINT = "打印", "Print";
    NOTES = "注释", "Notes";
    PICTURE_ALT = "第 {} 页原貌", "Picture of page {}";
    NO_PICTURE_FORMAT = "此文件格式没有页面图像，以下为文字。", "This format has no page pictures; the text is shown.";
    NO_PICTURE = "本页无法绘制，请看文字。", "This page could not be drawn; read its text.";
    NEEDS_OCR_PAGE = "本页是图像，没有可读取的文字，需要 OCR。", "This page is a picture without readable text. It needs OCR.";
    OCR_PAGE = "文字由 OCR 识别，置信度 {}%。数字请对照原页。", "Text recognised by OCR, confidence {} %. Check numbers against the page.";
    OCR_LAYER_PAGE = "文字取自扫描件中隐藏的识别层，可能有误。数字请对照原页。", "The text comes from a hidden recognition layer of the scan and may be wrong. Check numbers against the page.";
    BLANK_PAGE = "空白页", "Blank page";
    MARKED_WHOLE = "此规程读入时未保存行位置，标出的是整段；重新读入后可精确标出。", "This regulation was read without line positions: whole blocks are marked. Reading it again marks exactly.";
    NOT_MARKED = "无法确定确切位置，未作标记。请通读本页。", "The exact place is unsure, so nothing is marked. Read the whole page.";
    CONTINUES_FROM = "接上页", "Continued from the previous page";
    CONTINUES_TO = "续下页", "Continues on the next page";
    APPROXIMATE = "页码为估计值", "Page numbers are estimates";
    WHOLE_TABLE = "查看整表", "Whole table";
    UNRESOLVED = "未找到此引用的目标", "The target of this reference was not found";
    EXTERNAL_REFERENCE = "引用其他规程", "Refers to another regulation";
    OPEN_PAGE = "打开该页", "Open the page";
    BESIDE = "旁注", "Beside the text";
    PRINTED_FROM = "打印自 RegReader", "Printed from RegReader";

    RESULTS = "检索结果", "Results";
    RESULTS_N = "{} 条结果", "{} results";
    NO_RESULTS = "没有找到相关内容。", "Nothing was found.";
    QUERY = "检索内容", "Query";
    REGULATION = "规程", "Regulation";
    CHAPTER = "章节", "Chapter";
    KIND = "类型", "Kind";
    AS_OF = "生效日期", "In force on";
    ANY = "不限", "Any";
    AUTOMATIC = "自动选择", "Chosen automatically";
    ALL_REGULATIONS = "全部规程", "All regulations";
    CHOSEN_BECAUSE = "选取依据", "Chosen because";
    PREVIEW = "预览", "Preview";
    KIND_TEXT = "正文", "Text";
    KIND_TABLE = "表格", "Table";
    KIND_HEADING = "标题", "Heading";
    KIND_LIST = "列项", "List";
    KIND_CLAUSE = "条款", "Clause";
    KIND_NOTE = "注释", "Note";
    KIND_CAPTION = "图表题", "Caption";
    KIND_PICTURE = "图", "Figure";
    SUPERSEDED_HITS = "以下出自非现行版本", "From editions that are not in force";

    QUESTION = "问题", "Question";
    QUESTION_HINT = "例如：110kV 母线失压怎么处理？", "For example: What is the limit with two units in service?";
    FOLLOW_UP = "接着问", "Ask a follow-up";
    AGENT = "助手", "Agent";
    OFFLINE = "离线（不使用语言模型）", "Offline (no language model)";
    ANSWERING = "正在查阅规程…", "Reading the regulations…";
    STEPS = "查阅过程", "How it was found";
    ANSWER = "答复", "Answer";
    CAUTIONS = "注意事项", "Notes";
    RELATED = "可能相关，请核对", "Possibly related — check these passages";
    VERIFIED = "核实", "Verified";
    QUOTED = "原文摘录，不一定是答案", "Quoted; may not answer the question";
    VERBATIM = "核实 · 原文", "Verified · verbatim";
    SAME_PASSAGE = "核实 · 同一段落", "Verified · same passage";
    CALCULATED = "核实 · 计算值，非原文", "Verified · calculated, not quoted";
    UNVERIFIED = "未核实", "Not verified";
    MISSING_WORDS = "所引位置没有：{}", "The cited place does not say: {}";
    SEE_ALSO = "另见", "See also";
    REMOVED = "已删除（未通过核对）", "Removed (failed the check)";
    REASON = "原因", "Reason";
    NOT_FOUND_ANSWER = "未找到相关规定。", "The regulations say nothing about this.";
    EXPORT = "导出", "Export";
    ANSWER_GONE = "此答复已不在内存中，请重新提问。", "This answer is no longer in memory; ask again.";
    ANSWERED_BY = "由 {} 作答", "Answered by {}";
    STOPPED = "连接中断，请重试。", "The connection was lost; try again.";

    TABLE = "表格", "Table";
    PAGE = "页", "Page";
    FIND_ROW = "查找行", "Find my row";
    FIND_ROW_HINT = "按列给出条件，例如 开机台数 = 3", "Give conditions by column, such as Units = 3";
    ROWS_SHOWN = "显示 {} / {} 行", "{} of {} rows shown";
    NO_ROWS = "没有符合条件的行。", "No row fits.";
    CLEAR = "清除", "Clear";
    COPY_MARKDOWN = "复制 Markdown", "Copy Markdown";
    COPY_CSV = "复制 CSV", "Copy CSV";
    DOWNLOAD_XLSX = "下载 XLSX", "Download XLSX";
    UNTITLED_TABLE = "无题表格", "Untitled table";
    TABLES_OF = "{} 的表格", "Tables of {}";
    STANDS_ON = "所在页", "Stands on page";

    REPORT_CLEAN = "没有需要核对的地方。", "There is nothing to check.";
    FINDING_OCR = "需要 OCR 的页", "Pages that need OCR";
    FINDING_LOW = "识别置信度低的页", "Pages recognised with low confidence";
    FINDING_STITCH = "跨页拼接的表格", "Tables joined over pages";
    FINDING_GAP = "编号不连续", "Numbers that do not follow";
    FINDING_REFERENCE = "未能解析的引用", "References without a target";
    FINDING_DIAGNOSTIC = "诊断", "Diagnostics";
    FINDING_DROPPED = "未作为正文的文字", "Text left out of the content";
    GAP = "此处编号为 {}，按顺序应为 {}", "{} found where {} was expected";
    STITCHED = "{}：第 {} 页 → 第 {} 页", "{}: page {} → page {}";
    CANDIDATES = "相近", "Nearby";
    ACCEPT = "认可", "Accept";
    COMMENT = "意见", "Comment";
    SEND = "提交", "Send";
    SIGN_OFF = "签核", "Sign off";
    SIGN_OFF_HINT = "签核即确认已对照原页核对本规程的读入结果。记入审计日志。", "Signing off confirms that the reading was checked against the pages. It is kept in the audit log.";
    NAME = "姓名", "Name";
    ACCEPTED = "已认可", "Accepted";
    EDITOR_ONLY = "需要编辑者权限。", "This needs the editor role.";
    MORE_N = "另有 {} 条", "{} more";

    SIGN_IN = "登录", "Sign in";
    TOKEN = "访问令牌", "Access token";
    TOKEN_HINT = "令牌由管理员发放（regreader tokens add）。", "Tokens are issued by the administrator (regreader tokens add).";
    TOKEN_WRONG = "令牌无效。", "This token is not valid.";

    NOT_FOUND = "没有找到", "Not found";
    INVALID = "请求无效", "Bad request";
    BUSY = "正忙，请稍后再试", "Busy; try again shortly";
    BROKEN = "出错了", "Something went wrong";
    BACK_TO_LIBRARY = "返回规程库", "Back to the library";

    FROM = "旧版", "Old edition";
    TO = "新版", "New edition";
    SHOW_CHANGES = "对比", "Compare";
    CHANGES_N = "{} 处变化", "{} changes";
    WATCH = "关注清单", "Watch list";
    WATCH_HINT = "每行一个设备、线路、断面或术语，或“章节：6”。只列出与之有关的变化；清单保存在本浏览器中。", "One device, line, section or term a line, or “chapter: 6”. Only changes that concern them are listed; this browser remembers the list.";
    CHANGES_DOCX = "修订对照表 DOCX", "Table of changes (DOCX)";
    CHANGES_XLSX = "工作簿 XLSX", "Workbook (XLSX)";
    CHANGES_HTML = "打印页 HTML", "Page for printing (HTML)";
    NO_CHANGES = "两版没有实质变化。", "The two editions do not differ.";
    CHANGE_LIMIT = "限额", "Limits";
    CHANGE_TEXT = "条文", "Text";
    CHANGE_ADDED = "新增", "Added";
    CHANGE_DELETED = "删除", "Deleted";
    CHANGE_RENUMBERED = "重新编号", "Renumbered";
    CHANGE_MOVED = "移动", "Moved";
    CHANGE_SPLIT = "拆分", "Split";
    CHANGE_MERGED = "合并", "Merged";
    CHANGE_NOTE = "注释", "Notes";
    CHANGE_FORMAT = "格式", "Format";
    ENTITY = "设备、线路、断面或术语", "Device, line, section or term";
    ENTITY_HINT = "例如：天中直流", "For example: a line or station name";
    DEPTH = "引用层数", "Depth of references";
    MENTIONS_N = "共 {} 处", "{} mentions";
    COMPLETE = "已查遍全部规程", "All regulations were read";
    INCOMPLETE = "有页面无法读取，结果可能不全", "Some pages could not be read; the list may be incomplete";
    MORE = "更多", "More";
    POSSIBLY = "可能对应：", "May correspond to:";
    REASON_NAMED = "正文指名", "named in the text";
    REASON_HEADING = "标题指名", "named in a heading";
    REASON_CAPTION = "表题指名", "named in a caption";
    REASON_ROW = "表格行键", "key of the row";
    REASON_COLUMN = "表格列名", "header of the column";
    REASON_CELL = "单元格指名", "named in a cell";
    REASON_NOTE = "注释指名", "named in a note";
    REASON_NOTE_OF_TABLE = "该表的注释", "note of that table";
    REASON_REFERS = "引用了相关位置", "refers to it";
    NO_MENTIONS = "没有提及。", "Nothing mentions it.";

    KEY_SEARCH = "检索", "search";
    KEY_PAGES = "上一页 / 下一页", "previous / next page";
    KEY_CONTENTS = "目录", "contents";
    KEY_HITS = "上一条 / 下一条", "previous / next hit";
    KEY_OPEN = "打开所选", "open the selected";
    KEY_CLOSE = "关闭旁注", "close what is open";
    KEY_HELP = "显示此帮助", "show this help";
    KEY_BLOCKS = "上一段 / 下一段", "previous / next block";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_chooses_the_language_by_order() {
        let mut headers = HeaderMap::new();
        assert_eq!(Lang::of_browser(&headers), Lang::Zh);
        for (value, lang) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::Zh),
            ("en-GB,en;q=0.9", Lang::En),
            ("de,en;q=0.5", Lang::En),
            ("fr", Lang::Zh),
        ] {
            headers.insert(ACCEPT_LANGUAGE, value.parse().unwrap());
            assert_eq!(Lang::of_browser(&headers), lang, "{value}");
        }
    }

    #[test]
    fn every_word_has_both_languages_with_the_same_places() {
        for (name, Word(zh, en)) in words::ALL {
            assert!(!zh.is_empty() && !en.is_empty(), "{name}");
            assert_eq!(zh.matches("{}").count(), en.matches("{}").count(), "{name}");
            let has_han = |text: &str| text.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
            let is_switch = *name == "OTHER_LANGUAGE";
            assert!(is_switch || !has_han(en), "English with Chinese in it: {name}");
        }
    }

    #[test]
    fn sentences_are_filled_in_order() {
        assert_eq!(Lang::Zh.fill(words::STITCHED, &[&"表1", &3, &4]), "表1：第 3 页 → 第 4 页");
        assert_eq!(Lang::En.fill(words::PAGES_N, &[&12]), "12 pages");
    }
}
