//! Any bytes read as xlsx, packed or as parts: an error or a document, within the limits.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| regreader_fuzz::read_packed(regreader_model::SourceFormat::Xlsx, bytes));
