//! How the allocator treats memory that is free again.

/// Name of mimalloc's setting: milliseconds for which free memory is kept before the system gets it back.
pub const KEPT_FREE: &str = "MIMALLOC_PURGE_DELAY";

/// Starts this program anew with an allocator that gives memory back as soon as it is free, unless the setting is there
/// already. The allocator reads it before `main` begins, and looks after free memory only while memory is asked for: a
/// server would keep what its busiest moment took until the next one. Costs some milliseconds once and about a tenth of
/// the processor time of a search. Where it cannot be done the server runs as it is.
pub fn give_back_free_memory() {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;

        if std::env::var_os(KEPT_FREE).is_some() {
            return;
        }
        let Ok(program) = std::env::current_exe() else { return };
        let mut arguments = std::env::args_os();
        let mut command = std::process::Command::new(program);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        // Comes back only with an error. The process keeps its id, its files and its terminal.
        let _ = command.args(arguments).env(KEPT_FREE, "0").exec();
    }
}
