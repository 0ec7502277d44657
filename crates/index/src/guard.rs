//! Panics of a backend, turned into errors. A damaged file can lead a library that trusts its own files into a panic;
//! that must cost the index, which is a cache, and not the program.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use regreader_messages::errors;

use crate::IndexError;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether a panic on this thread would be caught here. A panic hook that prints should keep quiet then: the caller
/// reports the error.
pub fn catches_panics() -> bool {
    DEPTH.get() > 0
}

/// Runs work on an index in this folder. A panic counts as damage to it.
pub(crate) fn caught<T>(
    folder: &Path,
    work: impl FnOnce() -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    result.unwrap_or_else(|panic| Err(IndexError::corrupt(folder, errors::panicked(message(panic.as_ref())))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic");
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_the_depth_is_restored() {
        let caught = caught(Path::new("x"), || -> Result<(), IndexError> {
            assert!(catches_panics());
            let empty: [u8; 0] = [];
            let at = std::hint::black_box(3);
            let _ = empty[at];
            Ok(())
        });
        assert!(matches!(caught, Err(IndexError::Corrupt { .. })), "{caught:?}");
        assert!(!catches_panics());
    }
}
