//! Runs a compiled rule on one e-node: backtracking over its choice points.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Ids, Node};
use crate::domain::{Congruence, Interval, floor_div, floor_mod, gcd};
use crate::rules::program::{Guard, Instr, IntExpr, SlotCounts, Term, Tree};
use egg::{Id, Language};
use smallvec::SmallVec;
use std::rc::Rc;

/// Nested patterns look at no more than this many operations of one class: the flattest few (lowest ids) say the same
/// as all of them, and a chain of n nested divisions has n.
const MAX_NESTED_ALTERNATIVES: usize = 2;
/// Products of more factors are not taken apart: strides and sizes multiply a few, and every rest is a product anew.
const MAX_FACTORS: usize = 8;
/// Divisors tried for one sum and one modulus.
const MAX_DIVISORS: usize = 6;
/// Instructions that all rules together may run on one node.
const MAX_STEPS: u32 = 50_000;

/// What the caller wants after a result.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Next {
    /// Go on with the next match.
    More,
    /// This node is done.
    Stop,
}

/// Slots of the rules being run, reused from node to node.
pub(crate) struct Matcher {
    ints: Vec<i64>,
    classes: Vec<Id>,
    sums: Vec<Rc<Lin>>,
    lists: Vec<Ids>,
    steps: u32,
}

struct Run<'a, F> {
    m: &'a mut Matcher,
    e: &'a mut EClasses,
    emit: F,
}

impl Matcher {
    pub(crate) fn new(slots: SlotCounts) -> Matcher {
        Matcher {
            ints: vec![0; slots.ints],
            classes: vec![Id::from(0); slots.classes.max(1)],
            sums: (0..slots.sums.max(1)).map(|_| Rc::new(Lin::default())).collect(),
            lists: vec![Ids::new(); slots.lists],
            steps: 0,
        }
    }

    /// Matches all rules of `tree` against `node` of `class` and calls `emit` with the rule and the result of every
    /// match.
    pub(crate) fn run(
        &mut self,
        e: &mut EClasses,
        tree: &[Tree],
        class: Id,
        node: &Node,
        emit: impl FnMut(&mut EClasses, u16, Lin) -> Next,
    ) {
        self.steps = 0;
        self.classes[0] = class;
        let mut run = Run { m: self, e, emit };
        for t in tree {
            // the root node is given: no search in the class
            let next = match &t.instr {
                Instr::Node { operands, .. } => {
                    for (slot, child) in operands.iter().zip(node.children()) {
                        run.m.classes[*slot as usize] = run.e.graph.find(*child);
                    }
                    run.all(&t.next)
                }
                _ => run.step(t),
            };
            if next == Next::Stop {
                return;
            }
        }
    }

    /// Matches all rules of `tree`, which are about sums, against one spelling.
    pub(crate) fn run_sum(
        &mut self,
        e: &mut EClasses,
        tree: &[Tree],
        class: Id,
        sum: &Rc<Lin>,
        emit: impl FnMut(&mut EClasses, u16, Lin) -> Next,
    ) {
        self.steps = 0;
        self.classes[0] = class;
        self.sums[0] = sum.clone();
        Run { m: self, e, emit }.all(tree);
    }
}

impl<F: FnMut(&mut EClasses, u16, Lin) -> Next> Run<'_, F> {
    fn all(&mut self, siblings: &[Tree]) -> Next {
        for t in siblings {
            if self.step(t) == Next::Stop {
                return Next::Stop;
            }
        }
        Next::More
    }

    fn step(&mut self, t: &Tree) -> Next {
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
            Instr::Node { class, head, operands } => {
                let id = self.e.graph.find(self.m.classes[*class as usize]);
                if !self.e.facts(id).has(*head) {
                    return Next::More;
                }
                let (mut at, mut tried) = (0, 0);
                while tried < MAX_NESTED_ALTERNATIVES {
                    // the class may have grown or moved since the last alternative
                    let nodes = self.e.nodes(id);
                    let Some(i) = (at..nodes.len()).find(|&i| nodes[i].head() == *head) else { break };
                    for (slot, &child) in operands.iter().zip(nodes[i].children()) {
                        self.m.classes[*slot as usize] = self.e.graph.find(child);
                    }
                    (at, tried) = (i + 1, tried + 1);
                    go!();
                }
            }
            Instr::Junction { class, and, picked, rest } => {
                let id = self.e.graph.find(self.m.classes[*class as usize]);
                let found: SmallVec<[Ids; 2]> = self
                    .e
                    .nodes(id)
                    .iter()
                    .filter_map(|n| match n {
                        Node::And(x) if *and => Some(x.clone()),
                        Node::Or(x) if !*and => Some(x.clone()),
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
                if *all {
                    for s in self.e.spellings(id) {
                        set!(sums[to] = s);
                        go!();
                    }
                } else {
                    set!(sums[to] = self.e.canonical(id));
                    go!();
                }
            }
            Instr::Pick { sum, at, coeff, class } => {
                let lin = self.m.sums[*sum as usize].clone();
                for (i, (c, t)) in lin.iter().enumerate() {
                    set!(ints[at] = i as i64);
                    set!(ints[coeff] = c);
                    set!(classes[class] = self.e.graph.find(t));
                    go!();
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
                if let Some(lin) = self.term(result)
                    && (self.emit)(self.e, t.rule, lin) == Next::Stop
                {
                    return Next::Stop;
                }
                go!();
            }
        }
        Next::More
    }

    /// Fills a sum slot, in its old box when nobody else holds that.
    fn put(&mut self, slot: u8, lin: Lin) {
        match Rc::get_mut(&mut self.m.sums[slot as usize]) {
            Some(old) => *old = lin,
            None => self.m.sums[slot as usize] = Rc::new(lin),
        }
    }

    /// Tries all ordered choices of distinct operands for the picked slots.
    fn pick_operands(&mut self, next: &[Tree], ids: &Ids, picked: &[u8], rest: u8) -> Next {
        if picked.is_empty() {
            self.m.lists[rest as usize] = ids.clone();
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

    // ---- values

    fn int(&mut self, e: &IntExpr) -> Option<i64> {
        let two = |s: &mut Self, x: &[IntExpr; 2]| Some((s.int(&x[0])?, s.int(&x[1])?));
        match e {
            IntExpr::Literal(n) => Some(*n),
            IntExpr::Slot(s) => Some(self.m.ints[*s as usize]),
            IntExpr::Add(x) => {
                let mut sum = 0i64;
                for e in x {
                    sum = sum.checked_add(self.int(e)?)?;
                }
                Some(sum)
            }
            IntExpr::Mul(x) => {
                let mut product = 1i64;
                for e in x {
                    product = product.checked_mul(self.int(e)?)?;
                }
                Some(product)
            }
            IntExpr::Sub(x) => two(self, x).and_then(|(a, b)| a.checked_sub(b)),
            IntExpr::Div(x) => {
                let (a, b) = two(self, x)?;
                (b != 0 && floor_mod(a as i128, b as i128) == 0)
                    .then(|| i64::try_from(floor_div(a as i128, b as i128)).ok())
                    .flatten()
            }
            IntExpr::FloorDiv(x) => {
                let (a, b) = two(self, x)?;
                (b != 0).then(|| i64::try_from(floor_div(a as i128, b as i128)).ok()).flatten()
            }
            IntExpr::FloorMod(x) => {
                let (a, b) = two(self, x)?;
                (b != 0).then(|| i64::try_from(floor_mod(a as i128, b as i128)).ok()).flatten()
            }
            IntExpr::Gcd(x) => {
                let (a, b) = two(self, x)?;
                i64::try_from(gcd(a as i128, b as i128)).ok()
            }
            IntExpr::Min(x) => two(self, x).map(|(a, b)| a.min(b)),
            IntExpr::Max(x) => two(self, x).map(|(a, b)| a.max(b)),
            IntExpr::Abs(x) => self.int(x)?.checked_abs(),
            IntExpr::Lowest(t) => self.facts(t)?.0.lo(),
            IntExpr::Highest(t) => self.facts(t)?.0.hi(),
            IntExpr::Modulus(t) => Some(self.facts(t)?.1.modulus()),
            IntExpr::ResidueOf(t) => Some(self.facts(t)?.1.residue()),
            IntExpr::ConstantOf(s) => Some(self.m.sums[*s as usize].constant),
            IntExpr::Content(s) => Some(self.m.sums[*s as usize].content()),
            IntExpr::Terms(s) => Some(self.m.sums[*s as usize].len() as i64),
            IntExpr::Bucket(x) => {
                let (i, n) = (self.facts(&x.0)?.0, self.int(&x.1)?);
                let (lo, hi) = i.bounded()?;
                if n == 0 {
                    return None;
                }
                let (a, b) = (floor_div(lo as i128, n as i128), floor_div(hi as i128, n as i128));
                if a == b { i64::try_from(a).ok() } else { None }
            }
            IntExpr::Quotient(x) => {
                let (a, b) = (self.facts(&x[0])?.0, self.facts(&x[1])?.0);
                a.floor_div(b)?.as_point()
            }
        }
    }

    fn facts(&mut self, t: &Term) -> Option<(Interval, Congruence)> {
        match t {
            Term::Class(s) => {
                let f = self.e.facts(self.m.classes[*s as usize]);
                Some((f.interval, f.congruence))
            }
            Term::Sum(s) => Some(self.e.facts_of(&self.m.sums[*s as usize])),
            _ => {
                let l = self.term(t)?;
                Some(self.e.facts_of(&l))
            }
        }
    }

    fn holds(&mut self, g: &Guard) -> Option<bool> {
        Some(match g {
            Guard::Equal(a, b) => self.int(a)? == self.int(b)?,
            Guard::Differ(a, b) => self.int(a)? != self.int(b)?,
            Guard::Less(a, b) => self.int(a)? < self.int(b)?,
            Guard::AtMost(a, b) => self.int(a)? <= self.int(b)?,
            Guard::Divides(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                a != 0 && floor_mod(b as i128, a as i128) == 0
            }
            Guard::PowerOfTwo(a) => {
                let a = self.int(a)?;
                a > 0 && a & (a - 1) == 0
            }
            Guard::Within(x, lo, hi) => {
                let i = self.facts(x)?.0;
                let (l, h) = (self.term(lo)?, self.term(hi)?);
                if l.is_constant() && h.is_constant() && i.within(l.constant as i128, h.constant as i128 - 1) {
                    return Some(true);
                }
                let x = self.term(x)?;
                let above = x.plus(-1, &l)?;
                let below = h.plus(-1, &x)?.plus_constant(-1)?;
                self.proves(&above)? && self.proves(&below)?
            }
            Guard::NonNegative(x) => {
                self.facts(x)?.0.is_nonneg() || {
                    let l = self.term(x)?;
                    self.proves(&l)?
                }
            }
            Guard::Positive(x) => {
                self.facts(x)?.0.lo().is_some_and(|l| l >= 1) || {
                    let l = self.term(x)?.plus_constant(-1)?;
                    self.proves(&l)?
                }
            }
            Guard::NonZero(x) => {
                let (i, c) = self.facts(x)?;
                !i.contains(0) || !c.contains(0)
            }
            Guard::HasTerms(s) => !self.m.sums[*s as usize].is_constant(),
            Guard::Nontrivial(s) => *self.m.sums[*s as usize] != Lin::default(),
            Guard::IsConstant(s) => self.m.sums[*s as usize].is_constant(),
            Guard::Boolean(s) => self.e.facts(self.m.classes[*s as usize]).is_bool(),
            Guard::Tighter(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let span = |l: &Lin| self.e.facts_by_terms(l).bounded().map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo));
                span(&a) < span(&b)
            }
            Guard::DisjointBits(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let (a, b) = (self.e.class_of(&a)?, self.e.class_of(&b)?);
                self.e.facts(a).zero_bits() | self.e.facts(b).zero_bits() == !0
            }
            Guard::Not(g) => !self.holds(g)?,
            Guard::Any(gs) => {
                for g in gs {
                    if self.holds(g) == Some(true) {
                        return Some(true);
                    }
                }
                false
            }
        })
    }

    fn proves(&mut self, lin: &Lin) -> Option<bool> {
        if self.e.proves_nonneg(lin) {
            return Some(true);
        }
        let canonical = self.e.expand(lin)?;
        Some(canonical != *lin && self.e.proves_nonneg(&canonical))
    }

    fn term(&mut self, t: &Term) -> Option<Lin> {
        let two = |s: &mut Self, x: &[Term; 2]| Some((s.term(&x[0])?, s.term(&x[1])?));
        Some(match t {
            Term::Int(e) => Lin::constant(self.int(e)?),
            Term::Class(s) => {
                let id = self.e.graph.find(self.m.classes[*s as usize]);
                self.e.tidy(&Lin::atom(id))?
            }
            Term::Sum(s) => (*self.m.sums[*s as usize]).clone(),
            Term::Add(x) => {
                let mut sum = self.term(x.first()?)?;
                for t in &x[1..] {
                    let l = self.term(t)?;
                    sum = sum.plus(1, &l)?;
                }
                sum
            }
            Term::Mul(x) => {
                let mut product = self.term(x.first()?)?;
                for t in &x[1..] {
                    let l = self.term(t)?;
                    product = self.e.mul(&product, &l)?;
                }
                product
            }
            Term::Div(x) => {
                let (a, b) = two(self, x)?;
                self.e.div(&a, &b)?
            }
            Term::Mod(x) => {
                let (a, b) = two(self, x)?;
                self.e.modulo(&a, &b)?
            }
            Term::Min(x) | Term::Max(x) => {
                let (a, b) = two(self, x)?;
                let (a, b) = (self.e.class_of(&a)?, self.e.class_of(&b)?);
                Lin::atom(self.e.extremum(matches!(t, Term::Min(_)), a, b))
            }
            Term::NonNeg(x) => {
                let l = self.term(x)?;
                Lin::atom(self.e.nonneg(&l)?)
            }
            Term::Zero(x) => {
                let l = self.term(x)?;
                Lin::atom(self.e.zero(&l)?)
            }
            Term::Not(x) => {
                let x = self.boolean(x)?;
                Lin::atom(self.e.not(x)?)
            }
            Term::Junction { and, operands, rest } => {
                let mut ids: Vec<Id> = Vec::with_capacity(operands.len() + 4);
                for o in operands {
                    ids.push(self.boolean(o)?);
                }
                if let Some(r) = rest {
                    ids.extend_from_slice(&self.m.lists[*r as usize]);
                }
                Lin::atom(self.e.junction(*and, &ids))
            }
            Term::Select(x) => {
                let c = self.boolean(&x[0])?;
                let (a, b) = (self.term(&x[1])?, self.term(&x[2])?);
                let (a, b) = (self.e.class_of(&a)?, self.e.class_of(&b)?);
                Lin::atom(self.e.select(c, a, b))
            }
            Term::Bits(head, x) => {
                let (a, b) = two(self, x)?;
                let (a, b) = (self.e.class_of(&a)?, self.e.class_of(&b)?);
                let pair = if a <= b { [a, b] } else { [b, a] };
                Lin::atom(self.e.add(match head {
                    Head::BitAnd => Node::BitAnd(pair),
                    Head::BitOr => Node::BitOr(pair),
                    _ => Node::BitXor(pair),
                }))
            }
        })
    }

    fn boolean(&mut self, t: &Term) -> Option<Id> {
        let l = self.term(t)?;
        let id = self.e.class_of(&l)?;
        self.e.truth(id)
    }

    /// `(q, r)` with `lin == by * q + r`; `by` is one term `c * f1 * f2 ...`.
    fn split_by(&mut self, lin: &Lin, by: &Lin) -> Option<(Lin, Lin)> {
        let (mut q, mut r) = (Lin::default(), Lin::constant(lin.constant));
        if by.constant != 0 || by.len() != 1 {
            // a sum as divisor: an atom only
            let id = self.e.class_of(by)?;
            for (c, t) in lin.iter() {
                match self.without_factors(t, &[id]) {
                    Some(rest) => q = q.plus(c, &rest)?,
                    None => r = r.plus(c, &Lin::atom(t))?,
                }
            }
            return Some((q, r));
        }
        let (d, divisor) = (by.coeffs()[0], self.e.factors(by.terms()[0]));
        for (c, t) in lin.iter() {
            let rest = if floor_mod(c as i128, d as i128) == 0 { self.without_factors(t, &divisor) } else { None };
            match rest {
                Some(rest) => q = q.plus(i64::try_from(floor_div(c as i128, d as i128)).ok()?, &rest)?,
                None => r = r.plus(c, &Lin::atom(t))?,
            }
        }
        Some((q, r))
    }

    /// The product `t` with these factors taken out, `None` when it lacks one.
    fn without_factors(&mut self, t: Id, factors: &[Id]) -> Option<Lin> {
        let mut left = self.e.factors(t);
        for &f in factors {
            let f = self.e.graph.find(f);
            let i = left.iter().position(|&x| x == f)?;
            left.remove(i);
        }
        Some(if left.is_empty() { Lin::constant(1) } else { Lin::atom(self.e.product(&left)) })
    }

    fn common_factor(&mut self, sum: &Lin, by: &Lin) -> Option<(Lin, Lin, Lin)> {
        let number =
            gcd(gcd(sum.content() as i128, sum.constant as i128), gcd(by.content() as i128, by.constant as i128))
                as i64;
        let mut common: Option<Ids> = None;
        for l in [by, sum] {
            if l.constant != 0 {
                common = Some(Ids::new());
            }
            for &t in l.terms() {
                let f = self.e.factors(t);
                common = Some(match common {
                    None => f,
                    Some(c) => intersection(&c, &f),
                });
            }
        }
        let common = common?;
        if number <= 1 && common.is_empty() {
            return None;
        }
        let mut over = |l: &Lin| -> Option<Lin> {
            let mut out = Lin::constant(floor_div(l.constant as i128, number as i128) as i64);
            for (c, t) in l.iter() {
                let rest = self.without_factors(t, &common)?;
                out = out.plus(floor_div(c as i128, number as i128) as i64, &rest)?;
            }
            Some(out)
        };
        let (s, b) = (over(sum)?, over(by)?);
        let factor = if common.is_empty() { Lin::constant(number) } else { Lin::term(number, self.e.product(&common)) };
        Some((factor, s, b))
    }
}

fn intersection(a: &Ids, b: &Ids) -> Ids {
    let mut b = b.clone();
    a.iter()
        .copied()
        .filter(|x| match b.iter().position(|y| y == x) {
            Some(i) => {
                b.remove(i);
                true
            }
            None => false,
        })
        .collect()
}

/// Divisors above 1 of `n` that are a gcd of `n` and some of the coefficients, greatest first.
fn shared_divisors(lin: &Lin, n: i64) -> SmallVec<[i64; 8]> {
    let mut out: SmallVec<[i64; 8]> = SmallVec::new();
    for &c in lin.coeffs() {
        let g = gcd(c as i128, n as i128) as i64;
        if g > 1 && !out.contains(&g) {
            let known = out.len();
            out.push(g);
            for i in 0..known {
                let h = gcd(out[i] as i128, g as i128) as i64;
                if h > 1 && !out.contains(&h) {
                    out.push(h);
                }
            }
            if out.len() > 4 * MAX_DIVISORS {
                break;
            }
        }
    }
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.truncate(MAX_DIVISORS);
    out
}

/// The `a != 0` with which `sum - a * part` has none of the terms of `part`.
fn ratio(sum: &Lin, part: &Lin) -> Option<i64> {
    let mut a = None;
    for (c, t) in part.iter() {
        let s = sum.coeff(t);
        if s == 0 || floor_mod(s as i128, c as i128) != 0 {
            return None;
        }
        let r = floor_div(s as i128, c as i128) as i64;
        if a.is_some_and(|a| a != r) {
            return None;
        }
        a = Some(r);
    }
    a
}
