//! [`Indices`]: sets and reads the indices of dimensions, and explains where each index comes from.

use super::error::{DimsError, ErrorKind};
use super::flow::{Fact, Fault, Source, State};
use super::layout::Layout;
use super::loops::Loop;
use super::report::{Direction, EquationState, Origin, ScopeRef, Solved};
use super::symbols::shared;
use super::{Dim, DimRef, Equation, Scope, Term};
use quaff::domain::{Bounds, Domain, Interval, intervals_of};
use quaff::expr::{Dag, Expr, Op, int};
use std::fmt;
use std::sync::Arc;

/// The indices of a frozen [`Dims`](super::Dims). Some are set by the caller, and the others follow from the active
/// equations.
///
/// After every change, the equations of the root and of the entered scopes are propagated to a fixed point. Setting an
/// index takes time proportional to the number of indices that it solves. Reading is a look-up. Clones are independent.
///
/// A call that returns an error changes nothing.
#[derive(Clone)]
pub struct Indices {
    pub(super) state: State,
}

impl Indices {
    pub(super) fn new(layout: Arc<Layout>) -> Indices {
        Indices { state: State::new(layout) }
    }

    /// The size of `dim`.
    ///
    /// # Errors
    /// `run_time` when the size is known only at run time. `foreign_dim`, as in all methods, for a handle of another
    /// `Dims`.
    pub fn size(&self, dim: Dim) -> Result<i64, DimsError> {
        self.number(self.dim(dim, "to ask for a size")?, "`size`")
    }

    /// The size of `dim` as an expression over the [run-time sizes](super::Dims::run_time). It is a constant if the
    /// size is a number.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub fn size_expr(&self, dim: Dim) -> Result<Expr, DimsError> {
        Ok(self.layout().size_expr(self.dim(dim, "to ask for a size")?))
    }

    /// Sets the index of `dim` to `value` and solves all indices that follow from it.
    ///
    /// The value must be a valid index: `0 <= value < size(dim)` is proved from the ranges of variables and the
    /// [conditions](Indices::assume_that). If the value has a variable without facts, it is assumed to be a valid
    /// index. A variable that is used as the index of a dimension gets its range from this dimension. An index may be
    /// beyond the end only in a tail, the last part of a dimension that a product does not divide. For a tail, let a
    /// product [cover](super::Dims::covered) the dimension, or set the index under the condition of the guard.
    ///
    /// Setting the index of a dimension of size 1 changes no other index. If the range of the value does not prove that
    /// the value is valid, the engine searches for a proof.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let (thread, leader) = (dims.dim("thread", 256)?, dims.dim("leader", 32)?);
    /// # let mut ix = dims.init()?;
    /// ix.set(thread, var("t"))?; // t is in 0..256
    /// assert_eq!(ix.set(leader, var("t")).unwrap_err().name(), "out_of_range");
    /// {
    ///     let mut ix = ix.frame(); // inside of `if (t < 32)`
    ///     ix.assume_that(var("t").lt(32));
    ///     ix.set(leader, var("t"))?;
    /// }
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The codes are:
    ///
    /// - `already_solved` when the index of `dim` is already known;
    /// - `conflict` when the other side of an equation has a solved index too;
    /// - `overdetermined` when an equation would have to be solved for a dimension that occurs in it twice;
    /// - `out_of_range` when `value` is not proved to be a valid index of `dim`.
    pub fn set(&mut self, dim: Dim, value: impl Into<Expr>) -> Result<(), DimsError> {
        let d = self.dim(dim, "to set an index")?;
        let value = value.into();
        self.check_unsolved(d)?;
        self.transaction(
            |ix| format!("when `{}` is set to `{value}`", ix.layout().model.dims[d].label),
            |ix| {
                ix.check_index(d, &value)?;
                if ix.layout().sizes[d].is_one() {
                    return Ok(Ok(()));
                }
                Ok(ix.state.set(d as u32, value.clone(), Source::External))
            },
        )
    }

    /// States the range of a variable, such as a value loaded from memory, until the current frame ends.
    ///
    /// The ranges of loop variables, and of variables that are set as indices, are known without this call.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let page = dims.dim("page", 64)?;
    /// # let mut ix = dims.init()?;
    /// ix.assume("table", 64..=127);
    /// assert_eq!(ix.set(page, var("table")).unwrap_err().name(), "out_of_range");
    /// ix.set(page, var("table") - 64)?;
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    pub fn assume(&mut self, variable: &str, bounds: impl Into<Bounds>) {
        let (name, bounds): (Arc<str>, Bounds) = (variable.into(), bounds.into());
        let end = |e: Option<&Expr>| e.and_then(Expr::as_const);
        let stated = Interval::new(end(bounds.lower()).unwrap_or(i64::MIN), end(bounds.upper()).unwrap_or(i64::MAX));
        let known = self.range(&name);
        // An empty range is reported by `Domain::resolve`, which also checks symbolic ends.
        self.state.set_range(&name, stated.and_then(|s| s.meet(known)).unwrap_or(known));
        self.state.state_fact(Fact::Bounds(name, bounds));
    }

    /// States a condition that holds until the current frame ends, such as the condition of an `if` around the code.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let (row, slot) = (dims.dim("row", 64)?, dims.dim("slot", 8)?);
    /// # let mut ix = dims.init()?;
    /// ix.set(row, var("r"))?;
    /// ix.assume_that(var("r").ge(8).and(var("r").lt(16)));
    /// ix.set(slot, var("r") - 8)?;
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    pub fn assume_that(&mut self, condition: impl Into<Expr>) {
        let condition = condition.into();
        self.mention(&Dag::new(std::slice::from_ref(&condition)));
        self.state.state_fact(Fact::Condition(condition));
    }

    /// States that a variable is `residue` modulo `modulus` (at least 1), until the current frame ends. An example is a row length
    /// that is a multiple of the vector width.
    pub fn assume_stride(&mut self, variable: &str, modulus: i64, residue: i64) {
        self.state.state_fact(Fact::Stride(variable.into(), modulus, residue));
    }

    /// The index of `dim` as the solver built it, without simplification. It is a sum of products of index and stride,
    /// in which digits are written with `//` and `%`.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// let (thread, warp, lane) = (dims.dim("thread", 256)?, dims.dim("warp", None)?, dims.dim("lane", 32)?);
    /// dims.eq(thread, (warp, lane))?;
    /// let mut ix = dims.init()?;
    /// ix.set(thread, var("t"))?;
    /// assert_eq!(ix.get_raw(warp)?.to_string(), "t//32");
    /// assert_eq!(ix.get_raw(lane)?.to_string(), "t%32");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// [`get`](Indices::get) returns the simplified index. An index that equals a product of dimensions of size 1 reads
    /// as 0 until it is set or looped over. So a program stays valid when one of its sizes is changed to 1.
    ///
    /// # Errors
    /// `unsolved`, with the equations that mention `dim` and their unsolved dimensions.
    pub fn get_raw(&self, dim: Dim) -> Result<Expr, DimsError> {
        Ok(self.at_first(&self.solved(dim)?))
    }

    /// The index of `dim` as a function of the lanes of open vector regions.
    pub(crate) fn solved(&self, dim: Dim) -> Result<Expr, DimsError> {
        let d = self.dim(dim, "to read an index")?;
        self.read(d, |_, (value, _)| value.clone())
    }

    /// Whether the index of `dim` is solved, so that it cannot be set.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub fn is_solved(&self, dim: Dim) -> Result<bool, DimsError> {
        Ok(self.state.index[self.dim(dim, "to ask for an index")?].is_some())
    }

    /// The origin of the index of `dim`.
    ///
    /// # Errors
    /// `unsolved` for an index that is not known, as for [`get_raw`](Indices::get_raw).
    pub fn why_solved(&self, dim: Dim) -> Result<Origin, DimsError> {
        let d = self.dim(dim, "to ask for an index")?;
        self.read(d, origin)
    }

    /// The active equations that mention `dim` and have some solved index, but not enough to solve `dim`.
    ///
    /// The list is empty when `dim` is solved, and when none of its equations has a solved index.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub fn why_partial(&self, dim: Dim) -> Result<Vec<EquationState>, DimsError> {
        let d = self.dim(dim, "to ask for an index")?;
        if self.state.index[d].is_some() {
            return Ok(vec![]);
        }
        Ok(self.equations_of(d, |state, flow| state.is_active(flow) && state.is_partial(flow)))
    }

    /// The current direction in which indices flow through an equation. The list has one entry for the equation. If
    /// digit alignment has split the equation, it has one entry for each piece instead, with the most significant piece
    /// last. An entry is `None` if nothing flows yet.
    ///
    /// # Errors
    /// `foreign_dim` for an equation of another `Dims`.
    pub fn directions(&self, equation: Equation) -> Result<Vec<Option<Direction>>, DimsError> {
        let e = self.layout().model.check_equation(equation, "to ask for a direction")?;
        Ok(self.layout().by_equation[e].iter().map(|&flow| self.state.direction(flow)).collect())
    }

    /// The facts about the variables. They begin with the run-time sizes. They contain `0 <= v < size` for loop
    /// variables and for every variable that is set as an index. They also contain the assumptions about
    /// [variables](Indices::assume) and [conditions](Indices::assume_that). Every variable of a set index occurs in the
    /// facts.
    pub fn facts(&self) -> Domain {
        self.state.domain()
    }

    /// The indices that were set by the caller, in order of declaration, with their values and sizes. Each value is in
    /// `0..size`. Unlike [`facts`](Indices::facts), this includes values that are not a single variable.
    pub fn settings(&self) -> impl Iterator<Item = (DimRef, &Expr, Expr)> {
        let set = self.state.index.iter().enumerate();
        set.filter_map(|(d, index)| match index {
            Some((value, Source::External)) => {
                Some((self.layout().model.dim_ref(d), value, self.layout().size_expr(d)))
            }
            _ => None,
        })
    }

    /// The entered scopes in order, without the root.
    pub fn active_scopes(&self) -> Vec<ScopeRef> {
        self.state.scopes.iter().map(|&s| self.scope_ref(s)).collect()
    }

    /// The open loops, outermost first.
    pub fn loops(&self) -> &[Loop] {
        &self.state.loops
    }

    /// The run-time sizes (the name, range and step of each) and the assumptions about them.
    pub(crate) fn run_time_sizes(&self) -> (impl Iterator<Item = (&Arc<str>, Interval, i64)>, &[Expr]) {
        let model = &self.layout().model;
        (model.parameters.iter().map(|p| (&p.name, p.range, p.step)), &model.assumptions)
    }

    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.state.layout
    }

    pub(super) fn dim(&self, dim: Dim, place: &str) -> Result<usize, DimsError> {
        self.layout().model.check_dim(dim, place)
    }

    pub(super) fn scope_ref(&self, scope: u32) -> ScopeRef {
        let model = &self.layout().model;
        ScopeRef { scope: Scope { owner: model.owner, index: scope }, path: model.scope_path(scope as usize) }
    }

    /// Returns an error if `d` already has an index. A dimension of size 1 always has an index, but setting it is
    /// allowed.
    pub(super) fn check_unsolved(&self, d: usize) -> Result<(), DimsError> {
        match &self.state.index[d] {
            Some(index) if !self.layout().sizes[d].is_one() => {
                let dim = self.layout().model.dim_ref(d);
                Err(ErrorKind::AlreadySolved { dim, origin: origin(&self.state, index) }.into())
            }
            _ => Ok(()),
        }
    }

    /// Runs `change`. If it fails, all changes are undone. The description of the error is made before the changes are
    /// undone, because it shows the state of the failure.
    pub(super) fn transaction(
        &mut self,
        cause: impl Fn(&Indices) -> String,
        change: impl FnOnce(&mut Indices) -> Result<Result<(), Fault>, DimsError>,
    ) -> Result<(), DimsError> {
        let mark = self.state.mark();
        let error = match change(self) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(fault)) => self.describe(fault, cause(self)),
            Err(error) => error,
        };
        self.state.rewind(mark);
        Err(error)
    }

    fn describe(&self, fault: Fault, cause: String) -> DimsError {
        let layout = self.layout();
        let text = |flow: u32| layout.model.equation_ref(layout.flows[flow as usize].equation as usize);
        match fault {
            Fault::Conflict(flow) => {
                let [left, right] = [0, 1].map(|s| self.touched_by(flow, s));
                ErrorKind::Conflict { equation: text(flow), left, right, cause }.into()
            }
            Fault::Repeated(flow, dim) => {
                let dim = layout.model.dim_ref(dim as usize);
                ErrorKind::Overdetermined { equation: text(flow), dim, cause }.into()
            }
            Fault::Sign(flow, dim, coefficient) => {
                let dim = layout.model.dim_ref(dim as usize);
                ErrorKind::Sign { equation: text(flow), dim, coefficient, cause }.into()
            }
        }
    }

    /// The solved digits of one side of a flow (an equation, or a piece of one). Digits that the flow itself solved are
    /// left out.
    fn touched_by(&self, flow: u32, side: usize) -> Vec<Solved> {
        let mut touched: Vec<Solved> = vec![];
        for digit in &self.layout().flows[flow as usize].sides[side].digits {
            match &self.state.index[digit.dim as usize] {
                Some(index) if !matches!(index.1, Source::Flow(by) if by == flow) => {
                    let dim = self.layout().model.dim_ref(digit.dim as usize);
                    let solved = Solved { dim, origin: origin(&self.state, index) };
                    if !touched.contains(&solved) {
                        touched.push(solved);
                    }
                }
                _ => {}
            }
        }
        touched
    }

    /// Returns an error unless `value` is a valid index of `d` by the facts about its variables. If `value` is a
    /// variable, records its range.
    fn check_index(&mut self, d: usize, value: &Expr) -> Result<(), DimsError> {
        let size = self.layout().size_expr(d);
        let indices = self.index_range(d);
        let dag = Dag::new(std::slice::from_ref(value));
        let ranges = intervals_of(&dag, |name| self.range(name));
        let range = ranges[dag.roots()[0] as usize];
        let met = range.meet(indices);
        let is_open = dag.variables().any(|name| !self.is_known(name));
        let Some(met) = met.filter(|_| is_open || self.is_index(d, value, range)) else {
            let dim = self.layout().model.dim_ref(d);
            let never = met.is_none();
            return Err(ErrorKind::OutOfRange { dim, size, value: value.clone(), range, never }.into());
        };
        if self.layout().sizes[d].is_one() {
            return Ok(());
        }
        self.mention(&dag);
        if let Op::Var(name) = value.op() {
            self.state.set_range(name, met);
            self.state.state_fact(Fact::Bounds(name.clone(), (int(0)..size).into()));
        }
        Ok(())
    }

    /// Whether `value` with the range `range` is proved to be a valid index of `d`.
    fn is_index(&self, d: usize, value: &Expr, range: Interval) -> bool {
        let least = self.layout().symbols.range(&self.layout().sizes[d]).lo().unwrap_or(1);
        range.within(0, i128::from(least) - 1) || {
            let condition = int(0).le(value).and(value.lt(self.layout().size_expr(d)));
            matches!(shared().facts(&self.facts()).prove(&condition), Ok(Some(true)))
        }
    }

    /// Whether the variable has a numeric bound.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.range(name) != Interval::ALL
    }

    /// Adds the variables of `dag` that have no facts yet.
    fn mention(&mut self, dag: &Dag) {
        for name in dag.variables() {
            if !self.state.ranges.contains_key(name) {
                self.state.set_range(name, Interval::ALL);
                self.state.state_fact(Fact::Bounds(name.clone(), Bounds::from(..)));
            }
        }
    }

    /// The numeric range of the indices of `d`.
    pub(super) fn index_range(&self, d: usize) -> Interval {
        let sizes = self.layout().symbols.range(&self.layout().sizes[d]);
        Interval::from_wide(0, sizes.hi().map_or(i128::MAX, |hi| i128::from(hi) - 1))
    }

    /// The size of `d` as a number. The error names `what` as the use that needs a number.
    pub(super) fn number(&self, d: usize, what: &'static str) -> Result<i64, DimsError> {
        let run_time = || {
            let (dim, size) = (self.layout().model.dim_ref(d), self.layout().size_expr(d));
            ErrorKind::RunTime { dim, size, what }.into()
        };
        self.layout().sizes[d].as_number().ok_or_else(run_time)
    }

    fn range(&self, name: &str) -> Interval {
        self.state.ranges.get(name).copied().unwrap_or(Interval::ALL)
    }

    pub(super) fn unsolved(&self, d: usize) -> DimsError {
        let dim = self.layout().model.dim_ref(d);
        let active = self.equations_of(d, |state, flow| state.is_active(flow));
        let inactive = self.equations_of(d, |state, flow| !state.is_active(flow));
        ErrorKind::Unsolved { dim, active, inactive }.into()
    }

    /// The equations that have `d` as a digit in a flow that `wanted` accepts, without duplicates.
    fn equations_of(&self, d: usize, wanted: impl Fn(&State, u32) -> bool) -> Vec<EquationState> {
        let layout = self.layout();
        let flows = layout.uses[d].iter().map(|&(flow, _)| flow).filter(|&flow| wanted(&self.state, flow));
        let mut equations: Vec<u32> = flows.map(|flow| layout.flows[flow as usize].equation).collect();
        equations.dedup();
        let state_of = |e: u32| {
            let equation = &layout.model.equations[e as usize];
            let mut others: Vec<(DimRef, bool)> = vec![];
            for term in equation.sides.iter().flatten() {
                if let Term::Dim(other) = *term
                    && other.index() != d
                    && others.iter().all(|(seen, _)| seen.dim != other)
                {
                    others.push((layout.model.dim_ref(other.index()), self.state.index[other.index()].is_some()));
                }
            }
            let (text, scope) = (equation.text.clone(), self.scope_ref(equation.scope));
            EquationState { equation: layout.model.equation(e as usize), text, scope, others }
        };
        equations.into_iter().map(state_of).collect()
    }
}

/// Writes the solved dimensions above size 1 with their indices.
impl fmt::Debug for Indices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solved = self.state.index.iter().enumerate().filter(|&(d, _)| !self.layout().sizes[d].is_one());
        let named =
            solved.filter_map(|(d, index)| Some((self.layout().model.dim_ref(d), self.at_first(&index.as_ref()?.0))));
        f.debug_map().entries(named).finish()
    }
}

fn origin(state: &State, (value, source): &(Expr, Source)) -> Origin {
    match source {
        Source::SizeOne => Origin::SizeOne,
        Source::External => Origin::External(value.clone()),
        Source::Loop(variable) => Origin::Loop(variable.clone()),
        Source::Vectorize => Origin::Vectorize,
        &Source::Flow(flow) => {
            let layout = &state.layout;
            let equation = layout.flows[flow as usize].equation as usize;
            // the direction is found from the digits that the flow solved, because a side that reads as 0 stores no
            // direction
            let to_left = layout.flows[flow as usize].sides[0].digits.iter().any(|digit| {
                state.index[digit.dim as usize]
                    .as_ref()
                    .is_some_and(|(_, s)| matches!(s, Source::Flow(f) if *f == flow))
            });
            let direction = if to_left { Direction::Backward } else { Direction::Forward };
            let text = layout.model.equations[equation].text.clone();
            Origin::Equation { equation: layout.model.equation(equation), text, direction }
        }
    }
}
