//! Neighbouring lanes are read and written as vectors. The texts run on this machine, with arrays that end at the last
//! access, and with checks of addresses and alignment.

use crate::cpp;
use crate::host::Random;
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::domain::Domain;
use quaff::emit::Element;
use quaff::expr::{Expr, int, var};
use std::fmt::Write as _;
use std::path::Path;

/// The number of threads in each case.
const THREADS: i64 = 24;
/// The number of random cases for a seed, unless `QUAFF_VECTORS` sets another number.
const CASES: usize = 24;

/// A case: the lanes of a thread, the gate of its access, and the facts about the buffer.
struct Case {
    element: Element,
    lanes: Vec<Expr>,
    gate: Option<Expr>,
    alignment: u32,
    is_store: bool,
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let element = *random.pick(&[Element::F32, Element::I32, Element::F64, Element::I16, Element::U8]);
        let scale = *random.pick(&[1i64, 2, 3, 4, 8, 16]);
        let (offset, count) = (*random.pick(&[0i64, 0, 1, 2, 4, 8]), random.below(9) as i64 + 2);
        // sometimes the lanes have a gap
        let gap = if random.below(3) == 0 { random.within(0, count) } else { count };
        let at = |k: i64| var("t") * scale + offset + if k < gap { k } else { k + 1 };
        let gate = match random.below(3) {
            0 => None,
            1 => Some((var("t") * scale).lt(random.within(0, THREADS * scale))),
            _ => Some((var("t") % 2).equals(random.below(2) as i64)),
        };
        let alignment = *random.pick(&[1u32, 4, 8, 16, 256]);
        Case { element, lanes: (0..count).map(at).collect(), gate, alignment, is_store: random.below(3) == 0 }
    }

    fn access(&self) -> Access {
        let first = self.lanes[0].clone();
        let access = match self.is_store {
            true => Access::store("buffer", first, "w"),
            false => Access::load("v", "buffer", first),
        };
        let access = self.lanes[1..].iter().cloned().fold(access, Access::lane);
        let access = access.element(self.element.c_name()).aligned(self.alignment);
        self.gate.iter().cloned().fold(access, Access::when)
    }

    /// A C++ function that runs `text` for each thread, and compares the values.
    fn checked(&self, number: usize, text: &str) -> String {
        let value = |e: &Expr, t: i64| e.eval(|name| (name == "t").then_some(t)).expect("a value");
        let holds = |t: i64| self.gate.as_ref().is_none_or(|gate| value(gate, t) != 0);
        let happens = || (0..THREADS).filter(|&t| holds(t));
        let last = happens().flat_map(|t| self.lanes.iter().map(move |e| value(e, t))).max().unwrap_or(-1);
        let (ty, count) = (self.element.c_name(), self.lanes.len());
        let mut out = format!("static void case{number}() {{\n  ArrayOf<{ty}> all({});\n", last + 1);
        let _ = writeln!(out, "  all.count();\n  {ty} *buffer = all.data;");
        if self.is_store {
            let _ = writeln!(out, "  ArrayOf<{ty}> values({count});\n  {ty} *w = values.data;");
        }
        for t in 0..THREADS {
            let _ = writeln!(out, "  {{ const int t = {t};");
            if self.is_store {
                let _ = writeln!(out, "  for (int k = 0; k < {count}; ++k) w[k] = ({ty})(k + 40);");
            }
            out += text;
            for (k, lane) in self.lanes.iter().enumerate() {
                let at = value(lane, t);
                match (self.is_store, holds(t)) {
                    (true, true) => writeln!(out, "  expect(buffer[{at}], {});", k + 40),
                    (true, false) => Ok(()),
                    (false, true) => writeln!(out, "  expect(v[{k}], ({ty}){at});"),
                    (false, false) => writeln!(out, "  expect(v[{k}], 0);"),
                }
                .expect("a string");
            }
            out += "  }\n";
        }
        // all other elements keep their values
        if self.is_store {
            let written: Vec<i128> = happens().flat_map(|t| self.lanes.iter().map(move |e| value(e, t))).collect();
            for at in (0..=last).filter(|at| !written.contains(at)) {
                let _ = writeln!(out, "  expect(buffer[{at}], ({ty}){at});");
            }
        }
        out + "}\n"
    }
}

// two tests, because the C++ compiler takes most of the time and uses one core

#[test]
#[ignore = "a campaign"]
fn vectors_read_and_write_what_lanes_do() {
    read_and_write_what_lanes_do(20);
}

#[test]
#[ignore = "a campaign"]
fn other_vectors_read_and_write_what_lanes_do() {
    read_and_write_what_lanes_do(21);
}

fn read_and_write_what_lanes_do(seed: u64) {
    let simplifier = Simplifier::default();
    let domain = Domain::new().with("t", 0..THREADS);
    let mut random = Random(seed);
    let (mut text, mut calls, mut vectors) = (String::from("#include \"device.hpp\"\n"), String::new(), 0);
    let count = std::env::var("QUAFF_VECTORS").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    for number in 0..count {
        let case = Case::random(&mut random);
        let access = simplifier.vectorised(&[case.access()], &domain).expect("accesses");
        let answer = simplifier.simplify_accesses(&access, &domain).expect("an answer");
        let mut printed = answer.cuda().expect("a text").to_string();
        if *answer.accesses()[0].gate() == Gate::Never && !case.is_store {
            printed = printed.replace("const ", "");
        }
        vectors += usize::from(printed.contains(" *)"));
        text += &case.checked(number, &printed);
        let _ = writeln!(calls, "  case{number}();");
    }
    assert!(vectors > count / 10, "{vectors}");
    text += &format!("int main() {{\n{calls}  return right();\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("vectors.cpp");
    std::fs::write(&source, &text).expect("a source");
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support");
    match cpp::run(&source, &folder.path().join("vectors"), &[format!("-I{}", support.display())]) {
        None => println!("skipped: a compiler of C++ is needed"),
        Some(Ok(out)) => assert!(out.ends_with(" values are right\n"), "{out}"),
        Some(Err(e)) => panic!("{}", &e[..e.len().min(4000)]),
    }
}

fn lanes(scale: i64, offset: i64, count: i64) -> Access {
    let at = |k: i64| var("t") * scale + offset + k;
    (1..count).map(at).fold(Access::load("v", "in", at(0)), Access::lane)
}

fn widths(access: Access) -> Vec<u32> {
    let domain = Domain::new().with("t", 0..64).with("n", 0..=64);
    let found = Simplifier::default().vectorised(&[access], &domain).expect("accesses");
    (0..found[0].lanes().len()).map(|lane| found[0].width(lane)).collect()
}

#[test]
fn a_vector_is_proved() {
    assert_eq!(widths(lanes(4, 0, 4).aligned(16)), [4]);
    // lanes after the last vector stay single
    assert_eq!(widths(lanes(8, 4, 7).aligned(16)), [4, 2, 1]);
    // lanes before an aligned element are split, so that a vector is also aligned in the array
    assert_eq!(widths(lanes(8, 2, 7).aligned(16)), [2, 2, 2, 1]);
    assert_eq!(widths(lanes(8, 1, 4).aligned(16)), [1, 1, 1, 1]);
    // the alignment of the buffer, the first element or the type allows only narrower vectors
    assert_eq!(widths(lanes(4, 0, 4).aligned(8)), [2, 2]);
    assert_eq!(widths(lanes(4, 0, 4)), [1, 1, 1, 1]);
    assert_eq!(widths(lanes(2, 0, 4).aligned(16)), [2, 2]);
    assert_eq!(widths(lanes(3, 0, 4).aligned(16)), [1, 1, 1, 1]);
    assert_eq!(widths(lanes(4, 0, 4).aligned(16).element("double")), [2, 2]);
    assert_eq!(widths(lanes(4, 0, 4).aligned(16).element("float3")), [1, 1, 1, 1]);
    assert_eq!(widths(lanes(16, 0, 16).aligned(16).element("signed char")), [16]);
    // the lanes are neighbours only under the gate
    let apart = Access::load("v", "in", var("t") * 4).lane(var("t") * 4 + var("n")).aligned(16);
    assert_eq!(widths(apart.clone()), [1, 1]);
    assert_eq!(widths(apart.when(var("n").equals(int(1)))), [2]);
    // C has no vectors
    let domain = Domain::new().with("t", 0..64);
    let simplifier = Simplifier::default();
    let vectors = simplifier.vectorised(&[lanes(4, 0, 2).aligned(16)], &domain).expect("accesses");
    let answer = simplifier.simplify_accesses(&vectors, &domain).expect("an answer");
    assert_eq!(answer.c().expect("a text").to_string(), "const float v[2] = {in[t * 4], in[t * 4 + 1]};\n");
}
