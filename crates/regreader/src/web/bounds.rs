//! Children of this program that read what may be hostile, with a bound on their memory.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// A command that runs `program` with at most so many MiB of memory. What would pass the bound fails, and with it the
/// process. The shell sets the bound, so that no code of ours has to between fork and exec.
#[cfg(unix)]
pub fn bounded_command(program: &Path, memory_mib: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$1\" && shift && exec \"$@\"", "sh"]);
    command.arg(memory_mib.saturating_mul(1024).to_string()).arg(AsRef::<OsStr>::as_ref(program));
    command
}

/// The same where the system has no such bound: time is bounded all the same, by whoever starts it.
#[cfg(not(unix))]
pub fn bounded_command(program: &Path, _: u64) -> Command {
    Command::new(AsRef::<OsStr>::as_ref(program))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_in_the_child_and_arguments_arrive_whole() {
        let output = bounded_command(Path::new("/bin/sh"), 100)
            .args(["-c", "ulimit -v; printf '%s' \"$1\"", "sh", "a b\"c"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "102400\na b\"c");
    }
}
