//! Methods of [`Dims`] about sizes that are known at run time.

use super::declare::{Dims, check_name};
use super::error::{DimsError, ErrorKind};
use super::model::{Parameter, Relation};
use super::product::Product;
use super::{Dim, Equation, IntoSide};
use quaff::domain::{Congruence, Interval};
use quaff::emit::is_free_name;
use quaff::expr::Expr;
use std::ops::RangeInclusive;

impl Dims {
    /// A new dimension whose size is a parameter of the kernel: any multiple of `step` in `range`, with both ends
    /// inclusive.
    ///
    /// The equations solve other sizes as expressions over such parameters. The steps and [assumptions](Dims::assume)
    /// must prove that each quotient is exact. Otherwise the error names the missing fact. If this fact does not hold,
    /// let a product [cover](Dims::covered) the size.
    ///
    /// A size is at least 1, so the range must start at 1 or above. An index then has a value in every loop over its
    /// dimension, and no divisor is 0. Work of size 0 needs no launch. A loop whose number of trips is known at run
    /// time stays a loop, although it may run once.
    ///
    /// A call takes constant time. If the steps alone do not make a quotient exact, the solver of sizes calls the
    /// engine ([`Facts::prove`](quaff::Facts::prove)) once for each such size.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let mut dims = Dims::new();
    /// let n = dims.run_time("N", 1..=1 << 20, 256)?;
    /// let (b, t) = (dims.dim("B", None)?, dims.dim("T", 256)?);
    /// dims.eq(n, (b, t))?;
    /// assert_eq!(dims.size_expr(b)?.to_string(), "N//256");
    ///
    /// let mut ix = dims.init()?;
    /// ix.set(b, var("b"))?;
    /// ix.set(t, var("t"))?;
    /// assert_eq!(ix.get(n)?.to_string(), "b*256 + t");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The codes are:
    ///
    /// - `bad_name` for a name that no variable of a kernel can have, or that another run-time size has;
    /// - `bad_range` for a range that starts below 1, ends beyond [`Interval::ENDS`] or contains no multiple of the
    ///   step, and for a step below 1;
    /// - `frozen` after [`init`](Dims::init).
    pub fn run_time(&mut self, name: &str, range: RangeInclusive<i64>, step: i64) -> Result<Dim, DimsError> {
        self.check_open(|| format!("a new run-time size `{name}`"))?;
        check_name(name)?;
        let refused = |reason| Err(ErrorKind::BadName { what: "run-time size", name: name.into(), reason }.into());
        if !is_free_name(name) {
            return refused("it is reserved in CUDA");
        }
        if self.model().parameters.iter().any(|p| &*p.name == name) {
            return refused("another one has it");
        }
        let (low, high) = range.into_inner();
        let bad = |reason: String| -> DimsError { ErrorKind::BadRange { name: name.into(), reason }.into() };
        if low < 1 {
            return Err(bad(format!("its range starts at {low}, below 1")));
        }
        if step < 1 {
            return Err(bad(format!("its step is {step}, below 1")));
        }
        if !Interval::ENDS.contains(&high) {
            return Err(bad(format!("its range ends at {high}, above {}", Interval::ENDS.end())));
        }
        let Some(range) = Interval::new(low, high).and_then(|stated| Congruence::new(step, 0).tighten(stated)) else {
            return Err(bad(format!("no multiple of {step} is in {low}..={high}")));
        };
        let model = self.model_mut();
        let symbol = Product::symbol(model.parameters.len() as u32);
        model.parameters.push(Parameter { name: name.into(), range, step });
        Ok(model.add_dim(name, Some(symbol)))
    }

    /// States a condition on run-time sizes that holds whenever the kernel runs, such as `heads % kv == 0`. The solver
    /// of sizes and the engine use the condition as a fact. They do not check it.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    ///
    /// let mut dims = Dims::new();
    /// let (heads, kv) = (dims.run_time("heads", 1..=128, 1)?, dims.run_time("kv", 1..=128, 1)?);
    /// let group = dims.dim("group", None)?;
    /// dims.eq(heads, (kv, group))?;
    /// assert_eq!(dims.size(group).unwrap_err().name(), "undecided");
    /// dims.assume("heads % kv == 0".parse::<quaff::expr::Expr>()?)?;
    /// assert_eq!(dims.size_expr(group)?.to_string(), "heads//kv");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `bad_name` for a variable that is not a run-time size declared earlier. `frozen` after [`init`](Dims::init).
    pub fn assume(&mut self, condition: impl Into<Expr>) -> Result<(), DimsError> {
        let condition = condition.into();
        self.check_open(|| "an assumption".to_string())?;
        for name in condition.variables() {
            if self.model().parameters.iter().all(|p| p.name != name) {
                let reason = "there is none of that name";
                return Err(ErrorKind::BadName { what: "run-time size", name, reason }.into());
            }
        }
        self.model_mut().assumptions.push(condition);
        Ok(())
    }

    /// States, in the current scope, that the product on the right is at least as large as the product on the left:
    /// `left <= right`. If one size on the right is open, it becomes the least size with `left <= right`, a quotient
    /// rounded up.
    ///
    /// Linear indices of both sides are equal, as with [`eq`](Dims::eq). An index of the right side may be beyond the
    /// end of the left side. [`Indices::inside`](super::Indices::inside) is the condition that the index is within the
    /// left side. Transfers of a [`kernel`](crate::kernel) print this condition as a guard. If the sizes of both sides
    /// are equal, there is no condition.
    ///
    /// One size may be rounded up from another size that is itself rounded up. The equations are solved again for each
    /// link of such a chain.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let mut dims = Dims::new();
    /// let n = dims.run_time("N", 1..=1 << 20, 8)?;
    /// let (b, t) = (dims.dim("B", None)?, dims.dim("T", 256)?);
    /// dims.covered(n, (b, t))?;
    /// assert_eq!(dims.size_expr(b)?.to_string(), "(N + 255)//256");
    ///
    /// let mut ix = dims.init()?;
    /// ix.set(b, var("b"))?;
    /// ix.set(t, var("t"))?;
    /// assert_eq!(ix.inside(&[n])?.unwrap().to_string(), "b*256 + t < N");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`eq`](Dims::eq). Sizes that cover too little are reported when sizes are queried.
    pub fn covered(&mut self, left: impl IntoSide, right: impl IntoSide) -> Result<Equation, DimsError> {
        self.relate(left.into_side(), right.into_side(), Relation::Covered)
    }

    /// The size of `dim` as an expression over the run-time sizes. It is a constant if the size is a number.
    ///
    /// # Errors
    /// The errors of [`size`](Dims::size), except for `run_time`.
    pub fn size_expr(&self, dim: Dim) -> Result<Expr, DimsError> {
        let index = self.model().check_dim(dim, "to ask for a size")?;
        let sizes = self.sizes()?;
        match &sizes.known[index] {
            Some(size) => Ok(sizes.symbols.expr(size)),
            None => Err(sizes.underdetermined(self.model(), Some(index))),
        }
    }
}
