//! The text of gated accesses, compared with the evaluator. The accesses are random ones and the gated lines of the
//! corpora. Undefined behaviour is an error, every address is compared, and no access may happen where a gate is false.

use crate::host::{Case, Printed, RANGES, Random, Target, corpus_files, expression, points, run};
use quaff::Simplifier;
use quaff::access::{Access, Direction, Gate, SimplifiedAccesses};
use quaff::domain::{Domain, VarFacts};
use quaff::emit::{Output, Text};
use quaff::expr::{Expr, Program, int, select, var};
use quaff::lower::Sampling;
use std::path::Path;

/// The value of a load whose gate is false. The corpora use it, too.
const INVALID: i64 = -1;

/// C++ classes that replace buffers. A read returns its address, and a write records its address.
const BUFFERS: &str = "
struct In {
  long long by = 0;
  long long operator[](long long at) const { return by + at; }
  In operator+(long long k) const { return In{by + k}; }
  In operator-(long long k) const { return In{by - k}; }
};
struct Out {
  struct Element { Out *out; long long at; void operator=(int) { out->last = at; ++out->writes; } };
  long long last = -1, writes = 0;
  struct Moved { Out *out; long long by; Element operator[](long long at) { return Element{out, by + at}; } };
  Element operator[](long long at) { return Element{this, at}; }
  Moved operator+(long long k) { return Moved{this, k}; }
  Moved operator-(long long k) { return Moved{this, -k}; }
};
";

/// C code for arrays of exactly the required size. Each element is its own index, and the sanitizer checks all
/// accesses.
const ARRAYS: &str = "
static long long *quaff_array(int number, long long size) {
  static long long *array; static int last = -1;
  if (last == number) return array;
  free(array);
  array = (long long *)malloc(size * sizeof(long long));
  for (long long i = 0; i < size; ++i) array[i] = i;
  last = number;
  return array;
}
";

fn output(text: impl Into<String>) -> Output {
    Output { text: text.into(), ty: "long long" }
}

/// The text, changed to return one result for each lane of each access: the address of the lane, or [`INVALID`].
fn observed(answer: &SimplifiedAccesses, mut text: Text) -> Text {
    for (i, access) in answer.accesses().iter().enumerate() {
        let lanes = access.lanes().len();
        for lane in 0..lanes {
            text.results.push(output(match access.direction() {
                Direction::Load { into, .. } if lanes == 1 => into.to_string(),
                Direction::Load { into, .. } => format!("{into}[{lane}]"),
                Direction::Store { .. } => format!("out{i}.last"),
            }));
        }
    }
    text
}

/// The expected result for each lane of each access.
fn meaning(accesses: &[Access]) -> Vec<Expr> {
    let value = |a: &Access, lane: &Expr| match a.gate() {
        Gate::Always => lane.clone(),
        Gate::When(gate) => select(gate, lane, INVALID),
        Gate::Never => int(INVALID),
    };
    accesses.iter().flat_map(|a| a.lanes().iter().map(|l| value(a, l)).collect::<Vec<_>>()).collect()
}

fn case(id: &str, vars: &[VarFacts], accesses: &[Access]) -> Case {
    let meaning = meaning(accesses);
    Case { id: id.into(), vars: vars.to_vec(), roots: meaning.clone(), lowered: None, meaning }
}

/// The accesses as C++ text, with objects instead of buffers.
fn as_cuda(id: &str, domain: &Domain, accesses: &[Access]) -> Option<Printed> {
    let vars = domain.resolve().expect("ranges");
    let answer = Simplifier::default().simplify_accesses(accesses, domain).ok()?;
    let text = observed(&answer, answer.cuda().ok()?);
    let stores = (0..accesses.len()).map(|i| format!("  Out out{i}; (void)out{i};\n"));
    let before = "  const In in{};\n".to_string() + &stores.collect::<String>();
    Some(Printed { case: case(id, &vars, accesses), text, before, points: None })
}

/// The access as C text, with an array that ends at the largest address of all points. `None` if the array would be too
/// large.
fn as_c(number: usize, id: &str, domain: &Domain, access: &Access) -> Option<Printed> {
    const MOST: i128 = 1 << 21;
    let vars = domain.resolve().expect("ranges");
    let answer = Simplifier::default().simplify_access(access, domain).ok()?;
    let case = case(id, &vars, std::slice::from_ref(access));
    let names: Vec<&str> = vars.iter().map(|v| &*v.name).collect();
    let program = Program::new(&case.meaning, &names).expect("declared");
    let address = Program::new(access.lanes(), &names).expect("declared");
    let points = points(&vars, 40, &mut Random(number as u64 + 1));
    let mut size = 0;
    for p in &points {
        let wide: Vec<i128> = p.iter().map(|&v| v.into()).collect();
        // the address has no value, or it is -1, which is not an index of an array
        let at = program.eval(&wide)[0].ok()?;
        if at == i128::from(INVALID) && access.gate() == &Gate::Always || at < INVALID.into() {
            return None;
        }
        if at == i128::from(INVALID) && address.eval(&wide)[0] == Ok(at) {
            return None;
        }
        size = size.max(at + 1);
    }
    let before = format!("  const long long *in = quaff_array({number}, {size});\n");
    let text = observed(&answer, answer.c().ok()?);
    (size <= MOST).then_some(Printed { case, text, before, points: Some(points) })
}

fn load(name: &str, index: Expr) -> Access {
    Access::load(name, "in", index).element("long long").otherwise(INVALID.to_string())
}

/// The gated lines of all available corpora. If a corpus is also stored in `tests/data`, only that version is used.
fn gated() -> Vec<(String, Domain, Access)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files = vec![own.join("tinygrad_kernels.jsonl"), own.join("hard.jsonl")];
    files.extend(corpus_files().into_iter().filter(|f| !own.join(f.file_name().unwrap_or_default()).exists()));
    let mut found = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(&file).unwrap_or_default().lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("one record a line");
            if record["gated"] != true {
                continue;
            }
            let mut domain = Domain::new();
            for (name, range) in record["vars"].as_object().expect("variables") {
                domain
                    .add_bounds(name.as_str(), range[0].as_i64().expect("an end")..=range[1].as_i64().expect("an end"));
            }
            let index: Expr = record["expr"].as_str().expect("an expression").parse().expect("an expression");
            let id = record["id"].as_str().unwrap_or_default().to_string();
            found.push((id, domain, load("v", index).ungated(&int(INVALID))));
        }
    }
    found
}

#[test]
#[ignore = "a campaign"]
fn gated_corpora_as_cuda() {
    let cases = gated();
    assert!(cases.len() >= 600);
    let gates = cases.iter().filter(|(_, _, a)| *a.gate() != Gate::Always).count();
    assert_eq!(gates, cases.len(), "every line has a gate");
    let texts = cases.iter().enumerate().filter_map(|(i, (id, domain, access))| {
        // every second access becomes a store
        let store = Access::store("out0", access.index().clone(), "1").when(access.gate().condition()?.clone());
        as_cuda(id, domain, &[if i % 2 == 0 { access.clone() } else { store }])
    });
    let texts: Vec<Printed> = texts.collect();
    assert_eq!(texts.len(), cases.len());
    let Some(summary) = run(Target::Cuda, "access_cuda", "undefined", BUFFERS, &texts, 4, 64) else { return };
    println!("{} compared at {} values", summary.compared, summary.values);
}

#[test]
fn gated_corpora_in_machine_types() {
    let simplifier = Simplifier::default();
    for (id, domain, access) in gated() {
        let answer = simplifier.simplify_access(&access, &domain).expect("an answer");
        let Ok(compared) = answer.compare_machine(&[access], &domain, Sampling::default()) else { continue };
        assert_eq!(compared.mismatch, None, "{id}");
    }
}

#[test]
fn other_accesses_than_those_of_the_text_are_found() {
    let domain: Domain = "x=0..99, y=0..9".parse().expect("a domain");
    let load =
        |index: &str, gate: &str| load("v", index.parse().expect("an index")).when(gate.parse().expect("a gate"));
    let asked = load("x//7*8 + y + 3", "x + y < 100");
    let answer = Simplifier::default().simplify_access(&asked, &domain).expect("an answer");
    let compared = |other: Access| {
        let compared = answer.compare_machine(&[other], &domain, Sampling::default()).expect("a text");
        compared.mismatch.map(|m| m.root)
    };
    assert_eq!(compared(asked.clone()), None);
    // where the gate is false, the index may have any value
    assert_eq!(compared(load("where(x + y < 100, x//7*8 + y + 3, -1)", "x + y < 100")), None);
    assert_eq!(compared(load("x//7*8 + y + 4", "x + y < 100")), Some(1));
    assert_eq!(compared(load("x//7*8 + y + 3", "x + y < 99")), Some(0));
}

#[test]
#[ignore = "a campaign"]
fn gated_corpora_in_arrays_of_exact_size() {
    let cases = gated();
    let texts: Vec<Printed> =
        cases.iter().enumerate().filter_map(|(i, (id, domain, access))| as_c(i, id, domain, access)).collect();
    assert!(texts.len() * 10 > cases.len() * 9, "{} of {}", texts.len(), cases.len());
    let Some(summary) = run(Target::C, "access_c", "address,undefined", ARRAYS, &texts, 4, 0) else { return };
    println!("{} compared at {} values", summary.compared, summary.values);
}

/// A condition over the values of a pool.
fn condition(random: &mut Random, pool: &[Expr]) -> Expr {
    let (a, b) = (random.pick(pool).clone(), random.pick(pool).clone());
    let c = *random.pick(&[0i64, 1, 7, 100, -3, 4096, i32::MAX as i64]);
    let first = match random.below(4) {
        0 => a.lt(b),
        1 => a.ge(c).and(a.lt(c + 1000)),
        2 => (a % 8).equals(3),
        _ => a.le(c),
    };
    if random.below(2) == 0 { first.and(random.pick(pool).ge(c)) } else { first }
}

/// One to three accesses over the same values, with equal or different gates.
fn random_accesses(random: &mut Random) -> (Domain, Vec<Access>) {
    let names = ["x", "y", "n"];
    let used = 1 + random.below(3) as usize;
    let mut domain = Domain::new();
    for name in &names[..used] {
        domain.add_bounds(*name, *random.pick(&RANGES));
    }
    let mut pool: Vec<Expr> = names[..used].iter().map(|n| var(*n)).collect();
    for _ in 0..2 {
        let steps = 1 + random.below(5) as usize;
        pool.extend(expression(random, &names[..used], steps));
    }
    let mut gate = condition(random, &pool);
    let accesses = (0..1 + random.below(3)).map(|i| {
        let index = random.pick(&pool).clone() + random.below(2) as i64;
        let mut access = if random.below(4) == 0 {
            Access::store(format!("out{i}"), index, "1")
        } else {
            let lanes = random.below(4) == 0;
            let access = load(&format!("v{i}"), index.clone());
            if lanes { access.lane(index * 2) } else { access }
        };
        if random.below(3) == 0 {
            gate = condition(random, &pool);
        }
        if random.below(6) > 0 {
            access = access.when(gate.clone());
        }
        access
    });
    let accesses = accesses.collect();
    (domain, accesses)
}

#[test]
fn random_accesses_as_cuda() {
    let mut random = Random(77);
    let mut texts = Vec::new();
    let mut refused = 0;
    for i in 0..900 {
        let (domain, accesses) = random_accesses(&mut random);
        match as_cuda(&format!("random/{i}"), &domain, &accesses) {
            Some(text) => texts.push(text),
            None => refused += 1,
        }
    }
    println!("{} refused", refused);
    assert!(texts.len() * 2 > 900, "most fit 64 bits");
    let Some(summary) = run(Target::Cuda, "access_random", "undefined", BUFFERS, &texts, 4, 48) else { return };
    println!("{} compared at {} values", summary.compared, summary.values);
    assert!(summary.values > summary.compared * 20);
}
