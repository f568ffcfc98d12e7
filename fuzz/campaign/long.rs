//! Long campaigns of the families (kinds of cases) whose texts are compiled. One program has the texts of many cases.

use super::host::{Host, Random};
use super::{BYTES, Checked, names, programs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// The number of points at which each answer is compared.
const POINTS: u32 = 200;
/// The number of points at which the text of each answer is run as well.
const RUN: usize = 20;
/// The number of cases in one program.
const BATCH: u64 = 200;

/// A family (kind of cases).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Names,
    Programs,
}

impl Family {
    /// The family with this name on the command line, `names` or `programs`.
    pub(crate) fn named(name: &str) -> Option<Family> {
        match name {
            "names" => Some(Family::Names),
            "programs" => Some(Family::Programs),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Total {
    checked: Checked,
    /// The number of compared values of compiled texts.
    run: u64,
    cases: u64,
    refused: u64,
    wrong: u64,
}

impl Total {
    fn failed(&mut self, what: &str) {
        self.wrong += 1;
        println!("wrong: {what}\n");
    }
}

/// Runs cases until `evaluations` values are compared. Prints each wrong case and a summary.
pub(crate) fn run(family: Family, evaluations: u64, seed: u64) -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::panic::set_hook(Box::new(|_| {}));
    let (start, mut next, mut total) = (Instant::now(), 0, Total::default());
    while total.checked.evaluations + total.run < evaluations {
        let parts: Vec<Total> = std::thread::scope(|s| {
            let one = |t: u64| s.spawn(move || batch(family, seed, next + t));
            let threads: Vec<_> = (0..threads).map(one).collect();
            threads.into_iter().filter_map(|t| t.join().ok()).collect()
        });
        next += threads;
        for part in parts {
            total.checked = total.checked.plus(part.checked);
            total.run += part.run;
            total.cases += part.cases;
            total.refused += part.refused;
            total.wrong += part.wrong;
        }
        if next % (threads * 16) == 0 {
            eprintln!("{} evaluations, {:.0} s", total.checked.evaluations + total.run, start.elapsed().as_secs_f64());
        }
    }
    let Total { checked, run, cases, refused, wrong } = total;
    println!(
        "{family:?}: {} evaluations of {} answers to {cases} cases, {run} values of their compiled texts, {refused} refused for \
         a name, {wrong} wrong, {:.0} s",
        checked.evaluations,
        checked.answers,
        start.elapsed().as_secs_f64()
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn batch(family: Family, seed: u64, number: u64) -> Total {
    let mut total = Total::default();
    let bytes = (0..BATCH).map(|i| {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (number * BATCH + i));
        (0..BYTES / 8).flat_map(|_| random.next().to_le_bytes()).collect::<Vec<u8>>()
    });
    match family {
        Family::Names => {
            let mut printed = vec![];
            for case in bytes.filter_map(|b| names::Case::from_bytes(&b)) {
                total.cases += 1;
                match catch_unwind(AssertUnwindSafe(|| case.check(POINTS))) {
                    Ok(Ok((checked, texts))) => {
                        total.checked = total.checked.plus(checked);
                        printed.extend(texts.map(|t| t.at_most(RUN)));
                    }
                    Ok(Err(wrong)) => total.failed(&wrong),
                    Err(_) => total.failed(&format!("panic, {case}")),
                }
            }
            // Rust occurs once and the other languages twice, because the compiler of Rust takes the longest
            let hosts = [Host::C, Host::Cpp, Host::Python, Host::C, Host::Cpp, Host::Python, Host::Rust];
            let host = hosts[(number % hosts.len() as u64) as usize];
            match names::compiled(host, &printed) {
                Ok(run) => total.run = run,
                Err(wrong) => total.failed(&wrong),
            }
        }
        Family::Programs => {
            let mut cases = vec![];
            for bytes in bytes {
                total.cases += 1;
                let done = catch_unwind(AssertUnwindSafe(|| {
                    let case = programs::Case::from_bytes(&bytes, cases.len())?;
                    let checked = case.check(POINTS).map_err(programs::Refused::Wrong)?;
                    Ok((case, checked))
                }));
                match done {
                    Ok(Ok((case, checked))) => {
                        total.checked = total.checked.plus(checked);
                        cases.push(case);
                    }
                    Ok(Err(programs::Refused::Name | programs::Refused::Bytes)) => total.refused += 1,
                    Ok(Err(programs::Refused::Wrong(wrong))) => total.failed(&wrong),
                    Err(_) => total.failed(&format!("panic, bytes {bytes:?}")),
                }
            }
            match programs::compiled(&cases) {
                Ok(run) => total.run = run,
                Err(wrong) => total.failed(&wrong),
            }
        }
    }
    total
}
