//! The plain data of RegReader: pages, blocks, tables, chapters, notes, references, citations
