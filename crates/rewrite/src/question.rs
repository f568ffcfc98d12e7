//! Turns a kernel into a question: one call of the simplifier with all integers that the kernel computes. Each site (a
//! place of the text that computes an integer) becomes an access, whose index is the value of the site.

use crate::model::{Kernel, Role};
use quaff::access::{Access, Gate};
use quaff::cost::Cost;
use quaff::domain::{Bounds, Connected, Domain, Interval, intervals_of};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Dag, DagNode, Expr, Op, int, var};
use quaff::integer::floor_mod;
use quaff::{Facts, Simplifier};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Selects the definitions that are replaced by their values before the simplifier is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Expand {
    /// No definitions, so that the new text uses all of the file's names.
    Nothing,
    /// Definitions whose values contain divisions. All other definitions stay variables, so that the new text uses the
    /// file's names.
    #[default]
    Divisions,
    /// Definitions whose values contain divisions, and definitions that are divided, such as `k` in
    /// `int k = y * width + x; a[k % width]`.
    Divided,
    /// All definitions.
    All,
}

/// The sites (places that compute integers) of a kernel as expressions of its variables. Expanded definitions are
/// replaced by their values.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The facts about the variables.
    known: Connected,
    /// An access for each site, in order. Its gate is the condition under which the site is computed.
    pub(crate) accesses: Vec<Access>,
    /// For each site, whether it is part of the question. The site of an expanded definition is not, because the sites
    /// that use the definition contain its value.
    pub(crate) is_root: Vec<bool>,
    /// The values of expanded definitions.
    pub(crate) values: FxHashMap<Arc<str>, Expr>,
    /// The variables that are divisors, and that are not proved to be positive.
    pub(crate) unknown_signs: Vec<Arc<str>>,
}

impl Question {
    pub(crate) fn new(kernel: &Kernel, expand: Expand, simplifier: &Simplifier) -> Question {
        // conditions and bounds of loops are used as written, because the form of a division does not change their
        // facts
        let written = values(kernel, expand, |e| e);
        let mut domain = with_loops(kernel, &written);
        let mut rounding = Rounding::new(&domain, simplifier);
        let values = values(kernel, expand, |e| rounding.rounded_down(&e));
        let kept = kernel.definitions.iter().enumerate().filter(|(_, d)| !values.contains_key(&d.variable));
        let kept: Vec<usize> = kept.map(|(number, _)| number).collect();
        for &number in &kept {
            let definition = &kernel.definitions[number];
            let value = expanded(&kernel.sites[definition.site].expr, &values);
            let known = known_of(&domain, &value, simplifier);
            domain.add_bounds(definition.variable.clone(), known.0);
            if known.1 > 1 {
                domain.add_stride(definition.variable.clone(), known.1, known.2);
            }
        }
        rounding = Rounding::new(&domain, simplifier);
        let nonzero = rounding.nonzero(kernel, &values);
        domain = nonzero.iter().fold(domain, |domain, (_, known)| domain.assume(known.clone()));
        let unknown_signs = rounding.unknown_signs(kernel, &values, &nonzero);
        let accesses = kernel.sites.iter().map(|site| {
            let lane = rounding.rounded_down(&expanded(&site.expr, &values));
            let mut access = Access::load("v", "p", lane.clone());
            let conditions = kernel.conditions(site.context).into_iter().rev();
            let conditions: Vec<Expr> = conditions.map(|c| rounding.rounded_down(&expanded(c, &values))).collect();
            for part in conditions.iter().map(Some).chain([None]) {
                // a divisor in this condition or site is not 0 where the condition or site is computed
                let unknown = divisors(part.unwrap_or(&lane), &rounding.ranges);
                for divisor in unknown.into_iter().filter(|d| !nonzero.iter().any(|(known, _)| known == d)) {
                    access = access.when(divisor.differs(0));
                }
                if let Some(condition) = part {
                    access = access.when(condition.clone());
                }
            }
            access
        });
        let accesses = accesses.collect();
        let is_kept = |number: usize| kept.contains(&number);
        let is_root = kernel.sites.iter().map(|site| match site.role {
            Role::Definition(number) => is_kept(number) || kernel.definitions[number].is_used_elsewhere,
            // a site that is a number cannot become cheaper
            _ => site.expr.as_const().is_none(),
        });
        let is_root = is_root.collect();
        Question { known: Connected::new(&domain.defined()), accesses, is_root, values, unknown_signs }
    }

    /// The accesses of the sites that are part of the question, each with the number of its site.
    pub(crate) fn roots(&self) -> (Vec<usize>, Vec<Access>) {
        let roots = self.is_root.iter().enumerate().filter(|(_, is_root)| **is_root);
        roots.map(|(at, _)| (at, self.accesses[at].clone())).unzip()
    }

    /// The condition under which a site is computed.
    pub(crate) fn gate(&self, site: usize) -> Option<&Expr> {
        self.accesses[site].gate().condition()
    }

    /// The total price of expressions. The conditions under which sites are computed are not included, because each
    /// condition is a site, too. `None` if the simplifier rejects an expression.
    pub(crate) fn price<'e>(
        &self,
        exprs: impl IntoIterator<Item = &'e Expr> + Clone,
        simplifier: &Simplifier,
    ) -> Option<Cost> {
        // points at which an expression would divide by 0 are excluded, because the expression is not computed there
        let domain = self.known.about(exprs.clone()).defined();
        let accesses: Vec<Access> = exprs.into_iter().map(|e| Access::load("v", "p", e.clone())).collect();
        simplifier.cost_of_accesses(&accesses, &domain).ok()
    }

    /// The facts about all variables.
    pub(crate) fn domain(&self) -> &Domain {
        self.known.domain()
    }

    /// Replaces expanded definitions in `exprs` by their values, and writes divisions in the same form as the accesses.
    pub(crate) fn values_of(&self, exprs: &[Expr], simplifier: &Simplifier) -> Vec<Expr> {
        let mut rounding = Rounding::new(self.domain(), simplifier);
        rounding.all_rounded_down(&substituted_all(exprs, |name| self.values.get(name).cloned()))
    }

    /// The facts about `exprs` at points where `condition` holds.
    pub(crate) fn about(&self, exprs: &[&Expr], condition: Option<&Expr>) -> Domain {
        let domain = self.known.about(exprs.iter().copied().chain(condition));
        match condition {
            Some(condition) => domain.assume(condition.clone()),
            None => domain,
        }
    }

    /// The conjunction of the conditions of a context.
    pub(crate) fn condition(&self, kernel: &Kernel, context: Option<usize>) -> Option<Expr> {
        let conditions = kernel.conditions(context).into_iter().rev();
        conditions.map(|c| expanded(c, &self.values)).reduce(|all, c| all.and(c))
    }

    /// The facts that hold where a site is computed. `None` if it is never computed.
    pub(crate) fn inside(&self, site: usize) -> Option<Domain> {
        let access = &self.accesses[site];
        (*access.gate() != Gate::Never).then(|| self.about(&[access.index()], self.gate(site)))
    }
}

/// `e` with variables replaced by their values.
pub(crate) fn expanded(e: &Expr, values: &FxHashMap<Arc<str>, Expr>) -> Expr {
    let new = substituted_all(std::slice::from_ref(e), |name| values.get(name).cloned());
    new.into_iter().next().unwrap_or_else(|| e.clone())
}

/// Whether `e` consists of sums and products only, which unsigned types compute modulo 2^32.
fn is_affine(e: &Expr) -> bool {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        let wraps = *e.op() == Op::FloorMod && e.args()[1].as_const() == Some(1 << 32);
        if !wraps && !matches!(e.op(), Op::Const(_) | Op::Var(_) | Op::Add | Op::Sub | Op::Mul | Op::Neg) {
            return false;
        }
        stack.extend(e.args());
    }
    true
}

/// The facts about the variables of a kernel, and about its loops.
fn with_loops(kernel: &Kernel, values: &FxHashMap<Arc<str>, Expr>) -> Domain {
    let mut domain = kernel.domain.clone();
    let mut facts: Vec<Expr> = kernel.facts.iter().map(|fact| expanded(fact, values)).collect();
    for (thread, block) in [("threadIdx", "blockDim"), ("blockIdx", "gridDim")] {
        for axis in ["x", "y", "z"] {
            let (index, size) = (format!("{thread}.{axis}"), format!("{block}.{axis}"));
            if domain.contains(&index) && domain.contains(&size) {
                facts.push(var(index).lt(var(size)));
            }
        }
    }
    for known in &kernel.loops {
        let is_usable = |e: &Expr| !e.variables().contains(&known.variable);
        let end = |e: &Option<Expr>| e.as_ref().map(|e| expanded(e, values)).filter(is_usable);
        domain.add_bounds(known.variable.clone(), Bounds::new(end(&known.lower), end(&known.upper)));
        if let Some((step, first)) = &known.step {
            let first = expanded(first, values);
            match first.as_const() {
                Some(first) => {
                    let residue = floor_mod(first.into(), (*step).into());
                    domain.add_stride(known.variable.clone(), *step, i64::try_from(residue).unwrap_or_default());
                }
                None => facts.push(((var(known.variable.clone()) - first) % *step).equals(int(0))),
            }
        }
        domain = domain.loop_nest(known.around.iter().cloned().chain([known.variable.clone()]));
    }
    facts.into_iter().fold(domain, Domain::assume)
}

/// The range and the congruence of `value`.
fn known_of(domain: &Domain, value: &Expr, simplifier: &Simplifier) -> (Interval, i64, i64) {
    let mut facts = simplifier.facts(domain);
    let range = facts.bounds(value).unwrap_or(Interval::ALL);
    match facts.congruence(value) {
        Ok(congruence) => (range, congruence.modulus(), congruence.residue()),
        Err(_) => (range, 1, 0),
    }
}

/// The values of the expanded definitions, with `form` applied to each value.
fn values(kernel: &Kernel, expand: Expand, mut form: impl FnMut(Expr) -> Expr) -> FxHashMap<Arc<str>, Expr> {
    let mut values: FxHashMap<Arc<str>, Expr> = FxHashMap::default();
    if expand == Expand::Nothing {
        return values;
    }
    let divided = if expand == Expand::Divided { divided(kernel) } else { FxHashSet::default() };
    for definition in kernel.definitions.iter().filter(|d| d.is_constant) {
        let value = form(expanded(&kernel.sites[definition.site].expr, &values));
        if expand == Expand::All || !is_affine(&value) || divided.contains(&definition.variable) {
            values.insert(definition.variable.clone(), value);
        }
    }
    values
}

/// The variables that occur in dividends of divisions in a kernel.
fn divided(kernel: &Kernel) -> FxHashSet<Arc<str>> {
    let exprs: Vec<Expr> = kernel.sites.iter().map(|site| site.expr.clone()).collect();
    let dag = Dag::with_origins(&exprs);
    let divides =
        |node: &&DagNode| matches!(node.op, Op::FloorDiv | Op::FloorMod | Op::TruncDiv | Op::TruncMod | Op::Shr);
    let dividends = dag.nodes().iter().filter(divides).map(|node| dag.origin(node.args()[0]));
    dividends.flat_map(Expr::variables).collect()
}

/// Replaces truncating divisions by floor divisions where both have equal results, which C writes with the same
/// operator. Also replaces shifts by products and quotients with powers of two, which are the same machine
/// instructions.
struct Rounding {
    facts: Facts,
    ranges: FxHashMap<Arc<str>, Interval>,
}

impl Rounding {
    fn new(domain: &Domain, simplifier: &Simplifier) -> Rounding {
        let known = domain.resolve().unwrap_or_default();
        let ranges = known.into_iter().map(|v| (v.name.clone(), v.interval)).collect();
        Rounding { facts: simplifier.facts(domain), ranges }
    }

    /// Divisors that are never 0, each with the condition `divisor >= 1` or `divisor != 0`. A divisor is in the list if
    /// it is proved to be positive, or if the kernel always divides by it.
    fn nonzero(&mut self, kernel: &Kernel, values: &FxHashMap<Arc<str>, Expr>) -> Vec<(Expr, Expr)> {
        let mut found: Vec<(Expr, Expr)> = Vec::new();
        for site in &kernel.sites {
            let lane = self.rounded_down(&expanded(&site.expr, values));
            for divisor in divisors(&lane, &self.ranges) {
                if found.iter().any(|(known, _)| *known == divisor) {
                    continue;
                }
                let is_positive = divisor.ge(1);
                if self.facts.prove(&is_positive).is_ok_and(|proved| proved == Some(true)) {
                    found.push((divisor, is_positive));
                } else if site.context.is_none() && site.place.block == 0 {
                    found.push((divisor.clone(), divisor.differs(0)));
                }
            }
        }
        found
    }

    /// The variables of the source that are divisors, and that are not known to be positive.
    fn unknown_signs(
        &mut self,
        kernel: &Kernel,
        values: &FxHashMap<Arc<str>, Expr>,
        nonzero: &[(Expr, Expr)],
    ) -> Vec<Arc<str>> {
        let mut found: Vec<Arc<str>> = Vec::new();
        for site in &kernel.sites {
            let lane = self.rounded_down(&expanded(&site.expr, values));
            for divisor in divisors(&lane, &self.ranges) {
                // if the dividend is unsigned, a signed divisor is converted, which the expression writes as modulo
                // 2^32
                let is_wrapped = *divisor.op() == Op::FloorMod && divisor.args()[1].as_const() == Some(1 << 32);
                let written = if is_wrapped { &divisor.args()[0] } else { &divisor };
                let Op::Var(name) = written.op() else { continue };
                let is_written = kernel.variables.get(name).is_some_and(|known| known.spelling == **name);
                let is_positive = nonzero.iter().any(|(known, fact)| *known == divisor && *fact == divisor.ge(1));
                if is_written && !is_positive && !found.contains(name) {
                    found.push(name.clone());
                }
            }
        }
        found
    }

    /// `e` with floor divisions in the place of truncating divisions, if the numerator is not negative and the divisor
    /// is positive.
    fn rounded_down(&mut self, e: &Expr) -> Expr {
        self.all_rounded_down(std::slice::from_ref(e)).pop().unwrap_or_else(|| e.clone())
    }

    fn all_rounded_down(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        let dag = Dag::with_origins(exprs);
        let is_changed = |op: &Op| op.is_truncation() || op.is_shift() || *op == Op::BitAnd;
        if !dag.nodes().iter().any(|node| is_changed(&node.op)) {
            return exprs.to_vec();
        }
        let known = intervals_of(&dag, |name| self.ranges.get(name).copied().unwrap_or(Interval::ALL));
        let facts = &mut self.facts;
        dag.rebuilt(|id, args| {
            let node = &dag.nodes()[id as usize];
            let mut is_above = |i: usize, least: i64| {
                let lo = |range: Interval| range.lo() >= Some(least);
                lo(known[node.args[i] as usize]) || facts.bounds(&args[i]).is_ok_and(lo)
            };
            match node.op {
                Op::TruncDiv if is_above(0, 0) && is_above(1, 1) => Some(args[0].floor_div(args[1].clone())),
                Op::TruncMod if is_above(0, 0) && is_above(1, 1) => Some(args[0].floor_mod(args[1].clone())),
                ref op => as_division(op, args),
            }
        })
    }
}

/// A shift or mask by a power of two, written as a product, quotient or remainder. Both forms are the same machine
/// instruction.
fn as_division(op: &Op, args: &[Expr]) -> Option<Expr> {
    const MOST: i64 = 62;
    let [a, b] = args else { return None };
    let bits = b.as_const()?;
    match op {
        Op::Shl if (0..=MOST).contains(&bits) => Some(a.clone() * (1i64 << bits)),
        Op::Shr if (0..=MOST).contains(&bits) => Some(a.floor_div(1i64 << bits)),
        Op::BitAnd if (1..1 << MOST).contains(&bits) && (bits + 1).count_ones() == 1 => Some(a.floor_mod(bits + 1)),
        _ => None,
    }
}

/// A form of `e` for the comparison of texts. Shifts and masks become products, quotients and remainders, all divisions
/// become floor divisions, and the modulo 2^32 of unsigned types is removed. If two values have equal forms, their
/// texts differ only in shifts, masks and conversions.
pub(crate) fn form_of_text(e: &Expr) -> Expr {
    let dag = Dag::new(std::slice::from_ref(e));
    let new = dag.rebuilt(|id, args| match (&dag.nodes()[id as usize].op, args) {
        (Op::FloorMod, [inner, modulus]) if modulus.as_const() == Some(1 << 32) => Some(inner.clone()),
        (Op::TruncDiv, [a, b]) => Some(a.floor_div(b.clone())),
        (Op::TruncMod, [a, b]) => Some(a.floor_mod(b.clone())),
        (op, args) => as_division(op, args),
    });
    new.into_iter().next().unwrap_or_else(|| e.clone())
}

/// The divisors in `e` whose ranges contain 0, and by which every computation of `e` divides.
fn divisors(e: &Expr, ranges: &FxHashMap<Arc<str>, Interval>) -> Vec<Expr> {
    let (mut found, mut stack): (Vec<Expr>, _) = (Vec::new(), vec![e]);
    while let Some(e) = stack.pop() {
        let args = e.args();
        if let (true, Some(divisor)) = (e.op().is_division(), args.get(1)) {
            let range = quaff::domain::interval_of(divisor, |name| ranges.get(name).copied().unwrap_or(Interval::ALL));
            if range.contains(0) && divisor.as_const().is_none() && !found.contains(divisor) {
                found.push(divisor.clone());
            }
        }
        match e.op() {
            Op::Select | Op::And | Op::Or => stack.extend(args.first()),
            _ => stack.extend(args),
        }
    }
    found
}
