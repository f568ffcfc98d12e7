//! Answers questions about the points of a domain, and keeps its e-graphs for later questions.
//!
//! [`Facts`] answers the questions that compilers have besides simplification: what is the range of `x`, and does
//! `x < n` always hold? A question uses only the variables of its expression, and the variables and conditions that are
//! connected with these. Such a set, with its e-graph, is a *place*. The e-graph is made once, and each question works
//! on a copy of it. If a condition is added, the e-graph of the other conditions is copied and extended. Conditions are
//! added in *levels*, one for each branch that the compiler enters. The questions are in `questions.rs`.

use super::budget::for_call;
use super::error::SimplifyError;
use super::problem::{Ground, Problem};
use super::search::Search;
use super::settings::Settings;
use crate::domain::{Connected, Domain, Points};
use crate::egraph::normal::graph::EGraph;
use crate::expr::{Dag, Expr};
use egg::Id;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// The number of points at which an expression is evaluated before a tighter end of its range is proved.
const POINTS: usize = 64;
/// The seed that chooses these points.
const SEED: u64 = 1;

/// The maximum number of places that one level keeps, which bounds the memory. The oldest place is removed first.
const MAX_PLACES: usize = 64;

/// Proofs of facts about expressions at the points of one domain.
///
/// Every answer holds at all points at which the expression has a value. If a fact cannot be proved, the answer is
/// weaker: an open end of a range, a congruence modulo 1, or `None`. Questions about one domain take the least time if
/// one `Facts` answers all of them.
///
/// A compiler that walks a program has more facts inside of a branch than outside. [`push`](Self::push) begins a level,
/// and [`pop`](Self::pop) ends it. Added conditions and variables hold until their level ends. E-graphs of outer levels
/// are reused.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
///
/// let simplifier = Simplifier::default();
/// let mut facts = simplifier.facts(&"m=1..64, n=1..64, pid=0..m*n-1".parse::<Domain>()?);
/// assert_eq!(facts.bounds(&"pid//n".parse()?)?.to_string(), "0..63");
/// assert_eq!(facts.prove(&"pid//n < m".parse()?)?, Some(true));
/// assert_eq!(facts.equal(&"pid//n*n + pid%n".parse()?, &"pid".parse()?)?, Some(true));
///
/// // if (pid < n) {
/// facts.push();
/// facts.assume("pid < n".parse()?);
/// assert_eq!(facts.prove(&"pid//n == 0".parse()?)?, Some(true));
/// // }
/// facts.pop();
/// assert_eq!(facts.prove(&"pid//n == 0".parse()?)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Facts {
    pub(super) settings: Settings,
    /// The facts outside of all levels.
    outside: Level,
    /// The levels that have begun and not ended.
    levels: Vec<Level>,
}

/// A domain, and the e-graphs that were made for questions about it.
struct Level {
    domain: Domain,
    /// The domain, divided into sets of connected variables and conditions. Computed for the first question.
    connected: Option<Connected>,
    /// The place for each set of variables that a question used. Variables are given by their positions in the domain.
    known: FxHashMap<Vec<usize>, Rc<Place>>,
    /// The places that were made for this level, newest last.
    places: Vec<Rc<Place>>,
}

/// A connected set of variables and conditions, with its e-graphs.
pub(super) struct Place {
    pub(super) domain: Domain,
    /// The e-graph of the conditions in normal form, before any rule runs.
    entered: Ground,
    /// The result of [`Place::searched`], made when first needed.
    searched: OnceCell<Ground>,
    /// The result of [`Place::points`], made when first needed.
    points: OnceCell<Vec<Vec<i128>>>,
}

impl Facts {
    /// Facts about `domain`. Nothing is computed before the first question.
    pub(crate) fn new(settings: &Settings, domain: &Domain) -> Facts {
        Facts { settings: settings.clone(), outside: Level::new(domain.clone()), levels: Vec::new() }
    }

    /// The domain of the questions: the declarations and assumptions outside of all levels and in each open level.
    pub fn domain(&self) -> &Domain {
        &self.levels.last().unwrap_or(&self.outside).domain
    }

    /// Begins a level. Facts that are added after this hold until the level [ends](Self::pop). The time is linear in
    /// the size of the domain.
    pub fn push(&mut self) {
        self.levels.push(Level::new(self.domain().clone()));
    }

    /// Ends the level that was begun last. Returns whether there was one.
    pub fn pop(&mut self) -> bool {
        self.levels.pop().is_some()
    }

    /// Assumes `condition`, see [`Domain::assume`]. If it contradicts the other conditions, questions that are
    /// connected with it return an error.
    pub fn assume(&mut self, condition: Expr) {
        self.add(&Domain::new().assume(condition));
    }

    /// Adds the variables and conditions of `more`, as [`Domain::and`] does. Questions that are not connected with them
    /// take no more time.
    ///
    /// ```
    /// use quaff::Simplifier;
    ///
    /// let mut facts = Simplifier::default().facts(&"n=1..4096".parse()?);
    /// facts.push();
    /// facts.add(&"i=0..n-1, assume n % 8 == 0".parse()?);
    /// assert_eq!(facts.prove(&"i//8 < n//8".parse()?)?, Some(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, more: &Domain) {
        let level = self.level();
        level.domain = std::mem::take(&mut level.domain).and(more);
        level.connected = None;
        level.known.clear();
    }

    /// The innermost level.
    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().unwrap_or(&mut self.outside)
    }

    /// The variables and conditions that are connected with `exprs`.
    pub(super) fn connected(&mut self, exprs: &[Expr]) -> Domain {
        let level = self.level();
        level.connected.get_or_insert_with(|| Connected::new(&level.domain)).about(exprs)
    }

    /// The place with the facts about `exprs`.
    pub(super) fn place(&mut self, exprs: &[Expr]) -> Result<Rc<Place>, SimplifyError> {
        let dag = Dag::new(exprs);
        let mut used: Vec<usize> = dag.variables().filter_map(|name| self.domain().position(name)).collect();
        used.sort_unstable();
        if let Some(place) = self.level().known.get(&used) {
            return Ok(place.clone());
        }
        let about = self.connected(exprs);
        let place = self.place_of(&about.seen_from(exprs))?;
        let level = self.level();
        if level.known.len() >= MAX_PLACES {
            level.known.clear();
        }
        level.known.insert(used, place.clone());
        Ok(place)
    }

    /// The place of `domain`. Its e-graph extends an e-graph with fewer assumptions, if there is one.
    fn place_of(&mut self, domain: &Domain) -> Result<Rc<Place>, SimplifyError> {
        let levels = std::iter::once(&self.outside).chain(&self.levels).rev();
        let known: Vec<&Rc<Place>> = levels.flat_map(|level| level.places.iter().rev()).collect();
        if let Some(place) = known.iter().find(|place| place.domain == *domain) {
            return Ok(Rc::clone(place));
        }
        let with_less = known.iter().filter_map(|place| Some((domain.assumptions_beyond(&place.domain)?, place)));
        let entered = match with_less.min_by_key(|(more, _)| more.len()) {
            Some((more, place)) => place.entered.within(&self.settings, domain, more)?,
            None => Ground::new(&self.settings, domain)?,
        };
        let place = Rc::new(Place {
            domain: domain.clone(),
            entered: entered.settled(domain)?,
            searched: OnceCell::new(),
            points: OnceCell::new(),
        });
        let level = self.level();
        if level.places.len() >= MAX_PLACES {
            level.places.remove(0);
        }
        level.places.push(place.clone());
        Ok(place)
    }

    /// Adds `exprs` to the e-graph of their place, without running rules, and returns the result of `found` on their
    /// classes. `None` if an expression has no normal form. The search that follows then reports the reason.
    pub(super) fn in_normal_form<T>(
        &mut self,
        exprs: &[Expr],
        found: impl FnOnce(&EGraph, &[Id]) -> Option<T>,
    ) -> Result<Option<T>, SimplifyError> {
        let place = self.place(exprs)?;
        let call = for_call(&self.settings, exprs);
        match Problem::on(&place.entered, &call, Dag::new(exprs), &place.domain) {
            Err(SimplifyError::Domain(e)) => Err(e.into()),
            Err(_) => Ok(None),
            Ok(problem) => Ok(found(&problem.e, &problem.roots)),
        }
    }
}

impl Place {
    /// Some points of the domain. The values of an expression at these points are in its range.
    pub(super) fn points(&self) -> &[Vec<i128>] {
        self.points.get_or_init(|| {
            let wide = |point: Vec<i64>| point.into_iter().map(i128::from).collect();
            Points::new(&self.domain, SEED)
                .map_or_else(|_| Vec::new(), |points| points.take(POINTS).map(wide).collect())
        })
    }

    /// The e-graph of the conditions after the rules have run. Searches begin with a copy of it.
    pub(super) fn searched(&self, settings: &Settings) -> Result<&Ground, SimplifyError> {
        if let Some(known) = self.searched.get() {
            return Ok(known);
        }
        let call = for_call(settings, &[]);
        let mut search = Search::of(&call, Problem::on(&self.entered, &call, Dag::new(&[]), &self.domain)?);
        search.saturate(&call);
        Ok(self.searched.get_or_init(|| search.graph.into_ground()))
    }
}

impl Level {
    fn new(domain: Domain) -> Level {
        Level { domain, connected: None, known: FxHashMap::default(), places: Vec::new() }
    }
}
