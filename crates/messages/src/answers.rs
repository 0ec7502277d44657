//! The frame of answers, in the language of the question.

words! {
    SOURCES = "【来源】", "【Sources】";
    MEASURES = "【处置措施】", "【Answer】";
    CAUTIONS = "【注意事项】", "【Notes】";
    SEE_ALSO = "另见：", "See also: ";
    UNDERSTOOD = "承接上一问，理解为：", "Understood from the question before: ";
    SHORTENED = "原文过长，按其中的提问作答：", "The text is too long to search for; the questions in it are answered: ";
    RELATED = "未找到相关规定可直接作答。以下内容可能相关，请核对：", "No provision was found that answers this for certain. These passages may be related; please check them:";
    NOT_FOUND = "未找到相关规定。", "Nothing on this was found in the regulations (未找到相关规定).";
    NO_SUCH_PLACE = "规程中没有问题所指的条款或表格", "the regulations do not have the clause or table that the question names";
    OTHER_LANGUAGE = "规程是英文的，提问是中文的，用英文提问才查得到", "the regulations are in Chinese and the question is in English; ask in Chinese to find what they say";
    SOME_IN_OTHER_LANGUAGE = "部分规程是英文的，要查这些规程请用英文提问", "some of the regulations are in Chinese; ask in Chinese to find what those say";
    STRUCK = "（模型给出的陈述未能通过核对）", " (What the model stated did not pass the check.)";
    DECLINED = "我只回答与规程有关的问题。请提出具体的规程问题，例如“110kV 母线失压怎么处理？”。", "I answer questions about the regulations only. Ask a specific one, for example “What is the limit of the line with two units in service?”.";
    EMPTY_LIBRARY = "规程库中没有任何规程，无从查起。", "The library holds no regulations, so nothing could be looked up.";
    UNFIT = "语言模型没有给出合格的答案，因此没有回答。规程中可能有相关规定。", "The language model gave no answer that can be used. The regulations may still say something about this.";
    STOPPED = "没有查完就已停止，因此没有回答。规程中可能有相关规定。", "The work was stopped before there was an answer. The regulations may still say something about this.";
    LISTED = "、", ", ";

    VERBATIM = "（逐字）", " (verbatim)";
    SAME_PASSAGE = "（据同一段落）", " (same passage)";
    CALCULATED = "（计算值，非原文）", " (calculated, not quoted)";
    UNPROVEN = "（未核实）", " (not verified)";
}

sentences! {
    unproven_near(passage) = "（未核实；最接近的原文：“{passage}”）", " (not verified; nearest passage: “{passage}”)";
    calculated_from(sources) = "（计算值，非原文；操作数: {sources}）", " (calculated, not quoted; operands: {sources})";
    calculated(expression) = "计算：{expression}（按注计算，非表列值）", "Calculated: {expression} (by the note, not a value from the table)";
    undecided(missing) = "问题未说明{missing}", "the question does not say: {missing}";
    to_compare(labels) = "各{labels}的数值如下，请按实际情况对照", "the amounts for each {labels} follow; compare them with the case at hand";
    which(names) = "问题未说明指的是哪一个：{names}", "the question does not say which is meant: {names}";
    rivals(labels) = "问题提到 {labels}，表中没有同时适用于它们的行", "the question mentions {labels}; no row of the table is for all of them at once";
    not_mentioned(thing) = "所查规程未提及“{thing}”", "the regulations do not mention “{thing}”";
    some_changes(listed, all, old, new) = "共 {all} 处改动，此处列出 {listed} 处；全部见 regreader changes {old} {new}", "{listed} of {all} changes are listed; `regreader changes {old} {new}` lists all";
    outside(table, least, most, value, unit) = "{table}表列 {least}–{most} {unit}，{value} {unit}不在表中", "{table}: listed are {least} to {most} {unit}; {value} {unit} is not in the table";
    unmet(table, conditions) = "{table}没有“{conditions}”这一条件，表列值不一定适用", "{table} does not have the condition {conditions}; its values may not apply";
    assumed(steps) = "按表取值：{steps}", "read from the table as: {steps}";
    searches_done(count) = "已检索 {count} 轮。", "{count} rounds of searching are done. ";
    notice(text) = "注意：{text}。", "Note: {text}.";
    not_yet_in_force(name, day, from) = "{name} 在 {day} 尚未生效（{from} 起实施）", "{name} is not yet in force on {day} (in force from {from})";
    no_longer_in_force(name, day) = "{name} 在 {day} 已不是现行版本", "{name} is no longer in force on {day}";
    replaced_by(edition) = "，由 {edition} 代替", "; replaced by {edition}";
    successor_unread(warning) = "{warning}，后者没有可检索的文字", "{warning}, which has no text that could be searched";
    successor_missing(warning) = "{warning}，库中没有后者", "{warning}, which is not in the library";
}
