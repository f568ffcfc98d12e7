//! Finds names for values: existing names of the file, and new names for values that several places compute.

use crate::answer::Answer;
use crate::model::{Kernel, Place};
use crate::question::Question;
use quaff::Simplifier;
use quaff::domain::{Domain, Points};
use quaff::expr::monomials::{Monomial, monomials, sum_of, terms_and_constant};
use quaff::expr::{Dag, Expr, Junction, Op, Program, Value, var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The values of a kernel's definitions, each with the variables that have this value.
pub(crate) struct Known {
    by_value: FxHashMap<Expr, Vec<Arc<str>>>,
    /// The values that are sums or products.
    sums: Vec<(Arc<str>, Vec<Monomial>)>,
    /// The values that are conditions with several clauses.
    conditions: Vec<(Arc<str>, Vec<Expr>)>,
    /// For each definition whose value gets a cheaper form, the cheaper form.
    pub(crate) cheaper: FxHashMap<Arc<str>, Expr>,
}

impl Known {
    pub(crate) fn new(kernel: &Kernel, question: &Question, answer: &Answer, simplifier: &Simplifier) -> Known {
        let mut known = Known {
            by_value: FxHashMap::default(),
            sums: Vec::new(),
            conditions: Vec::new(),
            cheaper: FxHashMap::default(),
        };
        for definition in kernel.definitions.iter().filter(|d| d.is_constant) {
            let Some(value) = question.values.get(&definition.variable) else { continue };
            known.add(kernel, value.clone(), &definition.variable);
            let Some(inside) = question.inside(definition.site) else { continue };
            let Ok(simpler) = simplifier.simplify(value, &inside) else { continue };
            if simpler.expr() != value {
                known.add(kernel, simpler.expr().clone(), &definition.variable);
                let cost = |e: &Expr| question.price([e], simplifier);
                if cost(simpler.expr()) < cost(question.accesses[definition.site].index()) {
                    known.cheaper.insert(definition.variable.clone(), simpler.expr().clone());
                }
            }
        }
        // if a site is a single variable, the new expression of the site is another form of the variable's value
        for (site, new) in kernel.sites.iter().zip(answer) {
            if let (Op::Var(name), Some(new)) = (site.expr.op(), new) {
                known.add(kernel, new.clone(), name);
            }
        }
        known.add_equal_quotients(kernel, question, answer, simplifier);
        known
    }

    /// Finds quotients and remainders in the new expressions that are equal to a definition but written differently,
    /// and adds them as values of its variable. A variable in place of a division saves the division.
    fn add_equal_quotients(&mut self, kernel: &Kernel, question: &Question, answer: &Answer, simplifier: &Simplifier) {
        let new: Vec<Expr> = answer.iter().flatten().chain(self.cheaper.values()).cloned().collect();
        let dag = Dag::with_origins(&new);
        let quotients = (0..dag.nodes().len() as u32).map(|id| dag.origin(id)).filter(|e| e.op().is_division());
        let mut all: Vec<Expr> =
            quotients.filter(|e| !self.by_value.contains_key(e)).take(MOST_QUOTIENTS).cloned().collect();
        let count = all.len();
        let named = kernel.definitions.iter().filter_map(|d| Some((&d.variable, question.values.get(&d.variable)?)));
        let named: Vec<(&Arc<str>, &Expr)> = named.filter(|(_, value)| value.op().is_division()).collect();
        all.extend(named.iter().map(|(_, value)| (*value).clone()));
        let prints = fingerprints(&all, question.domain());
        for (quotient, print) in all[..count].iter().zip(&prints) {
            let alike = named.iter().zip(&prints[count..]).filter(|(_, other)| *other == print && !print.is_empty());
            for ((name, value), _) in alike {
                let mut facts = simplifier.facts(&question.about(&[quotient, value], None));
                if facts.equal(quotient, value).is_ok_and(|equal| equal == Some(true)) {
                    self.add(kernel, quotient.clone(), name);
                }
            }
        }
    }

    fn add(&mut self, kernel: &Kernel, value: Expr, variable: &Arc<str>) {
        let is_large = |terms: &[Monomial]| terms.len() > 1 || terms[0].factors.len() > 1;
        if let Some((terms, constant)) = terms_and_constant(&value).filter(|(terms, _)| is_large(terms)) {
            let constant = Monomial { coefficient: constant, factors: Vec::new() };
            let all = terms.into_iter().chain([constant]).filter(|term| term.coefficient != 0);
            self.sums.push((variable.clone(), all.collect()));
        }
        let clauses: Vec<Expr> = Junction::And.clauses(&value).cloned().collect();
        if clauses.len() > 1 {
            self.conditions.push((variable.clone(), clauses));
        }
        // a name such as `tid` may replace `threadIdx.x`, but not another plain name
        let is_word = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_named = match value.op() {
            Op::Const(_) => false,
            Op::Var(name) => kernel.variables.get(name).is_some_and(|v| !is_word(&v.spelling)),
            _ => true,
        };
        if is_named {
            self.by_value.entry(value).or_default().push(variable.clone());
        }
    }

    /// `e` with values replaced by variables that are visible at `place`. The variable `own` is not used, because `e`
    /// is the value of its own definition.
    pub(crate) fn named(&self, kernel: &Kernel, e: &Expr, place: Place, own: Option<&str>) -> Expr {
        let is_usable = |name: &&Arc<str>| {
            own != Some(&***name) && kernel.variables.get(*name).is_some_and(|v| kernel.is_visible(v.declared, place))
        };
        let named = |part: &Expr| self.by_value.get(part)?.iter().find(is_usable).map(|name| var(name.clone()));
        let sums: Vec<_> = self.sums.iter().filter(|(name, _)| is_usable(&name)).collect();
        let conditions: Vec<_> = self.conditions.iter().filter(|(name, _)| is_usable(&name)).collect();
        let named_whole = |whole: &Expr| {
            if *whole.op() == Op::And {
                let found = conditions.iter().filter_map(|(name, value)| with_clause(whole, name, value));
                return found.min_by_key(Expr::tree_size);
            }
            let sum = whole;
            let found = sums.iter().filter_map(|(name, value)| with_name(sum, name, value));
            found.min_by_key(Expr::tree_size)
        };
        rebuilt(e, named, named_whole)
    }
}

/// The most quotients that are compared with definitions.
const MOST_QUOTIENTS: usize = 128;
/// The number of points at which quotients are first compared with definitions, before a proof.
const POINTS: usize = 8;

/// The values of each of `exprs` at some points of `domain`. The lists are empty if there are no points.
fn fingerprints(exprs: &[Expr], domain: &Domain) -> Vec<Vec<Value>> {
    let names: Vec<&str> = domain.vars().collect();
    let mut prints: Vec<Vec<Value>> = vec![Vec::new(); exprs.len()];
    if let (Ok(program), Ok(points)) = (Program::new(exprs, &names), Points::new(domain, 0)) {
        for point in points.take(POINTS) {
            let point: Vec<i128> = point.into_iter().map(i128::from).collect();
            prints.iter_mut().zip(program.eval(&point)).for_each(|(print, value)| print.push(value));
        }
    }
    prints
}

/// `sum`, with a multiple of `value` replaced by the same multiple of the variable `name`. `None` if the result is not
/// smaller.
fn with_name(sum: &Expr, name: &Arc<str>, value: &[Monomial]) -> Option<Expr> {
    let mut terms = monomials(sum)?;
    let first = value.first()?;
    if value.len() == 1 {
        terms.iter_mut().for_each(|term| *term = with_factor(term, name, first).unwrap_or_else(|| term.clone()));
        let new = sum_of(&terms);
        return (new.tree_size() < sum.tree_size()).then_some(new);
    }
    let of = |terms: &[Monomial], wanted: &Monomial| terms.iter().position(|term| term.has_factors_of(wanted));
    let times = terms[of(&terms, first)?].coefficient;
    let times = (times % first.coefficient == 0).then(|| times / first.coefficient)?;
    for part in value {
        let coefficient = part.coefficient.checked_mul(times)?;
        match of(&terms, part) {
            Some(at) if terms[at].coefficient == coefficient => drop(terms.remove(at)),
            Some(at) if part.factors.is_empty() => {
                terms[at].coefficient = terms[at].coefficient.checked_sub(coefficient)?
            }
            None if part.factors.is_empty() => {
                terms.push(Monomial { coefficient: coefficient.checked_neg()?, factors: Vec::new() });
            }
            _ => return None,
        }
    }
    let constants: Vec<Monomial> = terms.extract_if(.., |term| term.factors.is_empty()).collect();
    let named = Monomial { coefficient: times, factors: vec![var(name.clone())] };
    let new = sum_of([&named].into_iter().chain(&terms).chain(&constants));
    (new.tree_size() < sum.tree_size()).then_some(new)
}

/// `condition` with the clauses `value` replaced by `name`. `None` unless `condition` has all of these clauses.
fn with_clause(condition: &Expr, name: &Arc<str>, value: &[Expr]) -> Option<Expr> {
    let mut all: Vec<Expr> = Junction::And.clauses(condition).cloned().collect();
    for clause in value {
        all.remove(all.iter().position(|other| other == clause)?);
    }
    Some(all.into_iter().chain([var(name.clone())]).reduce(|a, b| a.and(b)).unwrap_or_else(|| var(name.clone())))
}

/// `term` with the factor `value` replaced by `name`.
fn with_factor(term: &Monomial, name: &Arc<str>, value: &Monomial) -> Option<Monomial> {
    let mut factors = term.factors.clone();
    for factor in &value.factors {
        factors.remove(factors.iter().position(|f| f == factor)?);
    }
    factors.push(var(name.clone()));
    let coefficient = (term.coefficient % value.coefficient == 0).then(|| term.coefficient / value.coefficient)?;
    Some(Monomial { coefficient, factors })
}

/// `e` with some parts replaced, the largest parts first. `value_of` returns the replacement of a part, if there is
/// one. `whole` does the same for a sum or conjunction that is not inside another sum or conjunction.
fn rebuilt(e: &Expr, value_of: impl Fn(&Expr) -> Option<Expr>, whole: impl Fn(&Expr) -> Option<Expr>) -> Expr {
    let is_sum = |op: &Op| matches!(op, Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::And);
    let mut e = e.clone();
    loop {
        let dag = Dag::with_origins(std::slice::from_ref(&e));
        let mut is_inner = vec![false; dag.nodes().len()];
        for node in dag.nodes().iter().filter(|node| is_sum(&node.op)) {
            node.args().iter().for_each(|&a| is_inner[a as usize] = true);
        }
        let new = dag.rebuilt(|id, _| {
            let own = dag.origin(id);
            let is_whole = is_sum(own.op()) && !is_inner[id as usize];
            value_of(own).or_else(|| if is_whole { whole(own) } else { None })
        });
        let rebuilt = new.into_iter().next().unwrap_or_else(|| e.clone());
        // each replacement must make the expression smaller
        if rebuilt.tree_size() >= e.tree_size() {
            return rebuilt;
        }
        e = rebuilt;
    }
}

/// A value that gets a new variable, because several places compute it.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    pub(crate) variable: Arc<str>,
    pub(crate) expr: Expr,
    /// The value in terms of the old variables: other new variables in it are replaced by their values.
    pub(crate) value: Expr,
    /// The statement before which the variable is defined.
    pub(crate) place: Place,
    /// The conditions that hold at that statement.
    pub(crate) context: Option<usize>,
}

/// The new expression of a site (a place of the text that computes an integer).
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) site: usize,
    pub(crate) expr: Expr,
}

/// A value with at least this many operations gets a name when it is used more than once.
const LARGE: u64 = 5;

/// Introduces names for values that `uses` compute several times, except for the values in `refused`. The expressions
/// in `uses` then contain the names.
pub(crate) fn shared(kernel: &Kernel, uses: &mut [Use], refused: &FxHashSet<Expr>) -> Vec<Temporary> {
    let exprs: Vec<Expr> = uses.iter().map(|u| u.expr.clone()).collect();
    let dag = Dag::with_origins(&exprs);
    let count = dag.nodes().len();
    // for each node, the statements that compute it. A statement is listed once for each time that its text computes
    // the node
    let mut places: Vec<Vec<Spot>> = vec![Vec::new(); count];
    for (used, &root) in uses.iter().zip(dag.roots()) {
        let site = &kernel.sites[used.site];
        places[root as usize].push((site.place, site.context));
    }
    let mut chosen: FxHashMap<u32, Spot> = FxHashMap::default();
    for id in (0..count as u32).rev() {
        let own = std::mem::take(&mut places[id as usize]);
        let value = dag.origin(id);
        let spot = spot_for(kernel, value, &own).filter(|_| !refused.contains(value));
        let below = match spot {
            Some(spot) => {
                chosen.insert(id, spot);
                vec![spot]
            }
            None => own,
        };
        for &arg in dag.nodes()[id as usize].args() {
            if places[arg as usize].len() < MOST_USES {
                places[arg as usize].extend(&below);
            }
        }
    }
    named(kernel, uses, &dag, &chosen)
}

/// A statement, and the conditions that hold before it.
pub(crate) type Spot = (Place, Option<usize>);

/// The most uses of a value that are counted.
const MOST_USES: usize = 64;

/// The statement before which `e` can be computed for all of `uses`. `None` if there is no such statement, or if `e` is
/// too small to get a variable.
fn spot_for(kernel: &Kernel, e: &Expr, uses: &[Spot]) -> Option<Spot> {
    if uses.len() < 2 || e.tree_size() < LARGE && !has_division(e) || e.op().is_truth() || e.args().is_empty() {
        return None;
    }
    let places: Vec<Place> = uses.iter().map(|(place, _)| *place).collect();
    let place = kernel.in_front_of(&places)?;
    let known = |name: &Arc<str>| kernel.variables.get(name);
    let is_usable = |name| known(name).is_some_and(|v| !v.changes && kernel.is_visible(v.declared, place));
    // before the statement, fewer conditions may hold than at the uses. If `e` may be undefined then, one use must be
    // at this statement
    let context = kernel.context_at(place);
    let is_same = uses.iter().all(|(_, own)| *own == context) || uses.contains(&(place, context));
    (e.variables().iter().all(is_usable) && (is_same || !may_fail(e))).then_some((place, context))
}

/// Whether `e` may have no value at some points.
fn may_fail(e: &Expr) -> bool {
    let is_safe = |e: &Expr| e.args()[1].as_const().is_some_and(|c| c > 0);
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if e.op().is_partial() && !is_safe(e) {
            return true;
        }
        stack.extend(e.args());
    }
    false
}

fn has_division(e: &Expr) -> bool {
    e.op().is_division()
}

fn named(kernel: &Kernel, uses: &mut [Use], dag: &Dag, chosen: &FxHashMap<u32, Spot>) -> Vec<Temporary> {
    let words: FxHashSet<&str> = kernel.words.iter().map(String::as_str).collect();
    let names = (0..).map(|n| format!("t{n}")).filter(|name| !words.contains(name.as_str()));
    let mut names = names.filter(|name| !kernel.variables.contains_key(name.as_str()));
    let mut name_of = |id: u32| chosen.get(&id).copied().and_then(|at| Some((at, names.next()?)));
    let mut temporaries: Vec<Temporary> = Vec::new();
    let new = dag.rebuilt(|id, args| {
        let ((place, context), name) = name_of(id)?;
        let (variable, value): (Arc<str>, &Expr) = (name.into(), dag.origin(id));
        let expr = Expr::try_new(value.op().clone(), args.iter().cloned()).unwrap_or_else(|_| value.clone());
        temporaries.push(Temporary { variable: variable.clone(), expr, value: value.clone(), place, context });
        Some(var(variable))
    });
    uses.iter_mut().zip(new).for_each(|(used, new)| used.expr = new);
    temporaries
}
