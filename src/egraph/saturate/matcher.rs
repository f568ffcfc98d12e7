//! Runs compiled rules on one e-node or sum, with backtracking over their choice points.

use crate::egraph::analysis::form_facts::{self, Units};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Ids, Node};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::egraph::saturate::alternatives::{MAX_NESTED_ALTERNATIVES, max_alternatives, simplest_after};
use crate::egraph::saturate::factors::{
    factors, known_multiples, ratio, shared_divisors, shared_factors, split_multiples,
};
use crate::egraph::saturate::lookups::{Lookups, operations_on};
use crate::egraph::saturate::profile::Profile;
use crate::expr::Junction;
use crate::rules::program::{Instr, RuleTrie, SlotCounts};
use egg::{Id, Language};
use smallvec::SmallVec;
use std::rc::Rc;

/// Products of more factors are not split. Strides and sizes are products of a few factors. For each factor that is
/// split off, the product of the other factors must be made.
const MAX_FACTORS: usize = 8;
/// The maximum number of instructions that all rules together may run on one node.
const MAX_STEPS: u32 = 50_000;
/// Writing this many terms of a sum to a slot counts as one instruction.
const TERMS_PER_STEP: usize = 16;

/// The decision of the caller after a match.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Next {
    /// Continue with the next match.
    More,
    /// Stop matching this node.
    Stop,
}

/// The slots of the rules that are being matched. The vectors are reused for the next node.
pub(crate) struct Matcher {
    pub(crate) ints: Vec<i64>,
    pub(crate) classes: Vec<Id>,
    pub(crate) sums: Vec<Rc<LinearForm>>,
    pub(crate) lists: Vec<Ids>,
    steps: u32,
    /// The number of instructions that were run, on all nodes together.
    pub(crate) work: u64,
    /// Whether results are made without normal forms, so that they use existing nodes.
    pub(super) as_it_stands: bool,
    pub(super) lookups: Lookups,
    /// The time that each rule takes, if it is measured.
    pub(crate) profile: Option<Profile>,
}

/// The function that is called for each match, with the slots, the number of the rule, and the result.
type Emit<'a> = dyn FnMut(&mut EGraph, &Matcher, u16, LinearForm) -> Next + 'a;

/// The state of matching rules against one node or sum. The type is not generic over the callback, so all callers share
/// one copy of the code, which stays in the instruction cache.
pub(crate) struct Run<'a> {
    pub(crate) m: &'a mut Matcher,
    pub(crate) e: &'a mut EGraph,
    emit: &'a mut Emit<'a>,
    /// Whether the rules match sums.
    is_of_sum: bool,
}

impl Matcher {
    pub(crate) fn new(slots: SlotCounts) -> Matcher {
        // all slots share one empty sum at first, and get their own when they are written
        let empty = Rc::new(LinearForm::default());
        Matcher {
            ints: vec![0; slots.ints],
            classes: vec![Id::from(0); slots.classes.max(1)],
            sums: vec![empty; slots.sums.max(1)],
            // grows when needed, because few rules use lists
            lists: Vec::new(),
            steps: 0,
            work: 0,
            as_it_stands: false,
            lookups: Lookups::default(),
            profile: None,
        }
    }

    /// Switches to rules of the phase `share`.
    pub(crate) fn begin_share(&mut self, e: &EGraph) {
        self.as_it_stands = true;
        self.lookups = Lookups::of(e);
    }

    /// Matches all rules of `tree` against `node` of `class` and calls `emit` with the slots, the rule and the result of every
    /// match.
    pub(crate) fn run(
        &mut self,
        e: &mut EGraph,
        tree: &[RuleTrie],
        class: Id,
        node: &Node,
        mut emit: impl FnMut(&mut EGraph, &Matcher, u16, LinearForm) -> Next,
    ) {
        self.steps = 0;
        self.classes[0] = class;
        let mut run = Run { m: self, e, emit: &mut emit, is_of_sum: false };
        for t in tree {
            // the node at the root of the pattern is given, so the class is not searched
            let next = match &t.instr {
                Instr::Node { operands, .. } => run.operands(&t.next, operands, node),
                Instr::Junction { junction, picked, rest, .. } => match node.clauses() {
                    Some((of, clauses)) if of == *junction => run.pick_operands(&t.next, clauses, picked, *rest),
                    _ => Next::More,
                },
                _ => run.step(t),
            };
            if next == Next::Stop {
                break;
            }
        }
        self.work += u64::from(self.steps);
    }

    /// Matches all rules of `tree`, which match sums, against one spelling.
    pub(crate) fn run_sum(
        &mut self,
        e: &mut EGraph,
        tree: &[RuleTrie],
        class: Id,
        sum: &Rc<LinearForm>,
        mut emit: impl FnMut(&mut EGraph, &Matcher, u16, LinearForm) -> Next,
    ) {
        self.steps = 0;
        self.classes[0] = class;
        self.sums[0] = sum.clone();
        Run { m: self, e, emit: &mut emit, is_of_sum: true }.all(tree);
        self.work += u64::from(self.steps);
    }
}

impl Run<'_> {
    fn all(&mut self, siblings: &[RuleTrie]) -> Next {
        for t in siblings {
            if self.step(t) == Next::Stop {
                return Next::Stop;
            }
        }
        Next::More
    }

    fn step(&mut self, t: &RuleTrie) -> Next {
        let Some(profile) = &mut self.m.profile else { return self.perform(t) };
        let before = profile.enter(t);
        let next = self.perform(t);
        if let Some(profile) = &mut self.m.profile {
            profile.pass(before);
        }
        next
    }

    // long: each instruction of the rule language has one arm of a few lines
    fn perform(&mut self, t: &RuleTrie) -> Next {
        self.m.steps += 1;
        if self.m.steps > MAX_STEPS {
            return Next::Stop;
        }
        macro_rules! set {
            ($file:ident[$slot:expr] = $value:expr) => {
                self.m.$file[*$slot as usize] = $value
            };
        }
        macro_rules! go {
            () => {
                if self.all(&t.next) == Next::Stop {
                    return Next::Stop;
                }
            };
        }
        macro_rules! some {
            ($e:expr) => {
                match $e {
                    Some(v) => v,
                    None => return Next::More,
                }
            };
        }
        match &t.instr {
            Instr::Node { class, operator, operands } => {
                let id = self.e.graph.find(self.m.classes[*class as usize]);
                if !self.e.facts(id).has(*operator) {
                    return Next::More;
                }
                let (mut at, mut tried) = (0, 0);
                let most = if self.m.as_it_stands { usize::MAX } else { max_alternatives(self.e) };
                while tried < most {
                    // the class may have grown or merged since the last alternative
                    let nodes = self.e.nodes(id);
                    let Some(i) = (at..nodes.len()).find(|&i| nodes[i].operator() == *operator) else { break };
                    (at, tried) = (i + 1, tried + 1);
                    let node = nodes[i].clone();
                    if self.operands(&t.next, operands, &node) == Next::Stop {
                        return Next::Stop;
                    }
                }
                if self.is_of_sum
                    && tried == most
                    && let Some(node) = simplest_after(at, self.e, id, *operator)
                    && self.operands(&t.next, operands, &node) == Next::Stop
                {
                    return Next::Stop;
                }
            }
            Instr::Junction { class, junction, picked, rest } => {
                let id = self.e.graph.find(self.m.classes[*class as usize]);
                let found: SmallVec<[Ids; 2]> = self
                    .e
                    .nodes(id)
                    .iter()
                    .filter_map(|n| match (n, junction) {
                        (Node::And(x), Junction::And) | (Node::Or(x), Junction::Or) => Some(x.clone()),
                        _ => None,
                    })
                    .take(MAX_NESTED_ALTERNATIVES)
                    .collect();
                for ids in found {
                    if self.pick_operands(&t.next, &ids, picked, *rest) == Next::Stop {
                        return Next::Stop;
                    }
                }
            }
            Instr::Factor { class, picked, rest } => {
                let factors = self.e.factors(self.m.classes[*class as usize]);
                if !(2..=MAX_FACTORS).contains(&factors.len()) {
                    return Next::More;
                }
                for i in 0..factors.len() {
                    if i > 0 && factors[i] == factors[i - 1] {
                        continue;
                    }
                    set!(classes[picked] = factors[i]);
                    let mut others = factors.clone();
                    others.remove(i);
                    set!(classes[rest] = self.e.product(&others));
                    go!();
                }
            }
            Instr::Constant { class, to } => {
                let c = some!(self.e.facts(self.m.classes[*class as usize]).constant());
                set!(ints[to] = c);
                go!();
            }
            Instr::Spelling { class, to, all } => {
                let id = self.m.classes[*class as usize];
                if self.m.as_it_stands {
                    set!(sums[to] = self.m.lookups.canonical(self.e, id));
                    go!();
                } else if *all {
                    for s in spellings(self.e, id) {
                        set!(sums[to] = s);
                        go!();
                    }
                } else {
                    set!(sums[to] = self.e.canonical(id));
                    go!();
                }
            }
            Instr::Pick { sum, at, coeff, class } => {
                let (lin, next) = (self.m.sums[*sum as usize].clone(), &t.next);
                for (i, (c, t)) in lin.iter().enumerate() {
                    set!(ints[at] = i as i64);
                    set!(ints[coeff] = c);
                    let term = self.e.graph.find(t);
                    set!(classes[class] = term);
                    for n in next {
                        if self.e.facts(term).operators & n.operators != 0 && self.step(n) == Next::Stop {
                            return Next::Stop;
                        }
                    }
                }
            }
            Instr::Without { sum, at, to } => {
                let rest = self.m.sums[*sum as usize].without(self.m.ints[*at as usize] as usize);
                self.put(*to, rest);
                go!();
            }
            Instr::SameClass { a, b } => {
                if self.e.graph.find(self.m.classes[*a as usize]) == self.e.graph.find(self.m.classes[*b as usize]) {
                    go!();
                }
            }
            Instr::SameSum { a, b } => {
                if self.m.sums[*a as usize] == self.m.sums[*b as usize] {
                    go!();
                }
            }
            Instr::SameInt { a, b } => {
                if self.int(b) == Some(self.m.ints[*a as usize]) {
                    go!();
                }
            }
            Instr::LetInt { to, value } => {
                set!(ints[to] = some!(self.int(value)));
                go!();
            }
            Instr::LetSum { to, value } => {
                let value = some!(self.term(value));
                let value = if self.e.has_symbols() { some!(self.distributed(value)) } else { value };
                self.put(*to, value);
                go!();
            }
            Instr::ForGcds { to, sum, modulus } => {
                let n = some!(self.int(modulus));
                let lin = self.m.sums[*sum as usize].clone();
                for g in shared_divisors(&lin, n) {
                    set!(ints[to] = g);
                    go!();
                }
            }
            Instr::ForMultiples { to, sum, modulus } => {
                let n = some!(self.int(modulus));
                let lin = self.m.sums[*sum as usize].clone();
                for g in known_multiples(&self.e.graph, &lin, n) {
                    set!(ints[to] = g);
                    go!();
                }
            }
            Instr::ForFactors { to, sum } => {
                let lin = self.m.sums[*sum as usize].clone();
                for factor in factors(self.e, &lin) {
                    self.put(*to, factor);
                    go!();
                }
            }
            Instr::ForSharedFactors { to, sum, by } => {
                let (lin, by) = (self.m.sums[*sum as usize].clone(), self.m.sums[*by as usize].clone());
                for factor in shared_factors(self.e, &lin, &by) {
                    self.put(*to, factor);
                    go!();
                }
            }
            Instr::There { operator, first: Some(first), operands } => {
                for node in operations_on(self.e, *operator, self.m.classes[*first as usize]) {
                    if self.operands(&t.next, operands, &node) == Next::Stop {
                        return Next::Stop;
                    }
                }
            }
            Instr::There { operator, first: None, operands } => {
                for node in self.m.lookups.operations(self.e, *operator).iter() {
                    if self.operands(&t.next, operands, node) == Next::Stop {
                        return Next::Stop;
                    }
                }
            }
            Instr::ForOperands { to, sum, operators } => {
                let like = self.m.sums[*sum as usize].clone();
                let found = self.m.lookups.first_operands(self.e, *operators);
                for sum in found.iter().filter(|found| found.terms() == like.terms()) {
                    set!(sums[to] = sum.clone());
                    go!();
                }
            }
            Instr::ForList { to, values } => {
                for v in values {
                    if let Some(v) = self.int(v) {
                        set!(ints[to] = v);
                        go!();
                    }
                }
            }
            Instr::ForRatios { to, sum, part } => {
                let (s, p) = (self.m.sums[*sum as usize].clone(), self.m.sums[*part as usize].clone());
                if let Some(a) = ratio(&s, &p) {
                    set!(ints[to] = a);
                    go!();
                }
            }
            Instr::Split { sum, by, q, r } => {
                let g = some!(self.int(by).filter(|g| *g > 0));
                let (x, y) = self.m.sums[*sum as usize].split(g);
                self.put(*q, x);
                self.put(*r, y);
                go!();
            }
            Instr::SplitMultiples { sum, by, q, r } => {
                let g = some!(self.int(by).filter(|g| *g > 0));
                let (x, y) = split_multiples(&self.e.graph, &self.m.sums[*sum as usize], g);
                self.put(*q, x);
                self.put(*r, y);
                go!();
            }
            Instr::Signs { sum, positive, negative } => {
                let (x, y) = some!(self.m.sums[*sum as usize].signs());
                self.put(*positive, x);
                self.put(*negative, y);
                go!();
            }
            Instr::Units { sum, units, floor, least } => {
                let found = some!(form_facts::units(&self.e.graph, &self.m.sums[*sum as usize]));
                let Units { sum, low, step } = found;
                self.put(*units, sum);
                set!(ints[floor] = low);
                set!(ints[least] = step);
                go!();
            }
            Instr::SplitBy { sum, by, q, r } => {
                let by = some!(self.term(by));
                let lin = self.m.sums[*sum as usize].clone();
                let (x, y) = some!(self.split_by(&lin, &by));
                set!(sums[q] = Rc::new(x));
                set!(sums[r] = Rc::new(y));
                go!();
            }
            Instr::Residue { sum, n, ties, q, r } => {
                let n = some!(self.int(n).filter(|n| *n > 0));
                let ties = some!(self.int(ties)) != 0;
                let (x, y) = self.m.sums[*sum as usize].residue(n, ties);
                self.put(*q, x);
                self.put(*r, y);
                go!();
            }
            Instr::CommonFactor { sum, by, factor, sum_over, by_over } => {
                let (s, b) = (self.m.sums[*sum as usize].clone(), self.m.sums[*by as usize].clone());
                let (f, so, bo) = some!(self.common_factor(&s, &b));
                set!(sums[factor] = Rc::new(f));
                set!(sums[sum_over] = Rc::new(so));
                set!(sums[by_over] = Rc::new(bo));
                go!();
            }
            Instr::When(g) => {
                if self.holds(g) == Some(true) {
                    go!();
                }
            }
            Instr::Yield(result) => {
                if let Some(lin) = self.term(result) {
                    if let Some(profile) = &mut self.m.profile {
                        profile.matched[t.rule as usize] += 1;
                    }
                    if (self.emit)(self.e, self.m, t.rule, lin) == Next::Stop {
                        return Next::Stop;
                    }
                }
                go!();
            }
        }
        Next::More
    }

    /// Writes a sum slot. The allocation of the old sum is reused if nothing else refers to it.
    fn put(&mut self, slot: u8, lin: LinearForm) {
        self.m.steps += lin.len().div_euclid(TERMS_PER_STEP) as u32;
        match Rc::get_mut(&mut self.m.sums[slot as usize]) {
            Some(old) => *old = lin,
            None => self.m.sums[slot as usize] = Rc::new(lin),
        }
    }

    /// Binds the operands of a node. If the operator commutes, it then binds them in the other order too.
    fn operands(&mut self, next: &[RuleTrie], slots: &[u8], node: &Node) -> Next {
        for (slot, child) in slots.iter().zip(node.children()) {
            self.m.classes[*slot as usize] = self.e.graph.find(*child);
        }
        let done = self.all(next);
        if done == Next::Stop || !node.operator().commutes() {
            return done;
        }
        let &[a, b] = node.children() else { return done };
        if a == b {
            return done;
        }
        for (slot, child) in slots.iter().zip([b, a]) {
            self.m.classes[*slot as usize] = self.e.graph.find(child);
        }
        self.all(next)
    }

    /// Tries all ordered choices of distinct operands for the picked slots.
    fn pick_operands(&mut self, next: &[RuleTrie], ids: &Ids, picked: &[u8], rest: u8) -> Next {
        if picked.is_empty() {
            let lists = &mut self.m.lists;
            lists.resize_with(lists.len().max(usize::from(rest) + 1), Ids::new);
            lists[rest as usize] = ids.clone();
            return self.all(next);
        }
        for i in 0..ids.len() {
            self.m.classes[picked[0] as usize] = self.e.graph.find(ids[i]);
            let mut others = ids.clone();
            others.remove(i);
            if self.pick_operands(next, &others, &picked[1..], rest) == Next::Stop {
                return Next::Stop;
            }
        }
        Next::More
    }
}
