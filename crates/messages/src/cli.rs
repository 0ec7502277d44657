//! What the commands say, in the language of the interface.

words! {
    APPROXIMATE = "（约）", " (about)";
    BROKEN = "损坏", "damaged";
    UNFINISHED = "未完成", "unfinished";
    INTERRUPTED = "（本轮已中断）", "(interrupted)";
    CUT_AT_LIMIT = "，超过上限，内容不全", ", over a limit, incomplete";
    NO_ANSWER_YET = "还没有回答", "there is no answer yet";
    WRITE_OPEN = "写 /open N 或 /open REG_ID PAGE", "write /open N or /open REG_ID PAGE";
    WRITE_AS_OF = "写 /as-of YYYY-MM-DD", "write /as-of YYYY-MM-DD";
    PAGE_NUMBER = "页码", "page number";
    AS_OF_TODAY = "✓ 以今天现行的版本作答", "✓ answering from the editions in force today";
    STARTED_OVER = "✓ 已重新开始", "✓ started over";
    CHAT_HELP = "/regulations        规程列表
/sources            上一个回答的来源
/open N             打开上一个回答的第 N 个来源所在的页
/open REG_ID PAGE   打开规程的某一页
/export [FILE]      把会话写成 Markdown
/agent NAME         换用 offline、claude、typed、graph
/model NAME         换用语言模型
/as-of DATE         以某一天（YYYY-MM-DD）现行的版本作答；/as-of today 回到今天
/reset              忘掉此前的对话
/help               本说明
/quit               结束（Ctrl-D）", "/regulations        list the regulations
/sources            sources of the last answer
/open N             open the page of source N of the last answer
/open REG_ID PAGE   open a page of a regulation
/export [FILE]      write the conversation as Markdown
/agent NAME         change to offline, claude, typed or graph
/model NAME         change the language model
/as-of DATE         answer from the editions in force on a day (YYYY-MM-DD); /as-of today goes back
/reset              forget the conversation so far
/help               this text
/quit               end (Ctrl-D)";
    DELETE_FORCE = "用 --force 直接删除", "use --force to delete without asking";
    INDEX_HINT = "运行 regreader doctor 检查；读取页面、表格和注释不受影响", "run regreader doctor; pages, tables and notes can be read without it";
    UNFIT_HINT = "regreader ask --agent offline … 不用语言模型作答；或换一个模型 (--model)", "regreader ask --agent offline … answers without a language model; or choose another one (--model)";
    STOPPED_HINT = "--set agent_max_turns=N 与 --set agent_max_tool_calls=N 放宽上限", "--set agent_max_turns=N and --set agent_max_tool_calls=N raise the limits";
    LIBRARY_UNUSABLE = "规程库无法打开", "the library cannot be opened";
    LIBRARY_UNUSABLE_HINT = "请在服务器上运行 regreader doctor", "run regreader doctor on the server";
    NO_PICTURES = "此格式没有页面图像", "this format has no page pictures";
    QUESTION_SETS = "题集是 JSONL 文件，或 samples、samples-en、gb38755、financebench、stard、exam 之一", "a question set is a JSONL file, or one of samples, samples-en, gb38755, financebench, stard, exam";

    PAGES_APPROXIMATE = "（页码为估计）", " (page numbers are estimates)";
    TEXT_ORIGINS = "文字来源", "Where the text comes from";
    LOW_CONFIDENCE = "低置信度页", "Pages read with low confidence";
    HEADER_REPEATED = "表头重复", "header repeated";
    HEADER_ONCE = "表头未重复", "header not repeated";
    STITCHED = "跨页拼接", "Tables joined over pages";
    NUMBERING_GAPS = "编号不连续", "Gaps in the numbering";
    UNRESOLVED = "未解析引用", "References not resolved";
    NOT_BODY = "非正文", "Not part of the text";
    OTHER = "其他", "Other";

    REBUILD_INDEX = "regreader doctor --repair 可重建索引", "regreader doctor --repair builds the index anew";
    INDEX_OLDER = "由旧版程序建立，下次检索前自动重建", "built by an older version, will be built anew before the next search";
    REMEDY_REPAIR = "regreader doctor --repair 可修复", "regreader doctor --repair mends it";
    REMEDY_INGEST_SOURCE = "源文件完好: 用 regreader ingest --force 重新入库", "the source file is sound: regreader ingest --force reads it again";
    REMEDY_INGEST = "须从原始文件重新入库，或从规程包导入", "ingest the original file again, or import a bundle";
    REMEDY_LOOK = "不属于规程库，请人工查看", "does not belong to the library; please look at it";
    REMEDY_WAIT = "下次打开时自动清理", "will be cleared away when the library is opened next";
    CREATED = "已创建", "created";
    UPDATED = "已更新", "updated";
    UNCHANGED = "无变化", "unchanged";
}

interface! {
    index_unusable(error) = "索引无法打开: {error}", "the index cannot be opened: {error}";
    index_mended(part, reason) = "索引 {part} 已损坏，已重建: {reason}", "index {part} was damaged and has been built anew: {reason}";
    index_updated(reg_id) = "{reg_id} 的索引已过期，已更新", "the index of {reg_id} was out of date and has been updated";
    index_removed(reg_id) = "{reg_id} 已不在库中，已从索引移除", "{reg_id} is no longer in the library and was removed from the index";
    index_rebuilding(part, reason) = "索引 {part} 无法使用，正在重建: {reason}", "index {part} cannot be used and is being built anew: {reason}";
    index_elsewhere(folder) = "规程库的文件夹不可写，索引建在 {folder}；可用 index_dir 另行指定", "the library cannot be written to, so the index is built in {folder}; index_dir sets another folder";
    not_indexed(reg_id, problem) = "{reg_id} 无法编入索引: {problem}", "{reg_id} cannot be indexed: {problem}";
    indexed_one(reg_id, done, total, blocks) = "索引 {done}/{total}: {reg_id}（{blocks} 块）", "index {done}/{total}: {reg_id} ({blocks} blocks)";
    indexing(reg_id, done, total) = "索引 {done}/{total}: {reg_id}", "index {done}/{total}: {reg_id}";
    reindexed(count, folder) = "✓ 已重建 {count} 部规程的索引 ({folder})", "✓ indexes of {count} regulations built anew ({folder})";
    empty_library(library) = "规程库是空的（{library}）：用 regreader ingest 文件 导入，用 --data-dir 另选规程库，或运行 regreader demo 查看示例", "the library is empty ({library}): add files with regreader ingest FILE, choose another library with --data-dir, or see an example with regreader demo";
    library(name) = "规程库: {name}", "library: {name}";
    audit_failed(error) = "审计日志未写入: {error}", "the audit log was not written: {error}";
    unreadable_lines(count) = "{count} 行无法读取", "{count} lines cannot be read";
    struck(reason, text) = "已删除一条未通过核对的陈述（{reason}）: {text}", "a statement that did not pass the check was removed ({reason}): {text}";
    spent(model, turns, calls, context, output, cached) = " · {model} · {turns} 轮 · {calls} 次工具调用 · {context} + {output} tokens（缓存 {cached}）", " · {model} · {turns} turns · {calls} tool calls · {context} + {output} tokens ({cached} cached)";
    characters(count) = "{count} 字", "{count} characters";
    pages(count) = "{count} 页", "{count} pages";
    questions(count) = "{count} 问", "{count} questions";
    session_deleted(id) = "✓ {id} 已删除", "✓ {id} deleted";
    chat_begins(id, agent) = "会话 {id} · {agent} · /help 查看命令，Ctrl-D 结束", "session {id} · {agent} · /help lists the commands, Ctrl-D ends";
    chat_resumes(question) = "继续上次未完成的问题: {question}", "going on with the unfinished question: {question}";
    no_source(number) = "没有第 {number} 个来源", "there is no source {number}";
    no_page(number) = "第 {number} 个来源没有页码", "source {number} has no page";
    as_of(day) = "✓ 以 {day} 现行的版本作答", "✓ answering from the editions in force on {day}";
    unknown_command(command) = "不认识 /{command}；/help 查看命令", "there is no /{command}; /help lists the commands";
    delete_asked(reg_id, title) = "删除 {reg_id}（{title}）？", "Delete {reg_id} ({title})?";
    not_deleted(reg_id) = "未删除 {reg_id}", "{reg_id} was not deleted";
    deleted(reg_id) = "✓ 已删除 {reg_id}", "✓ {reg_id} deleted";
    bundled(count, path, bytes) = "✓ {count} 部规程 → {path} ({bytes} 字节)", "✓ {count} regulations → {path} ({bytes} bytes)";
    signed(files) = "✓ {files} 个文件与签名一致", "✓ {files} files match the signed list";
    imported(reg_id, pages, change) = "✓ {reg_id}: {pages} 页 ({change})", "✓ {reg_id}: {pages} pages ({change})";
    ingested(mark, name, pages, chapters, tables, status) = "{mark} {name}: {pages} 页, {chapters} 章节, {tables} 表 ({status})", "{mark} {name}: {pages} pages, {chapters} chapters, {tables} tables ({status})";
    ingested_demo(reg_id, pages, chapters, tables, joined) = "✓ {reg_id}: {pages} 页, {chapters} 章节, {tables} 表（跨页 {joined}）", "✓ {reg_id}: {pages} pages, {chapters} chapters, {tables} tables ({joined} over pages)";
    recognizing(file, page, done, total) = "{file}: OCR 第 {page} 页 ({done}/{total})", "{file}: OCR of page {page} ({done}/{total})";
    needs_ocr(pages) = "{pages} 没有可用文字，需要 OCR (needs_ocr)", "{pages} without usable text, OCR needed (needs_ocr)";
    no_question_set(file) = "没有题集 {file}", "there is no question set {file}";
    inspected(pages, chapters, tables, joined, references, unresolved) = "{pages}, {chapters} 章节, {tables} 表（跨页 {joined}）, {references} 处引用（未解析 {unresolved}）", "{pages}, {chapters} chapters, {tables} tables ({joined} over pages), {references} references ({unresolved} not resolved)";
    gap(page, found, expected) = "P{page} {found}（应为 {expected}）", "P{page} {found} (expected {expected})";
    near(names) = "（相近: {names}）", " (near: {names})";
    index_stale(reg_id) = "{reg_id} 未编入或已过期，下次检索前自动更新", "{reg_id} is missing or out of date, will be updated before the next search";
    index_surplus(reg_id) = "{reg_id} 已不在库中，下次检索前自动移除", "{reg_id} is no longer in the library, will be removed before the next search";
    read_by_older(reg_id) = "{reg_id}: 由旧版程序读入，缺少行位置等内容", "{reg_id}: read by an older version, without the places of lines and more";
    read_again(reg_id, file) = "重新读入: regreader ingest --force --reg-id {reg_id} --file {file}", "read it again: regreader ingest --force --reg-id {reg_id} --file {file}";
    sound(count, folder) = "✓ {count} 部规程完好 ({folder})", "✓ {count} regulations are sound ({folder})";
    enrich_unfit(reg_id) = "{reg_id}: 语言模型的提议不合格，改由目录和正文生成", "{reg_id}: the language model's proposal is unfit; made from contents and text instead";
    enrich_no_model(reg_id) = "{reg_id}: 没有设置语言模型，由目录和正文生成", "{reg_id}: no language model is set; made from contents and text";
    enrich_kept(reg_id, fields) = "{reg_id}: 已有 {fields}，未改动（--force 替换）", "{reg_id}: {fields} kept as they are (--force replaces them)";
    enriched(reg_id) = "✓ {reg_id} 元数据已更新", "✓ metadata of {reg_id} updated";
    not_written(reg_id) = "{reg_id}（未写入）", "{reg_id} (not written)";
    description(text) = "  简介: {text}", "  description: {text}";
    keywords(words) = "  关键词: {words}", "  keywords: {words}";
    scope(text) = "  适用范围: {text}", "  scope: {text}";
}

/// `12 页（约）`: the pages of a regulation, and whether they are estimates.
pub fn page_count(count: u32, approximate: bool) -> String {
    let about = if approximate { crate::interface().say(APPROXIMATE) } else { "" };
    format!("{}{about}", pages(count))
}
