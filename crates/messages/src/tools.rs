//! What the tools say when they are shown on the command line, and their errors with the next step.

words! {
    UNTITLED = "（无标题）", "(no caption)";
    PAGE = "页", "Page";
    DONE = "完成", "done";
    HITS = "条命中", "hits";
    TABLES = "个表格", "tables";
    REGULATIONS = "部规程", "regulations";
    NOTES = "条注释", "notes";
    NOTHING_FOUND = "未找到相关内容", "nothing was found";
    NO_TABLES = "未找到相关表格", "no table was found";
    ALL_SEARCHED = "没有特别匹配的规程，检索全部", "no regulation stands out; all are searched";
    NO_CHANGES = "没有改动", "nothing changed";
    PAGES_UNREADABLE = "无法读取的页", "pages that could not be read";
    NOT_OPENED = "无法读取的规程", "could not be opened:";
    REFERENCE_HINT = "写明所在的表或章节（表6-2 注1、附录B 第13条），或用 --page 给出引用所在的页", "name the table or chapter it stands in (Table 6-2 Note 1), or give the page of the reference with --page";
    CONTENTS_LONG = "目录较长：用 expand_section 展开某一章节", "the contents are long: open one chapter with expand_section";
    REPHRASE = "换一种说法，或用 get_toc 查看目录后限定章节", "put it in other words, or look at the contents with get_toc and name a chapter";
    MORE_HITS = "还有更多命中：增大 limit，或用 chapter_scope 限定章节", "there are more hits: raise `limit`, or name a chapter with chapter_scope";

    VERBATIM = "✓ 与原文逐字一致", "✓ stands there word for word";
    SUPPORTED = "✓ 同一段落支持", "✓ one passage says it";
    CALCULATED = "✓ 计算正确，操作数均有出处", "✓ the calculation is right and every operand has a source";
    ELSEWHERE = "✗ 未核实：不在该处，见他处", "✗ not verified: not there, but elsewhere";
    UNSUPPORTED = "✗ 未核实：该处没有一个段落支持", "✗ not verified: no passage there says it";
    INVISIBLE = "含有不可见字符", "it has characters that nobody sees";
    MISSING = "没有", "missing";
    LEFT_OUT = "略去了", "left out";
    PASSAGE = "原文", "passage";
    NEAREST = "最接近的原文", "nearest passage";

    REASON_NAMED = "指名", "named";
    REASON_HEADING = "标题", "heading";
    REASON_CAPTION = "表题", "caption";
    REASON_ROW = "行键", "row key";
    REASON_COLUMN = "列名", "column header";
    REASON_CELL = "单元格", "cell";
    REASON_NOTE = "注释", "note";
    REASON_NOTE_OF_TABLE = "该表的注释", "note of the table";
    REASON_REFERS = "引用", "refers to it";

    REASON_EDITIONS = "版本对照", "another edition of it is asked for";
    REASON_CITED = "被引用", "another one refers to it";
    REASON_SCOPE = "适用范围与标题相符", "its scope and title fit";
    FULL_VOLTAGE = "未说明运行电压，按全压查表", "the operating voltage is not given; the table is read for full voltage";
    NO_ROW = "找到的表格中没有满足全部条件的行", "no row of the tables found meets all conditions";
    RULE_EXACT = "一致", "the same";
    RULE_CONTAINS = "包含", "contained";
    RULE_AT_LEAST = "不少于", "at least";
    RULE_NEXT_STEP = "取不低于它的最小一档", "the smallest step that is not below it";
    RULE_LARGEST_STEP = "超过各档，取最大一档", "above all steps, the largest one";
    RULE_HEADER = "表头", "header";
    RULE_TABLE = "表题或章节", "caption or chapter";
    READ_OLD = "读取旧版", "reading the old edition";
    READ_NEW = "读取新版", "reading the new edition";
    READ_FIRST = "读取甲方条文", "reading the first";
    READ_SECOND = "读取乙方条文", "reading the second";
    ALIGN = "对齐并比较", "aligning and comparing";

    KIND_LIMIT = "数值", "Limits";
    KIND_TEXT = "文字", "Wording";
    KIND_ADDED = "新增", "Added";
    KIND_DELETED = "删除", "Deleted";
    KIND_SPLIT = "拆分", "Split";
    KIND_MERGED = "合并", "Merged";
    KIND_MOVED = "移动", "Moved";
    KIND_RENUMBERED = "编号变动", "Renumbered";
    KIND_NOTE = "注释", "Notes";
    KIND_FORMAT = "仅格式", "Format only";

    CHANGES_TITLE = "修订对照表", "Table of changes";
    SHEET_LIMITS = "数值", "Limits";
    SHEET_WORDING = "文字", "Wording";
    SHEET_ADDED = "增删", "Added and deleted";
    SHEET_MOVED = "编号与移动", "Renumbered and moved";
    COLUMN_KIND = "类别", "Kind";
    COLUMN_OLD_PLACE = "旧版位置", "Old place";
    COLUMN_OLD_PAGE = "旧页", "Old page";
    COLUMN_NEW_PLACE = "新版位置", "New place";
    COLUMN_NEW_PAGE = "新页", "New page";
    COLUMN_OLD_TEXT = "旧文", "Old text";
    COLUMN_NEW_TEXT = "新文", "New text";
    COLUMN_OLD_VALUE = "旧值", "Old value";
    COLUMN_NEW_VALUE = "新值", "New value";
    COLUMN_UNIT = "单位", "Unit";
    COLUMN_DIFFERENCE = "差值", "Difference";
    COLUMN_CONCERNS = "涉及", "Concerns";
    COLUMN_CLAUSE = "条款", "Clause";
    COLUMN_PLACE = "位置", "Place";

    NOT_YET_IN_FORCE = "尚未生效", "not yet in force";
    IN_FORCE = "现行", "in force";
    PARTLY_REPLACED = "部分被代替", "partly replaced";
    ENDED = "废止/被代替", "replaced or abolished";
    UNKNOWN = "未知", "unknown";

    SEE_REGULATIONS = "用 list_regulations (regreader list) 查看已入库的规程", "list_regulations (regreader list) lists the regulations of the library";
    SEE_CONTENTS = "用 get_toc (regreader toc) 查看目录", "get_toc (regreader toc) shows the contents";
    SEE_NOTES = "用 search_annotations 查看全部注释", "search_annotations lists all notes";
    SEE_TABLES = "用 search_tables 查找表格", "search_tables finds tables";
    SEE_BLOCKS = "用 smart_search 取得 block_id", "smart_search gives a block_id";
    ID_FORM = "规程标识形如 angui_2024", "the id of a regulation looks like angui_2024";
    NARROW = "缩小范围：减少页数、limit，或限定章节", "ask for less: fewer pages, a smaller `limit`, or one chapter";
    SEE_TOOLS = "用 get_tool_guide 查看全部工具", "get_tool_guide lists all tools";
    SEE_ARGUMENTS = "用 get_tool_guide 查看工具的参数", "get_tool_guide describes the arguments of a tool";
    UPGRADE = "服务器与客户端的版本不同时，请升级较旧的一方", "where server and client are of different versions, upgrade the older one";
}

interface! {
    no_regulation(reg_id) = "规程不存在: {reg_id}", "no such regulation: {reg_id}";
    no_page(reg_id, page) = "页面不存在: {reg_id} 第 {page} 页", "no such page: {reg_id} page {page}";
    bad_range(reason) = "无效页码范围: {reason}", "invalid page range: {reason}";
    no_chapter(reg_id, section) = "章节不存在: {reg_id} {section}", "no such chapter: {reg_id} {section}";
    no_note(reg_id, label) = "注释不存在: {reg_id} {label}", "no such note: {reg_id} {label}";
    no_table(reg_id, table) = "表格不存在: {reg_id} {table}", "no such table: {reg_id} {table}";
    no_block(reg_id, block) = "内容块不存在: {reg_id} {block}", "no such block: {reg_id} {block}";
    no_reference(text) = "无法解析引用: {text}", "the reference cannot be resolved: {text}";
    bad_argument(name, reason) = "参数 {name} 无效: {reason}", "invalid argument {name}: {reason}";
    bad_arguments(reason) = "参数无效: {reason}", "invalid arguments: {reason}";
    no_tool(name) = "工具不存在: {name}", "no such tool: {name}";
    too_long(kilobytes) = "结果过长（{kilobytes} KB）", "the result is too long ({kilobytes} KB)";
    near(names) = "相近的有: {names}", "near it: {names}";
    has_pages(total) = "该规程共 {total} 页", "the regulation has {total} pages";
    read_instead(start, end) = "请改读第 {start}–{end} 页，其余分次读取", "read pages {start}–{end} and the rest later";

    by_name(name) = "名称: {name}", "name: {name}";
    by_near_name(name) = "名称相近: {name}", "name is near: {name}";
    by_edition(edition) = "版本: {edition}", "edition: {edition}";
    by_keywords(words) = "关键词: {words}", "keywords: {words}";
    by_chapter(title) = "章节: {title}", "chapter: {title}";
    best_on_page(page) = "最相关内容在第 {page} 页", "the best passage is on page {page}";
    found_on_page(page) = "相关内容在第 {page} 页", "a passage is on page {page}";
    without_text(names) = "{names} 没有可检索的文字（扫描件须先识别文字）", "{names} has no text that could be searched (the text of a scan must be recognised first)";
    no_edition(name, year, there) = "规程库中没有{name} {year} 版，只有 {there}", "the library has no {year} edition of {name}, only {there}";
    no_column(unknown, known) = "找到的表格中没有“{unknown}”这一列；有的列: {known}", "the tables found have no column “{unknown}”; their columns are: {known}";
    row_rule(asked, rule, with, value) = "{asked}（{rule}：{with} {value}）", "{asked} ({rule}: {with} {value})";
    failed(name, message, hint) = "{name}: {message}\n下一步: {hint}", "{name}: {message}\nNext: {hint}";
    reading(reg_id) = "查阅 {reg_id}", "reading {reg_id}";
    reading_page(reg_id, page, total) = "查阅 {reg_id} 第 {page}/{total} 页", "reading {reg_id}, page {page} of {total}";

    toc_title(title, pages) = "{title}（共 {pages} 页）", "{title} ({pages} pages)";
    table_size(rows, columns) = "{rows} 行 × {columns} 列", "{rows} rows × {columns} columns";
    because(why) = "依据: {why}", "because: {why}";
    chosen(reg_id, reasons) = "选择 {reg_id}: {reasons}", "chosen {reg_id}: {reasons}";
    same_clauses(count) = "相同 {count} 条", "{count} clauses are the same";
    table(caption) = "表 {caption}", "Table {caption}";
    may_mean(text) = "“{text}”可能指以下几处：", "“{text}” may mean one of these:";
    more_notes(others) = "另有同名注释: {others}（用 --page 或 --table 指定）", "other notes of that name: {others} (choose with --page or --table)";
    read_on(page) = "从第 {page} 页继续读取", "read on from page {page}";
    table_long(pages) = "表格很长：用 read_page_range 按页读取（第 {pages} 页）", "the table is long: read it by pages with read_page_range (pages {pages})";
}

sentences! {
    table_label(number) = "表{number}", "Table {number}";
    possibly(place, page) = "可能对应 {place} P{page}", "possibly {place} P{page}";
    page_label(page) = "第{page}页", "page {page}";
    format_only(count) = "另有 {count} 处仅格式不同（--kind format 列出）", "{count} more differ in format only (--kind format lists them)";
    all_places(total, day) = "共 {total} 处（完整，以 {day} 为准）", "{total} places (complete, as of {day})";
    some_places(total, day) = "共 {total} 处（不完整，以 {day} 为准）", "{total} places (incomplete, as of {day})";
}
