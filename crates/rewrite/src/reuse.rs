//! Names for values: those that the file has, and new ones for what several sites compute.

use crate::model::{Kernel, Place, variables_of};
use crate::question::Question;
use quaff::Simplifier;
use quaff::expr::{Dag, Expr, int, var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The values of the definitions of a kernel, each with its variable.
pub(crate) struct Known {
    by_value: FxHashMap<Expr, Vec<Arc<str>>>,
    /// The cheaper form of the value of a definition, where there is one.
    pub(crate) cheaper: FxHashMap<Arc<str>, Expr>,
}

impl Known {
    pub(crate) fn new(kernel: &Kernel, question: &Question, simplifier: &Simplifier) -> Known {
        let mut known = Known { by_value: FxHashMap::default(), cheaper: FxHashMap::default() };
        for definition in kernel.definitions.iter().filter(|d| d.is_constant) {
            let Some(value) = question.values.get(&definition.variable) else { continue };
            known.add(value.clone(), &definition.variable);
            let Some(inside) = question.inside(definition.site) else { continue };
            let Ok(simpler) = simplifier.simplify(value, &inside) else { continue };
            if simpler.expr() != value {
                known.add(simpler.expr().clone(), &definition.variable);
                if simpler.cost() < simpler.input_cost() {
                    known.cheaper.insert(definition.variable.clone(), simpler.expr().clone());
                }
            }
        }
        known
    }

    fn add(&mut self, value: Expr, variable: &Arc<str>) {
        if !value.args().is_empty() {
            self.by_value.entry(value).or_default().push(variable.clone());
        }
    }

    /// `e` with variables in the place of their values, where these are visible at `place`; `own` is a variable that is not.
    pub(crate) fn named(&self, kernel: &Kernel, e: &Expr, place: Place, own: Option<&str>) -> Expr {
        let is_usable = |name: &&Arc<str>| {
            own != Some(&***name) && kernel.variables.get(*name).is_some_and(|v| kernel.is_visible(v.declared, place))
        };
        rebuilt(e, |part| self.by_value.get(part)?.iter().find(is_usable).map(|name| var(name.clone())))
    }
}

/// `e`, in which `value_of` gives other expressions for some parts, the largest first.
fn rebuilt(e: &Expr, value_of: impl Fn(&Expr) -> Option<Expr>) -> Expr {
    let dag = Dag::with_origins(std::slice::from_ref(e));
    let mut new: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for (id, node) in (0..).zip(dag.nodes()) {
        let args = node.args().iter().map(|&a| new[a as usize].clone());
        let rebuilt = match node.args() {
            [] => dag.origin(id).clone(),
            _ => value_of(dag.origin(id))
                .unwrap_or_else(|| Expr::try_new(node.op.clone(), args).unwrap_or_else(|_| int(0))),
        };
        new.push(rebuilt);
    }
    dag.roots().first().map_or_else(|| e.clone(), |&root| new[root as usize].clone())
}

/// A value that a new variable names.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    pub(crate) variable: Arc<str>,
    pub(crate) expr: Expr,
    /// The statement that it is put in front of.
    pub(crate) place: Place,
    /// What holds there.
    pub(crate) context: Option<usize>,
}

/// An expression at a site.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) site: usize,
    pub(crate) expr: Expr,
}

/// Operations of a value that gets a name when it is used more than once.
const LARGE: u64 = 5;

/// Names for values that `uses` compute several times; the expressions have them then.
pub(crate) fn shared(kernel: &Kernel, uses: &mut [Use]) -> Vec<Temporary> {
    let exprs: Vec<Expr> = uses.iter().map(|u| u.expr.clone()).collect();
    let dag = Dag::with_origins(&exprs);
    let count = dag.nodes().len();
    // where a node is computed, as often as texts do
    let mut places: Vec<Vec<Spot>> = vec![Vec::new(); count];
    for (used, &root) in uses.iter().zip(dag.roots()) {
        let site = &kernel.sites[used.site];
        places[root as usize].push((site.place, site.context));
    }
    let mut chosen: FxHashMap<u32, Spot> = FxHashMap::default();
    for id in (0..count as u32).rev() {
        let own = std::mem::take(&mut places[id as usize]);
        let below = match spot_for(kernel, dag.origin(id), &own) {
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

/// A statement and what holds in front of it.
type Spot = (Place, Option<usize>);

/// Uses of a value that are counted.
const MOST_USES: usize = 64;

/// Where `e` is computed for all of `uses`; `None` where it gets no name.
fn spot_for(kernel: &Kernel, e: &Expr, uses: &[Spot]) -> Option<Spot> {
    if uses.len() < 2 || e.tree_size() < LARGE && !has_division(e) || e.op().is_truth() || e.args().is_empty() {
        return None;
    }
    let places: Vec<Place> = uses.iter().map(|(place, _)| *place).collect();
    let place = kernel.in_front_of(&places)?;
    let known = |name: &Arc<str>| kernel.variables.get(name);
    let is_usable = |name| known(name).is_some_and(|v| !v.changes && kernel.is_visible(v.declared, place));
    // what is not known in front of the statement may have no value there
    let context = kernel.context_at(place);
    let is_same = uses.iter().all(|(_, own)| *own == context);
    (variables_of(e).iter().all(is_usable) && is_same).then_some((place, context))
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
    let mut new: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for (id, node) in (0..).zip(dag.nodes()) {
        let args = node.args().iter().map(|&a| new[a as usize].clone());
        let expr = match node.args() {
            [] => dag.origin(id).clone(),
            _ => Expr::try_new(node.op.clone(), args).unwrap_or_else(|_| dag.origin(id).clone()),
        };
        let expr = match name_of(id) {
            Some(((place, context), name)) => {
                let variable: Arc<str> = name.into();
                temporaries.push(Temporary { variable: variable.clone(), expr, place, context });
                var(variable)
            }
            None => expr,
        };
        new.push(expr);
    }
    for (used, &root) in uses.iter_mut().zip(dag.roots()) {
        used.expr = new[root as usize].clone();
    }
    temporaries
}
