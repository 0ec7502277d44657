//! The library on disk
