//! Positioned pages to chapters, tables, notes and references
