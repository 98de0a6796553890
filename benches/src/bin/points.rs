//! Measures what a point costs: a call of a hooked function, and putting a hook in and out while a thread runs it.

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::spread;
use midrun_instrument::{Function, Hook, flag, hook, nanoseconds, set_rate, ticks};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Cost of a hooked call, and of putting hooks in and out.
#[derive(Parser)]
struct Arguments {
    /// Rounds of each measurement.
    #[arg(long, default_value_t = 50)]
    rounds: u32,
}

/// Something short, with several instructions at its entry.
#[inline(never)]
extern "C" fn short(x: u64, y: u64) -> u64 {
    black_box(black_box(x).wrapping_mul(31) ^ black_box(y))
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    set_rate(rate());
    let address = short as extern "C" fn(u64, u64) -> u64 as usize;
    let function = Function { name: "short".into(), object: "points".into(), address, size: 0, exported: false };
    let hook = hook(&function).map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
    let plain = calls(a.rounds).context("rounds")?;
    let point = hook.point();
    point.set(flag::TIMED, true);
    put_in(hook)?;
    let timed = calls(a.rounds).context("rounds")?;
    point.sample_mask.store(u64::MAX, Ordering::Relaxed);
    let counted = calls(a.rounds).context("rounds")?;
    point.set(flag::TIMED, false);
    let passed = calls(a.rounds).context("rounds")?;
    point.set(flag::TIMED, true);
    point.sample_mask.store(0, Ordering::Relaxed);
    println!("a call of a function that does next to nothing: {plain:.1} ns; with a hook, beyond that:");
    println!("  entry and exit timed and summed up {:.1} ns", timed - plain);
    println!("  counted only {:.1} ns", counted - plain);
    println!("  passed on {:.1} ns", passed - plain);
    hook.remove().map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
    toggles(hook, a.rounds, false)?;
    toggles(hook, a.rounds, true)
}

/// Nanoseconds per tick, times 2^32, over a tenth of a second.
fn rate() -> u64 {
    let (begin, first) = (Instant::now(), ticks());
    std::thread::sleep(Duration::from_millis(100));
    ((begin.elapsed().as_nanos() << 32) / u128::from(ticks() - first)) as u64
}

fn put_in(hook: Hook) -> Result<()> {
    hook.insert().map_err(|refusal| anyhow::anyhow!("{refusal}"))
}

/// Median time of one call, nanoseconds.
fn calls(rounds: u32) -> Option<f64> {
    const CALLS: u64 = 100_000;
    let round = |_| {
        let begin = Instant::now();
        (0..CALLS).for_each(|k| {
            black_box(short(k, 7));
        });
        begin.elapsed().as_nanos() as f64 / CALLS as f64
    };
    spread((0..rounds).map(round).collect()).map(|spread| spread.median)
}

/// Puts the hook in and out, with another thread that runs the function or without.
fn toggles(hook: Hook, rounds: u32, running: bool) -> Result<()> {
    static OVER: AtomicBool = AtomicBool::new(false);
    static LONGEST: AtomicU64 = AtomicU64::new(0);
    let other = running.then(|| std::thread::spawn(run_for_gaps));
    std::thread::sleep(Duration::from_millis(200));
    let before_ns = LONGEST.swap(0, Ordering::Relaxed);
    let (mut begun, mut whole, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        std::thread::sleep(Duration::from_millis(3));
        let begin = Instant::now();
        hook.insert().map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
        begun.push(begin.elapsed().as_nanos() as f64 / 1e3);
        put_in(hook)?;
        whole.push(begin.elapsed().as_nanos() as f64 / 1e3);
        std::thread::sleep(Duration::from_millis(3));
        let begin = Instant::now();
        hook.remove().map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
        out.push(begin.elapsed().as_nanos() as f64 / 1e3);
    }
    let stall_ns = LONGEST.load(Ordering::Relaxed);
    let text = |list| spread(list).map(|spread| spread.to_string()).unwrap_or_default();
    println!("{}:", if running { "another thread runs the function" } else { "no other thread" });
    println!("  put in, the caller's time us {}", text(begun));
    println!("  until the jump stands us {}", text(whole));
    println!("  taken out us {}", text(out));
    if let Some(other) = other {
        OVER.store(true, Ordering::Relaxed);
        let _ = other.join();
        println!("  longest gap between two calls in the other thread: {stall_ns} ns, without changes {before_ns} ns");
    }
    return Ok(());

    fn run_for_gaps() {
        let mut last = ticks();
        while !OVER.load(Ordering::Relaxed) {
            black_box(short(last, 3));
            let now = ticks();
            LONGEST.fetch_max(nanoseconds(now - last), Ordering::Relaxed);
            last = now;
        }
    }
}
