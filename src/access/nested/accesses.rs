//! Accesses as statements of CUDA and C. An index is computed inside of its gate's `if`, and not at all where the gate is
//! closed.

use super::text::Printer;
use crate::access::text::Uses;
use crate::access::{Access, Direction, Gate};
use crate::emit::Language;
use crate::emit::program::{Statement, operand};
use std::ops::Range;

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
