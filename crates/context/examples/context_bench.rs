//! Times a search of 10,000 documents against `grep -rl` over the same tree, both with a warm file cache.
//!
//! `cargo run --release -p regreader-context --example context_bench [DOCUMENTS]`

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use regreader_context::{SearchRequest, TaskType, search};

const RUNS: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let documents = std::env::args().nth(1).map_or(Ok(10_000), |count| count.parse::<usize>())?;
    let project = tempfile::tempdir()?;
    let bytes = write_tree(project.path(), documents)?;
    println!("documents {documents}, bytes {bytes}, runs {RUNS}");

    let request =
        SearchRequest::new(["authentication", "JWT", "数据库"], TaskType::TaskGeneration).in_epic("EPIC-01");
    let report = search(project.path(), &request)?;
    println!(
        "search finds {} of {} candidates: {}",
        report.result.total,
        report.candidates.len(),
        report.result.message
    );
    let ours = time("search", Cpu::Own, || search(project.path(), &request).map(drop).map_err(Into::into))?;
    let grep = time("grep -rl authentication", Cpu::Children, || {
        Command::new("grep")
            .args(["-rl", "authentication"])
            .arg(project.path())
            .stdout(Stdio::null())
            .status()
            .map(drop)
            .map_err(Into::into)
    })?;
    println!(
        "ratio search/grep: wall {:.2}, cpu {:.2}",
        ratio(ours.wall, grep.wall),
        ratio(ours.cpu, grep.cpu)
    );
    Ok(())
}

/// Documents like real ones: front matter of four fields, then about 3 kB of mixed prose. One in fifty is about
/// authentication by name, one in twenty by tag, one in ten mentions it.
fn write_tree(root: &Path, documents: usize) -> std::io::Result<usize> {
    const SUBJECTS: [&str; 10] = [
        "Order",
        "Payment",
        "Inventory",
        "Report",
        "Profile",
        "Cache",
        "Queue",
        "Search",
        "Export",
        "Billing",
    ];
    let context = root.join(".the_conn/context");
    fs::create_dir_all(context.join("global"))?;
    for name in ["Architecture", "Tech_Stack", "Testing_Strategy", "Coding_Standard_Python"] {
        fs::write(
            context.join(format!("global/{name}.md")),
            "---\ntitle: 概述\ntags: [global]\n---\n# 概述\n",
        )?;
    }
    let mut bytes = 0;
    for number in 0..documents.saturating_sub(4) {
        let folder = context.join(format!("epics/EPIC-{:02}", number % 100 + 1));
        if number < 100 {
            fs::create_dir_all(&folder)?;
        }
        let subject = SUBJECTS.get(number % SUBJECTS.len()).copied().unwrap_or_default();
        let subject = if number % 50 == 7 { "Auth" } else { subject };
        let tag = if number % 20 == 3 { "authentication" } else { "misc" };
        let said = if number % 10 == 9 { "It calls authentication first." } else { "" };
        let prose = "本模块负责接收请求、检查参数并写入存储，失败时重试三次。The module keeps its state in one table.\n".repeat(25);
        let text = format!(
            "---\ntitle: \"{subject} 模块设计 {number}\"\ntags: [{tag}, module, v{}]\nupdated: 2025-{:02}-{:02}\ntype: module_design\n---\n\
             # {subject}\n\n## 概述\n\n{said}\n{prose}",
            number % 9,
            number % 12 + 1,
            number % 28 + 1,
        );
        bytes += text.len();
        fs::write(folder.join(format!("Module_Design_{subject}_{number}.md")), text)?;
    }
    Ok(bytes)
}

struct Timing {
    wall: Duration,
    cpu: Option<Duration>,
}

/// Whose processor time to look at.
#[derive(Clone, Copy)]
enum Cpu {
    Own,
    Children,
}

/// The mean of [`RUNS`] runs after one that warms the file cache.
fn time(
    label: &str,
    whose: Cpu,
    mut run: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Timing, Box<dyn Error>> {
    run()?;
    let before = cpu_time(whose);
    let (mut total, mut best) = (Duration::ZERO, Duration::MAX);
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        let wall = start.elapsed();
        total += wall;
        best = best.min(wall);
    }
    let wall = total / RUNS;
    let cpu = cpu_time(whose).zip(before).map(|(after, before)| after.saturating_sub(before) / RUNS);
    let shown = cpu.map_or_else(|| "unknown".to_owned(), |cpu| format!("{:.1} ms", cpu.as_secs_f64() * 1e3));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{label}: wall {:.1} ms (best {:.1} ms), cpu {shown}", ms(wall), ms(best));
    Ok(Timing { wall, cpu })
}

/// User and system time from `/proc/self/stat`, in ticks of 10 ms; the mean over many runs is finer. None where there
/// is no such file.
fn cpu_time(whose: Cpu) -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The command name, in brackets, may hold spaces; the numbers follow it.
    let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let at = match whose {
        Cpu::Own => 11,
        Cpu::Children => 13,
    };
    let ticks: u64 = numbers.get(at)?.parse::<u64>().ok()? + numbers.get(at + 1)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

fn ratio(a: impl Into<Option<Duration>>, b: impl Into<Option<Duration>>) -> f64 {
    match (a.into(), b.into()) {
        (Some(a), Some(b)) => a.as_secs_f64() / b.as_secs_f64(),
        _ => f64::NAN,
    }
}
