//! What context search says with its results, why a document is or is not among them, and what its check finds. The Chinese
//! sentences of a result are those of the written guide.

words! {
    NOT_ESTABLISHED = "项目尚未建立 Context，建议使用 @playbooks/context/add.md 创建", "the project has no context yet; make it with @playbooks/context/add.md";
    QUICK_CHANGE = "未找到精确匹配，quick_change 任务不使用保底返回", "nothing matches, and quick_change has no fallback";
    FALLBACK_GENERAL = "未找到精确匹配，返回通用 Global Context", "nothing matches; these are the general global documents";
    FALLBACK_BY_TASK = "未找到精确匹配，根据任务类型返回相关 Global Context", "nothing matches; these are the global documents for such a task";
    FALLBACK_ABSENT = "未找到精确匹配，任务类型建议的 Global Context 文件都不存在", "nothing matches, and none of the global documents for such a task exists";
    FALLBACK_FILTERED = "未找到精确匹配，类型过滤后没有可返回的 Global Context", "nothing matches, and no global document is of the types that were asked for";
    FILTERED = "类型过滤：不属于指定的 Context 类型", "not of the types that were asked for";
    CURRENT_EPIC = "当前 Epic", "current epic";
    OTHER_EPIC = "其他 Epic", "other epic";

    EPIC_NAME = "Epic 目录名应为 EPIC-XX（至少两位数字）", "the folder of an epic is called EPIC-XX, with two digits or more";
    STRAY = "不在 global/ 或 epics/EPIC-XX/ 下，不会被搜索", "it is neither in global/ nor in epics/EPIC-XX/ and is not searched";
    MISSING_GLOBAL = "缺少 Global Context 文档", "this global document is missing";
    NOT_DIRECT = "Global Context 应直接放在 global/ 下", "global documents lie directly in global/";
    NOT_GLOBAL = "Global Context 只包含 Architecture、Tech_Stack、Testing_Strategy、Coding_Standard_{Language}", "global documents are Architecture, Tech_Stack, Testing_Strategy and Coding_Standard_{Language} only";
    FILE_NAME = "文件名应为以下划线连接、首字母大写的单词，扩展名为 .md", "a file name is made of capitalised words with underscores between them, and ends in .md";
    NOT_UTF8 = "不是 UTF-8 编码", "it is not UTF-8";
    NO_FRONT_MATTER = "没有 Frontmatter（title、tags、updated）", "there is no front matter (title, tags, updated)";
    NO_TITLE = "Frontmatter 缺少 title", "the front matter has no title";
    NO_TAGS = "Frontmatter 缺少 tags", "the front matter has no tags";
}

interface! {
    found_best(total) = "找到 {total} 个高相关度匹配", "{total} close matches found";
    found(total) = "找到 {total} 个匹配的 Context", "{total} documents found";
    found_across(total) = "找到 {total} 个匹配的 Context（包含跨 Epic）", "{total} documents found, of other epics too";
    only_mentioned(points, least) = "分数 {points} < {least}，仅内容提到", "{points} points of {least}: only its content mentions a keyword";
    too_many_matches(matches, most) = "高相关度匹配 {matches} 个，按排序只取前 {most} 个", "{matches} close matches, of which the first {most} are taken";
    enough_points(points, least) = "分数 {points} ≥ {least}", "{points} points, {least} are enough";
    over_limit(most) = "超过绝对上限 {most} 个", "more than {most} documents";
    fallback(task) = "保底返回：{task} 任务需要的 Global Context", "fallback: a task of type {task} needs it";
    candidates(count, examined) = "候选 {count} 个（共检查 {examined} 个文档）", "{count} candidates ({examined} documents looked at)";
    checked(documents, problems) = "检查 {documents} 个文档，发现 {problems} 个问题", "{documents} documents checked, {problems} problems found";
    broken_front_matter(reason) = "Frontmatter 无法解析：{reason}", "the front matter cannot be read: {reason}";
    bad_date(updated) = "updated 不是日期：{updated}", "updated is no date: {updated}";
    type_mismatch(said, named) = "type 为 {said}，文件名却表示 {named}", "type is {said}, but the file name says {named}";
}
