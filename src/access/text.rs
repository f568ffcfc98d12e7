//! Accesses as statements of CUDA and C. An index is computed inside of its gate's `if`, and not at all where the gate is
//! closed.

use super::nested::Printer;
use super::{Access, Direction, Gate};
use crate::emit::program::{Statement, operand};
use crate::emit::{Language, Parameter, identifiers, is_name};
use crate::lower::Lowered;
use std::collections::BTreeMap;
use std::ops::Range;

/// How often each value is used, by its number; values that are not used are left out.
pub(super) type Uses = BTreeMap<u32, u32>;

/// How often `ids`, and what only they need, use each value of `lowered`. Values that are `unconditional` use nothing here.
pub(super) fn uses_inside(lowered: &Lowered, ids: &[u32], unconditional: &[bool]) -> Uses {
    let mut uses = Uses::new();
    ids.iter().for_each(|&id| *uses.entry(id).or_default() += 1);
    let mut next = uses.last_key_value().map(|(&id, _)| id);
    // operands come before what uses them
    while let Some(id) = next {
        if !unconditional[id as usize] {
            let operands = lowered.values()[id as usize].args();
            operands.iter().for_each(|&a| *uses.entry(a).or_default() += 1);
        }
        next = uses.range(..id).next_back().map(|(&id, _)| id);
    }
    uses
}

/// The buffers, and the values that are stored, that single names stand for: what accesses take besides variables.
pub(super) fn objects(accesses: &[Access]) -> Vec<Parameter> {
    let happens = || accesses.iter().filter(|a| a.gate != Gate::Never);
    let mut all: Vec<Parameter> = Vec::new();
    let mut add = |name: &str, ty: String| {
        if is_name(name) && all.iter().all(|p| p.name != name) {
            all.push(Parameter { name: name.into(), ty });
        }
    };
    for access in happens() {
        let is_store = |a: &Access| matches!(a.direction, Direction::Store { .. });
        let is_written = happens().any(|a| a.buffer == access.buffer && is_store(a));
        add(&access.buffer, format!("{}{} *", if is_written { "" } else { "const " }, access.element));
    }
    for access in happens() {
        let Direction::Store { value } = &access.direction else { continue };
        // the text itself declares what it loads
        let is_loaded = |a: &Access| matches!(&a.direction, Direction::Load { into, .. } if into == value);
        if !accesses.iter().any(is_loaded) {
            let many = access.lanes.len() > 1;
            add(value, if many { format!("const {} *", access.element) } else { access.element.to_string() });
        }
    }
    all
}

/// Identifiers in the text of an access.
pub(super) fn taken(access: &Access) -> impl Iterator<Item = &str> {
    let texts = match &access.direction {
        Direction::Load { into, otherwise } => [into, otherwise],
        Direction::Store { value } => [value, value],
    };
    [&access.buffer, &access.element].into_iter().chain(texts).flat_map(|text| identifiers(text))
}

impl Printer<'_> {
    /// Access `i`, which has no gate to be computed.
    pub(super) fn ungated(&self, i: usize) -> Vec<Statement> {
        let access = &self.nested.answer.accesses[i];
        let (is_never, lanes) = (access.gate == Gate::Never, access.lanes.len());
        let elements = || self.elements(i, &self.roots[0]);
        match &access.direction {
            Direction::Load { into, otherwise } => {
                let values = if is_never { vec![otherwise.to_string(); lanes] } else { elements().collect() };
                let (ty, name) = (access.element.to_string(), array(into, lanes));
                vec![Statement::Define { ty, name, value: braced(&values) }]
            }
            Direction::Store { .. } if is_never => Vec::new(),
            Direction::Store { .. } => moved(access, elements()).collect(),
        }
    }

    /// Accesses of one gate, which is that of a region with these `roots`. `uses` says how often each value is used that is computed
    /// for these accesses only.
    pub(super) fn region(&mut self, range: Range<usize>, roots: &[u32], uses: &Uses) -> Vec<Statement> {
        let gate = self.nested.answer.shape.gates[range.start].map(|at| self.roots[0][at]);
        let gate = gate.map_or_else(|| "1".into(), |id| self.fragments.text(id));
        let accesses = &self.nested.answer.accesses[range.clone()];
        let shared: Vec<u32> =
            uses.iter().filter(|&(&id, &n)| n > 1 && !self.fragments.is_trivial(id)).map(|(&id, _)| id).collect();
        if let ([Access { element, direction: Direction::Load { into, otherwise }, lanes, .. }], true) =
            (accesses, shared.is_empty())
            && lanes.len() == 1
        {
            let value: String = self.elements(range.start, roots).collect();
            let gate = if gate.contains('?') { format!("({gate})") } else { gate };
            let value = format!("{gate} ? {value} : {}", operand(otherwise));
            return vec![Statement::Define { ty: element.to_string(), name: into.to_string(), value }];
        }
        let mut statements = Vec::new();
        for access in accesses {
            if let Direction::Load { into, otherwise } = &access.direction {
                let lanes = access.lanes.len();
                let target = format!("{} {}", access.element, array(into, lanes));
                let value = braced(&vec![otherwise.to_string(); lanes]);
                statements.push(Statement::Set { target, sign: "=", value });
            }
        }
        let mut then: Vec<Statement> = shared.iter().map(|&id| self.fragments.define(id, None)).collect();
        for (i, access) in range.zip(accesses) {
            then.extend(moved(access, self.elements(i, roots)));
        }
        statements.push(Statement::If { condition: gate, then, otherwise: None });
        shared.iter().for_each(|&id| self.fragments.forget(id));
        statements
    }

    /// The elements of access `i`, whose indices are among `roots`.
    fn elements(&self, i: usize, roots: &[u32]) -> impl Iterator<Item = String> {
        let (access, first) = (&self.nested.answer.accesses[i], self.nested.answer.shape.lanes[i]);
        let lanes = roots[first..first + access.lanes.len()].iter().zip(&self.nested.answer.offsets[i]);
        lanes.map(|(&id, &offset)| self.element(access, id, offset))
    }

    /// The element at the index with value `id`, and `offset` elements on.
    fn element(&self, access: &Access, id: u32, offset: i64) -> String {
        let (buffer, index) = (&access.buffer, self.fragments.text(id));
        let sign = if offset < 0 { '-' } else { '+' };
        match (offset.unsigned_abs(), self.language) {
            (0, _) => format!("{buffer}[{index}]"),
            (by, Language::Cuda) => format!("({buffer} {sign} {by})[{index}]"),
            // C has no pointers to before an array
            (by, _) => format!("{buffer}[{} {sign} {by}]", self.fragments.summand(id)),
        }
    }
}

/// Reads or writes each lane.
fn moved(access: &Access, elements: impl Iterator<Item = String>) -> impl Iterator<Item = Statement> {
    let lanes = access.lanes.len();
    elements.enumerate().map(move |(lane, element)| {
        let (target, value) = match &access.direction {
            Direction::Load { into, .. } => (of_lane(into, lane, lanes), element),
            Direction::Store { value } => (element, of_lane(value, lane, lanes)),
        };
        Statement::Set { target, sign: "=", value }
    })
}

/// How a variable of so many lanes is declared.
fn array(name: &str, lanes: usize) -> String {
    if lanes == 1 { name.into() } else { format!("{name}[{lanes}]") }
}

/// The first value of a variable.
fn braced(values: &[String]) -> String {
    if let [value] = values { value.clone() } else { format!("{{{}}}", values.join(", ")) }
}

fn of_lane(text: &str, lane: usize, lanes: usize) -> String {
    if lanes == 1 { text.into() } else { format!("{}[{lane}]", operand(text)) }
}
