//! Makes the data from which pictures of a saturated e-graph are drawn.

use crate::cost::CostModel;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::{AndOrGraph, Write};
use crate::egraph::extract::rebuild::rebuild;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::expr::Expr;
use crate::rules::operator::Operator;
use egg::{Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// The part of a saturated e-graph that some expressions reach. [`picture`](super::picture()) returns it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// The e-classes. Users come before operands if possible.
    pub classes: Vec<Class>,
    /// The class of each input expression, by its position in `classes`.
    pub roots: Vec<usize>,
}

/// A class of equal expressions: facts and members.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Class {
    id: Id,
    /// The value of the class, or its range and its congruence.
    pub value: String,
    /// All facts about the class, as pairs of name and value.
    pub facts: Vec<(&'static str, String)>,
    /// A cheap expression of the class. `None` if the members chosen for the classes refer to one another in a cycle.
    pub written: Option<Expr>,
    /// The members of the class.
    pub members: Vec<Member>,
}

/// A member of a class: an operation, or a spelling as a sum.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Member {
    /// The name of the operation. For a sum, the label consists of the factors and the constant.
    pub label: String,
    /// The member as text that refers to its operands by position, such as `3*{0} + {1} + 5`.
    pub template: String,
    /// The classes of the operands, by their positions in [`Picture::classes`].
    pub operands: Vec<usize>,
    /// Whether the answer contains this member.
    pub chosen: bool,
}

/// A member whose operands are classes of the e-graph.
struct Found {
    label: String,
    template: String,
    operands: Vec<Id>,
    chosen: bool,
}

/// The members that a selection chose, by class.
#[derive(Default)]
struct Chosen {
    nodes: FxHashSet<(Id, Node)>,
    sums: FxHashSet<(Id, LinearForm)>,
    constants: FxHashSet<Id>,
}

/// The part of the e-graph that `roots` reach. Members that `s` chose are marked.
pub(super) fn view(e: &EGraph, roots: &[Id], p: &AndOrGraph, s: &Selection, variables: &[Expr]) -> Picture {
    let chosen = chosen(e, p, s);
    let mut found: Vec<(Id, Vec<Found>)> = Vec::new();
    let mut known: FxHashSet<Id> = FxHashSet::default();
    let mut todo: Vec<Id> = roots.iter().rev().map(|&r| e.graph.find(r)).collect();
    while let Some(id) = todo.pop() {
        if !known.insert(id) {
            continue;
        }
        let members = members(e, id, &chosen, variables);
        todo.extend(members.iter().rev().flat_map(|m| m.operands.iter().rev().copied()));
        found.push((id, members));
    }
    let number: FxHashMap<Id, usize> = found.iter().enumerate().map(|(i, c)| (c.0, i)).collect();
    let member = |m: Found| Member {
        operands: m.operands.iter().map(|o| number[o]).collect(),
        label: m.label,
        template: m.template,
        chosen: m.chosen,
    };
    let class = |(id, m): (Id, Vec<Found>)| Class {
        id,
        value: value(e, id),
        facts: facts(e, id),
        written: None,
        members: m.into_iter().map(member).collect(),
    };
    Picture {
        roots: roots.iter().map(|&r| number[&e.graph.find(r)]).collect(),
        classes: found.into_iter().map(class).collect(),
    }
}

impl Picture {
    /// Adds a cheap expression to each class of the picture.
    pub(super) fn with_written(mut self, e: &EGraph, model: &dyn CostModel, variables: &[Expr]) -> Picture {
        let ids: Vec<Id> = self.classes.iter().map(|c| c.id).collect();
        let problem = AndOrGraph::new(e, model, &ids);
        let selection = Selection::cheapest(&problem.choices);
        let written = rebuild(e, &problem, &selection, variables).map(|r| r.roots).unwrap_or_default();
        self.classes.iter_mut().zip(written).for_each(|(class, expr)| class.written = Some(expr));
        self
    }
}

/// All facts about a class, as pairs of name and value.
fn facts(e: &EGraph, id: Id) -> Vec<(&'static str, String)> {
    let f = e.facts(id);
    let mut out = Vec::new();
    match f.constant() {
        Some(c) => out.push(("value", c.to_string())),
        None => out.push(("range", f.interval.to_string())),
    }
    let (modulus, residue) = (f.congruence.modulus(), f.congruence.residue());
    if modulus > 1 {
        out.push(("congruence", format!("{residue} mod {modulus}")));
    }
    if f.constant().is_none() && f.zeros != 0 {
        out.push(("bits that can be 1", format!("{:#x}", !f.zeros)));
    }
    if f.is_bool() {
        out.push(("truth value", "yes".into()));
    }
    out
}

/// The value of a class, or its range, followed by its congruence.
fn value(e: &EGraph, id: Id) -> String {
    let f = e.facts(id);
    let mut text = match f.constant() {
        Some(value) => value.to_string(),
        None => f.interval.to_string(),
    };
    if f.congruence.modulus() > 1 {
        let _ = write!(text, ", {} mod {}", f.congruence.residue(), f.congruence.modulus());
    }
    text
}

fn chosen(e: &EGraph, p: &AndOrGraph, s: &Selection) -> Chosen {
    let mut out = Chosen::default();
    let mut seen = FxHashSet::default();
    let mut todo = p.choices.roots.clone();
    while let Some(place) = todo.pop() {
        let o = s.chosen[place as usize] as usize;
        let Some((class, what)) = p.writes.get(o).filter(|_| seen.insert(place)) else { continue };
        todo.extend(&p.choices.candidates[o].operands);
        let id = e.graph.find(*class);
        match what {
            Write::Constant(_) => {
                out.constants.insert(id);
            }
            Write::Variable(v) => {
                out.nodes.insert((id, Node::Var(*v)));
            }
            Write::Sum(lin) => {
                out.sums.insert((id, (**lin).clone()));
            }
            Write::Node(node) | Write::ClearedBits(node) => {
                out.nodes.insert((id, canonical(e, node)));
            }
            Write::Compare(..) => {
                let nodes = e.nodes(id).iter().filter(|n| matches!(n, Node::NonNeg(_) | Node::Zero(_)));
                out.nodes.extend(nodes.map(|n| (id, canonical(e, n))));
            }
            Write::QuotientOfSum(..) => {
                let nodes = e.nodes(id).iter().filter(|n| n.operator() == Operator::Div);
                out.nodes.extend(nodes.map(|n| (id, canonical(e, n))));
            }
            Write::Side(_) | Write::Part => {}
        }
    }
    out
}

fn canonical(e: &EGraph, node: &Node) -> Node {
    node.clone().map_children(|c| e.graph.find(c))
}

fn members(e: &EGraph, id: Id, chosen: &Chosen, variables: &[Expr]) -> Vec<Found> {
    let mut out = Vec::new();
    if let Some(c) = e.facts(id).constant() {
        let (label, chosen) = (c.to_string(), chosen.constants.contains(&id));
        out.push(Found { template: label.clone(), label, operands: Vec::new(), chosen });
        return out;
    }
    for node in e.nodes(id) {
        if let Node::Sum(_) | Node::Const(_) = node {
            continue;
        }
        let node = canonical(e, node);
        let operands = node.children().to_vec();
        let label = label(&node, variables);
        let template = template(&node, &label);
        out.push(Found { label, template, operands, chosen: chosen.nodes.contains(&(id, node)) });
    }
    for lin in spellings(e, id) {
        // this spelling is only the class itself, whose operations are already printed above
        if lin.as_atom() == Some(id) {
            continue;
        }
        let terms: Vec<String> = lin.coeffs().iter().map(|c| format!("{c}*")).collect();
        let mut label = format!("sum {}", terms.join(" "));
        if lin.constant != 0 {
            let _ = write!(label, " {:+}", lin.constant);
        }
        let operands = lin.terms().iter().map(|&t| e.graph.find(t)).collect();
        let chosen = chosen.sums.contains(&(id, (*lin).clone()));
        out.push(Found { label, template: sum_template(&lin), operands, chosen });
    }
    if out.is_empty() {
        out.push(Found { label: "?".into(), template: "?".into(), operands: Vec::new(), chosen: false });
    }
    out
}

pub(super) fn label(node: &Node, variables: &[Expr]) -> String {
    let text = match node {
        Node::Const(c) => return c.to_string(),
        Node::Var(v) => return variables.get(*v as usize).map_or_else(String::new, ToString::to_string),
        Node::Sum(_) => "sum",
        Node::NonNeg(_) => ">= 0",
        Node::Zero(_) => "== 0",
        node => node.op().map_or("", |op| op.symbol()),
    };
    text.into()
}

/// The text of an operation that refers to its operands by position.
fn template(node: &Node, label: &str) -> String {
    let operands: Vec<String> = (0..node.children().len()).map(|i| format!("{{{i}}}")).collect();
    match node {
        Node::Const(_) | Node::Var(_) | Node::Sum(_) => label.into(),
        Node::NonNeg(_) | Node::Zero(_) => format!("{} {label}", operands[0]),
        Node::Not(_) => format!("not {}", operands[0]),
        _ if node.op().is_some_and(|op| op.is_call()) => format!("{label}({})", operands.join(", ")),
        _ => operands.join(&format!(" {label} ")),
    }
}

/// The text of a sum that refers to its terms by position.
fn sum_template(lin: &LinearForm) -> String {
    let mut out = String::new();
    for (i, c) in lin.coeffs().iter().enumerate() {
        let (sign, factor) = (if *c < 0 { "-" } else { "+" }, c.unsigned_abs());
        match (i, *c < 0) {
            (0, true) => out.push('-'),
            (0, false) => {}
            _ => {
                let _ = write!(out, " {sign} ");
            }
        }
        if factor != 1 {
            let _ = write!(out, "{factor}*");
        }
        let _ = write!(out, "{{{i}}}");
    }
    if lin.constant != 0 {
        let sign = if lin.constant < 0 { "-" } else { "+" };
        let _ = write!(out, " {sign} {}", lin.constant.unsigned_abs());
    }
    out
}
