//! The text of accesses in their loops. The text is compiled and run, and every address is compared. A loop carries a
//! value from one iteration to the next if a thread then executes fewer instructions.

use crate::host::{Case, Printed, Target, run};
use quaff::Simplifier;
use quaff::access::{Access, NestedAccesses};
use quaff::domain::Domain;
use quaff::emit::Output;
use quaff::expr::Expr;
use quaff::induction::Change;
use std::sync::Arc;

/// A C++ class that replaces buffers. It adds up the reads, so their order does not matter.
const BUFFERS: &str = "
struct Seen {
  long long *sum, by;
  long long operator[](long long at) const { at += by; *sum += at + (at % 1021) * (at % 1021); return at; }
  Seen operator+(long long k) const { return Seen{sum, by + k}; }
  Seen operator-(long long k) const { return Seen{sum, by - k}; }
};
";

/// A kernel of loads, each with its gate (`1` if it always happens) and the loops around it.
struct Kernel {
    name: &'static str,
    domain: &'static str,
    accesses: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// The change of each carried value in one iteration, as text.
    carried: &'static [&'static str],
}

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "a remainder by no power of two",
        domain: "t=0..255, K=0..39, loop K",
        accesses: &[("(t + K)%3*256 + t", "1", &["K"]), ("(t + K)%3*256 + t + 5", "1", &["K"])],
        carried: &["256 below 768"],
    },
    Kernel {
        name: "a step that is no number, in 64 bits",
        domain: "t=0..255, b=0..1048575, s=0..100000, K=0..5, loop K",
        accesses: &[("b*32768 + K*s + t", "1", &["K"])],
        carried: &["s"],
    },
    Kernel {
        name: "two steps in turns, in an outer loop",
        domain: "t=0..255, C=0..2, K=0..6, loop C K",
        accesses: &[("C*10000 + K%2*4 + K//2*100 + t", "1", &["C", "K"]), ("C*7 + t", "1", &["C"])],
        carried: &["4, 96"],
    },
    Kernel {
        name: "a loop from 2 on",
        domain: "t=0..255, K=2..41, loop K",
        accesses: &[("(t - K)%5*100 + (t - K)%5", "1", &["K"]), ("t", "1", &[])],
        carried: &["404 below 505"],
    },
    Kernel {
        name: "base and stride",
        domain: "t=0..255, K=0..7, loop K",
        accesses: &[("t//16*1024 + K*16 + t%16", "K + t%16 >= 2", &["K"]), ("t", "1", &[])],
        carried: &[],
    },
    Kernel {
        name: "a remainder by a power of two",
        domain: "t=0..255, K=0..7, loop K",
        accesses: &[("(t + K)%4*256 + t", "1", &["K"])],
        carried: &[],
    },
    Kernel {
        name: "one loop twice, with an end at run time",
        domain: "t=0..255, n=1..64, K=0..n-1, loop K",
        accesses: &[
            ("(t + K)%7*600 + t", "1", &["K"]),
            ("t + n", "1", &[]),
            ("(t + K)%7*600 + t*3", "t < 200", &["K"]),
        ],
        carried: &["600 below 4200"],
    },
    Kernel {
        name: "a loop by steps of four",
        domain: "t=0..255, K=3..40 step 4 from 3, loop K",
        accesses: &[("t*40 + K", "1", &["K"]), ("(t + K)%3*256 + t", "t < 200", &["K"])],
        carried: &[],
    },
    Kernel {
        name: "a loop by steps up to an end at run time",
        domain: "t=0..255, n=1..64, K=0..n-1 step 5, loop K",
        accesses: &[("t*40 + K", "1", &["K"])],
        carried: &[],
    },
    Kernel {
        name: "three loops under gates",
        domain: "t=0..255, b=0..31, C=0..3, R=0..2, S=0..2, loop C R S",
        accesses: &[
            (
                "C*4096 + (b*2 + t//128 + R)*64 + t%64 + S",
                "b*2 + t//128 + R >= 1 and b*2 + t//128 + R < 65 and t%64 + S >= 1 and t%64 + S < 65",
                &["C", "R", "S"],
            ),
            ("(t//64%2*64 + C)*9 + R*3 + S", "1", &["C", "R", "S"]),
            ("(b*2 + t//128)*64 + t%64", "1", &[]),
        ],
        carried: &[],
    },
];

impl Kernel {
    fn domain(&self) -> Domain {
        self.domain.parse().expect("a domain")
    }

    fn nested(&self) -> NestedAccesses {
        let load = |(i, (index, gate, _)): (usize, &(&str, &str, _))| {
            let load = Access::load(format!("v{i}"), format!("in{i}"), index.parse().expect("an index"));
            load.element("long long").when(gate.parse().expect("a gate"))
        };
        let accesses: Vec<Access> = self.accesses.iter().enumerate().map(load).collect();
        let nests: Vec<Vec<Arc<str>>> =
            self.accesses.iter().map(|a| a.2.iter().map(|&name| name.into()).collect()).collect();
        let simplifier = Simplifier::default();
        let answer = simplifier.simplify_accesses(&accesses, &self.domain()).expect("an answer");
        let nested = simplifier.in_loops(&answer, &nests, &self.domain()).expect("loops");
        assert!(nested.cost() <= answer.cost(), "{}", self.name);
        assert_eq!(nested.cost() < answer.cost(), !nested.carried().is_empty(), "{}", self.name);
        nested
    }

    /// The sum that access `i` adds over the iterations of its loops.
    fn meaning(&self, i: usize) -> Expr {
        let (index, gate, nest) = self.accesses[i];
        let domain = self.domain();
        let facts = domain.resolve().expect("consistent");
        let mut texts = vec![format!("where({gate}, {index} + ({index})%1021*(({index})%1021), 0)")];
        for name in nest {
            let v = facts.iter().find(|v| *v.name == **name).expect("a loop");
            let (lo, hi) = v.interval.bounded().expect("closed");
            let end = v.upper.as_ref().map(ToString::to_string);
            let iteration = |text: &String, k: i64| {
                let e: Expr = text.parse().expect("an expression");
                let text = e.to_string().replace(name, &format!("({k})"));
                end.as_ref().map_or(text.clone(), |end| format!("where({k} <= {end}, {text}, 0)"))
            };
            let step = usize::try_from(v.congruence.modulus().max(1)).expect("a step");
            texts = texts.iter().flat_map(|t| (lo..=hi).step_by(step).map(move |k| iteration(t, k))).collect();
        }
        texts.join(" + ").parse().expect("a sum")
    }

    fn printed(&self, is_cuda: bool) -> Printed {
        let nested = self.nested();
        let mut text = if is_cuda { nested.cuda() } else { nested.c() }.expect("fits");
        let sums = (0..self.accesses.len()).map(|i| Output { text: format!("sum{i}"), ty: "long long" });
        text.results = sums.collect();
        let buffers =
            (0..self.accesses.len()).map(|i| format!("  long long sum{i} = 0; const Seen in{i}{{&sum{i}, 0}};\n"));
        let meaning: Vec<Expr> = (0..self.accesses.len()).map(|i| self.meaning(i)).collect();
        let vars = self.domain().resolve().expect("consistent");
        let case = Case { id: self.name.into(), vars, roots: meaning.clone(), lowered: None, meaning };
        Printed { case, text, before: buffers.collect(), points: None }
    }
}

#[test]
fn loops_read_what_was_asked_for() {
    for (target, is_cuda, name) in [(Target::Cuda, true, "nested_cuda"), (Target::Cuda, false, "nested_c")] {
        let texts: Vec<Printed> = KERNELS.iter().map(|k| k.printed(is_cuda)).collect();
        let Some(summary) = run(target, name, "undefined", BUFFERS, &texts, 1, 64) else { return };
        assert_eq!(summary.compared, KERNELS.len());
        println!("{} compared at {} values", summary.compared, summary.values);
    }
}

#[test]
fn loops_carry_what_executes_less() {
    for kernel in KERNELS {
        let nested = kernel.nested();
        let shown = |change: &Change| match change {
            Change::Step(step) => step.to_string(),
            Change::Periodic(steps) => steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            Change::Wrapping { step, modulus } => format!("{step} below {modulus}"),
        };
        let carried: Vec<String> = nested.carried().iter().map(|c| shown(&c.change)).collect();
        assert_eq!(carried, kernel.carried, "{}", kernel.name);
    }
}

#[test]
fn text_has_the_loops() {
    let text = |name: &str| {
        let kernel = KERNELS.iter().find(|k| k.name == name).expect("a kernel");
        kernel.nested().c().expect("fits").to_string()
    };
    assert_eq!(
        text("two steps in turns, in an outer loop"),
        "for (int C = 0; C < 3; ++C) {
  int p0 = t + C * 10000;
  int p0_step = 4;
  for (int K = 0; K < 7; ++K) {
    const long long v0 = in0[p0];
    p0 += p0_step;
    p0_step = 100 - p0_step;
  }
  const long long v1 = in1[t + C * 7];
}
"
    );
    let carried = text("a step that is no number, in 64 bits");
    assert!(carried.contains("long long p0 = ") && carried.contains("p0 += s;"), "{carried}");
    assert!(!text("base and stride").contains("+="));
}

#[test]
fn loops_without_an_end_are_left_to_the_caller() {
    let domain: Domain = "t=0..255, k=0.., loop k".parse().expect("a domain");
    let load = Access::load("v", "in", "(t + k)%3".parse().expect("an index"));
    let simplifier = Simplifier::default();
    let answer = simplifier.simplify_accesses(&[load], &domain).expect("an answer");
    let nested = simplifier.in_loops(&answer, &[vec!["k".into()]], &domain).expect("loops");
    assert_eq!((nested.carried(), nested.c().ok()), (&[][..], answer.c().ok()));
    // if an access uses the variable of a loop but is outside of the loop, the text has no loop, and the caller writes
    // it
    let domain: Domain = "t=0..255, k=0..63, loop k".parse().expect("a domain");
    let answer = simplifier.simplify_accesses(answer.accesses(), &domain).expect("an answer");
    let nested = simplifier.in_loops(&answer, &[Vec::new()], &domain).expect("loops");
    assert!(nested.carried().is_empty() && !nested.c().expect("fits").to_string().contains("for"));
}
