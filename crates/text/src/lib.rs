//! Folding, numbering and reference grammar, tokenising
