//! The earlier system's scheme in Python, over the same articles, questions and vectors.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use regreader_embed::{Embedder as _, StaticModel};

use crate::corpus::{articles, questions, shelve};
use crate::{Options, Outcome};

/// Writes what the script needs and runs it. Says so when there is no Python with NumPy and none can be fetched.
pub fn run(options: &Options) -> Outcome<()> {
    println!();
    let packages = match numpy() {
        Ok(packages) => packages,
        Err(reason) => {
            println!("earlier scheme: skipped: {reason}");
            return Ok(());
        }
    };
    let folder = tempfile::tempdir()?;
    write(options, folder.path())?;
    let script = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("examples/search_bench/earlier.py");
    let status = Command::new("python3")
        .arg(script)
        .arg(folder.path())
        .arg(options.rounds.to_string())
        .env("PYTHONPATH", packages)
        // One thread, like ours.
        .envs([("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1"), ("MKL_NUM_THREADS", "1")])
        .status()?;
    if status.success() { Ok(()) } else { Err("the earlier scheme failed".into()) }
}

fn write(options: &Options, folder: &Path) -> Outcome<()> {
    let articles = articles(&options.corpus)?;
    let (shelves, gold) = shelve(&articles)?;
    let model = StaticModel::builtin()?;
    let mut lines = BufWriter::new(File::create(folder.join("articles.jsonl"))?);
    let mut vectors = BufWriter::new(File::create(folder.join("vectors.f32"))?);
    for documents in shelves.values() {
        for document in documents {
            let key = &document.key;
            let line = serde_json::json!({
                "reg_id": key.reg_id, "page_num": key.page_num, "block_id": key.block_id, "text": document.text,
            });
            writeln!(lines, "{line}")?;
            for vector in model.embed_documents(&[&document.embedding_text(1_600)])? {
                put(&mut vectors, &vector)?;
            }
        }
    }
    let mut lines = BufWriter::new(File::create(folder.join("questions.jsonl"))?);
    let mut vectors = BufWriter::new(File::create(folder.join("questions.f32"))?);
    for question in questions(&options.corpus, options.questions)? {
        let wanted: Vec<_> =
            question.gold.iter().filter_map(|one| gold.get(one)).map(|key| key.block_id.clone()).collect();
        writeln!(lines, "{}", serde_json::json!({ "question": question.question, "gold": wanted }))?;
        put(&mut vectors, &model.embed_query(&question.question)?)?;
    }
    Ok(())
}

fn put(file: &mut impl std::io::Write, vector: &[f32]) -> std::io::Result<()> {
    vector.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
}

/// A folder with NumPy, fetched once by pip.
fn numpy() -> Result<PathBuf, String> {
    let folder = std::env::temp_dir().join("regreader-bench-python");
    if folder.join("numpy").is_dir() {
        return Ok(folder);
    }
    let _ = fs::create_dir_all(&folder);
    let done = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--target"])
        .arg(&folder)
        .arg("numpy")
        .status()
        .map_err(|error| format!("python3: {error}"))?;
    if done.success() { Ok(folder) } else { Err("pip could not fetch NumPy".to_owned()) }
}
