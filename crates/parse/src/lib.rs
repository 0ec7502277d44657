//! Bytes to positioned pages
