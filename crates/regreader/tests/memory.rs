//! The memory functions of the static program, which the program under test does not use itself.

use std::path::Path;
use std::process::Command;

/// Compiles `native/memory_check.c`, which compares them with the C library's, and runs it.
#[test]
fn copies_and_comparisons_agree_with_the_c_library() {
    if !cfg!(all(target_arch = "x86_64", unix)) {
        println!("skipped: written for x86_64");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("memory_check");
    let source = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("native/memory_check.c");
    let compiled = Command::new("cc").args(["-O2", "-fno-builtin", "-o"]).arg(&program).arg(source).output();
    let Ok(compiled) = compiled else {
        println!("skipped: no C compiler named cc");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&program).output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("checks"), "{said}");
}
