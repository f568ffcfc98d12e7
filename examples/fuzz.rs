//! A fuzz campaign of any length on a stable toolchain, with random expressions, domains and subsets of the rules.
//!
//! `cargo run --profile dist --example fuzz -- --evaluations 10000000 --seed 1` prints the number of checks, and each
//! case that is wrong or panics. The program fails when there is such a case. `--show N` first prints the first N
//! cases, and `--first N` begins with case N. `--family sizes` selects expressions over sizes that are known only at
//! run time. `--family names` and `--family programs` select hostile names and programs of dims and kernels. Their
//! texts are compiled and run as well.

#[path = "../fuzz/campaign/mod.rs"]
mod campaign;

use campaign::long::{self, Family};
use campaign::{BYTES, Case, Checked, sizes};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// The number of points that are compared for each answer.
const POINTS: u32 = 200;
/// The number of cases that a thread takes at a time.
const BATCH: u64 = 512;

#[derive(Default)]
struct Total {
    checked: Checked,
    cases: u64,
    wrong: u64,
    panics: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|a| a == name);
        at.and_then(|i| arguments.get(i + 1)?.parse().ok()).unwrap_or(default)
    };
    let (evaluations, seed) = (number("--evaluations", 1_000_000), number("--seed", 1));
    let family = arguments.iter().position(|a| a == "--family").and_then(|i| arguments.get(i + 1));
    let is_about_sizes = family.is_some_and(|name| name == "sizes");
    if let Some(name) = family.filter(|_| !is_about_sizes) {
        let Some(family) = Family::named(name) else {
            eprintln!("there is no family `{name}`: names, programs, sizes");
            return ExitCode::FAILURE;
        };
        return long::run(family, evaluations, seed);
    }
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    for i in 0..number("--show", 0) {
        if let Some(call) = Call::from_bytes(&bytes(seed, i), is_about_sizes) {
            println!("{call}");
        }
    }
    // a panic is counted and printed with its case
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut total = Total::default();
    let mut next = number("--first", 0);
    while total.checked.evaluations < evaluations {
        let parts: Vec<Total> = std::thread::scope(|s| {
            let threads: Vec<_> =
                (0..threads).map(|t| s.spawn(move || batch(seed, next + t * BATCH, is_about_sizes))).collect();
            threads.into_iter().filter_map(|t| t.join().ok()).collect()
        });
        next += threads * BATCH;
        for part in parts {
            total.checked = total.checked.plus(part.checked);
            total.cases += part.cases;
            total.wrong += part.wrong;
            total.panics += part.panics;
        }
        if next % (threads * BATCH * 64) == 0 {
            eprintln!("{} evaluations, {:.0} s", total.checked.evaluations, start.elapsed().as_secs_f64());
        }
    }
    let Total { checked, cases, wrong, panics } = total;
    println!(
        "{} checked evaluations of {} answers to {cases} expressions, {} answers decided exactly, {} texts run {} times \
         ({} refused as too wide), {} ends refused, {wrong} wrong, {panics} panics, {:.0} s",
        checked.evaluations,
        checked.answers,
        checked.decided,
        checked.texts,
        checked.runs,
        checked.too_wide,
        checked.beyond_reach,
        start.elapsed().as_secs_f64()
    );
    if wrong + panics == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A random call over index expressions, or over sizes that are known only at run time.
enum Call {
    Index(Case),
    Sizes(sizes::Case),
}

impl Call {
    fn from_bytes(bytes: &[u8], is_about_sizes: bool) -> Option<Call> {
        Some(match is_about_sizes {
            true => Call::Sizes(sizes::Case::from_bytes(bytes)?),
            false => Call::Index(Case::from_bytes(bytes)?),
        })
    }

    fn check(&self) -> Result<Checked, String> {
        match self {
            Call::Index(case) => case.check(POINTS),
            Call::Sizes(case) => case.check(POINTS),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Index(case) => case.fmt(f),
            Call::Sizes(case) => case.fmt(f),
        }
    }
}

fn batch(seed: u64, first: u64, is_about_sizes: bool) -> Total {
    let mut total = Total::default();
    for i in first..first + BATCH {
        let Some(call) = Call::from_bytes(&bytes(seed, i), is_about_sizes) else { continue };
        total.cases += 1;
        match catch_unwind(AssertUnwindSafe(|| call.check())) {
            Ok(Ok(checked)) => total.checked = total.checked.plus(checked),
            Ok(Err(wrong)) => {
                total.wrong += 1;
                println!("wrong, case {i}: {wrong}\n");
            }
            Err(_) => {
                total.panics += 1;
                println!("panic, case {i}: {call}\n");
            }
        }
    }
    total
}

/// The bytes of case number `i`, from the random generator splitmix64.
fn bytes(seed: u64, i: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ i.wrapping_mul(0x9e6c_63d0_876a_3f6b);
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (0..BYTES / 8).flat_map(|_| word().to_le_bytes()).collect()
}
