//! Questions that only an SMT solver decides. Without a solver on the path, these tests print this and pass.

use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Method, Options, Verdict, Why, decide};
use std::sync::mpsc;
use std::time::Duration;

fn parse(text: &str) -> Expr {
    text.parse().expect(text)
}

fn installed() -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .any(|f| ["z3", "cvc5", "z3.exe", "cvc5.exe"].iter().any(|s| f.join(s).is_file()));
    if !found {
        println!("skipped: neither z3 nor cvc5 on the path");
    }
    found
}

/// With these options, only the solver can decide a question whose domain has more than one point.
fn solver_only() -> Options {
    Options { max_points: 1, samples: 0, smt_timeout: Duration::from_secs(20), ..Options::default() }
}

#[test]
fn verdicts_agree_with_enumeration() {
    if !installed() {
        return;
    }
    let domain = Domain::new().with("x", -9..=9).with("y", -3..=4).with("z", 0..=2);
    let texts = [
        "(x//-3)*3 + y",
        "x % -4 + x//4",
        "x // (y*y + 1)",
        "x % (y - 7) + z",
        "x // (y - 7)",
        "where(y == 0, 5, x // y)",
        "x // z",
        "y != 0 and x // y > 1",
        "y == 0 or x % y",
        "min(x, y*z) - max(y, z - x)",
        "not (x < y <= z)",
        "(x*y + z) % 3",
        "where(x*z > y, x//3, (x + 1)//3)",
        "-x // 3 + -(x // 3)",
        "where(1//z > 0, x, y)",
        "truncdiv(x*2 + y, 3) - truncmod(x, y - 7)",
    ];
    let (mut equal, mut solved) = (0, 0);
    for (i, a) in texts.iter().enumerate() {
        for b in [
            // an equal form with a different text, because identical texts need no solver
            &format!("({a}) + (x - y)%1"),
            texts[(i + 1) % texts.len()],
            &format!("{a} + (x == 3 and y == 2)"),
            &format!("where(z > 0, {a}, {a} + 0*z)"),
        ] {
            let (a, b) = (parse(a), parse(b));
            let truth = quaff::quasi::enumerate(&a, &b, &domain, &Options::default()).verdict;
            let decision = decide(&a, &b, &domain, &solver_only());
            match (&truth, &decision.verdict) {
                (Verdict::Equal, Verdict::Equal) => equal += 1,
                // the procedure has evaluated both expressions at the witness
                (Verdict::Differs { .. }, Verdict::Differs { .. }) => {}
                (truth, verdict) => panic!("{truth} but {verdict}: {a} and {b}"),
            }
            solved += usize::from(decision.method == Method::Solver);
        }
    }
    assert!(equal >= 25 && solved >= 40, "{equal} equal, {solved} by the solver");
}

#[test]
fn large_boxes_beyond_enumeration() {
    if !installed() {
        return;
    }
    let domain = Domain::new().with("x", 0..1_i64 << 40).with("y", 0..1_i64 << 40);
    let options = Options { max_points: 1 << 10, split_above: u64::MAX, ..solver_only() };
    let decision = decide(&parse("where(x < y, x - y, y - x)"), &parse("-max(x - y, y - x)"), &domain, &options);
    assert_eq!(decision.verdict, Verdict::Equal);
    let decision = decide(&parse("where(x + y < 7, x//3, y)"), &parse("where(x + y < 8, x//3, y)"), &domain, &options);
    assert!(matches!(decision.verdict, Verdict::Differs { .. }), "{}", decision.verdict);
    assert_eq!(decision.method, Method::Solver);
}

#[test]
fn a_solver_ends_itself() {
    if !installed() {
        return;
    }
    // solvers need long for this question about products of unknowns
    let domain = Domain::new().with("x", 2..).with("y", 2..).with("z", 2..);
    let (a, b) = (parse("x*x*x + y*y*y == z*z*z"), parse("0"));
    let options = Options { smt_timeout: Duration::from_millis(300), ..solver_only() };
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(decide(&a, &b, &domain, &options).verdict));
    // this time limit only ends the test if the solver never answers
    match receive.recv_timeout(Duration::from_secs(300)).expect("the solver ends itself") {
        Verdict::Undecided { why: Why::Solver { .. } } | Verdict::Equal => {}
        other => panic!("{other}"),
    }
}

#[test]
fn what_the_theory_lacks_is_undecided() {
    if !installed() {
        return;
    }
    let domain = Domain::new().with("x", 0..1_i64 << 40).with("y", 0..1_i64 << 40);
    let verdict = decide(&parse("x ^ y"), &parse("(x | y) - (x & y)"), &domain, &solver_only()).verdict;
    assert!(matches!(verdict, Verdict::Undecided { why: Why::Solver { .. } }), "{verdict}");
}
