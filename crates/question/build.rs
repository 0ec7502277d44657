//! Packs the thesaurus: as text it would take seven hundred kilobytes of the program.

use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> std::io::Result<()> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for language in ["en", "zh"] {
        let source = format!("lexicon/everyday/{language}.tsv");
        println!("cargo::rerun-if-changed={source}");
        let text = std::fs::read_to_string(&source)?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        // Comments are for readers of the source.
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            packed.write_all(line.as_bytes())?;
            packed.write_all(b"\n")?;
        }
        std::fs::write(out.join(format!("everyday_{language}.zlib")), packed.finish()?)?;
    }
    Ok(())
}
