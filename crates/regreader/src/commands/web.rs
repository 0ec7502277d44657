//! `web`: the reader in a browser, with MCP beside it in the same process.

use std::process::ExitCode;
use std::sync::Arc;

use regreader_access::Gate;
use regreader_mcp::{McpServer, http};
use regreader_web::{Backend, WebOptions};

use super::Session;
use crate::allocator;
use crate::cli::{ServeArgs, WebArgs};
use crate::source::LibrarySource;
use crate::web::{WebLibrary, drawing};

/// Runs `web` until the process is told to end.
pub fn run(session: &Session, args: &WebArgs) -> anyhow::Result<ExitCode> {
    allocator::give_back_free_memory();
    let settings = &session.settings;
    let as_served = ServeArgs {
        transport: Some("http".to_owned()),
        host: args.host.clone(),
        port: Some(args.port.unwrap_or(settings.web_port)),
        print_config: None,
    };
    let options = super::serve::http_options(session, &as_served);
    let source = Arc::new(LibrarySource::new(settings.clone()));
    let gate = Gate::new(options.token.clone(), options.tokens_file.clone());
    let library: Arc<dyn Backend> =
        Arc::new(WebLibrary::new(settings.clone(), session.layers.clone(), Arc::clone(&source), gate)?);
    let upload_dir = settings.data_dir.join("uploads");
    // What a process that died has left there.
    let _ = std::fs::remove_dir_all(&upload_dir);
    let router = regreader_web::router(
        library,
        WebOptions { max_upload_bytes: settings.max_file_mib << 20, upload_dir },
    );
    let server = McpServer::new(source, super::serve::limits(session));
    let (quiet, opens) = (session.quiet, !args.no_open);
    let served = http::serve_beside(&server, &options, router, |address| {
        let page = format!("http://{address}/");
        if !quiet {
            eprintln!("listening on {page}");
            eprintln!("MCP clients: {page}mcp");
        }
        if opens {
            open_browser(&page);
        }
    });
    served.map_err(super::serve::refusal)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the page where there is a desktop. Failing to is no failure: the address is printed.
fn open_browser(page: &str) {
    let has_desktop = cfg!(any(target_os = "macos", windows))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_desktop {
        return;
    }
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("explorer", &[])
    } else {
        ("xdg-open", &[])
    };
    let null = std::process::Stdio::null;
    let started = std::process::Command::new(program)
        .args(arguments)
        .arg(page)
        .stdin(null())
        .stdout(null())
        .stderr(null())
        .spawn();
    drop(started);
}

/// Runs `draw-pages`, which the reader starts.
pub fn draw(session: &Session) -> anyhow::Result<ExitCode> {
    crate::pipeline::bound_memory(session.settings.web_draw_memory_mib);
    drawing::serve(&session.settings)?;
    Ok(ExitCode::SUCCESS)
}
