//! What agents say while they work: progress, why they stopped, why a statement was struck, their errors and the export of
//! a conversation. In the language of the interface; the answer itself has its own (`answers`).

words! {
    STOPPED = "本轮已中断", "the turn was interrupted";
    UNFIT = "模型没有给出合格的答案", "the model gave no answer that can be used";
    TURN_LIMIT = "已达到轮数上限", "the limit of turns is reached";
    NO_SERVER = "它连不上 RegReader 的 MCP 服务", "it cannot reach RegReader's MCP server";
    TWO_EDITIONS = "问题涉及两个版本，逐条对比", "the question is about two editions; comparing them clause by clause";
    NAMED_PLACE = "问题指明了位置，直接查找", "the question names a place; looking there";
    NO_CITATION = "没有引用", "it cites nothing";
    NOTHING_READ = "没有查阅任何规程", "no regulation was read";
    NO_PASSAGE = "没有一个段落支持它：数字、对象、条件或“不得/应/可”与原文不一致", "no passage says it: a number, a thing, a condition or its “shall”, “may” or “not” differs";
    UNANSWERED = "最后一个问题尚未回答。", "The last question has not been answered.";
    SEE_LIST = "用 regreader list 查看已有规程", "regreader list shows the regulations there are";
}

interface! {
    turns_spent(most) = "已达到 {most} 轮上限", "the limit of {most} turns is reached";
    calls_spent(most) = "已达到 {most} 次工具调用上限", "the limit of {most} tool calls is reached";
    tokens_spent(most) = "已达到 {most} 个 token 上限", "the limit of {most} tokens is reached";
    answers_from_read(reason) = "{reason}，根据已读到的内容作答", "{reason}; answering from what was read";
    retries(reason) = "{reason}；重试", "{reason}; trying again";
    stopped_by(reason) = "{reason}，已停止", "{reason}; stopped";
    same_call(name) = "反复进行相同的调用 {name}", "the same call of {name} again and again";
    context_full(shortened, dropped) = "上下文已满：压缩 {shortened} 个工具结果，略去 {dropped} 条历史", "the context is full: {shortened} tool results shortened, {dropped} messages left out";
    corrects(count) = "{count} 条陈述未通过核对，请模型更正", "{count} statements did not pass the check; the model is asked to correct them";
    no_model(agent) = "{agent} 需要语言模型，但没有设置", "{agent} needs a language model, and none is set";
    no_program(name) = "找不到 claude 程序: {name}", "the program claude was not found: {name}";
    program_failed(reason) = "claude 程序失败: {reason}", "the program claude failed: {reason}";
    program_silent(seconds) = "{seconds} 秒没有回音", "nothing was heard of it for {seconds} s";
    no_session(name) = "会话不存在: {name}", "no such session: {name}";
    session_io(name, source) = "会话 {name} 无法读写: {source}", "the session {name} cannot be read or written: {source}";
    stands_elsewhere(places) = "不在所引之处；支持它的段落在: {places}", "not where it is cited; the passages that say it are: {places}";
    lacks(words) = "所引之处没有: {words}", "the cited place lacks: {words}";
    nearest_lacks(words) = "没有一个段落支持它；最接近的段落没有: {words}", "no passage says it; the nearest one lacks: {words}";
    export_head(id, begun, questions) = "# RegReader 会话 {id}\n\n开始于 {begun}，{questions} 个问题。\n", "# RegReader session {id}\n\nBegun {begun}, {questions} questions.\n";
    export_calls(count) = "{count} 次工具调用", "{count} tool calls";
    export_struck(reason) = "已删除（{reason}）：", "Removed ({reason}): ";
    export_unfinished(reason) = "本轮未完成：{reason}", "The turn was not finished: {reason}";
}
