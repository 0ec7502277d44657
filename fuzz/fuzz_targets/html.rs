//! Any bytes read as html: an error or a document, within the limits.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| regreader_fuzz::read_as(regreader_model::SourceFormat::Html, bytes));
