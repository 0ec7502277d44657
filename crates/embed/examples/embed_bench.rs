//! Texts of 200 characters per CPU second: `cargo run --release -p regreader-embed --example embed_bench`

use std::time::Instant;

use regreader_embed::{EmbedError, Embedder as _, StaticModel};

const TEXTS: usize = 20_000;
const ROUNDS: usize = 5;
const CHINESE: &str = "输电断面潮流超过稳定限额时，值班调度员应在十五分钟内通过调整机组出力将其控制到限额以内；安控装置退出运行期间，\
    相关线路的载流量按第３．２条执行，并向省调汇报。变压器顶层油温不得超过85℃，母线电压偏差不得超过±5%。";
const ENGLISH: &str = "When the flow on a transmission interface exceeds its stability limit, the dispatcher on duty shall \
    redispatch generation within 15 minutes. Protection settings are checked before the circuit breaker closes. ";

fn main() -> Result<(), EmbedError> {
    let start = Instant::now();
    let model = StaticModel::builtin()?;
    println!(
        "{}: {} rows, loaded in {:.1} ms",
        model.model(),
        model.rows(),
        start.elapsed().as_secs_f64() * 1e3
    );
    for (name, seed) in [("zh", CHINESE), ("en", ENGLISH)] {
        let texts: Vec<String> =
            (0..TEXTS).map(|n| seed.chars().cycle().skip(n % 90).take(200).collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // One thread, so seconds are CPU seconds; the best round is the one least disturbed by neighbours.
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let vectors = model.embed_documents(&texts)?;
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(vectors.len(), TEXTS);
        }
        println!("{name}: {:.0} texts of 200 characters per second on one core", TEXTS as f64 / best);
    }
    Ok(())
}
