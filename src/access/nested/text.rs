//! CUDA and C text of accesses in their loops.

use super::blocks::{Blocks, Kind, Statement};
use super::carry::Carried;
use super::lines::both;
use super::program::{NestedAccesses, step_of};
use crate::access::Gate;
use crate::access::text::{Uses, Writer, objects, uses_inside};
use crate::domain::{Interval, Repeats, VarFacts};
use crate::emit::{Dialect, Input, Text, is_free_name};
use crate::induction::Change;
use crate::lower::{Instr, LowerError, Lowered};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

impl NestedAccesses {
    /// CUDA text with loops.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        self.text(Dialect::Cuda)
    }

    /// C99 text with loops.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        self.text(Dialect::C)
    }

    fn text(&self, dialect: Dialect) -> Result<Text, LowerError> {
        let (lowered, roots) = self.answer.lowered()?;
        Ok(text(self, &lowered, &roots, dialect))
    }
}

/// The text of `nested`, lowered.
fn text(nested: &NestedAccesses, lowered: &Lowered, roots: &[Vec<u32>], dialect: Dialect) -> Text {
    let answer = &nested.answer;
    let shape = &answer.shape;
    let region_of = |i: usize| shape.regions.iter().position(|r| r.accesses.contains(&i));
    let together = |i: usize| region_of(i).map_or(i..i + 1, |r| i..shape.regions[r].accesses.end);
    let guarded = nested.may_be_empty();
    let blocks = Blocks::new(&nested.nests, &guarded, together);
    // names that the text declares, as far as no value of it has them
    let steps = nested.carried.iter().flat_map(|c| [c.name.to_string(), format!("{}_step", c.name)]);
    let mut declared: Vec<String> = steps.collect();
    declared.retain(|name| lowered.params().iter().all(|p| *p.name != **name));
    // a counter has another name than the variables of the language itself
    declared.extend(nested.nests.iter().flatten().filter(|n| !is_free_name(n)).map(|n| n.to_string()));
    let mut writer = Writer::new(&answer.accesses, (shape, &answer.offsets), lowered, roots, (dialect, &declared));
    let mut text = writer.fragments.surroundings();
    text.objects = objects(&answer.accesses[..nested.count]);
    for variable in nested.nests.iter().flatten() {
        if text.inputs.iter().all(|i| i.variable != *variable) {
            let (name, ty) = (writer.fragments.similar(variable), counter_type(&answer.vars, variable));
            text.inputs.push(Input { variable: variable.clone(), name, ty, defined: true });
        }
    }
    let types = text.inputs.iter().map(|i| (i.variable.clone(), (i.name.clone(), i.ty))).collect();
    let mut printer = Printer {
        nested,
        lowered,
        roots,
        blocks,
        writer,
        types,
        uses: Vec::new(),
        declared: FxHashSet::default(),
        inside: FxHashMap::default(),
        always_defined: lowered.always_defined(|name| {
            let declared = answer.vars.iter().find(|v| *v.name == *name);
            declared.map_or(Interval::ALL, |v| v.declared)
        }),
    };
    printer.count();
    let needed = printer.needed_guards();
    if needed.len() < guarded.len() {
        printer.blocks = Blocks::new(&nested.nests, &needed, together);
        printer.count();
    }
    text.statements.append(&mut printer.lines(dialect));
    // the text declares these itself
    let declares = |name: &str| {
        nested.carried.iter().any(|c| *c.name == *name) || nested.nests.iter().flatten().any(|v| **v == *name)
    };
    text.inputs.retain(|i| !declares(&i.variable) || *i.variable != *i.name);
    text.inputs.iter_mut().filter(|i| declares(&i.variable)).for_each(|i| i.defined = true);
    text
}

/// The type of a loop's counter that no index uses.
fn counter_type(vars: &[VarFacts], variable: &str) -> &'static str {
    let facts = vars.iter().find(|v| *v.name == *variable);
    let is_int = facts.is_none_or(|v| v.interval.fits_i32());
    if is_int { "int" } else { "long long" }
}

struct Printer<'a> {
    nested: &'a NestedAccesses,
    lowered: &'a Lowered,
    roots: &'a [Vec<u32>],
    blocks: Blocks,
    writer: Writer<'a>,
    /// Of each variable, its name in the text and its type.
    types: FxHashMap<Arc<str>, (String, &'static str)>,
    /// Of each value that is computed without a gate, the blocks in which it gets a name.
    uses: Vec<Vec<usize>>,
    /// What is carried and declared, with the blocks where that is.
    declared: FxHashSet<(usize, Arc<str>)>,
    /// How often each value is used in the accesses from this one on that belong together, of those that are computed there only.
    inside: FxHashMap<usize, Uses>,
    /// Of each value, whether it may be computed where nothing needs it.
    always_defined: Vec<bool>,
}

impl Printer<'_> {
    /// The loops that need their guards: something is computed in these.
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

    /// The value of an expression that is computed outside of a loop.
    fn outside(&self, number: usize) -> u32 {
        self.roots[0][self.nested.answer.shape.lanes[self.nested.count + number]]
    }

    /// Where in the list of these those of carried value `c` begin.
    fn place_of(&self, c: &Carried) -> usize {
        let before = self.nested.carried.iter().take_while(|other| other.name != c.name);
        before.map(|other| other.outside().len()).sum()
    }

    /// What is computed for the loop of block `inner` before it: the starts of what it carries and its end; and the steps, which are
    /// read in it.
    fn around(&self, inner: usize) -> (Vec<u32>, Vec<u32>) {
        let (mut before, mut steps) = (Vec::new(), Vec::new());
        for c in self.nested.carried_by(&self.blocks, inner) {
            let at = self.place_of(c);
            before.push(self.outside(at));
            steps.extend((1..c.outside().len()).map(|i| self.outside(at + i)));
            if let Change::Periodic(_) = c.change {
                before.push(self.outside(at + 1));
            }
        }
        let (Kind::Loop(variable) | Kind::Guard(variable)) = self.blocks.kind(inner) else { return (before, steps) };
        before.extend(self.end_of(variable));
        (before, steps)
    }

    /// The value of the end of a loop, where it is no number.
    fn end_of(&self, variable: &str) -> Option<u32> {
        let carried: usize = self.nested.carried.iter().map(|c| c.outside().len()).sum();
        let at = self.nested.ends.iter().position(|name| **name == *variable)?;
        Some(self.outside(carried + at))
    }

    /// Which loops each value depends on, by what counts them.
    fn loops(&self) -> Vec<FxHashSet<Arc<str>>> {
        let nested = self.nested;
        let of_variable = |name: &Arc<str>| -> FxHashSet<Arc<str>> {
            if let Some(c) = nested.carried.iter().find(|c| c.name == *name) {
                return c.value.variables().into_iter().collect();
            }
            let facts = nested.answer.vars.iter().find(|v| v.name == *name);
            match facts.map(|v| v.repeats) {
                Some(Repeats::Loop(_)) if !nested.nests.iter().flatten().any(|v| v == name) => {
                    // a value that is loaded in loops
                    nested.nests.iter().flatten().cloned().collect()
                }
                _ => std::iter::once(name.clone()).collect(),
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

    /// Finds which values get names, and where.
    fn count(&mut self) {
        let values = self.lowered.values();
        let shape = &self.nested.answer.shape;
        // where each value is used, once for each use
        let mut used: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
        let unconditional: Vec<Vec<bool>> = (0..shape.groups.len()).map(|group| self.unconditional(group)).collect();
        let mut pieces = Vec::new();
        self.blocks.walk(|at, _, statement| match statement {
            Statement::Accesses(range) => pieces.push((at, range)),
            Statement::Begin(inner) => {
                let (before, steps) = self.around(inner);
                before.iter().for_each(|&id| used[id as usize].push(at));
                steps.iter().for_each(|&id| used[id as usize].push(inner));
            }
            Statement::End => {}
        });
        for (at, range) in pieces {
            if let Some(gate) = shape.gates[range.start] {
                used[self.roots[0][gate] as usize].push(at);
            }
            let region = shape.regions.iter().position(|r| r.accesses.contains(&range.start));
            let lanes = |i: usize| shape.lanes[i]..shape.lanes[i] + self.nested.answer.accesses[i].lanes.len();
            let happens = range.clone().filter(|&i| self.nested.answer.accesses[i].gate != Gate::Never);
            let part = region.map_or(0, |r| r + 1);
            let unconditional = &unconditional[self.nested.answer.scopes.of(range.start)];
            let ids: Vec<u32> = happens.flat_map(lanes).map(|l| self.roots[part][l]).collect();
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
            let trivial = self.writer.fragments.is_trivial(id as u32);
            let all = std::mem::take(&mut used[id]);
            let mut targets: Vec<usize> = Vec::new();
            let mut readers: Vec<usize> = Vec::new();
            for &at in &all {
                let outermost = |at| blocks.outermost(at, |v| loops[id].contains(v), always_defined[id]);
                let target = outermost(at);
                let same = all.iter().filter(|&&b| outermost(b) == target);
                if trivial || target == at && same.count() == 1 {
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

    /// Which values are computed without a gate for the accesses of a group.
    fn unconditional(&self, group: usize) -> Vec<bool> {
        let groups = &self.nested.answer.shape.groups;
        let mut needed = vec![false; self.lowered.values().len()];
        if groups.len() == 1 {
            // with them, what several regions share
            let inner: usize = self.roots[1..].iter().map(Vec::len).sum();
            let outer = &self.lowered.roots()[..self.lowered.roots().len() - inner];
            outer.iter().for_each(|&r| needed[r as usize] = true);
        } else {
            groups[group].iter().for_each(|&at| needed[self.roots[0][at] as usize] = true);
        }
        for (i, value) in self.lowered.values().iter().enumerate().rev() {
            if needed[i] {
                value.args().iter().for_each(|&a| needed[a as usize] = true);
            }
        }
        needed
    }

    /// Names for what block `at` computes of `wanted` and what they need, as far as they have none yet.
    fn define(&mut self, at: usize, wanted: &[u32], named: &mut Vec<(usize, u32)>) {
        let mut needed = vec![false; self.lowered.values().len()];
        wanted.iter().for_each(|&id| needed[id as usize] = true);
        for (i, value) in self.lowered.values().iter().enumerate().rev() {
            if needed[i] {
                value.args().iter().for_each(|&a| needed[a as usize] = true);
            }
        }
        for (uses, id) in self.uses.iter().zip(0..).filter(|(_, id)| needed[*id as usize]) {
            if uses.contains(&at) && !named.contains(&(at, id)) {
                let line = self.writer.fragments.define(id, None);
                self.writer.lines.push(line);
                named.push((at, id));
            }
        }
    }

    /// All values that the accesses of `range`, and the loops around them from block `inner` on, need.
    fn wanted(&self, accesses: Range<usize>) -> Vec<u32> {
        let shape = &self.nested.answer.shape;
        let mut out = Vec::new();
        for i in accesses {
            out.extend(shape.gates[i].map(|gate| self.roots[0][gate]));
            let region = shape.regions.iter().position(|r| r.accesses.contains(&i));
            let access = &self.nested.answer.accesses[i];
            if access.gate != Gate::Never {
                let lanes = shape.lanes[i]..shape.lanes[i] + access.lanes.len();
                out.extend(lanes.map(|l| self.roots[region.map_or(0, |r| r + 1)][l]));
            }
        }
        out
    }

    fn lines(&mut self, dialect: Dialect) -> Vec<String> {
        let mut events = Vec::new();
        self.blocks.walk(|at, depth, statement| events.push((at, depth, statement)));
        let mut out = Vec::new();
        let mut named = Vec::new();
        for (at, depth, statement) in events {
            let is_end = matches!(statement, Statement::End);
            match statement {
                Statement::Accesses(range) => {
                    let wanted = self.wanted(range.clone());
                    self.define(at, &wanted, &mut named);
                    self.accesses(range);
                }
                Statement::Begin(inner) => {
                    // what the loops in it need of this block, too
                    let mut wanted = self.wanted(self.blocks.accesses(inner));
                    for b in (1..self.blocks.len()).filter(|&b| self.is_in(b, inner)) {
                        let (before, steps) = self.around(b);
                        wanted.extend(before.into_iter().chain(steps));
                    }
                    self.define(at, &wanted, &mut named);
                    self.begin(inner, dialect);
                    indent(&mut out, &mut self.writer.lines, depth);
                    let wanted = self.around(inner).1;
                    self.define(inner, &wanted, &mut named);
                    indent(&mut out, &mut self.writer.lines, depth + 1);
                }
                Statement::End => {
                    let carried: Vec<Carried> = self.nested.carried_by(&self.blocks, at).cloned().collect();
                    carried.iter().for_each(|c| self.end(c));
                    named.iter().filter(|(b, _)| *b == at).for_each(|(_, id)| self.writer.fragments.forget(*id));
                    named.retain(|(b, _)| *b != at);
                }
            }
            indent(&mut out, &mut self.writer.lines, depth);
            if is_end && at > 0 {
                out.push(format!("{}}}", "  ".repeat(depth - 1)));
            }
        }
        out
    }

    /// Whether block `at` is `block`, or in it.
    fn is_in(&self, mut at: usize, block: usize) -> bool {
        while at > block {
            at = self.blocks.parent(at);
        }
        at == block
    }

    /// Accesses that belong together.
    fn accesses(&mut self, range: Range<usize>) {
        let shape = &self.nested.answer.shape;
        match shape.regions.iter().position(|r| r.accesses.contains(&range.start)) {
            Some(region) => {
                let uses = self.inside.remove(&range.start).unwrap_or_default();
                self.writer.region(range, &self.roots[region + 1], &uses);
            }
            None => range.for_each(|i| self.writer.ungated(i)),
        }
    }

    /// The name and the type of a variable.
    fn variable(&self, name: &Arc<str>) -> (String, &'static str) {
        let known = self.types.get(name).cloned();
        known.unwrap_or_else(|| (name.to_string(), counter_type(&self.nested.answer.vars, name)))
    }

    /// What the loop of block `inner` carries, and its head.
    fn begin(&mut self, inner: usize, dialect: Dialect) {
        if let Kind::Guard(counter) = self.blocks.kind(inner) {
            let first = self.nested.loops.get(counter).and_then(|l| l.range.lo()).unwrap_or(0);
            let end = self.end_of(counter).map(|id| operand(&self.writer.fragments.text(id))).unwrap_or_default();
            self.writer.lines.push(format!("if ({end} >= {first}) {{"));
        }
        let Some(counter) = self.blocks.variable(inner).cloned() else { return };
        let carried: Vec<Carried> = self.nested.carried_by(&self.blocks, inner).cloned().collect();
        for c in carried {
            let ((name, ty), at) = (self.variable(&c.name), self.place_of(&c));
            // of two loops in a block, the first declares it
            let is_new = self.declared.insert((self.blocks.parent(inner), c.name.clone()));
            let ty = if is_new { format!("{ty} ") } else { String::new() };
            let base = self.writer.fragments.text(self.outside(at));
            self.writer.lines.push(format!("{ty}{name} = {base};"));
            if let Change::Periodic(_) = c.change {
                let step = self.writer.fragments.text(self.outside(at + 1));
                self.writer.lines.push(format!("{ty}{name}_step = {step};"));
            }
        }
        let vars = &self.nested.answer.vars;
        let Some((facts, (lo, hi))) = vars
            .iter()
            .find(|v| v.name == counter)
            .zip(self.nested.loops.get(&counter).and_then(|l| l.range.bounded()))
        else {
            return;
        };
        let step = step_of(facts);
        let end = match self.end_of(&counter) {
            Some(end) => format!("<= {}", operand(&self.writer.fragments.text(end))),
            None => hi.checked_add(1).map_or_else(|| format!("<= {hi}"), |end| format!("< {end}")),
        };
        if matches!(facts.repeats, Repeats::Unrolled(_)) && dialect == Dialect::Cuda {
            self.writer.lines.push("#pragma unroll".into());
        }
        let (name, ty) = self.variable(&counter);
        let next = if step == 1 { format!("++{name}") } else { format!("{name} += {step}") };
        self.writer.lines.push(format!("for ({ty} {name} = {lo}; {name} {end}; {next}) {{"));
    }

    /// What follows an iteration.
    fn end(&mut self, c: &Carried) {
        let ((name, _), at) = (self.variable(&c.name), self.place_of(c));
        let step = self.writer.fragments.text(self.outside(at + 1));
        let lines = match &c.change {
            Change::Step(step) if step.as_const() == Some(0) => Vec::new(),
            Change::Step(_) => vec![format!("{name} += {step};")],
            Change::Wrapping { modulus, .. } => {
                vec![format!("{name} += {step};"), format!("if ({name} >= {modulus}) {name} -= {modulus};")]
            }
            Change::Periodic(steps) => {
                let other = self.writer.fragments.text(self.outside(at + 2));
                let sum = || format!("{} + {}", operand(&step), operand(&other));
                let both = both(steps).map_or_else(sum, |n| n.to_string());
                vec![format!("{name} += {name}_step;"), format!("{name}_step = {both} - {name}_step;")]
            }
        };
        self.writer.lines.extend(lines);
    }
}

/// Moves `lines` to `out`, indented.
fn indent(out: &mut Vec<String>, lines: &mut Vec<String>, depth: usize) {
    out.extend(lines.drain(..).map(|line| format!("{}{line}", "  ".repeat(depth))));
}

/// `text` as an operand of any operator.
fn operand(text: &str) -> String {
    let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if word { text.into() } else { format!("({text})") }
}
