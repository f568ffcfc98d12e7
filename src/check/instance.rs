//! Makes instances of a rule: expressions that its pattern matches, each with a domain that satisfies the rule's guards
//! or narrowly violates them.

mod numbers;
mod sizes;

use super::random::Random;
use crate::domain::{Domain, Interval, interval_of};
use crate::expr::{Expr, Op, int, var};
use crate::rules::operator::Operator;
use crate::rules::read::Datum;
use rustc_hash::FxHashMap;

/// An expression and the facts about its variables.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The expression that the pattern matches, and the expressions that the rule needs in the e-graph.
    pub(super) exprs: Vec<Expr>,
    pub(super) declarations: Vec<String>,
    pub(super) domain: Domain,
}

/// The kind of value that replaces a name of the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Constant,
    Value,
    Truth,
    Divisor,
}

#[derive(Clone, Debug)]
struct Variable {
    name: &'static str,
    /// The declaration of the variable, after `name = `.
    range: String,
    interval: Interval,
    /// Whether the variable is used as a divisor.
    divides: bool,
}

/// Makes the instances of one rule, one after another.
pub(super) struct Generator<'r> {
    random: Random,
    patterns: &'r [Datum],
    /// Every name once, in order of appearance.
    names: Vec<(&'r str, Role)>,
    /// Whether the pattern has operations that `quasi` decides by trying all points. Ranges are short in this case.
    irregular: bool,
    bits: bool,
    /// Whether sizes are symbols, not numbers. See [`sizes`].
    has_sizes: bool,
    /// The numbers from which constants are chosen, in place of a fixed list of small ones (the grid). See [`numbers`].
    numbers: Vec<i64>,
    // the choices for the current instance
    constants: FxHashMap<&'r str, i64>,
    bound: FxHashMap<&'r str, Expr>,
    variables: Vec<Variable>,
    sums: Vec<Expr>,
}

const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
const CONSTANTS: [i64; 32] =
    [2, 3, 4, 2, 3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 12, 12, 15, 16, 20, 24, 30, 32, 36, 64, 1, -1, -2, -3, -4, -6, -8, 0];
const MASKS: [i64; 20] = [1, 3, 7, 15, 31, 2, 4, 8, 6, 12, 24, 14, 28, 5, 10, -2, -4, -8, -16, -1];
const COEFFICIENTS: [i64; 14] = [1, 1, 1, 1, -1, -1, 2, 3, 4, 6, 8, -2, -3, 5];

impl Instance {
    /// The expression that the pattern matches.
    pub(super) fn expr(&self) -> &Expr {
        &self.exprs[0]
    }
}

impl<'r> Generator<'r> {
    /// A generator for a rule with these patterns. The first one is the pattern that the rule matches. The others are
    /// patterns of expressions that it needs in the e-graph.
    pub(super) fn new(patterns: &'r [Datum], random: Random) -> Generator<'r> {
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| collect(pattern, Role::Value, &mut names));
        let text: String = patterns.iter().map(Datum::to_string).collect();
        let has = |op: &&Op| text.contains(&format!("({} ", op.symbol()));
        let operators: Vec<&Op> = Op::all().iter().filter(has).collect();
        let is_regular = |op: &Op| op.is_division() || matches!(op, Op::Neg | Op::Add | Op::Sub | Op::Mul);
        Generator {
            random,
            patterns,
            irregular: operators.iter().any(|op| !is_regular(op)) || names.iter().any(|n| n.1 == Role::Divisor),
            bits: operators.iter().any(|op| op.is_bitwise() || op.is_shift()),
            has_sizes: false,
            numbers: Vec::new(),
            names,
            constants: FxHashMap::default(),
            bound: FxHashMap::default(),
            variables: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Chooses whether the following instances have symbolic sizes.
    pub(super) fn with_sizes(&mut self, has_sizes: bool) {
        self.has_sizes = has_sizes;
    }

    /// From now on, chooses constants and ends of ranges that are related to the numbers in `rule`. See [`numbers`].
    pub(super) fn with_numbers_of(&mut self, rule: &[Datum]) {
        self.choose_by(rule);
    }

    /// The next instance. `None` if the random choices contradict one another.
    pub(super) fn next(&mut self) -> Option<Instance> {
        self.constants.clear();
        self.bound.clear();
        self.variables.clear();
        self.sums.clear();
        for i in 0..self.names.len() {
            let (name, role) = self.names[i];
            match role {
                Role::Constant => {
                    let c = self.constant();
                    self.constants.insert(name, c);
                }
                Role::Divisor => {
                    let d = self.divisor();
                    self.bound.insert(name, d);
                }
                _ => {}
            }
        }
        let exprs: Vec<Expr> = self.patterns.iter().map(|pattern| self.build(pattern, Role::Value)).collect();
        let mut domain = Domain::new();
        let mut declarations = Vec::new();
        for v in &self.variables {
            let text = format!("{} = {}", v.name, v.range);
            domain.declare(&text).ok()?;
            declarations.push(text);
        }
        domain.resolve().ok()?;
        // a step may use a fact about a variable that its result does not contain, so all facts are kept
        let domain = domain.seen_from(&exprs).into_owned();
        Some(Instance { exprs, declarations, domain })
    }

    /// A constant for a name of the pattern: from the grid, or related to an earlier constant.
    fn constant(&mut self) -> i64 {
        let known: Vec<i64> = self.known();
        if !known.is_empty() && self.random.chance(60) {
            let c = self.random.pick(&known);
            return self.akin(c);
        }
        if let Some(number) = self.own_number() {
            return number;
        }
        if self.bits && self.random.chance(80) { self.random.pick(&MASKS) } else { self.random.pick(&CONSTANTS) }
    }

    fn known(&self) -> Vec<i64> {
        self.names.iter().filter_map(|n| self.constants.get(n.0).copied()).collect()
    }

    /// A number related to `c`: a multiple, a divisor or a neighbour.
    fn akin(&mut self, c: i64) -> i64 {
        let k = self.random.pick(&[1, 1, 2, 2, 3, 4, -1, -1, -2]);
        match self.random.below(8) {
            0..=2 => c * k,
            3 | 4 => {
                let divisors: Vec<i64> = (2..=c.abs().min(64)).filter(|d| c % d == 0).collect();
                if divisors.is_empty() { c } else { self.random.pick(&divisors) }
            }
            5 => c + self.random.pick(&[-1, 1]),
            6 => -c,
            _ => c,
        }
    }

    /// A coefficient, small offset or range end. It is usually related to the constants of the pattern.
    fn number(&mut self, plain: &[i64]) -> i64 {
        let known = self.known();
        if known.is_empty() || self.random.chance(45) {
            return self.random.pick(plain);
        }
        let c = self.random.pick(&known);
        self.akin(c)
    }

    fn declare(&mut self, range: String, interval: Interval, divides: bool) -> Expr {
        let name = NAMES[self.variables.len().min(NAMES.len() - 1)];
        self.variables.push(Variable { name, range, interval, divides });
        var(name)
    }

    /// A divisor. Its value is never 0, as the engine requires.
    fn divisor(&mut self) -> Expr {
        if self.has_sizes {
            return self.size_divisor();
        }
        let (lo, hi) = self.random.pick(&[(1, 4), (1, 6), (2, 5), (3, 3), (4, 7), (-4, -1), (-3, -2), (6, 9)]);
        let first = match Interval::new(lo, hi) {
            Some(i) => self.declare(format!("{lo}..{hi}"), i, true),
            None => return int(2),
        };
        match self.random.below(10) {
            0 if self.variables.len() < 3 => {
                let second = self.declare("1..3".into(), Interval::from_wide(1, 3), true);
                first * second
            }
            1 => first * self.random.pick(&[2, 3, 4]),
            2 => {
                let others: Vec<Expr> = self.bound.values().cloned().collect();
                others.first().map_or(first.clone(), |o| o * &first)
            }
            3 => int(self.random.pick(&[2, 3, 4, -2])),
            _ => first,
        }
    }

    fn variable(&mut self) -> Expr {
        let most = if self.irregular { 3 } else { 4 };
        let count = self.variables.len();
        let plain = self.variables.iter().any(|v| !v.divides);
        if count >= NAMES.len() || (plain && (count >= most || self.random.chance(45))) {
            let plain: Vec<&'static str> = self.variables.iter().filter(|v| !v.divides).map(|v| v.name).collect();
            let all: Vec<&'static str> = self.variables.iter().map(|v| v.name).collect();
            return var(self.random.pick(if plain.is_empty() { &all } else { &plain }));
        }
        let divisors: Vec<(&'static str, Interval)> =
            self.variables.iter().filter(|v| v.divides).map(|v| (v.name, v.interval)).collect();
        if !divisors.is_empty() && self.random.chance(40) {
            // an index in `0..n - 1` for a size `n`, or in a range whose ends differ from these by at most one
            let (n, range) = self.random.pick(&divisors);
            if let Some((1.., hi)) = range.bounded() {
                let (lo, end) = self.random.pick(&[(0, -1), (0, -1), (0, 0), (-1, -1), (1, -1)]);
                let interval = Interval::from_wide(lo.into(), (hi + end).into());
                return self.declare(format!("{lo}..{n} + {end}"), interval, false);
            }
        }
        if let Some((lo, hi)) = self.range_by_number() {
            return self.declare(format!("{lo}..{hi}"), Interval::from_wide(lo.into(), hi.into()), false);
        }
        let n = self.number(&[2, 3, 4, 5, 8, 16]).abs().clamp(1, if self.irregular { 16 } else { 4096 });
        let (mut lo, mut hi) = match self.random.below(14) {
            0..=2 => (0, n - 1),
            3 => (0, n),
            4 => (0, 2 * n - 1),
            5 => (-1, n - 1),
            6 => (-n, n),
            7 => (0, 1),
            8 => (self.random.pick(&[-5, -2, 1, 3]), 9),
            9 => (-n, -1),
            10 => (0, 15),
            11 => (0, 3),
            12 => (n, n + 1),
            _ => (-7, 9),
        };
        if self.bits && self.random.chance(60) {
            (lo, hi) = (0, self.random.pick(&[1, 3, 7, 15, 2, 4, 8, 16]));
        }
        if !self.irregular && self.random.chance(12) {
            let (text, i) = match self.random.below(3) {
                0 => ("..".into(), None),
                1 => (format!("{lo}.."), Interval::new(lo, i64::MAX)),
                _ => (format!("..{hi}"), Interval::new(i64::MIN, hi)),
            };
            return self.declare(text, i.unwrap_or(Interval::ALL), false);
        }
        let interval = Interval::from_wide(lo.into(), hi.into());
        let m = self.number(&[2, 3, 4]).abs();
        if m > 1 && self.random.chance(15) {
            let r = self.random.pick(&[0, 0, 1]);
            let range = format!("{lo}..{} step {m} from {r}", hi + m);
            return self.declare(range, Interval::from_wide(lo.into(), (hi + m).into()), false);
        }
        self.declare(format!("{lo}..{hi}"), interval, false)
    }

    fn atom(&mut self) -> Expr {
        let v = self.variable();
        let divisors: Vec<Expr> =
            self.names.iter().filter(|n| n.1 == Role::Divisor).filter_map(|n| self.bound.get(n.0).cloned()).collect();
        if !divisors.is_empty() && self.random.chance(40) {
            let d = &divisors[self.random.below(divisors.len())];
            // a factor of the divisor, or the whole divisor
            return if self.random.chance(60) { d * v } else { var(self.variables[0].name) * v };
        }
        match self.random.below(10) {
            // a value whose range follows only from facts of the e-graph
            4 => {
                let m = self.number(&[2, 3, 4, 8]).abs().max(2);
                &v - (&v / m) * m
            }
            0 => v / self.number(&[2, 3, 4]).abs().max(2),
            1 | 2 => v % self.number(&[2, 3, 4, 8]).abs().max(2),
            3 if self.irregular => {
                let w = self.variable();
                if self.random.chance(50) { v.min(w) } else { v.max(w) }
            }
            _ => v,
        }
    }

    /// A sum of a few terms. Sometimes it is a multiple of an earlier sum plus a few small terms.
    fn sum(&mut self) -> Expr {
        if self.has_sizes && self.random.chance(80) {
            return self.size_sum();
        }
        let mut e = int(0);
        if !self.sums.is_empty() && self.random.chance(50) {
            let earlier = self.sums[self.random.below(self.sums.len())].clone();
            let known = self.known();
            let pairs = known.iter().flat_map(|a| known.iter().map(move |b| (*a, *b)));
            let quotients: Vec<i64> = pairs.filter(|(a, b)| *b != 0 && a % b == 0).map(|(a, b)| a / b).collect();
            let a = match quotients.is_empty() || self.random.chance(40) {
                true => self.random.pick(&[1, -1]),
                false => self.random.pick(&quotients) * self.random.pick(&[1, -1]),
            };
            e = earlier * a;
            match self.random.below(5) {
                0 => return e,
                1 | 2 => return e + self.random.pick(&[-2, -1, 0, 1, 2, 5]),
                3 => {
                    let v = self.variable();
                    return e + v;
                }
                _ => {}
            }
        }
        for _ in 0..self.random.pick(&[1, 1, 2, 2, 2, 3]) {
            let c = self.number(if self.bits { &[1, 2, 4, 8, 16] } else { &COEFFICIENTS });
            let a = self.atom();
            e = if c == 1 { e + a } else { e + a * c };
        }
        if self.random.chance(50) {
            let k = self.number(&[1, 2, 3, -1, -2, 5, 10]);
            e = e + k;
        }
        if self.random.chance(40) { self.aligned(e) } else { e }
    }

    /// `e` shifted so that one end of its range is at a value that guards test.
    fn aligned(&mut self, e: Expr) -> Expr {
        let range_of = |name: &str| {
            let known = self.variables.iter().find(|v| v.name == name);
            known.map_or(Interval::ALL, |v| v.interval)
        };
        let range = interval_of(&e, range_of);
        let target = match self.random.below(5) {
            0 => -1,
            1 | 2 => 0,
            3 => 1,
            _ => self.number(&[7, 8, 15]) - self.random.pick(&[0, 1, 1, 2]),
        };
        let end = if self.random.chance(60) { range.lo() } else { range.hi() };
        match end {
            Some(end) if end.abs() < 1 << 20 => e + (target - end),
            _ => e,
        }
    }

    fn truth(&mut self) -> Expr {
        let a = self.atom();
        match self.random.below(6) {
            0 => a.equals(self.random.pick(&[0, 1, 3])),
            1 | 2 => a.ge(self.random.pick(&[0, 1, 2, 4])),
            3 => {
                let b = self.atom();
                a.lt(b)
            }
            4 => {
                let v = self.variable();
                a.lt(5).and(v.ge(1))
            }
            _ => a.lt(self.random.pick(&[1, 2, 3, 7])),
        }
    }

    fn build(&mut self, d: &'r Datum, role: Role) -> Expr {
        match d {
            Datum::Text(..) => int(0),
            Datum::Word(_, w) => self.leaf(w, role),
            Datum::List(_, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                let args = &items[items.len().min(1)..];
                let roles = roles(op, args.len());
                if matches!(op, "and" | "or") {
                    let Some((_, picks)) = args.split_last() else { return int(0) };
                    let mut parts: Vec<Expr> = picks.iter().map(|p| self.build(p, Role::Truth)).collect();
                    for _ in 0..self.random.pick(&[0, 0, 1, 1, 2]) {
                        parts.push(self.truth());
                    }
                    let join = |a: Expr, b: Expr| if op == "and" { a.and(b) } else { a.or(b) };
                    return parts.into_iter().reduce(join).unwrap_or_else(|| int(0));
                }
                let mut e: Vec<Expr> = args
                    .iter()
                    .enumerate()
                    .map(|(i, a)| self.build(a, roles.get(i).copied().unwrap_or(role)))
                    .collect();
                // patterns of commutative operators match their operands in either order
                if Operator::named(op).is_some_and(Operator::commutes) && self.random.chance(50) {
                    e.reverse();
                }
                match Op::with_symbol(op) {
                    None => int(0),
                    Some(op) if op.arity() == 2 => {
                        e.into_iter().reduce(|a, b| Expr::new(op.clone(), [a, b])).unwrap_or_else(|| int(0))
                    }
                    Some(op) => Expr::try_new(op, e).unwrap_or_else(|_| int(0)),
                }
            }
        }
    }

    fn leaf(&mut self, w: &'r str, role: Role) -> Expr {
        if let Ok(n) = w.parse::<i64>() {
            return int(n);
        }
        if let Some(c) = self.constants.get(w) {
            return int(*c);
        }
        let name = w.trim_end_matches("...");
        if let Some(e) = self.bound.get(name) {
            return e.clone();
        }
        let e = match role {
            Role::Truth => self.truth(),
            _ if w.ends_with("...") => self.sum(),
            _ if self.has_sizes => self.size_value(),
            _ if self.random.chance(35) => self.variable(),
            _ => self.sum(),
        };
        if role != Role::Truth {
            self.sums.push(e.clone());
        }
        self.bound.insert(name, e.clone());
        e
    }
}

/// The roles of the operands of `op`.
fn roles(op: &str, count: usize) -> Vec<Role> {
    match op {
        "//" | "%" | "truncdiv" | "truncmod" => vec![Role::Value, Role::Divisor],
        "where" => vec![Role::Truth, Role::Value, Role::Value],
        "and" | "or" | "not" => vec![Role::Truth; count],
        _ => vec![Role::Value; count],
    }
}

/// Collects the names in the pattern `d`. The role of a name is the first specific role of its occurrences.
fn collect<'r>(d: &'r Datum, role: Role, names: &mut Vec<(&'r str, Role)>) {
    match d {
        Datum::Text(..) => {}
        Datum::Word(_, w) => {
            let role = match w.as_bytes().first() {
                Some(b'#') => Role::Constant,
                Some(b'?') => role,
                _ => return,
            };
            let name = w.trim_end_matches("...");
            match names.iter_mut().find(|n| n.0 == name) {
                Some(known) if known.1 == Role::Value => known.1 = role,
                Some(_) => {}
                None => names.push((name, role)),
            }
        }
        Datum::List(_, items) => {
            let op = items.first().and_then(Datum::word).unwrap_or_default();
            let roles = roles(op, items.len());
            let skip = usize::from(matches!(op, "and" | "or"));
            for (i, a) in items[..items.len().saturating_sub(skip)].iter().skip(1).enumerate() {
                collect(a, roles.get(i).copied().unwrap_or(role), names);
            }
        }
    }
}
