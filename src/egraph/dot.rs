//! An e-graph as text for Graphviz.

use super::extract::{Problem, Selection, Write};
use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Node};
use crate::expr::Expr;
use egg::{Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// One member of a class: an operation, or a spelling as a sum.
struct Member {
    label: String,
    operands: Vec<Id>,
    chosen: bool,
}

/// What a selection writes, by class.
#[derive(Default)]
struct Chosen {
    nodes: FxHashSet<(Id, Node)>,
    sums: FxHashSet<(Id, Lin)>,
    constants: FxHashSet<Id>,
}

/// All classes that `roots` lead to, each a box with its range and congruence; what `selection` chose is bold.
pub(crate) fn dot(e: &EClasses, roots: &[Id], p: &Problem, s: &Selection, variables: &[Expr]) -> String {
    let chosen = chosen(e, p, s);
    let mut classes: Vec<(Id, Vec<Member>)> = Vec::new();
    let mut known: FxHashSet<Id> = FxHashSet::default();
    let mut todo: Vec<Id> = roots.iter().rev().map(|&r| e.graph.find(r)).collect();
    while let Some(id) = todo.pop() {
        if !known.insert(id) {
            continue;
        }
        let members = members(e, id, &chosen, variables);
        todo.extend(members.iter().rev().flat_map(|m| m.operands.iter().rev().copied()));
        classes.push((id, members));
    }
    let mut out = String::from("digraph egraph {\n  compound=true;\n  node [shape=box, fontname=monospace];\n");
    out.push_str("  graph [fontname=monospace, style=dashed];\n");
    let number: FxHashMap<Id, usize> = classes.iter().enumerate().map(|(i, c)| (c.0, i)).collect();
    for (c, (id, members)) in classes.iter().enumerate() {
        let f = e.facts(*id);
        let mut label = match f.constant() {
            Some(value) => format!("e{c}: {value}"),
            None => format!("e{c}: {}", f.interval),
        };
        if f.congruence.modulus() > 1 {
            let _ = write!(label, ", {} mod {}", f.congruence.residue(), f.congruence.modulus());
        }
        let _ = writeln!(out, "  subgraph cluster_{c} {{\n    label=\"{label}\";");
        for (m, member) in members.iter().enumerate() {
            let mark = if member.chosen { ", style=bold, color=blue" } else { "" };
            let _ = writeln!(out, "    n{c}_{m} [label=\"{}\"{mark}];", escaped(&member.label));
        }
        out.push_str("  }\n");
    }
    for (c, (_, members)) in classes.iter().enumerate() {
        for (m, member) in members.iter().enumerate() {
            for (i, operand) in member.operands.iter().enumerate() {
                let to = number[operand];
                // an arrow into the own box cannot end at its border
                let end = if to == c { String::new() } else { format!("lhead=cluster_{to}, ") };
                let mark = if member.chosen { ", color=blue" } else { "" };
                let _ = writeln!(out, "  n{c}_{m} -> n{to}_0 [{end}taillabel=\"{i}\", fontsize=8{mark}];");
            }
        }
    }
    for (i, root) in roots.iter().enumerate() {
        let to = number[&e.graph.find(*root)];
        let _ = writeln!(out, "  root{i} [label=\"result {i}\", shape=plaintext];");
        let _ = writeln!(out, "  root{i} -> n{to}_0 [lhead=cluster_{to}, color=blue];");
    }
    out.push_str("}\n");
    out
}

fn chosen(e: &EClasses, p: &Problem, s: &Selection) -> Chosen {
    let mut out = Chosen::default();
    let mut seen = FxHashSet::default();
    let mut todo = p.roots.clone();
    while let Some(place) = todo.pop() {
        let Some(option) = p.options.get(s.chosen[place as usize] as usize).filter(|_| seen.insert(place)) else {
            continue;
        };
        todo.extend(&option.operands);
        let id = e.graph.find(option.class);
        match &option.write {
            Write::Constant(_) => {
                out.constants.insert(id);
            }
            Write::Variable(v) => {
                out.nodes.insert((id, Node::Var(*v)));
            }
            Write::Sum(lin) => {
                out.sums.insert((id, (**lin).clone()));
            }
            Write::Node(node) => {
                out.nodes.insert((id, canonical(e, node)));
            }
            Write::Compare { zero, .. } | Write::CompareSide { zero, .. } => {
                let head = if *zero { Head::Zero } else { Head::NonNeg };
                let nodes = e.nodes(id).iter().filter(|n| n.head() == head);
                out.nodes.extend(nodes.map(|n| (id, canonical(e, n))));
            }
            Write::Side(_) => {}
        }
    }
    out
}

fn canonical(e: &EClasses, node: &Node) -> Node {
    node.clone().map_children(|c| e.graph.find(c))
}

fn members(e: &EClasses, id: Id, chosen: &Chosen, variables: &[Expr]) -> Vec<Member> {
    let mut out = Vec::new();
    if let Some(c) = e.facts(id).constant() {
        out.push(Member { label: c.to_string(), operands: Vec::new(), chosen: chosen.constants.contains(&id) });
        return out;
    }
    for node in e.nodes(id) {
        if let Node::Sum(_) | Node::Const(_) = node {
            continue;
        }
        let node = canonical(e, node);
        let operands = node.children().to_vec();
        let label = label(&node, variables);
        out.push(Member { label, operands, chosen: chosen.nodes.contains(&(id, node)) });
    }
    for lin in e.spellings(id) {
        // the operations above
        if lin.as_atom() == Some(id) {
            continue;
        }
        let terms: Vec<String> = lin.coeffs().iter().map(|c| format!("{c}*")).collect();
        let mut label = format!("sum {}", terms.join(" "));
        if lin.constant != 0 {
            let _ = write!(label, " {:+}", lin.constant);
        }
        let operands = lin.terms().iter().map(|&t| e.graph.find(t)).collect();
        out.push(Member { label, operands, chosen: chosen.sums.contains(&(id, (*lin).clone())) });
    }
    if out.is_empty() {
        out.push(Member { label: "?".into(), operands: Vec::new(), chosen: false });
    }
    out
}

fn label(node: &Node, variables: &[Expr]) -> String {
    let text = match node {
        Node::Const(c) => return c.to_string(),
        Node::Var(v) => return variables.get(*v as usize).map_or_else(String::new, ToString::to_string),
        Node::Sum(_) => "sum",
        Node::Product(_) => "*",
        Node::Div(_) => "//",
        Node::Mod(_) => "%",
        Node::Min(_) => "min",
        Node::Max(_) => "max",
        Node::NonNeg(_) => ">= 0",
        Node::Zero(_) => "== 0",
        Node::Not(_) => "not",
        Node::And(_) => "and",
        Node::Or(_) => "or",
        Node::Select(_) => "where",
        Node::BitAnd(_) => "&",
        Node::BitOr(_) => "|",
        Node::BitXor(_) => "^",
        Node::Shl(_) => "<<",
        Node::Shr(_) => ">>",
    };
    text.into()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
