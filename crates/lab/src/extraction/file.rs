//! Reads and writes e-graphs in the format of `egraph-serialize`, which the programs of the extraction gym read.
//!
//! This module implements the format without the crate `egraph-serialize`. That crate turns on an option of the JSON
//! library for the whole program, which keeps the order of keys and would change the output of `quaff`.

use quaff::inspect::{Candidate, Extraction};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of price units in an instruction. Prices in files are rounded to multiples of this unit.
pub const UNIT_OF_FILES: u64 = 1_000_000;
/// The largest price that is accepted. The sum of thousands of such prices fits 64 bits.
const MOST: f64 = 1e12;

/// The reason why a text cannot be read as an e-graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The text does not have the format.
    #[error("not an e-graph of egraph-serialize: {0}")]
    Json(#[from] serde_json::Error),
    /// A node has a child that does not exist.
    #[error("the node `{node}` has the child `{child}`, and there is no such node")]
    NoSuchNode {
        /// The node.
        node: String,
        /// The child of the node.
        child: String,
    },
    /// A root class contains no node.
    #[error("the root `{0}` has no nodes")]
    NoSuchClass(String),
    /// The price of a node is negative, infinite, not a number, or too large.
    #[error("the node `{node}` costs {cost}: a cost is a number from 0 to 1e12")]
    Cost {
        /// The node.
        node: String,
        /// The cost of the node.
        cost: f64,
    },
    /// The e-graph has no roots.
    #[error("the e-graph has no roots")]
    NoRoots,
}

#[derive(Serialize, Deserialize)]
struct File {
    nodes: BTreeMap<String, Node>,
    #[serde(default)]
    root_eclasses: Vec<String>,
    #[serde(default)]
    class_data: BTreeMap<String, serde_json::Value>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    op: String,
    #[serde(default)]
    children: Vec<String>,
    eclass: String,
    #[serde(default = "one")]
    cost: f64,
}

fn one() -> f64 {
    1.0
}

/// Reads an e-graph. Its prices are in units of 1/[`UNIT_OF_FILES`].
///
/// # Errors
/// A [`FileError`] if the text does not have the format, names a missing node or class, has no roots, or has an invalid
/// price.
pub fn read(text: &[u8]) -> Result<Extraction, FileError> {
    let file: File = serde_json::from_slice(text)?;
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    for node in file.nodes.values() {
        let next = numbers.len();
        numbers.entry(&node.eclass).or_insert(next);
    }
    let mut classes: Vec<Vec<Candidate>> = vec![Vec::new(); numbers.len()];
    for (name, node) in &file.nodes {
        if !(0.0..=MOST).contains(&node.cost) {
            return Err(FileError::Cost { node: name.clone(), cost: node.cost });
        }
        let class_of = |child: &String| match file.nodes.get(child) {
            Some(found) => Ok(numbers[&*found.eclass]),
            None => Err(FileError::NoSuchNode { node: name.clone(), child: child.clone() }),
        };
        let operands = node.children.iter().map(class_of).collect::<Result<_, _>>()?;
        let price = (node.cost * UNIT_OF_FILES as f64).round() as u64;
        classes[numbers[&*node.eclass]].push(Candidate { label: node.op.clone(), price, operands });
    }
    let root = |name: &String| numbers.get(&**name).copied().ok_or_else(|| FileError::NoSuchClass(name.clone()));
    let roots: Vec<usize> = file.root_eclasses.iter().map(root).collect::<Result<_, _>>()?;
    if roots.is_empty() {
        return Err(FileError::NoRoots);
    }
    Ok(Extraction::new(classes, roots).expect("each class has a number"))
}

/// Writes the problem as text, with prices in instructions. Classes without candidates (nodes) are left out, and so are
/// nodes that have these classes as operands.
///
/// # Errors
/// Fails if a root has no candidate.
pub fn write(problem: &Extraction) -> Result<String, FileError> {
    let classes = problem.classes();
    // in this format, an operand is a node and not a class, so write the first node of the operand's class
    let mut is_there = vec![true; classes.len()];
    loop {
        let usable = |class: &Vec<Candidate>| class.iter().any(|c| c.operands.iter().all(|&o| is_there[o]));
        let next: Vec<bool> = classes.iter().map(usable).collect();
        if next == is_there {
            break;
        }
        is_there = next;
    }
    let kept = |class: usize| {
        let candidates = classes[class].iter().enumerate();
        candidates.filter(|(_, c)| c.operands.iter().all(|&o| is_there[o]))
    };
    let mut nodes = BTreeMap::new();
    for class in (0..classes.len()).filter(|&class| is_there[class]) {
        for (at, candidate) in kept(class) {
            let first = |&operand: &usize| kept(operand).next().map(|(at, _)| format!("{operand}.{at}"));
            let children = candidate.operands.iter().filter_map(first).collect();
            let cost = candidate.price as f64 / Extraction::UNIT as f64;
            let node = Node { op: candidate.label.clone(), children, eclass: class.to_string(), cost };
            nodes.insert(format!("{class}.{at}"), node);
        }
    }
    if let Some(root) = problem.roots().iter().find(|&&root| !is_there[root]) {
        return Err(FileError::NoSuchClass(root.to_string()));
    }
    let root_eclasses = problem.roots().iter().map(ToString::to_string).collect();
    Ok(serde_json::to_string_pretty(&File { nodes, root_eclasses, class_data: BTreeMap::new() })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaff::Simplifier;
    use quaff::domain::Domain;
    use quaff::inspect::Method;

    #[test]
    fn what_is_written_is_read() {
        let domain = Domain::new().with("x", 0..5000);
        let exprs = ["x//7 + x%7".parse().unwrap(), "(x + 3)//7*2".parse().unwrap()];
        let problem = Extraction::of(&Simplifier::default(), &exprs, &domain).unwrap();
        let again = read(write(&problem).unwrap().as_bytes()).unwrap();
        let cost =
            |p: &Extraction, unit: u64| p.select(Method::Exact { steps: 1_000_000 }).cost.unwrap() as f64 / unit as f64;
        let (before, after) = (cost(&problem, Extraction::UNIT), cost(&again, UNIT_OF_FILES));
        assert!((before - after).abs() < 1e-3, "{before} {after}");
    }

    #[test]
    fn texts_that_are_no_e_graphs_are_refused() {
        let node =
            |more: &str| format!(r#"{{"nodes": {{"a": {{"op": "x", "eclass": "1"{more}}}}}, "root_eclasses": ["1"]}}"#);
        assert_eq!(read(node("").as_bytes()).unwrap().select(Method::Trees).cost, Some(UNIT_OF_FILES));
        for (text, message) in [
            (node(r#", "children": ["b"]"#), "the node `a` has the child `b`, and there is no such node"),
            (node(r#", "cost": -1"#), "the node `a` costs -1: a cost is a number from 0 to 1e12"),
            (node("").replace(r#"["1"]"#, "[]"), "the e-graph has no roots"),
            (node("").replace(r#"["1"]"#, r#"["2"]"#), "the root `2` has no nodes"),
            ("{}".into(), "not an e-graph of egraph-serialize: missing field `nodes` at line 1 column 2"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), message);
        }
    }
}
