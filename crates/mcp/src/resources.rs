//! Pages as resources: `regreader://{reg_id}/page/{n}`.

use regreader_messages::{errors, tools};
use regreader_tools::{ListRegulations, ReadPageRange, RegulationEntry, Tool, ToolFailure, Toolbox};
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::desk::report;

/// The form of a page's address.
pub const TEMPLATE: &str = "regreader://{reg_id}/page/{n}";
/// Resources in one answer.
const AT_ONCE: usize = 200;
const MARKDOWN: &str = "text/markdown";

/// The templates there are.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(TEMPLATE, "page")
        .with_title("规程页面")
        .with_description("规程某一页的完整 Markdown，跨页表格已拼接，注释随页保留")
        .with_mime_type(MARKDOWN);
    vec![template]
}

/// Pages in order, from where the cursor left off.
pub fn list(toolbox: &Toolbox, cursor: Option<&str>) -> Result<ListResourcesResult, ToolFailure> {
    let start = cursor.map(parse_cursor).transpose()?;
    let mut pages = regulations(toolbox)?
        .into_iter()
        .flat_map(|one| (1..=one.total_pages).map(move |page| (one.reg_id.clone(), one.title.clone(), page)))
        .skip_while(|(reg_id, _, page)| start.as_ref().is_some_and(|(id, n)| (reg_id, page) < (id, n)));
    let shown: Vec<Resource> =
        pages.by_ref().take(AT_ONCE).map(|(reg_id, title, page)| resource(&reg_id, &title, page)).collect();
    let mut result = ListResourcesResult::with_all_items(shown);
    result.next_cursor = pages.next().map(|(reg_id, _, page)| format!("{page}@{reg_id}"));
    Ok(result)
}

/// One page.
pub fn read(toolbox: &Toolbox, uri: &str) -> Result<ReadResourceResult, ToolFailure> {
    let (reg_id, page) = parse(uri).ok_or_else(|| {
        let shown: String = uri.chars().take(80).collect();
        report("ResourceNotFoundError", errors::no_resource(shown), errors::resource_form(TEMPLATE))
    })?;
    let range = ReadPageRange::pages(reg_id, page, page).run(toolbox).map_err(|error| error.report())?;
    let contents = ResourceContents::text(range.content_markdown, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The regulations by id.
pub fn regulations(toolbox: &Toolbox) -> Result<Vec<RegulationEntry>, ToolFailure> {
    let mut listed = ListRegulations::default().run(toolbox).map_err(|error| error.report())?.regulations;
    listed.sort_by(|a, b| a.reg_id.cmp(&b.reg_id));
    Ok(listed)
}

fn resource(reg_id: &str, title: &str, page: u32) -> Resource {
    Resource::new(format!("regreader://{reg_id}/page/{page}"), format!("{reg_id} P{page}"))
        .with_title(format!("{title} 第{page}页"))
        .with_mime_type(MARKDOWN)
}

/// Regulation and page of an address. Whether they exist is for the tool to say.
fn parse(uri: &str) -> Option<(&str, u32)> {
    let (reg_id, page) = uri.strip_prefix("regreader://")?.split_once("/page/")?;
    let digits = !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit());
    (digits && !reg_id.is_empty()).then_some(())?;
    Some((reg_id, page.parse().ok()?))
}

fn parse_cursor(cursor: &str) -> Result<(String, u32), ToolFailure> {
    let parsed =
        cursor.split_once('@').and_then(|(page, reg_id)| Some((reg_id.to_owned(), page.parse().ok()?)));
    parsed.ok_or_else(|| {
        report(
            "InvalidArgumentError",
            tools::bad_argument("cursor", errors::NOT_OUR_CURSOR),
            errors::FROM_START,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_pages_are_read() {
        assert_eq!(parse("regreader://angui_2024/page/12"), Some(("angui_2024", 12)));
        for hostile in [
            "",
            "regreader://",
            "regreader:///page/1",
            "regreader://a/page/",
            "regreader://a/page/-1",
            "regreader://a/page/+1",
            "regreader://a/page/99999999999",
            "file:///etc/passwd",
            "regreader://a/page/1/../../etc",
        ] {
            assert_eq!(parse(hostile), None, "{hostile}");
        }
    }
}
