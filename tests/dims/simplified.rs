//! The indices that dims builds are simplified. No answer costs more than the short form that a person would write.

use quaff::cost::{Cost, Gpu, price};
use quaff::domain::{Domain, intervals_of};
use quaff::expr::{Dag, Expr, Program, var};
use quaff::{Simplified, Simplifier};
use quaff_fronts::dims::{Dims, DimsError};
use serde_json::Value;

struct Case {
    id: String,
    domain: Domain,
    raw: Expr,
    short: Expr,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../data/dims_corpus.jsonl");
    text.lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let mut domain = Domain::new();
            for (name, range) in record["vars"].as_object().unwrap() {
                domain.add_bounds(name.as_str(), range[0].as_i64().unwrap()..=range[1].as_i64().unwrap());
            }
            let expr = |key: &str| record[key].as_str().unwrap().parse::<Expr>().unwrap();
            let id = record["id"].as_str().unwrap().to_string();
            Case { id, domain, raw: expr("expr"), short: expr("expected") }
        })
        .collect()
}

fn cost(e: &Expr, domain: &Domain) -> Cost {
    let dag = Dag::new(std::slice::from_ref(e));
    let facts = domain.resolve().unwrap();
    let ranges = intervals_of(&dag, |name| facts[domain.position(name).unwrap()].interval);
    price(&dag, &ranges, &Gpu)
}

#[test]
fn every_raw_index_reaches_its_short_form() {
    let simplifier = Simplifier::default();
    let [mut raw, mut short, mut answer] = [Cost::ZERO; 3];
    let (mut costlier, mut cheaper) = (vec![], 0);
    let cases = cases();
    for case in &cases {
        let out = simplifier.simplify(&case.raw, &case.domain).unwrap();
        same_values(case, &out);
        let got = out.cost();
        let wanted = cost(&case.short, &case.domain);
        raw += cost(&case.raw, &case.domain);
        short += wanted;
        answer += got;
        if got > wanted {
            println!("{}: {} costs {got}, {} costs {wanted}", case.id, out.expr(), case.short);
            costlier.push(case.id.as_str());
        }
        cheaper += usize::from(got < wanted);
    }
    println!(
        "{} indices: raw {raw}, short {short}, answers {answer} (instructions); cheaper than short: {cheaper}",
        cases.len()
    );
    assert!(costlier.is_empty(), "{costlier:?}");
}

fn same_values(case: &Case, out: &Simplified) {
    let names: Vec<&str> = case.domain.vars().collect();
    let program = Program::new(&[case.raw.clone(), out.expr().clone()], &names).unwrap();
    let mut seed = 1u64;
    for i in 0..400 {
        let point: Vec<i128> = out
            .vars()
            .iter()
            .map(|v| {
                let (lo, hi) = v.interval.bounded().unwrap();
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                match i {
                    0 => lo as i128,
                    1 => hi as i128,
                    _ => lo as i128 + (((seed >> 33) as i128 * (hi as i128 - lo as i128 + 1)) >> 31),
                }
            })
            .collect();
        let values = program.eval(&point);
        assert!(values[0].is_ok() && values[0] == values[1], "{} at {point:?}: {values:?}", case.id);
    }
}

#[test]
fn facts_of_set_indices_are_used() -> Result<(), DimsError> {
    let mut dims = Dims::new();
    let (n, blocks, threads) = (dims.dim("n", None)?, dims.dim("blocks", 40)?, dims.dim("threads", 24)?);
    let (row, column) = (dims.dim("row", None)?, dims.dim("column", 48)?);
    dims.eq(n, (blocks, threads))?;
    dims.eq(n, (row, column))?;
    let mut ix = dims.init()?;
    ix.set(blocks, var("b"))?;
    ix.set(threads, var("t"))?;
    // this form is right only because of `t < 24`
    assert_eq!(ix.get(row)?.to_string(), "b//2");
    assert_eq!(ix.get_all(&[row, n])?.len(), 2);
    Ok(())
}

#[test]
fn stated_strides_are_used() -> Result<(), DimsError> {
    let mut dims = Dims::new();
    let (n, groups, lanes) = (dims.dim("n", 4096)?, dims.dim("groups", None)?, dims.dim("lanes", 4)?);
    dims.eq(n, (groups, lanes))?;
    let mut ix = dims.init()?;
    ix.assume("first", 0..4096);
    ix.assume_stride("first", 4, 0);
    ix.set(n, var("first"))?;
    assert_eq!(ix.get(lanes)?.to_string(), "0");
    Ok(())
}

#[test]
fn what_cannot_be_simplified_is_an_error_and_stays_readable() -> Result<(), DimsError> {
    let mut dims = Dims::new();
    let n = dims.dim("n", 4096)?;
    let mut ix = dims.init()?;
    ix.assume("x", 0..4096);
    ix.assume("y", 0..10);
    ix.set(n, var("x") / var("y"))?;
    let error = ix.get(n).unwrap_err();
    assert_eq!(error.name(), "not_simplified");
    assert_eq!(error.to_string(), "`n` cannot be simplified: the divisor `y` can be 0: its range is 0..9");
    assert!(ix.get_raw(n).is_ok());
    Ok(())
}
