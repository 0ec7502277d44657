//! `read-document`: the process in which `ingest` reads one document. Not for people.

use std::process::ExitCode;

use regreader_model::RegId;

use super::Session;
use crate::cli::ReadDocumentArgs;
use crate::pipeline::{self, KnownInfo, LibreOffice, PageReader, PdfSupport, ReadOptions};

/// Runs `read-document`.
pub fn run(session: &Session, args: &ReadDocumentArgs) -> anyhow::Result<ExitCode> {
    let settings = &session.settings;
    let reg_id: RegId = args.reg_id.parse()?;
    super::ingest::set_threads(settings.jobs);
    pipeline::serve_apart(settings, &args.path, &args.hash, &|file, password, progress| {
        let libreoffice = LibreOffice::find(&settings.libreoffice);
        let reader = PageReader::find(settings)?;
        let pdf = PdfSupport::find(settings)?;
        let options = ReadOptions {
            format: None,
            password,
            progress: Some(progress),
            libreoffice: libreoffice.as_ref(),
            reader: reader.as_ref(),
            pdf: Some(&pdf),
        };
        pipeline::read(file, &reg_id, &KnownInfo::default(), &options)
    })?;
    Ok(ExitCode::SUCCESS)
}
