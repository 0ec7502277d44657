//! Compresses the sample documents that the program carries: their fonts and page contents are stored plainly. The static
//! program for Linux also gets its own functions for copying memory.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::bufread::ZlibEncoder;

/// Sample documents, from the root of the repository.
const SAMPLES: [&str; 4] = [
    "samples/pdf/angui_2023.pdf",
    "samples/pdf/angui_2024.pdf",
    "samples/pdf/wengui_2024.pdf",
    "samples/en/pdf/rel_901_2.pdf",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let root =
        Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names no folder")?).join("../..");
    println!("cargo::rerun-if-changed=build.rs");
    for sample in SAMPLES {
        let path = root.join(sample);
        println!("cargo::rerun-if-changed={}", path.display());
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().ok_or("a file has a name")?.to_string_lossy().into_owned();
        let mut packed = fs::File::create(out.join(format!("{name}.zlib")))?;
        std::io::copy(&mut ZlibEncoder::new(bytes.as_slice(), Compression::best()), &mut packed)?;
    }
    copy_memory_fast()
}

/// Links `native/memory.c` into the programs that musl would make slow. As a part of this crate's library it stands before
/// the C library, where the linker takes what is still missing.
fn copy_memory_fast() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=native/memory.c");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("ARCH") != "x86_64" || target("ENV") != "musl" {
        return Ok(());
    }
    let mut build = cc::Build::new();
    build.file("native/memory.c").flag("-fno-builtin").opt_level(2);
    Ok(build.try_compile("memory")?)
}
