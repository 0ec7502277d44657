//! Any bytes, format detected, read and assembled into a regulation.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| regreader_fuzz::read_and_assemble(bytes));
