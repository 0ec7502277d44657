//! Question sets, metrics and reports: recall, MRR and nDCG by page, table and clause.
//!
//! It measures what the tools and agents give and must not change it. The runner is still to be written; nothing is
//! offered here yet.
