//! CUDA and C text of accesses. An index is computed inside of its gate's `if`, and not at all where the gate is
//! closed.

use super::shape::Shape;
use super::{Access, Direction, Gate};
use crate::emit::{Dialect, Fragments, Parameter, Text, identifiers, is_name};
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

/// `roots` are those of the unconditional part and of each region.
pub(super) fn text(
    accesses: &[Access],
    (shape, offsets): (&Shape, &[Vec<i64>]),
    lowered: &Lowered,
    roots: &[Vec<u32>],
    dialect: Dialect,
) -> Text {
    let mut writer = Writer::new(accesses, (shape, offsets), lowered, roots, (dialect, &[]));
    let mut text = writer.fragments.surroundings();
    text.objects = objects(accesses);
    writer.all();
    text.statements.append(&mut writer.lines);
    text
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
fn taken(access: &Access) -> impl Iterator<Item = &str> {
    let texts = match &access.direction {
        Direction::Load { into, otherwise } => [into, otherwise],
        Direction::Store { value } => [value, value],
    };
    [&access.buffer, &access.element].into_iter().chain(texts).flat_map(|text| identifiers(text))
}

/// Writes accesses line by line.
pub(super) struct Writer<'a> {
    accesses: &'a [Access],
    shape: &'a Shape,
    offsets: &'a [Vec<i64>],
    dialect: Dialect,
    lowered: &'a Lowered,
    roots: &'a [Vec<u32>],
    pub(super) fragments: Fragments<'a>,
    pub(super) lines: Vec<String>,
}

impl<'a> Writer<'a> {
    /// `declared` are names that temporaries must not have, besides those in the accesses.
    pub(super) fn new(
        accesses: &'a [Access],
        (shape, offsets): (&'a Shape, &'a [Vec<i64>]),
        lowered: &'a Lowered,
        roots: &'a [Vec<u32>],
        (dialect, declared): (Dialect, &[String]),
    ) -> Writer<'a> {
        let names = accesses.iter().flat_map(taken).chain(declared.iter().map(String::as_str));
        let fragments = Fragments::new(lowered, dialect, names);
        Writer { accesses, shape, offsets, dialect, lowered, roots, fragments, lines: Vec::new() }
    }

    fn all(&mut self) {
        let inner = self.outer();
        let (accesses, shape) = (self.accesses, self.shape);
        let mut regions = shape.regions.iter().zip(inner).enumerate();
        let mut i = 0;
        while i < accesses.len() {
            match &accesses[i].gate {
                Gate::Never | Gate::Always => self.ungated(i),
                Gate::When(_) => {
                    let Some((at, (region, uses))) = regions.next() else { return };
                    self.region(region.accesses.clone(), &self.roots[at + 1], &uses);
                    i = region.accesses.end;
                    continue;
                }
            }
            i += 1;
        }
    }

    /// Access `i`, which has no gate to be computed.
    pub(super) fn ungated(&mut self, i: usize) {
        let access = &self.accesses[i];
        if access.gate == Gate::Never {
            return self.closed(access);
        }
        let first = self.shape.lanes[i];
        let lanes = self.roots[0][first..first + access.lanes.len()].iter().zip(&self.offsets[i]);
        let lanes: Vec<String> = lanes.map(|(&id, &k)| self.element(access, id, k)).collect();
        self.open(access, &lanes);
    }

    /// Temporaries for what is computed unconditionally and used more than once. For each region, how often each value
    /// is used in it that is computed there only.
    fn outer(&mut self) -> Vec<Uses> {
        let values = self.lowered.values();
        // the roots of regions come last
        let inner: usize = self.roots[1..].iter().map(Vec::len).sum();
        let outer = &self.lowered.roots()[..self.lowered.roots().len() - inner];
        let mut unconditional = vec![false; values.len()];
        outer.iter().for_each(|&r| unconditional[r as usize] = true);
        for (i, value) in values.iter().enumerate().rev() {
            if unconditional[i] {
                value.args().iter().for_each(|&a| unconditional[a as usize] = true);
            }
        }
        // uses of unconditional values: by gates, by indices without gate, by regions
        let mut uses = vec![0u32; values.len()];
        self.roots[0].iter().for_each(|&r| uses[r as usize] += 1);
        let mut regions = Vec::with_capacity(inner);
        for roots in &self.roots[1..] {
            let mut inside = uses_inside(self.lowered, roots, &unconditional);
            inside.retain(|&id, n| {
                let is_outer = unconditional[id as usize];
                uses[id as usize] += if is_outer { *n } else { 0 };
                !is_outer
            });
            regions.push(inside);
        }
        for (i, value) in values.iter().enumerate().rev() {
            if unconditional[i] && uses[i] > 0 {
                value.args().iter().for_each(|&a| uses[a as usize] += 1);
            }
        }
        for id in 0..values.len() as u32 {
            if uses[id as usize] > 1 && !self.fragments.is_trivial(id) {
                let line = self.fragments.define(id, None);
                self.lines.push(line);
            }
        }
        regions
    }

    /// Accesses of one gate, which is that of a region with these `roots`. `uses` says how often each value is used that is computed
    /// for these accesses only.
    pub(super) fn region(&mut self, range: Range<usize>, roots: &[u32], uses: &Uses) {
        let (accesses, shape) = (self.accesses, self.shape);
        let gate = shape.gates[range.start].map(|at| self.roots[0][at]);
        let gate = gate.map_or_else(|| "1".into(), |id| self.fragments.text(id));
        let accesses = &accesses[range.clone()];
        let offsets = &self.offsets[range.clone()];
        let shared: Vec<u32> =
            uses.iter().filter(|&(&id, &n)| n > 1 && !self.fragments.is_trivial(id)).map(|(&id, _)| id).collect();
        if let ([access @ Access { element, direction: Direction::Load { into, otherwise }, .. }], 1, true) =
            (accesses, accesses[0].lanes.len(), shared.is_empty())
        {
            let value = self.element(access, roots[shape.lanes[range.start]], offsets[0][0]);
            let gate = if gate.contains('?') { format!("({gate})") } else { gate };
            let line = format!("const {element} {into} = {gate} ? {value} : {};", operand(otherwise));
            return self.lines.push(line);
        }
        for access in accesses {
            if let Direction::Load { into, otherwise } = &access.direction {
                let (element, lanes) = (&access.element, access.lanes.len());
                let line = match lanes {
                    1 => format!("{element} {into} = {otherwise};"),
                    _ => format!("{element} {into}[{lanes}] = {{{}}};", vec![&**otherwise; lanes].join(", ")),
                };
                self.lines.push(line);
            }
        }
        self.lines.push(format!("if ({gate}) {{"));
        for &id in &shared {
            let line = self.fragments.define(id, None);
            self.lines.push(format!("  {line}"));
        }
        for ((access, &first), offsets) in accesses.iter().zip(&shape.lanes[range]).zip(offsets) {
            let lanes = access.lanes.len();
            for (lane, (&id, &offset)) in roots[first..first + lanes].iter().zip(offsets).enumerate() {
                let element = self.element(access, id, offset);
                let line = match &access.direction {
                    Direction::Load { into, .. } => format!("  {} = {element};", of_lane(into, lane, lanes)),
                    Direction::Store { value } => format!("  {element} = {};", of_lane(value, lane, lanes)),
                };
                self.lines.push(line);
            }
        }
        self.lines.push("}".into());
        shared.iter().for_each(|&id| self.fragments.forget(id));
    }

    /// The element at the index with value `id`, and `offset` elements on.
    fn element(&self, access: &Access, id: u32, offset: i64) -> String {
        let (buffer, index) = (&access.buffer, self.fragments.text(id));
        let sign = if offset < 0 { '-' } else { '+' };
        match (offset.unsigned_abs(), self.dialect) {
            (0, _) => format!("{buffer}[{index}]"),
            (by, Dialect::Cuda) => format!("({buffer} {sign} {by})[{index}]"),
            // C has no pointers to before an array
            (by, Dialect::C) => format!("{buffer}[{} {sign} {by}]", self.fragments.summand(id)),
        }
    }

    /// An access without gate; `lanes` are its elements.
    fn open(&mut self, access: &Access, lanes: &[String]) {
        match &access.direction {
            Direction::Load { into, .. } => self.lines.push(declared(&access.element, into, lanes)),
            Direction::Store { value } => {
                for (lane, element) in lanes.iter().enumerate() {
                    let value = of_lane(value, lane, lanes.len());
                    self.lines.push(format!("{element} = {value};"));
                }
            }
        }
    }

    /// An access that never happens.
    fn closed(&mut self, access: &Access) {
        if let Direction::Load { into, otherwise } = &access.direction {
            self.lines.push(declared(&access.element, into, &vec![otherwise.to_string(); access.lanes.len()]));
        }
    }
}

/// A constant, or an array of constants.
fn declared(element: &str, name: &str, values: &[String]) -> String {
    match values {
        [value] => format!("const {element} {name} = {value};"),
        _ => format!("const {element} {name}[{}] = {{{}}};", values.len(), values.join(", ")),
    }
}

fn of_lane(text: &str, lane: usize, lanes: usize) -> String {
    if lanes == 1 { text.into() } else { format!("{}[{lane}]", operand(text)) }
}

/// `text` as an operand of any operator.
fn operand(text: &str) -> String {
    let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    if word { text.into() } else { format!("({text})") }
}
