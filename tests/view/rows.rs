//! The corpora of views. Every row is compared with tinygrad's shape tracker and with an enumeration.

use crate::views::{exprs, integers, is_one_view, moved, pairs, sizes, table, view};
use quaff::Simplifier;
use quaff::access::{Access, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, int, select, var};
use quaff::quasi::{Verdict, equivalent};
use quaff_fronts::view::{ViewStack, merge_dims};
use serde_json::Value;
use std::path::Path;

/// The rows of a corpus, which must not be empty.
fn rows(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read_to_string(path).expect("a corpus");
    let rows: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    println!("{} rows of {name}", rows.len());
    assert!(!rows.is_empty(), "{name} is empty");
    rows
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().expect("a text").to_string()
}

/// The number of terms of a sum, without constants.
fn terms(e: &Expr) -> usize {
    match e.op() {
        Op::Const(_) => 0,
        Op::Add | Op::Sub => e.args().iter().map(terms).sum(),
        Op::Neg => terms(&e.args()[0]),
        _ => 1,
    }
}

fn tenths(answer: &SimplifiedAccesses, of: impl Fn(&SimplifiedAccesses) -> quaff::cost::Cost) -> u64 {
    (of(answer).instructions() * 10.0).round() as u64
}

/// The stack after the movements of a row. Checks that it equals the expression of the row.
fn built(row: &Value, domain: &Domain) -> ViewStack {
    let id = text(row, "id");
    let start = ViewStack::row_major(integers(&row["shape"])).expect("a shape");
    let ops = row["ops"].as_array().expect("movements");
    let stack = ops.iter().try_fold(start, |stack, op| moved(&stack, op)).unwrap_or_else(|e| panic!("{id}: {e}"));
    assert_eq!(sizes(&stack), integers(&row["out_shape"]), "{id}");
    let names: Vec<Expr> = (0..stack.rank()).map(|k| var(format!("i{k}"))).collect();
    let located = stack.at(&names).expect("an index for each axis");
    let ours = select(located.valid, located.address, -1);
    let theirs: Expr = text(row, "expr").parse().expect("an expression");
    let verdict = equivalent(&theirs, &ours, domain);
    assert_eq!(verdict, Verdict::Equal, "{id}: {stack}\n{ours}");
    stack
}

#[test]
fn view_rows_views() {
    let rows = rows("views.jsonl");
    let simplifier = Simplifier::default();
    let (mut single, mut longer) = (0, 0);
    let (mut ours_raw, mut ours, mut theirs_raw, mut theirs, mut costlier) = (0, 0, 0, 0, 0);
    for row in &rows {
        let mut domain = Domain::new();
        for (name, range) in row["vars"].as_object().expect("variables") {
            let range = integers(range);
            domain.add_bounds(name.as_str(), range[0]..=range[1]);
        }
        let (id, stack) = (text(row, "id"), built(row, &domain));
        let names = stack.index_names();
        let answer = stack.simplify(&simplifier, &names).expect("an answer");
        let load = Access::load("value", "data", text(row, "idx").parse().expect("an index"));
        let load = load.when(text(row, "valid").parse::<Expr>().expect("a condition"));
        let other = simplifier.simplify_access(&load, &domain).expect("an answer");
        let costs = [&answer, &other].map(|a| [tenths(a, |a| a.input_cost()), tenths(a, |a| a.cost())]);
        ours_raw += costs[0][0];
        ours += costs[0][1];
        theirs_raw += costs[1][0];
        theirs += costs[1][1];
        if costs[0][1] > costs[1][1] {
            costlier += 1;
            println!("{id}: {} tenths instead of {}: {stack}", costs[0][1], costs[1][1]);
        }
        let is_single = !row["single_view"].is_null();
        assert_eq!(stack.views().len() == 1, is_single, "{id}: {stack}");
        if is_single {
            single += 1;
            let strides = integers(&row["single_view"]["strides"]).iter().filter(|s| **s != 0).count();
            let found = terms(answer.accesses()[0].index());
            longer += usize::from(found > strides);
            let expected = view(&row["single_view"]).expect("a view");
            assert_eq!(table(&stack), table(&expected), "{id}");
        }
    }
    println!("{single} are one view, {longer} of them with more terms");
    println!("in tenths of an instruction, as built and simplified: {ours_raw} and {ours}");
    println!("the rows' own texts: {theirs_raw} and {theirs}; {costlier} rows are costlier than theirs");
    assert!(100 * longer <= single);
    assert!(ours <= theirs);
}

#[test]
fn view_rows_view_add() {
    let mut single = 0;
    for row in rows("view_add.jsonl") {
        let id = text(&row, "id");
        let base = view(&row["base"]).expect("a view");
        let stack = if row["new_shape"].is_array() {
            base.reshape(integers(&row["new_shape"]))
        } else {
            base.then(&view(&row["top"]).expect("a view"))
        };
        let stack = stack.unwrap_or_else(|e| panic!("{id}: {e}"));
        // the expected table: each index of the top view is the number of an element of the base view
        let below = table(&base);
        let top = match row["top"].is_object() {
            true => table(&view(&row["top"]).expect("a view")),
            false => (0..below.len() as i64).map(Some).collect(),
        };
        let expected: Vec<Option<i64>> = top.iter().map(|at| below[usize::try_from((*at)?).ok()?]).collect();
        assert_eq!(table(&stack), expected, "{id}: {stack}");
        let is_single = !row["single_view"].is_null();
        assert_eq!(is_single, is_one_view(&sizes(&stack), &expected), "{id}: the oracle of the corpus");
        assert_eq!(stack.views().len() == 1, is_single, "{id}: {stack}");
        single += usize::from(is_single);
    }
    println!("{single} are one view");
}

#[test]
fn view_rows_merge_dims() {
    let mut older = 0;
    for row in rows("merge_dims.jsonl") {
        let newer_is_right = row["meaning_ok"]["010"].as_bool().expect("a truth value");
        older += usize::from(!newer_is_right);
        let expected = &row[if newer_is_right { "merged" } else { "merged_seed003" }];
        let expected: Vec<Vec<i64>> = expected.as_array().expect("a list").iter().map(integers).collect();
        let mask = row["mask"].is_array().then(|| pairs(&row["mask"]));
        let mask = mask.map(|m| m.into_iter().map(|(b, e)| (int(b), int(e))).collect::<Vec<_>>());
        let (shape, strides) = (integers(&row["shape"]), integers(&row["strides"]));
        let merged = merge_dims(&Domain::new(), &exprs(&shape), &exprs(&strides), mask.as_deref());
        let merged: Vec<Vec<i64>> = merged
            .expect("dimensions")
            .iter()
            .map(|m| [&m.size, &m.stride, &m.real].map(|e| e.as_const().expect("a constant")).to_vec())
            .collect();
        assert_eq!(merged, expected, "{}", text(&row, "id"));
    }
    println!("{older} of them where the older version is right");
}
