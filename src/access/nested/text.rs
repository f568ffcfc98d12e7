//! Prints accesses in CUDA and C, alone and in their loops.

use super::blocks::{Blocks, Kind, Part};
use super::carry::Carried;
use super::loops::Spelling;
use super::program::NestedAccesses;
use crate::access::text::{Uses, objects, taken, uses_inside};
use crate::access::{Gate, SimplifiedAccesses};
use crate::domain::{Interval, Repeats, VarFacts};
use crate::emit::program::{Statement, operand};
use crate::emit::{Fragments, Input, Language, Text, is_free_name};
use crate::induction::Change;
use crate::lower::{Instr, LowerError, Lowered};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

impl SimplifiedAccesses {
    /// The text without loops. The unconditional values come first.
    pub(in crate::access) fn text(&self, language: Language) -> Result<Text, LowerError> {
        let (lowered, roots) = self.lowered()?;
        let alone = NestedAccesses::without_loops(self.clone());
        let (mut printer, mut text) = Printer::new(&alone, &lowered, &roots, language);
        // without loops, the accesses of all groups are in one block
        let unconditional = needed(&lowered, outer(&lowered, &roots));
        printer.unconditional.fill(unconditional);
        printer.count();
        text.add(&printer.define(0, &printer.wanted(0..alone.count)));
        for part in printer.blocks.parts(0).to_vec() {
            if let Part::Accesses(range) = part {
                text.add(&printer.accesses(range));
            }
        }
        Ok(text)
    }
}

impl NestedAccesses {
    /// The CUDA text with loops.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        self.text(Language::Cuda)
    }

    /// The C99 text with loops.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        self.text(Language::C)
    }

    fn text(&self, language: Language) -> Result<Text, LowerError> {
        let (lowered, roots) = self.answer.lowered()?;
        let (mut printer, mut text) = Printer::new(self, &lowered, &roots, language);
        printer.count();
        let needed = printer.needed_guards();
        if needed.len() < self.may_be_empty().len() {
            printer.blocks = self.blocks(&needed);
            printer.count();
        }
        text.add(&printer.block(0));
        // the text itself declares these names
        let declares = |name: &str| {
            self.carried.iter().any(|c| *c.name == *name) || self.nests.iter().flatten().any(|v| **v == *name)
        };
        text.inputs.retain(|i| !declares(&i.variable) || *i.variable != *i.name);
        text.inputs.iter_mut().filter(|i| declares(&i.variable)).for_each(|i| i.defined = true);
        Ok(text)
    }

    /// The blocks of the accesses. The accesses of one region stay together.
    fn blocks(&self, guarded: &[Arc<str>]) -> Blocks {
        let shape = &self.answer.shape;
        Blocks::new(&self.nests, guarded, |i| i..shape.region_of(i).map_or(i + 1, |r| shape.regions[r].accesses.end))
    }
}

/// The type of the counter of a loop that no index uses.
fn counter_type(vars: &[VarFacts], variable: &str) -> &'static str {
    let facts = vars.iter().find(|v| *v.name == *variable);
    let is_int = facts.is_none_or(|v| v.interval.fits_i32());
    if is_int { "int" } else { "long long" }
}

/// The values that are computed outside of all regions.
fn outer<'l>(lowered: &'l Lowered, roots: &[Vec<u32>]) -> &'l [u32] {
    // the roots of regions come last
    let inner: usize = roots[1..].iter().map(Vec::len).sum();
    &lowered.roots()[..lowered.roots().len() - inner]
}

/// For each value, whether the values `wanted` depend on it.
fn needed(lowered: &Lowered, wanted: &[u32]) -> Vec<bool> {
    let mut needed = vec![false; lowered.values().len()];
    wanted.iter().for_each(|&id| needed[id as usize] = true);
    for (i, value) in lowered.values().iter().enumerate().rev() {
        if needed[i] {
            value.args().iter().for_each(|&a| needed[a as usize] = true);
        }
    }
    needed
}

/// A printer of accesses and the loops around them.
pub(super) struct Printer<'a> {
    pub(super) nested: &'a NestedAccesses,
    lowered: &'a Lowered,
    pub(super) roots: &'a [Vec<u32>],
    blocks: Blocks,
    pub(super) fragments: Fragments<'a>,
    /// The name in the text and the type of each variable.
    types: FxHashMap<Arc<str>, (String, &'static str)>,
    /// For each value that is computed without a gate, the blocks in which it gets a name.
    uses: Vec<Vec<usize>>,
    /// For each group of accesses, whether it computes each value without a gate.
    unconditional: Vec<Vec<bool>>,
    /// The values that have a name, each with the block in which it has the name.
    named: FxHashSet<(usize, u32)>,
    /// The declared variables that loops carry from one iteration to the next, each with the block of the declaration.
    declared: FxHashSet<(usize, Arc<str>)>,
    /// The number of uses of each value that is computed only in one region. The key is the first access of the region.
    inside: FxHashMap<usize, Uses>,
    /// For each value whether it may be computed where no access needs it, because no operation in it can be undefined.
    always_defined: Vec<bool>,
    pub(super) language: Language,
}

impl<'a> Printer<'a> {
    /// The printer, and the text before the first statement.
    fn new(
        nested: &'a NestedAccesses,
        lowered: &'a Lowered,
        roots: &'a [Vec<u32>],
        language: Language,
    ) -> (Printer<'a>, Text) {
        let answer = &nested.answer;
        // the text declares these names, so no parameter may have them
        let steps = nested.carried.iter().flat_map(|c| [c.name.to_string(), format!("{}_step", c.name)]);
        let mut declared: Vec<String> = steps.collect();
        declared.retain(|name| lowered.params().iter().all(|p| *p.name != **name));
        // a counter must not have the name of a variable of the language itself
        declared.extend(nested.nests.iter().flatten().filter(|n| !is_free_name(n)).map(|n| n.to_string()));
        let names = answer.accesses.iter().flat_map(taken).chain(declared.iter().map(String::as_str));
        let mut fragments = Fragments::new(lowered, language, names);
        let mut text = fragments.surroundings();
        text.objects = objects(&answer.accesses[..nested.count]);
        for variable in nested.nests.iter().flatten() {
            if text.inputs.iter().all(|i| i.variable != *variable) {
                let (name, ty) = (fragments.similar(variable), counter_type(&answer.vars, variable));
                text.inputs.push(Input { variable: variable.clone(), name, ty, defined: true });
            }
        }
        let groups = &answer.shape.groups;
        let of_group = |group: &Vec<usize>| match groups.len() {
            // with one group, the values that are computed unconditionally for several regions are included
            1 => needed(lowered, outer(lowered, roots)),
            _ => needed(lowered, &group.iter().map(|&at| roots[0][at]).collect::<Vec<u32>>()),
        };
        let printer = Printer {
            nested,
            lowered,
            roots,
            blocks: nested.blocks(&nested.may_be_empty()),
            fragments,
            types: text.inputs.iter().map(|i| (i.variable.clone(), (i.name.clone(), i.ty))).collect(),
            uses: Vec::new(),
            unconditional: groups.iter().map(of_group).collect(),
            named: FxHashSet::default(),
            declared: FxHashSet::default(),
            inside: FxHashMap::default(),
            always_defined: lowered.always_defined(|name| {
                let declared = answer.vars.iter().find(|v| *v.name == *name);
                declared.map_or(Interval::ALL, |v| v.declared)
            }),
            language,
        };
        (printer, text)
    }

    /// The loops that need their guards, because values are computed in these guards.
    fn needed_guards(&self) -> Vec<Arc<str>> {
        let carries = |name: &Arc<str>| self.nested.carried.iter().any(|c| c.variable == *name);
        let mut needed: Vec<Arc<str>> = Vec::new();
        for at in 0..self.blocks.len() {
            if let Kind::Guard(name) = self.blocks.kind(at)
                && !needed.contains(name)
                && (carries(name) || self.uses.iter().any(|uses| uses.contains(&at)))
            {
                needed.push(name.clone());
            }
        }
        needed
    }

    /// The position, among the lowered values, of the index of access `i`, which has no gate.
    fn index_of(&self, i: usize) -> u32 {
        self.roots[0][self.nested.answer.shape.lanes[i]]
    }

    /// The values that are computed before the loop of block `inner` and read by it. The first list has the initial
    /// values of the carried variables, and the end of the loop. The second has the steps, which are read inside of the
    /// loop.
    fn around(&self, inner: usize) -> (Vec<u32>, Vec<u32>) {
        let (mut before, mut steps) = (Vec::new(), Vec::new());
        for c in self.nested.carried_by(&self.blocks, inner) {
            let first = self.nested.outside(c);
            let of_steps = (first + 1..first + c.outside().len()).map(|i| self.index_of(i));
            steps.extend(of_steps.clone());
            before.push(self.index_of(first));
            before.extend(of_steps.take(usize::from(matches!(c.change, Change::Periodic(_)))));
        }
        let end = self.blocks.kind(inner).variable().and_then(|variable| self.nested.end_of(variable));
        before.extend(end.map(|i| self.index_of(i)));
        (before, steps)
    }

    /// The loops on which each value depends, by the variables that count them.
    fn loops(&self) -> Vec<FxHashSet<Arc<str>>> {
        let nested = self.nested;
        let counters: FxHashSet<Arc<str>> = nested.nests.iter().flatten().cloned().collect();
        let of_variable = |name: &Arc<str>| -> FxHashSet<Arc<str>> {
            if let Some(c) = nested.carried.iter().find(|c| c.name == *name) {
                return c.value.variables().into_iter().filter(|v| counters.contains(v)).collect();
            }
            let facts = nested.answer.vars.iter().find(|v| v.name == *name);
            match facts.map(|v| v.repeats) {
                _ if counters.contains(name) => std::iter::once(name.clone()).collect(),
                // the value of this variable changes in loops, so it is assumed to depend on all of them
                Some(Repeats::Loop(_)) => counters.clone(),
                _ => FxHashSet::default(),
            }
        };
        let mut all: Vec<FxHashSet<Arc<str>>> = Vec::new();
        for value in self.lowered.values() {
            let mut own: FxHashSet<Arc<str>> = FxHashSet::default();
            if let Instr::Param(p) = value.instr {
                own = of_variable(&self.lowered.params()[p as usize].name);
            }
            for &a in value.args() {
                own.extend(all[a as usize].iter().cloned());
            }
            all.push(own);
        }
        all
    }

    /// Decides which values get names, and in which blocks these names are defined.
    fn count(&mut self) {
        let values = self.lowered.values();
        let shape = &self.nested.answer.shape;
        // for each value, the block of each of its uses
        let mut used: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
        let mut pieces = Vec::new();
        for at in 0..self.blocks.len() {
            for part in self.blocks.parts(at) {
                match part {
                    Part::Accesses(range) => pieces.push((at, range.clone())),
                    &Part::Inner(inner) => {
                        let (before, steps) = self.around(inner);
                        before.iter().for_each(|&id| used[id as usize].push(at));
                        steps.iter().for_each(|&id| used[id as usize].push(inner));
                    }
                }
            }
        }
        for (at, range) in pieces {
            if let Some(gate) = shape.gates[range.start] {
                used[self.roots[0][gate] as usize].push(at);
            }
            let unconditional = &self.unconditional[self.nested.answer.scopes.of(range.start)];
            let ids: Vec<u32> = range.clone().flat_map(|i| self.lanes(i).iter().copied()).collect();
            let mut inside = uses_inside(self.lowered, &ids, unconditional);
            inside.retain(|&id, n| {
                let is_outer = unconditional[id as usize];
                used[id as usize].extend(std::iter::repeat_n(at, if is_outer { *n as usize } else { 0 }));
                !is_outer
            });
            self.inside.insert(range.start, inside);
        }
        let loops = self.loops();
        self.uses = vec![Vec::new(); values.len()];
        let (blocks, always_defined) = (&self.blocks, &self.always_defined);
        for id in (0..values.len()).rev() {
            let trivial = self.fragments.is_trivial(id as u32);
            let all = std::mem::take(&mut used[id]);
            let outermost = |&at: &usize| blocks.outermost(at, |v| loops[id].contains(v), always_defined[id]);
            let outer: Vec<usize> = all.iter().map(outermost).collect();
            let mut times: FxHashMap<usize, usize> = FxHashMap::default();
            outer.iter().for_each(|&target| *times.entry(target).or_default() += 1);
            let mut targets: Vec<usize> = Vec::new();
            let mut readers: Vec<usize> = Vec::new();
            for (at, target) in all.into_iter().zip(outer) {
                if trivial || target == at && times[&target] == 1 {
                    readers.push(at);
                } else if !targets.contains(&target) {
                    targets.push(target);
                    readers.push(target);
                }
            }
            for &a in values[id].args() {
                used[a as usize].extend(&readers);
            }
            self.uses[id] = targets;
        }
    }

    /// Defines names for those of `wanted` and their operands that block `at` computes. Values that already have a name
    /// in the block are left out.
    fn define(&mut self, at: usize, wanted: &[u32]) -> Vec<Statement> {
        let needed = needed(self.lowered, wanted);
        let mut out = Vec::new();
        for (uses, id) in self.uses.iter().zip(0..).filter(|(_, id)| needed[*id as usize]) {
            if uses.contains(&at) && self.named.insert((at, id)) {
                out.push(self.fragments.define(id, None));
            }
        }
        out
    }

    /// The indices of access `i`. An access that never happens has none.
    fn lanes(&self, i: usize) -> &[u32] {
        let (shape, access) = (&self.nested.answer.shape, &self.nested.answer.accesses[i]);
        if access.gate == Gate::Never {
            return &[];
        }
        let first = shape.lanes[i];
        &self.roots[shape.region_of(i).map_or(0, |r| r + 1)][first..first + access.lanes.len()]
    }

    /// The gates and the indices of `accesses`.
    fn wanted(&self, accesses: Range<usize>) -> Vec<u32> {
        let gate = |i: usize| self.nested.answer.shape.gates[i].map(|gate| self.roots[0][gate]);
        accesses.flat_map(|i| gate(i).into_iter().chain(self.lanes(i).iter().copied())).collect()
    }

    /// The statements of a block. The recursion is as deep as the nest of loops, which is small.
    fn block(&mut self, at: usize) -> Vec<Statement> {
        let mut out = Vec::new();
        for part in self.blocks.parts(at).to_vec() {
            match part {
                Part::Accesses(range) => {
                    out.extend(self.define(at, &self.wanted(range.clone())));
                    out.extend(self.accesses(range));
                }
                Part::Inner(inner) => {
                    // the inner loops also need values of this block
                    let mut wanted = self.wanted(self.blocks.accesses(inner));
                    for b in (1..self.blocks.len()).filter(|&b| self.is_in(b, inner)) {
                        let (before, steps) = self.around(b);
                        wanted.extend(before.into_iter().chain(steps));
                    }
                    out.extend(self.define(at, &wanted));
                    self.enclosed(inner, &mut out);
                }
            }
        }
        out
    }

    /// Whether block `at` is `block`, or inside of it.
    fn is_in(&self, mut at: usize, block: usize) -> bool {
        while at > block {
            at = self.blocks.parent(at);
        }
        at == block
    }

    /// The statements of accesses that are printed together.
    fn accesses(&mut self, range: Range<usize>) -> Vec<Statement> {
        match self.nested.answer.shape.region_of(range.start) {
            Some(region) => {
                let uses = self.inside.remove(&range.start).unwrap_or_default();
                self.region(range, &self.roots[region + 1], &uses)
            }
            None => range.flat_map(|i| self.ungated(i)).collect(),
        }
    }

    /// Prints the loop or the guard `inner` with its statements. The initial values of the variables that the loop
    /// carries come first.
    fn enclosed(&mut self, inner: usize, out: &mut Vec<Statement>) {
        let nested = self.nested;
        let carried: Vec<&Carried> = nested.carried_by(&self.blocks, inner).collect();
        for c in &carried {
            let (name, ty) = self.variable(&c.name);
            // if two loops of a block carry the same value, the first declares it
            let is_new = self.declared.insert((self.blocks.parent(inner), c.name.clone()));
            out.extend(nested.start(c, &if is_new { format!("{ty} {name}") } else { name }, self));
        }
        let mut body = self.define(inner, &self.around(inner).1);
        body.extend(self.block(inner));
        body.extend(carried.into_iter().flat_map(|c| nested.step(c, self)));
        self.named.iter().filter(|(b, _)| *b == inner).for_each(|(_, id)| self.fragments.forget(*id));
        self.named.retain(|(b, _)| *b != inner);
        let variable = self.blocks.variable(inner);
        let facts = nested.answer.vars.iter().find(|v| Some(&v.name) == variable);
        if self.language == Language::Cuda && facts.is_some_and(|v| matches!(v.repeats, Repeats::Unrolled(_))) {
            out.push(Statement::Code("#pragma unroll".into()));
        }
        out.push(nested.enclosed(self.blocks.kind(inner), self, body));
    }
}

impl Spelling for Printer<'_> {
    fn index(&self, i: usize) -> String {
        self.fragments.text(self.index_of(i))
    }

    fn operand(&self, i: usize) -> String {
        operand(&self.index(i))
    }

    fn variable(&self, name: &Arc<str>) -> (String, &'static str) {
        let known = self.types.get(name).cloned();
        known.unwrap_or_else(|| (name.to_string(), counter_type(&self.nested.answer.vars, name)))
    }
}
