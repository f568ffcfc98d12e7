//! [`SymbolicLayout`]: layouts whose sizes and strides are expressions over names that are known only at run time.

mod compose;
mod index;
mod inverse;
mod proofs;
mod tiles;

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, swizzled, within_limits};
use crate::banks::Swizzle;
use proofs::Proofs;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

/// A layout `shape:stride` whose sizes and strides are expressions over the names of a domain: `(M,N):(N,1)`.
///
/// The engine proves the conditions under which the result of an operation is correct for all values of the names. If a
/// condition is not proved, the operation returns an error with the first such condition. All sizes must be proved to
/// be at least 1. [`SymbolicLayout::evaluated`] returns the [`Layout`] for one set of values.
///
/// ```
/// use quaff::domain::Domain;
/// use quaff_fronts::layout::SymbolicLayout;
///
/// let domain: Domain = "M=8..4096 step 8, N=1..4096".parse()?;
/// let rows = SymbolicLayout::parse("(M,N):(N,1)", &domain)?;
/// assert_eq!(rows.size()?.to_string(), "M*N");
/// let tiles = SymbolicLayout::parse("zipped_divide((M,N):(N,1), (8, N))", &domain)?;
/// assert_eq!(tiles.to_string(), "((8,N),(M//8,1)):((N,1),(N*8,0))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicLayout {
    mode: Mode<Expr>,
    /// The swizzles. The swizzle that is applied last comes first.
    swizzles: Vec<Swizzle>,
    domain: Arc<Domain>,
}

impl SymbolicLayout {
    /// The layout of `mode`, whose sizes must be proved to be at least 1, after a check of its limits.
    fn limited(mode: Mode<Expr>, swizzles: Vec<Swizzle>, domain: Arc<Domain>) -> Result<SymbolicLayout, LayoutError> {
        within_limits(&mode, &swizzles)?;
        Ok(SymbolicLayout { mode, swizzles, domain })
    }

    /// A layout, after a proof that its sizes are at least 1.
    pub(super) fn checked(mode: Mode<Expr>, domain: Arc<Domain>) -> Result<SymbolicLayout, LayoutError> {
        let folded = |leaf: &Leaf<Expr>| Leaf { size: folded(&leaf.size), stride: folded(&leaf.stride) };
        let Ok(mode) = mode.map(&mut |leaf| Ok::<_, Infallible>(folded(leaf)));
        let layout = SymbolicLayout::limited(mode, Vec::new(), domain)?;
        let mut proofs = layout.proofs();
        for leaf in layout.leaves() {
            layout.declared(&leaf.size)?;
            layout.declared(&leaf.stride)?;
            proofs.require(&leaf.size.ge(1), "a size is at least 1")?;
        }
        Ok(layout)
    }

    /// The layout `size:stride`.
    ///
    /// # Errors
    /// [`LayoutError::Undeclared`] for a name that is not in `domain`. [`LayoutError::NotProved`] and
    /// [`LayoutError::Refuted`] for a size that may be below 1.
    pub fn new(size: &Expr, stride: &Expr, domain: &Domain) -> Result<SymbolicLayout, LayoutError> {
        SymbolicLayout::checked(Mode::leaf(size.clone(), stride.clone()), Arc::new(domain.clone()))
    }

    /// The layout as a symbolic layout over `domain`. Its sizes and strides are still numbers.
    ///
    /// # Errors
    /// None for valid layouts. The error type is the type of the other operations.
    pub fn of_layout(layout: &Layout, domain: &Domain) -> Result<SymbolicLayout, LayoutError> {
        let Ok(mode) = layout.mode.map(&mut |leaf| Ok::<_, Infallible>(leaf.wide()));
        SymbolicLayout::limited(mode, layout.swizzles.clone(), Arc::new(domain.clone()))
    }

    /// The equal [`Layout`], whose sizes and strides are numbers. `None` if a size or a stride contains a name, or a
    /// number exceeds 64 bits.
    pub fn to_layout(&self) -> Option<Layout> {
        self.with_values(&|e| e.as_const()).and_then(|mode| Layout::checked(mode, self.swizzles.clone()).ok())
    }

    /// The layout for the given values of the names.
    ///
    /// # Errors
    /// The errors are:
    ///
    /// - [`LayoutError::Undeclared`] if `value_of` has no value for a name;
    /// - [`LayoutError::OutsideDomain`] for values outside of the declared ranges, for which nothing is proved;
    /// - [`LayoutError::Overflow`] for a number of more than 64 bits;
    /// - the errors of a layout with these numbers.
    pub fn evaluated(&self, value_of: impl Fn(&str) -> Option<i64>) -> Result<Layout, LayoutError> {
        let names = self.leaves().into_iter().flat_map(|leaf| [leaf.size, leaf.stride]).flat_map(|e| e.variables());
        let (mut point, mut given) = ((*self.domain).clone(), BTreeSet::new());
        for name in names {
            let Some(value) = value_of(&name) else { return Err(LayoutError::Undeclared { name }) };
            given.insert(format!("{name}={value}"));
            point.add_bounds(name, value..=value);
        }
        let is_false = |condition: &Expr| condition.eval(&value_of).is_ok_and(|value| value == 0);
        if point.resolve().is_err() || self.domain.conditions().iter().any(is_false) {
            return Err(LayoutError::OutsideDomain { values: Vec::from_iter(given).join(", ") });
        }
        let value = |e: &Expr| i64::try_from(e.eval(&value_of).ok()?).ok();
        let mode = self.with_values(&value).ok_or(LayoutError::Overflow { what: "a size or a stride" })?;
        Layout::checked(mode, self.swizzles.clone())
    }

    fn with_values(&self, value: &dyn Fn(&Expr) -> Option<i64>) -> Option<Mode> {
        let leaf = |leaf: &Leaf<Expr>| Some(Leaf { size: value(&leaf.size)?, stride: value(&leaf.stride)? });
        self.mode.map(&mut |one| leaf(one).ok_or(())).ok()
    }

    /// The tuple of `modes`, which must have no swizzles.
    ///
    /// # Errors
    /// [`LayoutError::Limit`] for no modes or too many, [`LayoutError::Swizzled`] for a mode with swizzles, and
    /// [`LayoutError::Domains`] for modes over different domains.
    pub fn of_modes(modes: &[SymbolicLayout]) -> Result<SymbolicLayout, LayoutError> {
        if modes.iter().any(|mode| !mode.swizzles.is_empty()) {
            return Err(LayoutError::Swizzled { operation: "tuple" });
        }
        let domain = modes.first().map(|mode| mode.domain.clone()).unwrap_or_default();
        let group = Mode::Group(modes.iter().map(|mode| mode.mode.clone()).collect());
        let tuple = SymbolicLayout::limited(group, Vec::new(), domain)?;
        modes.iter().try_for_each(|mode| tuple.one_domain(mode))?;
        Ok(tuple)
    }

    /// The layout of `sizes` whose first size is contiguous in memory: `(M,N):(1,M)`.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::new`]. [`LayoutError::Limit`] for no sizes or too many.
    /// [`LayoutError::Simplify`] if the engine rejects a stride.
    pub fn column_major(sizes: &[Expr], domain: &Domain) -> Result<SymbolicLayout, LayoutError> {
        SymbolicLayout::compact(sizes, (0..sizes.len()).collect(), domain)
    }

    /// The layout of `sizes` whose last size is contiguous in memory: `(M,N):(N,1)`.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::column_major`].
    pub fn row_major(sizes: &[Expr], domain: &Domain) -> Result<SymbolicLayout, LayoutError> {
        SymbolicLayout::compact(sizes, (0..sizes.len()).rev().collect(), domain)
    }

    /// The layout of `sizes` with contiguous strides that grow in the given order of modes.
    fn compact(sizes: &[Expr], order: Vec<usize>, domain: &Domain) -> Result<SymbolicLayout, LayoutError> {
        let leaf = |size: &Expr| Leaf { size: size.clone(), stride: int(0) };
        let mut leaves: Vec<Leaf<Expr>> = sizes.iter().map(leaf).collect();
        let domain = Arc::new(domain.clone());
        let plain = Mode::Group(leaves.iter().cloned().map(Mode::Leaf).collect());
        let proven = SymbolicLayout::checked(plain, domain.clone())?;
        let (proofs, mut stride) = (proven.proofs(), int(1));
        for at in order {
            leaves[at].stride = stride;
            stride = proofs.simple(&(&leaves[at].stride * &leaves[at].size))?;
        }
        let mode = Mode::Group(leaves.into_iter().map(Mode::Leaf).collect());
        SymbolicLayout::limited(mode, Vec::new(), domain.clone())
    }

    /// The layout with `swizzle` applied after its present swizzles. Two equal swizzles in a row cancel.
    ///
    /// # Errors
    /// [`LayoutError::NotProved`] and [`LayoutError::Refuted`] for a stride that may be negative, and
    /// [`LayoutError::Limit`] for too many swizzles.
    pub fn swizzled(&self, swizzle: Swizzle) -> Result<SymbolicLayout, LayoutError> {
        let mut proofs = self.proofs();
        for leaf in self.leaves() {
            proofs.require(&leaf.stride.ge(0), "a swizzle has no meaning for negative indices")?;
        }
        let swizzles = swizzled(self.swizzles.clone(), swizzle);
        SymbolicLayout::limited(self.mode.clone(), swizzles, self.domain.clone())
    }

    /// The swizzles. The first one is applied last.
    pub fn swizzles(&self) -> &[Swizzle] {
        &self.swizzles
    }

    /// The facts about the names.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The sizes and strides without tuples, the fastest first.
    pub fn leaves(&self) -> Vec<Leaf<Expr>> {
        self.mode.leaves()
    }

    /// The modes of the outermost tuple, without the swizzles. A layout that is no tuple is its only mode.
    pub fn modes(&self) -> Vec<SymbolicLayout> {
        let one = |mode: &Mode<Expr>| SymbolicLayout {
            mode: mode.clone(),
            swizzles: Vec::new(),
            domain: self.domain.clone(),
        };
        self.mode.list().iter().map(one).collect()
    }

    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.mode.list().len()
    }

    /// The size of each mode.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn sizes(&self) -> Result<Vec<Expr>, LayoutError> {
        self.modes().iter().map(SymbolicLayout::size).collect()
    }

    /// The number of coordinates.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn size(&self) -> Result<Expr, LayoutError> {
        let size = self.leaves().iter().fold(int(1), |size, leaf| size * &leaf.size);
        self.proofs().simple(&size)
    }

    /// The least and the greatest index.
    ///
    /// # Errors
    /// [`LayoutError::Swizzled`] for a swizzled layout, because a swizzle changes both indices, and
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn reach(&self) -> Result<(Expr, Expr), LayoutError> {
        if !self.swizzles.is_empty() {
            return Err(LayoutError::Swizzled { operation: "known range" });
        }
        let mut proofs = self.proofs();
        let (mut least, mut most) = (int(0), int(0));
        for Leaf { size, stride } in self.leaves() {
            let far = |stride: Expr| (&size - 1) * stride;
            match proofs.truth(&stride.ge(0))? {
                Some(true) => most = most + far(stride),
                Some(false) => least = least + far(stride),
                None => {
                    most = most + far(stride.max(0));
                    least = least + far(stride.min(0));
                }
            }
        }
        Ok((proofs.simple(&least)?, proofs.simple(&most)?))
    }

    /// The span of the indices: the greatest index minus the least index, plus 1.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::reach`].
    pub fn cosize(&self) -> Result<Expr, LayoutError> {
        let (least, most) = self.reach()?;
        self.proofs().simple(&(most - least + 1))
    }

    /// The layout with the same indices and a single flat tuple.
    pub fn flatten(&self) -> SymbolicLayout {
        SymbolicLayout { mode: Mode::of_leaves(&self.leaves()), ..self.clone() }
    }

    /// The layout with fewer modes that has the same index for each coordinate, written as a single number. Neighbours
    /// that are proved to be mergeable are joined. Sizes that are proved to be 1 are dropped.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn coalesce(&self) -> Result<SymbolicLayout, LayoutError> {
        let leaves = self.proofs().merged(&self.leaves())?;
        Ok(SymbolicLayout { mode: Mode::of_leaves(&leaves), ..self.clone() })
    }

    /// The layout in which each mode is coalesced separately.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn coalesce_modes(&self) -> Result<SymbolicLayout, LayoutError> {
        let mut proofs = self.proofs();
        let joined = |mode: &Mode<Expr>| Ok::<_, LayoutError>(Mode::of_leaves(&proofs.merged(&mode.leaves())?));
        let mode = match &self.mode {
            Mode::Group(modes) => Mode::Group(modes.iter().map(joined).collect::<Result<_, _>>()?),
            leaf => leaf.clone(),
        };
        Ok(SymbolicLayout { mode, ..self.clone() })
    }

    /// Whether all coordinates have different indices, for all values of the names. `None` if neither this nor the
    /// opposite is proved.
    ///
    /// A layout is proved to be injective if, by ascending strides, each stride exceeds the greatest index of the modes
    /// before it. Layouts without names are decided exactly.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn is_injective(&self) -> Result<Option<bool>, LayoutError> {
        if let Some(layout) = self.to_layout() {
            return Ok(layout.is_injective().ok());
        }
        let mut proofs = self.proofs();
        for leaf in self.leaves() {
            if proofs.equal(&leaf.stride, &int(0))? && !proofs.equal(&leaf.size, &int(1))? {
                return Ok(proofs.holds(&leaf.size.ge(2))?.then_some(false));
            }
        }
        let leaves = self.leaves();
        let Some(order) = proved(proofs.ascending(&leaves))? else { return Ok(None) };
        let mut reach = int(0);
        for Leaf { size, stride } in order.into_iter().map(|at| &leaves[at]) {
            if !proofs.holds(&stride.gt(&reach))? {
                return Ok(None);
            }
            reach = reach + (size - 1) * stride;
        }
        Ok(Some(true))
    }

    /// Whether the indices have no gaps for all values of the names: each number from the least to the greatest index
    /// is reached. `None` if neither this nor the opposite is proved.
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn is_surjective(&self) -> Result<Option<bool>, LayoutError> {
        if let Some(layout) = self.to_layout() {
            return Ok(layout.is_surjective().ok());
        }
        if !self.swizzles.is_empty() {
            return Ok(None);
        }
        let mut proofs = self.proofs();
        let leaves = self.leaves();
        let Some(order) = proved(proofs.ascending(&leaves))? else { return Ok(None) };
        let mut reach = int(0);
        for Leaf { size, stride } in order.into_iter().map(|at| &leaves[at]) {
            if !proofs.holds(&stride.le(&reach + 1))? {
                return Ok(None);
            }
            reach = reach + (size - 1) * stride;
        }
        Ok(Some(true))
    }

    fn proofs(&self) -> Proofs<'_> {
        Proofs::new(&self.domain)
    }

    fn one_domain(&self, other: &SymbolicLayout) -> Result<(), LayoutError> {
        let same = Arc::ptr_eq(&self.domain, &other.domain) || self.domain == other.domain;
        if same { Ok(()) } else { Err(LayoutError::Domains) }
    }

    /// Checks that all names of an expression are declared.
    fn declared(&self, e: &Expr) -> Result<(), LayoutError> {
        match e.variables().into_iter().find(|name| !self.domain.contains(name)) {
            Some(name) => Err(LayoutError::Undeclared { name }),
            None => Ok(()),
        }
    }
}

/// `e` folded to a number if it has no names, and `e` unchanged otherwise.
fn folded(e: &Expr) -> Expr {
    let value = e.eval(|_| None).ok().and_then(|value| i64::try_from(value).ok());
    value.map_or_else(|| e.clone(), int)
}

/// The result, or `None` if a condition is not proved or is refuted.
fn proved<T>(found: Result<T, LayoutError>) -> Result<Option<T>, LayoutError> {
    match found {
        Err(LayoutError::NotProved { .. } | LayoutError::Refuted { .. }) => Ok(None),
        found => found.map(Some),
    }
}

impl fmt::Display for SymbolicLayout {
    /// Writes the layout as a [`Layout`] is written: `(M,N):(N,1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for swizzle in &self.swizzles {
            write!(f, "{swizzle} o ")?;
        }
        write!(f, "{}", self.mode)
    }
}
