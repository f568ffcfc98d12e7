//! From the text of a rule to its instructions. All errors of a rule file are collected.

use super::hoist::hoisted;
use super::program::{AT_ONCE, AnySlot, Guard, Instr, IntExpr, Rule, Slot, SlotCounts, Term};
use super::read::{Datum, Fail, Place};
use crate::egraph::node::Head;
use rustc_hash::{FxHashMap, FxHashSet};

type Compiled<T> = Result<T, Fail>;

/// What may follow the pattern, for messages.
const CLAUSES: &str =
    "let, for, split, split-by, residue, common-factor, when, yield, done, late, operand, at-once or because";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Class,
    Sum,
    List,
}

struct Compiler {
    names: FxHashMap<String, (Kind, Slot)>,
    counts: SlotCounts,
    code: Vec<Instr>,
}

pub(super) fn compile(datum: &Datum, file: &str) -> Result<Rule, Vec<Fail>> {
    let place = datum.place();
    let fail = |m: &str| vec![(place, m.to_string())];
    let Some([Datum::Word(_, rule), Datum::Word(_, name), Datum::Text(_, reason), clauses @ ..]) = datum.list() else {
        return Err(fail("a rule reads (rule NAME \"reason\" (match PATTERN) CLAUSE... (yield TERM))"));
    };
    if rule != "rule" {
        return Err(fail(&format!("expected `rule`, found `{rule}`")));
    }
    let mut c = Compiler { names: FxHashMap::default(), counts: SlotCounts::default(), code: Vec::new() };
    let mut errors = Vec::new();
    let mut head = None;
    let mut yields = 0;
    // clauses of one word, and where they stand
    let mut marks: FxHashMap<&str, Place> = FxHashMap::default();
    let mut because = None;
    // names that clauses with errors would have bound: what uses them is not looked at, one mistake is one error
    let mut lost: FxHashSet<&str> = FxHashSet::default();
    for (i, clause) in clauses.iter().enumerate() {
        let parts = clause.list().unwrap_or_default();
        let Some(word) = parts.first().and_then(Datum::word) else {
            errors.push((clause.place(), format!("expected a clause: match, {CLAUSES}")));
            continue;
        };
        if (i == 0) != (word == "match") {
            errors.push((clause.place(), "the first clause, and only it, is (match PATTERN)".into()));
            if i == 0 {
                break; // without a pattern no name has a meaning
            }
            continue;
        }
        if mentions(clause, &|w| lost.contains(w)) {
            yields += usize::from(word == "yield");
            lose(clause, &c, &mut lost);
            continue;
        }
        let compiled = match word {
            "match" => c.root(clause, &parts[1..]).map(|h| head = Some(h)),
            "yield" => {
                yields += 1;
                c.one(clause, &parts[1..]).and_then(|d| c.term(d)).map(|t| c.code.push(Instr::Yield(t)))
            }
            "because" => match &parts[1..] {
                [Datum::Text(_, text)] if because.is_none() => {
                    because = Some(text.clone());
                    Ok(())
                }
                _ => Err((clause.place(), "one text says why the rule is there: (because \"...\")".into())),
            },
            "done" | "late" | "operand" | "at-once" if parts.len() == 1 => {
                marks.insert(word, clause.place());
                Ok(())
            }
            _ => c.clause(clause, word, &parts[1..]),
        };
        if let Err(e) = compiled {
            errors.push(e);
            lose(clause, &c, &mut lost);
        }
    }
    let [done, late, operand, at_once] = ["done", "late", "operand", "at-once"].map(|mark| marks.get(mark).copied());
    if let (Some(Head::Sum), Some(at)) = (head, done) {
        errors.push((at, "a rule about sums cannot end the work on a node: the engine decides that by cost".into()));
    }
    if let (Some(head), Some(at)) = (head, late)
        && head != Head::Sum
    {
        errors.push((at, "only rules about sums can be late: a late result is one more spelling of its sum".into()));
    }
    if let (Some(head), Some(at)) = (head, operand)
        && (head != Head::Sum || late.is_some())
    {
        errors.push((at, "only rules about sums, late ones not among them, can be for operands alone".into()));
    }
    if let Some(at) = at_once
        && !AT_ONCE.contains(&name.as_str())
    {
        errors.push((at, format!("what is applied at once is built into the engine: {}", AT_ONCE.join(", "))));
    }
    if head.is_none() && errors.is_empty() {
        errors.push((place, "no (match PATTERN)".into()));
    }
    if yields == 0 && errors.is_empty() {
        errors.push((place, "no (yield TERM)".into()));
    }
    match (head, errors.is_empty()) {
        (Some(head), true) => Ok(Rule {
            name: name.clone(),
            reason: reason.clone(),
            because,
            text: datum.to_string(),
            file: file.to_string(),
            place,
            head,
            done: done.is_some(),
            late: late.is_some(),
            operand: operand.is_some(),
            at_once: at_once.is_some(),
            told: c.told(clauses),
            code: hoisted(c.code),
            slots: c.counts,
        }),
        _ => Err(errors),
    }
}

/// Adds the names of a clause that no clause before has bound.
fn lose<'d>(clause: &'d Datum, c: &Compiler, lost: &mut FxHashSet<&'d str>) {
    match clause {
        Datum::Word(_, w) if w.starts_with(['#', '?']) && c.lookup(w).is_none() => {
            lost.insert(w.trim_end_matches("..."));
        }
        Datum::List(_, items) => items.iter().for_each(|d| lose(d, c, lost)),
        _ => {}
    }
}

/// Every name of `#n` or `?x` in `d`, once each.
fn names_in(d: &Datum, out: &mut Vec<String>) {
    match d {
        Datum::Word(_, w) if w.starts_with(['#', '?']) => {
            let name = w.trim_end_matches("...").to_string();
            if !out.contains(&name) {
                out.push(name);
            }
        }
        Datum::List(_, items) => items.iter().for_each(|d| names_in(d, out)),
        _ => {}
    }
}

fn mentions(d: &Datum, name: &impl Fn(&str) -> bool) -> bool {
    match d {
        Datum::Word(_, w) => name(w.trim_end_matches("...")),
        Datum::Text(..) => false,
        Datum::List(_, items) => items.iter().any(|d| mentions(d, name)),
    }
}

fn head_of(word: &str) -> Option<(Head, usize)> {
    Some(match word {
        "//" => (Head::Div, 2),
        "%" => (Head::Mod, 2),
        "min" => (Head::Min, 2),
        "max" => (Head::Max, 2),
        ">=" => (Head::NonNeg, 1),
        "==" => (Head::Zero, 1),
        "not" => (Head::Not, 1),
        "where" => (Head::Select, 3),
        "&" => (Head::BitAnd, 2),
        "|" => (Head::BitOr, 2),
        "^" => (Head::BitXor, 2),
        "<<" => (Head::Shl, 2),
        ">>" => (Head::Shr, 2),
        _ => return None,
    })
}

impl Compiler {
    fn one<'d>(&self, at: &Datum, parts: &'d [Datum]) -> Compiled<&'d Datum> {
        match parts {
            [d] => Ok(d),
            _ => Err((at.place(), format!("expected one operand, found {}", parts.len()))),
        }
    }

    fn fresh(&mut self, kind: Kind, at: Place) -> Compiled<Slot> {
        let n = match kind {
            Kind::Int => &mut self.counts.ints,
            Kind::Class => &mut self.counts.classes,
            Kind::Sum => &mut self.counts.sums,
            Kind::List => &mut self.counts.lists,
        };
        *n += 1;
        Slot::try_from(*n - 1).map_err(|_| (at, "too many names in one rule".to_string()))
    }

    /// A new name of this kind.
    fn bind(&mut self, d: &Datum, kind: Kind) -> Compiled<Slot> {
        let word = d.word().ok_or((d.place(), "expected a name".to_string()))?;
        let ok = match kind {
            Kind::Int => word.starts_with('#') && word.len() > 1,
            _ => word.starts_with('?') && word.len() > 1,
        };
        if !ok {
            return Err((d.place(), format!("`{word}` is no name here: integers are #n, all else is ?x")));
        }
        let name = word.trim_end_matches("...").to_string();
        if self.names.contains_key(&name) {
            return Err((d.place(), format!("`{name}` is already bound")));
        }
        let slot = self.fresh(kind, d.place())?;
        self.names.insert(name, (kind, slot));
        Ok(slot)
    }

    /// The names that clauses between pattern and result mention, in the order of the text.
    fn told(&self, clauses: &[Datum]) -> Vec<(String, AnySlot)> {
        let word = |c: &Datum| c.list().and_then(|l| l.first()).and_then(Datum::word).unwrap_or_default().to_string();
        let (written, between): (Vec<&Datum>, Vec<&Datum>) =
            clauses.iter().partition(|c| matches!(&*word(c), "match" | "yield"));
        let mut out = Vec::new();
        let mut words: Vec<String> = Vec::new();
        written.iter().chain(&between).for_each(|c| names_in(c, &mut words));
        for name in words {
            if between.iter().any(|c| mentions(c, &|w| w == name)) {
                let slot = match self.lookup(&name) {
                    Some((Kind::Int, s)) => AnySlot::Int(s),
                    Some((Kind::Class, s)) => AnySlot::Class(s),
                    Some((Kind::Sum, s)) => AnySlot::Sum(s),
                    Some((Kind::List, _)) | None => continue,
                };
                out.push((name.trim_start_matches(['#', '?']).to_string(), slot));
            }
        }
        out
    }

    fn lookup(&self, word: &str) -> Option<(Kind, Slot)> {
        self.names.get(word.trim_end_matches("...")).copied()
    }

    fn sum(&self, d: &Datum) -> Compiled<Slot> {
        match d.word().and_then(|w| self.lookup(w)) {
            Some((Kind::Sum, s)) => Ok(s),
            _ => Err((d.place(), format!("`{d}` is not a bound sum"))),
        }
    }

    // ---- patterns

    fn root(&mut self, at: &Datum, parts: &[Datum]) -> Compiled<Head> {
        let pattern = self.one(at, parts)?;
        let items = pattern.list().unwrap_or_default();
        let root = self.fresh(Kind::Class, pattern.place())?;
        match items.first().and_then(Datum::word) {
            Some("+") => {
                // the engine hands a rule about sums one spelling at a time
                let sum = self.fresh(Kind::Sum, pattern.place())?;
                self.sum_pattern(pattern, sum)?;
                Ok(Head::Sum)
            }
            Some("and") => self.pattern(pattern, root, true).map(|()| Head::And),
            Some("or") => self.pattern(pattern, root, true).map(|()| Head::Or),
            Some("*") => Err((pattern.place(), "products are normal forms; match a sum or an operation".into())),
            Some(w) if head_of(w).is_some() => {
                self.pattern(pattern, root, true)?;
                Ok(head_of(w).map_or(Head::Div, |h| h.0))
            }
            _ => Err((pattern.place(), "a rule matches an operation: (// ..), (% ..), (+ ..), (min ..), ...".into())),
        }
    }

    /// Matches the class in `class` against `d`; `all` spellings of sums directly below the root are tried.
    fn pattern(&mut self, d: &Datum, class: Slot, all: bool) -> Compiled<()> {
        match d {
            Datum::Text(p, _) => Err((*p, "text is no pattern".into())),
            Datum::Word(p, w) => self.leaf(*p, w, d, class, all),
            Datum::List(p, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                match op {
                    "+" => {
                        let sum = self.fresh(Kind::Sum, *p)?;
                        self.code.push(Instr::Spelling { class, to: sum, all });
                        self.sum_pattern(d, sum)
                    }
                    "*" => {
                        let [_, one, others] = &items[..] else {
                            return Err((*p, "a product is matched as (* FACTOR REST)".into()));
                        };
                        let (picked, rest) = (self.fresh(Kind::Class, *p)?, self.fresh(Kind::Class, *p)?);
                        self.code.push(Instr::Factor { class, picked, rest });
                        self.pattern(one, picked, false)?;
                        self.pattern(others, rest, false)
                    }
                    "and" | "or" => self.junction_pattern(d, class, op == "and", &items[1..]),
                    _ => {
                        let (head, arity) = head_of(op).ok_or((*p, format!("unknown operation `{op}`")))?;
                        let mut operands = &items[1..];
                        if matches!(head, Head::NonNeg | Head::Zero) {
                            match operands {
                                [_, Datum::Word(_, zero)] if zero == "0" => operands = &operands[..1],
                                _ => return Err((*p, format!("a comparison is matched as ({op} PATTERN 0)"))),
                            }
                        }
                        if operands.len() != arity {
                            return Err((*p, format!("`{op}` takes {arity} operands, found {}", operands.len())));
                        }
                        let slots: Vec<Slot> =
                            operands.iter().map(|o| self.fresh(Kind::Class, o.place())).collect::<Compiled<_>>()?;
                        self.code.push(Instr::Node { class, head, operands: slots.clone() });
                        // constants and repeated names first: they fail fastest
                        let (simple, other): (Vec<_>, Vec<_>) = operands
                            .iter()
                            .zip(slots)
                            .partition(|(o, _)| o.word().is_some_and(|w| !w.starts_with('?')));
                        for (o, s) in simple.into_iter().chain(other) {
                            self.pattern(o, s, all && (o.word().is_some() || is_sum(o)))?;
                        }
                        Ok(())
                    }
                }
            }
        }
    }

    fn leaf(&mut self, p: Place, w: &str, d: &Datum, class: Slot, all: bool) -> Compiled<()> {
        if let Ok(n) = w.parse::<i64>() {
            let to = self.fresh(Kind::Int, p)?;
            self.code.push(Instr::Constant { class, to });
            self.code.push(Instr::SameInt { a: to, b: IntExpr::Literal(n) });
            return Ok(());
        }
        if let Some(name) = w.strip_prefix('?').filter(|n| n.ends_with("...")) {
            if name.len() == 3 {
                return Err((p, "a sum needs a name: ?x...".into()));
            }
            if let Some((Kind::Sum, b)) = self.lookup(w) {
                let a = self.fresh(Kind::Sum, p)?;
                self.code.push(Instr::Spelling { class, to: a, all });
                self.code.push(Instr::SameSum { a, b });
            } else {
                let to = self.bind(d, Kind::Sum)?;
                self.code.push(Instr::Spelling { class, to, all });
            }
            return Ok(());
        }
        match (self.lookup(w), w.as_bytes().first()) {
            (Some((Kind::Class, b)), _) => self.code.push(Instr::SameClass { a: class, b }),
            (Some((Kind::Int, b)), _) => {
                let to = self.fresh(Kind::Int, p)?;
                self.code.push(Instr::Constant { class, to });
                self.code.push(Instr::SameInt { a: to, b: IntExpr::Slot(b) });
            }
            (Some(_), _) => return Err((p, format!("`{w}` is a sum: write it with dots"))),
            (None, Some(b'#')) => {
                let to = self.bind(d, Kind::Int)?;
                self.code.push(Instr::Constant { class, to });
            }
            (None, Some(b'?')) if w.len() > 1 => {
                self.names.insert(w.to_string(), (Kind::Class, class));
            }
            _ => return Err((p, format!("`{w}` is no pattern: constants are #n, classes ?x, sums ?x..."))),
        }
        Ok(())
    }

    /// `(+ PICK... ?rest...)` where a pick is `P`, `(* 3 P)` or `(* #c P)`.
    fn sum_pattern(&mut self, d: &Datum, mut sum: Slot) -> Compiled<()> {
        let items = &d.list().unwrap_or_default()[1..];
        let [picks @ .., rest] = items else {
            return Err((d.place(), "a sum pattern reads (+ PICK... ?rest...)".into()));
        };
        if picks.is_empty() {
            return Err((d.place(), "a sum pattern picks at least one term; any sum is ?x...".into()));
        }
        if !rest.word().is_some_and(|w| w.starts_with('?') && w.ends_with("...")) {
            return Err((rest.place(), "a sum pattern ends with the sum of the other terms, ?rest...".into()));
        }
        for (i, pick) in picks.iter().enumerate() {
            let (coeff, class) = (self.fresh(Kind::Int, pick.place())?, self.fresh(Kind::Class, pick.place())?);
            let last = i + 1 == picks.len();
            let others = if last { self.bind(rest, Kind::Sum)? } else { self.fresh(Kind::Sum, pick.place())? };
            let at = self.fresh(Kind::Int, pick.place())?;
            self.code.push(Instr::Pick { sum, at, coeff, class });
            let inner = match pick.list() {
                Some([Datum::Word(_, star), c @ Datum::Word(_, first), inner])
                    if star == "*" && !first.starts_with('?') =>
                {
                    match c.word() {
                        Some(w) if w.starts_with('#') && self.lookup(w).is_none() => {
                            self.names.insert(w.to_string(), (Kind::Int, coeff));
                        }
                        _ => {
                            let b = self.int(c)?;
                            self.code.push(Instr::SameInt { a: coeff, b });
                        }
                    }
                    inner
                }
                _ => {
                    self.code.push(Instr::SameInt { a: coeff, b: IntExpr::Literal(1) });
                    pick
                }
            };
            self.pattern(inner, class, false)?;
            // made after the term has matched: most do not
            self.code.push(Instr::Without { sum, at, to: others });
            sum = others;
        }
        Ok(())
    }

    fn junction_pattern(&mut self, d: &Datum, class: Slot, and: bool, items: &[Datum]) -> Compiled<()> {
        let [picks @ .., rest] = items else {
            return Err((d.place(), "a pattern of and/or reads (and PATTERN... ?rest...)".into()));
        };
        if !rest.word().is_some_and(|w| w.ends_with("...")) {
            return Err((rest.place(), "a pattern of and/or ends with the other clauses, ?rest...".into()));
        }
        let picked: Vec<Slot> = picks.iter().map(|p| self.fresh(Kind::Class, p.place())).collect::<Compiled<_>>()?;
        let rest = self.bind(rest, Kind::List)?;
        self.code.push(Instr::Junction { class, and, picked: picked.clone(), rest });
        for (p, s) in picks.iter().zip(picked) {
            self.pattern(p, s, false)?;
        }
        Ok(())
    }

    // ---- clauses

    fn clause(&mut self, at: &Datum, word: &str, parts: &[Datum]) -> Compiled<()> {
        let instr = match (word, parts) {
            ("when", guards) if !guards.is_empty() => {
                for g in guards {
                    let g = self.guard(g)?;
                    self.code.push(Instr::When(g));
                }
                return Ok(());
            }
            ("let", [name, value]) => {
                if name.word().is_some_and(|w| w.starts_with('#')) {
                    let value = self.int(value)?;
                    Instr::LetInt { to: self.bind(name, Kind::Int)?, value }
                } else {
                    let value = self.term(value)?;
                    Instr::LetSum { to: self.bind(name, Kind::Sum)?, value }
                }
            }
            ("for", [name, from]) => {
                let items = from.list().unwrap_or_default();
                match (items.first().and_then(Datum::word), &items[items.len().min(1)..]) {
                    (Some("gcds"), [s, n]) => {
                        let (sum, modulus) = (self.sum(s)?, self.int(n)?);
                        Instr::ForGcds { to: self.bind(name, Kind::Int)?, sum, modulus }
                    }
                    (Some("ratios"), [s, p]) => {
                        let (sum, part) = (self.sum(s)?, self.sum(p)?);
                        Instr::ForRatios { to: self.bind(name, Kind::Int)?, sum, part }
                    }
                    (Some("list"), values) => {
                        let values = values.iter().map(|v| self.int(v)).collect::<Compiled<_>>()?;
                        Instr::ForList { to: self.bind(name, Kind::Int)?, values }
                    }
                    _ => return Err((from.place(), "expected (gcds ?x #n), (ratios ?x ?y) or (list ...)".into())),
                }
            }
            ("split", [s, by, q, r]) => {
                let (sum, by) = (self.sum(s)?, self.int(by)?);
                Instr::Split { sum, by, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("signs", [s, p, n]) => {
                let sum = self.sum(s)?;
                Instr::Signs { sum, positive: self.bind(p, Kind::Sum)?, negative: self.bind(n, Kind::Sum)? }
            }
            ("units", [s, u, floor, least]) => {
                let sum = self.sum(s)?;
                let units = self.bind(u, Kind::Sum)?;
                Instr::Units { sum, units, floor: self.bind(floor, Kind::Int)?, least: self.bind(least, Kind::Int)? }
            }
            ("split-by", [s, by, q, r]) => {
                let (sum, by) = (self.sum(s)?, self.term(by)?);
                Instr::SplitBy { sum, by, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("residue", [s, n, ties, q, r]) => {
                let (sum, n, ties) = (self.sum(s)?, self.int(n)?, self.int(ties)?);
                Instr::Residue { sum, n, ties, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("common-factor", [s, n, g, over, n_over]) => Instr::CommonFactor {
                sum: self.sum(s)?,
                by: self.sum(n)?,
                factor: self.bind(g, Kind::Sum)?,
                sum_over: self.bind(over, Kind::Sum)?,
                by_over: self.bind(n_over, Kind::Sum)?,
            },
            _ => {
                return Err((at.place(), format!("`{word}` with {} operands is no clause: {CLAUSES}", parts.len())));
            }
        };
        self.code.push(instr);
        Ok(())
    }

    fn guard(&mut self, d: &Datum) -> Compiled<Guard> {
        let items = d.list().unwrap_or_default();
        let word = items.first().and_then(Datum::word).unwrap_or_default();
        Ok(match (word, &items[items.len().min(1)..]) {
            ("=", [a, b]) => Guard::Equal(self.int(a)?, self.int(b)?),
            ("!=", [a, b]) => Guard::Differ(self.int(a)?, self.int(b)?),
            ("<", [a, b]) => Guard::Less(self.int(a)?, self.int(b)?),
            ("<=", [a, b]) => Guard::AtMost(self.int(a)?, self.int(b)?),
            (">", [a, b]) => Guard::Less(self.int(b)?, self.int(a)?),
            (">=", [a, b]) => Guard::AtMost(self.int(b)?, self.int(a)?),
            ("divides", [a, b]) => Guard::Divides(self.int(a)?, self.int(b)?),
            ("power-of-two", [a]) => Guard::PowerOfTwo(self.int(a)?),
            ("within", [x, lo, hi]) => Guard::Within(Box::new([self.term(x)?, self.term(lo)?, self.term(hi)?])),
            ("nonneg", [x]) => Guard::NonNegative(self.term(x)?),
            ("positive", [x]) => Guard::Positive(self.term(x)?),
            ("nonzero", [x]) => Guard::NonZero(self.term(x)?),
            ("has-terms", [x]) => Guard::HasTerms(self.sum(x)?),
            ("nontrivial", [x]) => Guard::Nontrivial(self.sum(x)?),
            ("constant", [x]) => Guard::IsConstant(self.sum(x)?),
            ("boolean", [x]) => Guard::Boolean(self.bound_class(x)?),
            ("unknown", [x]) => Guard::Unknown(self.bound_class(x)?),
            ("tighter", [a, b]) => Guard::Tighter(Box::new([self.term(a)?, self.term(b)?])),
            ("related", [a, b]) => Guard::Related(self.sum(a)?, self.sum(b)?),
            ("disjoint-bits", [a, b]) => Guard::DisjointBits(Box::new([self.term(a)?, self.term(b)?])),
            ("not", [g]) => Guard::Not(Box::new(self.guard(g)?)),
            ("any", guards) => Guard::Any(guards.iter().map(|g| self.guard(g)).collect::<Compiled<_>>()?),
            _ => return Err((d.place(), format!("`{d}` is no guard"))),
        })
    }

    fn bound_class(&self, x: &Datum) -> Compiled<Slot> {
        match x.word().and_then(|w| self.lookup(w)) {
            Some((Kind::Class, s)) => Ok(s),
            _ => Err((x.place(), format!("`{x}` is not a bound class"))),
        }
    }

    // ---- integers and terms

    fn int(&mut self, d: &Datum) -> Compiled<IntExpr> {
        let bad = || (d.place(), format!("`{d}` is no integer expression"));
        match d {
            Datum::Text(..) => Err(bad()),
            Datum::Word(p, w) => {
                if let Ok(n) = w.parse::<i64>() {
                    return Ok(IntExpr::Literal(n));
                }
                match self.lookup(w) {
                    Some((Kind::Int, s)) => Ok(IntExpr::Slot(s)),
                    Some(_) => Err(bad()),
                    None => Err((*p, format!("`{w}` is not bound"))),
                }
            }
            Datum::List(_, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                let args = &items[items.len().min(1)..];
                let two = |c: &mut Compiler| -> Compiled<Box<[IntExpr; 2]>> {
                    match args {
                        [a, b] => Ok(Box::new([c.int(a)?, c.int(b)?])),
                        _ => Err((d.place(), format!("`{op}` takes two operands"))),
                    }
                };
                Ok(match (op, args) {
                    ("+", _) => IntExpr::Add(args.iter().map(|a| self.int(a)).collect::<Compiled<_>>()?),
                    ("*", _) => IntExpr::Mul(args.iter().map(|a| self.int(a)).collect::<Compiled<_>>()?),
                    ("-", [a]) => IntExpr::Sub(Box::new([IntExpr::Literal(0), self.int(a)?])),
                    ("-", _) => IntExpr::Sub(two(self)?),
                    ("/", _) => IntExpr::Div(two(self)?),
                    ("//", _) => IntExpr::FloorDiv(two(self)?),
                    ("%", _) => IntExpr::FloorMod(two(self)?),
                    ("gcd", _) => IntExpr::Gcd(two(self)?),
                    ("min", _) => IntExpr::Min(two(self)?),
                    ("max", _) => IntExpr::Max(two(self)?),
                    ("abs", [a]) => IntExpr::Abs(Box::new(self.int(a)?)),
                    ("lowest", [x]) => IntExpr::Lowest(Box::new(self.term(x)?)),
                    ("highest", [x]) => IntExpr::Highest(Box::new(self.term(x)?)),
                    ("modulus", [x]) => IntExpr::Modulus(Box::new(self.term(x)?)),
                    ("residue-of", [x]) => IntExpr::ResidueOf(Box::new(self.term(x)?)),
                    ("constant-of", [x]) => IntExpr::ConstantOf(self.sum(x)?),
                    ("content", [x]) => IntExpr::Content(self.sum(x)?),
                    ("terms", [x]) => IntExpr::Terms(self.sum(x)?),
                    ("bucket", [x, n]) => IntExpr::Bucket(Box::new((self.term(x)?, self.int(n)?))),
                    ("quotient", [x, y]) => IntExpr::Quotient(Box::new([self.term(x)?, self.term(y)?])),
                    _ => return Err(bad()),
                })
            }
        }
    }

    fn term(&mut self, d: &Datum) -> Compiled<Term> {
        match d {
            Datum::Text(p, _) => Err((*p, "text is no term".into())),
            Datum::Word(p, w) => {
                if let Ok(n) = w.parse::<i64>() {
                    return Ok(Term::Int(IntExpr::Literal(n)));
                }
                match self.lookup(w) {
                    Some((Kind::Int, s)) => Ok(Term::Int(IntExpr::Slot(s))),
                    Some((Kind::Class, s)) => Ok(Term::Class(s)),
                    Some((Kind::Sum, s)) => Ok(Term::Sum(s)),
                    Some((Kind::List, _)) => Err((*p, format!("`{w}` can only be the rest of an and/or"))),
                    None => Err((*p, format!("`{w}` is not bound"))),
                }
            }
            Datum::List(p, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                let args = &items[items.len().min(1)..];
                let two = |c: &mut Compiler| -> Compiled<Box<[Term; 2]>> {
                    match args {
                        [a, b] => Ok(Box::new([c.term(a)?, c.term(b)?])),
                        _ => Err((*p, format!("`{op}` takes two operands"))),
                    }
                };
                let minus = |t| Term::Mul(vec![Term::Int(IntExpr::Literal(-1)), t]);
                Ok(match (op, args) {
                    ("+", _) => Term::Add(args.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?),
                    ("*", _) => Term::Mul(args.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?),
                    ("-", [a]) => minus(self.term(a)?),
                    ("-", [a, b]) => Term::Add(vec![self.term(a)?, minus(self.term(b)?)]),
                    ("//", _) => Term::Div(two(self)?),
                    ("%", _) => Term::Mod(two(self)?),
                    ("min", _) => Term::Min(two(self)?),
                    ("max", _) => Term::Max(two(self)?),
                    (">=", _) => {
                        let [a, b] = *two(self)?;
                        Term::NonNeg(Box::new(Term::Add(vec![a, minus(b)])))
                    }
                    ("==", _) => {
                        let [a, b] = *two(self)?;
                        Term::Zero(Box::new(Term::Add(vec![a, minus(b)])))
                    }
                    ("not", [a]) => Term::Not(Box::new(self.term(a)?)),
                    ("and" | "or", _) => {
                        let (operands, rest) = match args.split_last() {
                            Some((r, init)) if r.word().is_some_and(|w| w.ends_with("...")) => {
                                match r.word().and_then(|w| self.lookup(w)) {
                                    Some((Kind::List, s)) => (init, Some(s)),
                                    _ => return Err((r.place(), format!("`{r}` is not the rest of an and/or"))),
                                }
                            }
                            _ => (args, None),
                        };
                        let operands = operands.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?;
                        Term::Junction { and: op == "and", operands, rest }
                    }
                    ("where", [c, a, b]) => Term::Select(Box::new([self.term(c)?, self.term(a)?, self.term(b)?])),
                    ("&", _) => Term::Bits(Head::BitAnd, two(self)?),
                    ("|", _) => Term::Bits(Head::BitOr, two(self)?),
                    ("^", _) => Term::Bits(Head::BitXor, two(self)?),
                    _ => Term::Int(self.int(d)?),
                })
            }
        }
    }
}

fn is_sum(d: &Datum) -> bool {
    d.list().and_then(|l| l.first()).and_then(Datum::word) == Some("+")
}
