//! Bounds that a process of this program sets on itself before it reads something that may be hostile.

/// Bounds the memory of this process, in MiB. What would pass it fails, and with it the process.
#[cfg(unix)]
pub fn limit_memory(mib: u64) -> anyhow::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let known = getrlimit(Resource::As);
    let bytes = known.maximum.unwrap_or(u64::MAX).min(mib << 20);
    setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: known.maximum })?;
    Ok(())
}

/// Bounds the memory of this process. This system offers no way that a process could use on itself; time is bounded all
/// the same, by whoever started it.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub fn limit_memory(_: u64) -> anyhow::Result<()> {
    Ok(())
}
