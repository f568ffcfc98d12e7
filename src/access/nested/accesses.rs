//! Prints accesses as statements of CUDA and C. An index is computed inside of the `if` of its gate, and not at all
//! when the gate is closed.

use super::text::Printer;
use crate::access::text::Uses;
use crate::access::{Access, Direction, Gate};
use crate::emit::program::{Statement, operand};
use crate::emit::{Element, Language};
use std::ops::Range;

impl Printer<'_> {
    /// The statements of access `i`, which has no gate to test.
    pub(super) fn ungated(&self, i: usize) -> Vec<Statement> {
        let access = &self.nested.answer.accesses[i];
        let (is_never, count) = (access.gate == Gate::Never, access.elements());
        match &access.direction {
            Direction::Load { into, .. } if access.has_vectors() && !is_never && self.language == Language::Cuda => {
                let mut all = vec![Statement::Code(format!("{};", access.array(into)))];
                all.extend(self.moved(i, &self.roots[0]));
                all
            }
            Direction::Load { into, otherwise } => {
                let values = || self.elements(i, &self.roots[0]).into_iter().map(|e| e.text).collect();
                let values = if is_never { vec![otherwise.to_string(); count] } else { values() };
                let (ty, name) = (access.element.to_string(), array(into, count));
                vec![Statement::Define { ty, name, value: braced(&values) }]
            }
            Direction::Store { .. } if is_never => Vec::new(),
            Direction::Store { .. } => self.moved(i, &self.roots[0]),
        }
    }

    /// The statements of accesses that share one gate, in a region with these `roots`. `uses` has the number of uses of
    /// each value that is computed only for these accesses.
    pub(super) fn region(&mut self, range: Range<usize>, roots: &[u32], uses: &Uses) -> Vec<Statement> {
        let gate = self.nested.answer.shape.gates[range.start].map(|at| self.roots[0][at]);
        let gate = gate.map_or_else(|| "1".into(), |id| self.fragments.text(id));
        let accesses = &self.nested.answer.accesses[range.clone()];
        let shared: Vec<u32> =
            uses.iter().filter(|&(&id, &n)| n > 1 && !self.fragments.is_trivial(id)).map(|(&id, _)| id).collect();
        if let ([access @ Access { element, direction: Direction::Load { into, otherwise }, .. }], true) =
            (accesses, shared.is_empty())
            && access.elements() == 1
        {
            let value: String = self.elements(range.start, roots).into_iter().map(|e| e.text).collect();
            let gate = if gate.contains('?') { format!("({gate})") } else { gate };
            let value = format!("{gate} ? {value} : {}", operand(otherwise));
            return vec![Statement::Define { ty: element.to_string(), name: into.to_string(), value }];
        }
        let mut statements = Vec::new();
        for access in accesses {
            if let Direction::Load { into, otherwise } = &access.direction {
                let count = access.elements();
                let is_vector = access.has_vectors() && self.language == Language::Cuda;
                let target =
                    if is_vector { access.array(into) } else { format!("{} {}", access.element, array(into, count)) };
                let value = braced(&vec![otherwise.to_string(); count]);
                statements.push(Statement::Set { target, sign: "=", value });
            }
        }
        let mut then: Vec<Statement> = shared.iter().map(|&id| self.fragments.define(id, None)).collect();
        for i in range {
            then.extend(self.moved(i, roots));
        }
        statements.push(Statement::If { condition: gate, then, otherwise: None });
        shared.iter().for_each(|&id| self.fragments.forget(id));
        statements
    }

    /// The elements that access `i` reads or writes, with indices among `roots`. In CUDA, such an element may be a
    /// vector.
    fn elements(&self, i: usize, roots: &[u32]) -> Vec<Moved> {
        let (access, first) = (&self.nested.answer.accesses[i], self.nested.answer.shape.lanes[i]);
        let (mut all, mut position) = (Vec::new(), 0);
        for (lane, (&id, &offset)) in
            roots[first..first + access.lanes.len()].iter().zip(&self.nested.answer.offsets[i]).enumerate()
        {
            let width = access.width(lane);
            let single = if self.language == Language::Cuda { width } else { 1 };
            for part in (0..width).step_by(single as usize) {
                let text = self.element(access, id, offset.saturating_add(part.into()));
                all.push(Moved { position, width: single, text });
                position += single as usize;
            }
        }
        all
    }

    /// The statements that read or write each lane of access `i`.
    fn moved(&self, i: usize, roots: &[u32]) -> Vec<Statement> {
        let access = &self.nested.answer.accesses[i];
        let count = access.elements();
        let one = |Moved { position, width, text }: Moved| {
            let own = |name: &str| of_lane(name, position, count);
            let vector = access.vector_type(width);
            let (target, value) = match (&access.direction, vector) {
                (Direction::Load { into, .. }, None) => (own(into), text),
                (Direction::Store { value }, None) => (text, own(value)),
                (Direction::Load { into, .. }, Some(ty)) => {
                    (format!("*({ty} *){}", from(into, position)), format!("*(const {ty} *)&{text}"))
                }
                (Direction::Store { value }, Some(ty)) => {
                    (format!("*({ty} *)&{text}"), format!("*(const {ty} *){}", from(value, position)))
                }
            };
            Statement::Set { target, sign: "=", value }
        };
        self.elements(i, roots).into_iter().map(one).collect()
    }

    /// The text of the element at the index with value `id`, plus `offset` elements.
    fn element(&self, access: &Access, id: u32, offset: i64) -> String {
        let (buffer, index) = (&access.buffer, self.fragments.text(id));
        let sign = if offset < 0 { '-' } else { '+' };
        match (offset.unsigned_abs(), self.language) {
            (0, _) => format!("{buffer}[{index}]"),
            (by, Language::Cuda) => format!("({buffer} {sign} {by})[{index}]"),
            // C has no pointers to memory before an array
            (by, _) => format!("{buffer}[{} {sign} {by}]", self.fragments.summand(id)),
        }
    }
}

/// Neighbouring elements that one instruction reads or writes.
struct Moved {
    /// The position of the first element among the elements of the access.
    position: usize,
    width: u32,
    /// The text of the first element in the buffer.
    text: String,
}

impl Access {
    fn has_vectors(&self) -> bool {
        !self.widths.is_empty()
    }

    /// The type of a vector of `width` elements. `None` for one element.
    fn vector_type(&self, width: u32) -> Option<&'static str> {
        let element = Element::named(&self.element).filter(|_| width > 1)?;
        element.vector(width.into())
    }

    /// The declaration of an array for the elements of this access, aligned like its widest vector.
    fn array(&self, name: &str) -> String {
        let bytes = Element::named(&self.element).map_or(1, Element::bytes);
        let widest = self.widths.iter().copied().max().map_or(1, i64::from);
        format!("__align__({}) {} {}", widest * bytes, self.element, array(name, self.elements()))
    }
}

/// The declared name of a variable: `name[count]`, or only `name` for one element.
fn array(name: &str, count: usize) -> String {
    if count == 1 { name.into() } else { format!("{name}[{count}]") }
}

/// The initial value of a variable: `{a, b}`, or only `a` for one element.
fn braced(values: &[String]) -> String {
    if let [value] = values { value.clone() } else { format!("{{{}}}", values.join(", ")) }
}

fn of_lane(text: &str, position: usize, count: usize) -> String {
    if count == 1 { text.into() } else { format!("{}[{position}]", operand(text)) }
}

/// The text of a pointer to the element at `position` of the array `name`.
fn from(name: &str, position: usize) -> String {
    if position == 0 { operand(name) } else { format!("({} + {position})", operand(name)) }
}
