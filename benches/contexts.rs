//! The time of questions under 10 conditions. Each question has a separate context, or all questions share one.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

use criterion::{Criterion, criterion_group, criterion_main};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use std::hint::black_box;
use std::time::Duration;

const VARIABLES: &str =
    "n=1..4096, m=1..4096, bx=0..65535, tx=0..127, i=0..n-1, j=0..m-1, k=0..1023 step 4, a=0..63, b=0..63, c=0..999";
const CONDITIONS: [&str; 10] = [
    "bx*128 + tx < n",
    "i + 4 <= n",
    "j*4 < m",
    "a < b",
    "a + b < 70",
    "k + tx < 1000",
    "n % 16 == 0",
    "m % 8 == 0",
    "c != 0",
    "c < i or c < j + 64",
];
/// The names and texts of the questions. The number of a question replaces `{}`.
const QUESTIONS: [(&str, &str); 4] = [
    ("mask", "bx*128 + tx + {} < n + {}"),
    ("quotient", "(bx*128 + tx)//{} < n"),
    ("alignment", "(k + {}*4) % 4 == 0"),
    ("two variables", "a + {} < b + {}"),
];
/// The numbers of additional variables that no question uses. There are half as many conditions about them.
const OTHERS: [usize; 2] = [0, 200];

fn domain(others: usize) -> Domain {
    let conditions = CONDITIONS.iter().map(|c| format!("assume {c}"));
    let variables = (0..others).map(|u| format!("u{u}=0..{}", 100 + u));
    let sums = (0..others / 2).map(|u| format!("assume u{} + u{} < 150", 2 * u, 2 * u + 1));
    let all: Vec<String> =
        std::iter::once(VARIABLES.to_string()).chain(conditions).chain(variables).chain(sums).collect();
    all.join(", ").parse().expect("a domain")
}

fn contexts(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    for others in OTHERS {
        let domain = domain(others);
        for (name, question) in QUESTIONS {
            let asked =
                |number: usize| question.replace("{}", &number.to_string()).parse::<Expr>().expect("a condition");
            let mut group = c.benchmark_group(format!("contexts/{name}/{others}_others"));
            group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
            let mut number = 100;
            group.bench_function("fresh", |bench| {
                bench.iter(|| simplifier.facts(&domain).prove(black_box(&asked(100))));
            });
            let mut kept = simplifier.facts(&domain);
            (1..100).for_each(|number| assert_eq!(kept.prove(&asked(number)).expect("an answer"), Some(true)));
            group.bench_function("kept", |bench| {
                bench.iter(|| {
                    number += 1;
                    kept.prove(black_box(&asked(100 + number % 100)))
                });
            });
            let condition: Expr = "n <= 2048".parse().expect("a condition");
            group.bench_function("pushed", |bench| {
                bench.iter(|| {
                    kept.push();
                    kept.assume(condition.clone());
                    let answer = kept.prove(black_box(&asked(100)));
                    kept.pop();
                    answer
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, contexts);
criterion_main!(benches);
