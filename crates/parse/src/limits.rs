//! Bounds that keep a hostile file from taking the machine down.

/// Bounds on what one file may make us do. A file that passes one gets an error or a diagnostic that says so.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Pages in a document.
    pub max_pages: usize,
    /// Bytes of one unpacked part of a container (a stream, a zip entry).
    pub max_part_bytes: u64,
    /// Bytes of all unpacked parts together.
    pub max_total_bytes: u64,
    /// Nesting of elements, page-tree levels, tables in tables.
    pub max_depth: usize,
    /// Characters on one page.
    pub max_chars_per_page: usize,
    /// Cells of one table.
    pub max_cells: usize,
    /// Cells of all tables of a document together.
    pub max_document_cells: usize,
    /// Bytes of text of a document, counted where it stands: a string that a thousand cells share counts a
    /// thousand times.
    pub max_text_bytes: usize,
    /// Rules (line segments) considered on one page.
    pub max_rules_per_page: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_pages: 20_000,
            max_part_bytes: 256 << 20,
            max_total_bytes: 1 << 30,
            max_depth: 128,
            max_chars_per_page: 200_000,
            max_cells: 200_000,
            max_document_cells: 500_000,
            max_text_bytes: 32 << 20,
            max_rules_per_page: 50_000,
        }
    }
}
