//! Findings of the quality report. They are stored with the regulation, so they come in both languages.

words! {
    NEEDS_OCR = "本页没有可读取的文字，需要 OCR", "the page has no text that can be read; OCR is needed";
    NO_RECOGNIZER = "未配置文字识别 (needs OCR)", "no recogniser is set up (needs OCR)";
    IMAGE_FILE = "图像文件", "a picture file";
    PICTURE_TOO_LARGE = "页面图像过大，无法识别", "the picture of the page is too large to be recognised";
    FONT_MISSING = "页面使用了未嵌入的中文字体，且没有可用的替代字体", "the page uses a Chinese font that is neither embedded nor present";
    RECOGNITION_ASKED = "按设置识别整页", "recognition was asked for";
    NO_TEXT = "页面没有文字，只有图像", "no text on the page, only pictures";
    NO_UNICODE = "字体缺少 Unicode 对应，文字不可用", "fonts without Unicode meaning";
    NO_ENCODING = "字体编码无法识别，文字为乱码", "a font without a known encoding";
    SCANNED = "页面是扫描图像", "a scanned page";
    HIDDEN_LAYER = "扫描图像，文字来自隐藏的识别层，未经核对", "a scan with a hidden text layer, which nobody checked";
    PAGE_DAMAGED = "页面内容损坏，无法读取", "the page's content is damaged";
    ORDER_UNSURE = "阅读顺序不确定：部分行可能属于左右两栏，请核对原页", "the reading order is unsure: some lines may belong to two columns; check the page";
    PAGES_BY_LENGTH = "该格式没有物理页，长文按段落边界分页，页码为近似值", "the format has no pages; long text is cut between paragraphs, and page numbers are estimates";
    HTML_CUT = "HTML 嵌套过深或过大，部分结构未保留", "the HTML is nested too deep or too large; some of its structure is lost";
    DOCLING_PAGES = "Docling 结果没有页码信息，页码为近似值", "Docling gives no page numbers; they are estimates";
    SLIDE_HIDDEN = "本张幻灯片是隐藏的，仍已收入", "the slide is hidden, and was taken all the same";
    GRID_OPEN = "表格网格不闭合，单元格已按重叠关系合并，请核对原页", "the grid of a table does not close; cells were joined where they overlap; check the page";
    OLD_FOLDER = "由旧版目录导入: 没有交叉引用和源文件，重新入库原文件可补全", "imported from a folder of an older version, without references and source file; ingest the original file to have them";
    NUMBER_REPEATED = "同一表号在下页重复", "the next page repeats the number of the table";
    HEADER_REPEATED = "下页重复表头，列位一致，中间无文字", "the next page repeats the header; the columns agree and no text stands between";
    COLUMNS_AGREE = "列数与列位一致，中间无文字，下页未重复表头", "number and places of the columns agree and no text stands between; the header is not repeated";
    PAGE_FILE_MISSING = "页面文件缺失", "the file of the page is missing";
}

both! {
    page_cut(what) = "页面过于复杂，后面的内容未读取 (limit reached: {what})", "the page is too complex; the rest of it was not read (limit reached: {what})";
    page_part_left(what) = "页面的一部分未读取 (left out: {what})", "a part of the page was not read (left out: {what})";
    layer_kept(confidence) = "采用文件自带的识别层：重新识别的文字（置信度 {confidence:.2}）不如它通顺", "the hidden text layer was kept: what was recognised anew (confidence {confidence:.2}) reads worse";
    unmapped(count) = "{count} 个字符没有 Unicode 含义", "{count} characters without Unicode meaning";
    low_confidence(confidence) = "文字识别置信度偏低: {confidence:.2}", "low recognition confidence: {confidence:.2}";
    recognition_failed(error) = "图像识别失败: {error}", "the picture could not be recognised: {error}";
    pages_cut(most) = "页数超过上限 {most}，其后的内容未读取", "more than {most} pages; the rest was not read";
    page_too_full(characters, area) = "本页超过字符上限 {characters} 或表格面积上限 {area}，超出部分未读取", "the page has more than {characters} characters or more than {area} of table area; the rest was not read";
    undecoded(count) = "有 {count} 处字符无法解码", "{count} characters could not be decoded";
    rows_cut(most) = "表格单元格超过上限 {most}，其后的行未读取", "a table with more than {most} cells; the rows behind them were not read";
    part_too_deep(name) = "{name}: 嵌套过深或元素过多，超出部分未读取", "{name}: nested too deep or too many elements; the rest was not read";
    part_damaged(name, error) = "{name} 已损坏，只保留了能读出的部分: {error}", "{name} is damaged; what could be read of it was kept: {error}";
    pages_by_breaks(recorded) = "DOCX 没有物理页，页码为近似值：依据分页符和 lastRenderedPageBreak（记录的总页数 {recorded}）", "a DOCX has no pages; numbers are estimates by page breaks and lastRenderedPageBreak (recorded pages: {recorded})";
    pages_by_layout(recorded) = "DOCX 没有物理页，页码为近似值：依据分页符和版面估算（记录的总页数 {recorded}）", "a DOCX has no pages; numbers are estimates by page breaks and rough layout (recorded pages: {recorded})";
    dangling(list, index) = "引用 #/{list}/{index} 没有对应的条目", "the reference #/{list}/{index} leads to no item";
    outside_tree(count, list) = "{count} 个 {list} 条目不在正文树中，按原序附在其后", "{count} items of {list} are outside the tree of the text; they follow it in their order";
    sheet_hidden(name) = "工作表「{name}」是隐藏的，未收入", "the sheet {name} is hidden and was left out";
    sheet_cut(name, most) = "工作表「{name}」单元格超过上限 {most}，其后未读取", "the sheet {name} has more than {most} cells; the rest was not read";
    workbook_cut(cells, mebibytes) = "表格内容超过上限（{cells} 个单元格或 {mebibytes} MiB 文字），其后未读取", "more than {cells} cells or {mebibytes} MiB of text; the rest was not read";
    slide_unreadable(part) = "幻灯片读不出: {part}", "the slide cannot be read: {part}";
    not_a_zip(error) = "不是完整的 ZIP 容器 ({error})", "not a complete ZIP ({error})";
    main_part_missing(name) = "缺少主部件 {name}", "the main part {name} is missing";
    part_missing(name) = "缺少 {name}", "{name} is missing";
    part_unreadable(name) = "读不出 {name}", "{name} cannot be read";
    pdfium_refuses(error) = "PDFium 无法打开 ({error})", "PDFium cannot open it: {error}";
    no_such_heading(title) = "目次列有“{title}”，正文未找到该标题", "the contents list “{title}”, and the text has no such heading";
    heading_differs(number, listed, page, heading) = "目次中 {number} 为“{listed}”，正文第 {page} 页为“{heading}”", "{number} is “{listed}” in the contents and “{heading}” on page {page}";
    more_mismatches(most) = "目次与正文不一致之处超过 {most} 处，其余未列出", "contents and text differ in more than {most} places; the others are not listed";
    caption_unbound(caption) = "表题“{caption}”没有找到对应的表格", "no table was found for the caption “{caption}”";
    continued_misnumbered(title) = "续表标题“{title}”表号与前页不一致，标题和表头相同", "the title “{title}” says “continued” with another number; title and header are the same";
    says_continued(title) = "续表标题“{title}”", "the title “{title}” says “continued”";
    titled_anew(later, title, last) = "第 {later} 页表格以新的标题“{title}”和表头开始，与第 {last} 页表格按两张表处理", "the table on page {later} begins with a title of its own, “{title}”, and a header: it is another table than that on page {last}";
    columns_differ(last, later, left, right) = "第 {last} 页与第 {later} 页的表格相邻但列不一致（{left} 列与 {right} 列），按两张表处理", "the tables on pages {last} and {later} are neighbours with different columns ({left} and {right}): they are two tables";
    ended_early(last, later) = "第 {last} 页表格下方留有大片空白，第 {later} 页表格无表头、无续表标题，按两张表处理", "the table on page {last} ends far above the foot of the page, and that on page {later} has neither header nor “continued”: they are two tables";
    other_header(later, last) = "第 {later} 页表格另有多级表头，与第 {last} 页表格按两张表处理", "the table on page {later} has a header of several levels of its own: it is another table than that on page {last}";
    layout_failed(error) = "LibreOffice 未能排版，页码为估计值: {error}", "LibreOffice could not lay it out, page numbers are estimates: {error}";
    fragments_joined(count) = "{count} 个表格由各页的表格片段拼接", "{count} tables were joined from pieces on their pages";
    page_is_other(owner, page) = "文件内容是 {owner} 第 {page} 页", "the file holds page {page} of {owner}";
    pages_differ(said, found) = "info.json 记 {said} 页，实际 {found} 页", "info.json says {said} pages, there are {found}";
}
