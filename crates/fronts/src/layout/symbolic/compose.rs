//! Composition of symbolic layouts, and complements.

use super::SymbolicLayout;
use super::proofs::Proofs;
use crate::layout::error::LayoutError;
use crate::layout::leaf::Leaf;
use crate::layout::mode::Mode;
use quaff::expr::{Expr, int};

const CARRIES: &str = "a sum of coordinates of the right layout carries into the next mode of the left one";

pub(super) const CHAIN: &str = "a stride is a multiple of the size times the stride before it";

/// The part of a mode of the right layout that runs through multiples of `step` in one mode of the left layout.
struct Part {
    /// The position of the mode in the left layout.
    mode: usize,
    size: Expr,
    step: Expr,
}

impl SymbolicLayout {
    /// This layout after `inner`: its index at `c` is the index of this layout at the index of `inner`, for all values
    /// of the names.
    ///
    /// Modes of `inner` are kept, and are split where this layout changes its stride. An index of `inner` may reach the
    /// size of this layout. The part beyond the size then continues the last mode that is not proved to have the size
    /// 1.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff_fronts::layout::SymbolicLayout;
    ///
    /// let domain: Domain = "M=8..4096 step 8, N=1..4096".parse()?;
    /// let columns = SymbolicLayout::parse("(M,N):(1,M)", &domain)?;
    /// let inner = SymbolicLayout::parse("(M//4,N):(4,M)", &domain)?;
    /// assert_eq!(columns.compose(&inner)?.to_string(), "(M//4,N):(4,M)");
    ///
    /// let rows = SymbolicLayout::parse("(M,N):(N,1)", &domain)?;
    /// let error = rows.compose(&SymbolicLayout::parse("16:1", &domain)?).unwrap_err();
    /// assert!(error.to_string().starts_with("it is not proved that"), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::NotProved`] with the condition under which the composition exists. [`LayoutError::Refuted`] if
    /// the condition is false. [`LayoutError::Swizzled`] for swizzles of `inner`. [`LayoutError::Domains`] for
    /// different domains. For layouts without names, the errors of [`Layout::compose`].
    ///
    /// The number of proofs is linear in the product of the numbers of modes of both layouts.
    ///
    /// [`Layout::compose`]: crate::layout::Layout::compose
    pub fn compose(&self, inner: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.one_domain(inner)?;
        if let (Some(left), Some(right)) = (self.to_layout(), inner.to_layout()) {
            return SymbolicLayout::of_layout(&left.compose(&right)?, &self.domain);
        }
        if !inner.swizzles.is_empty() {
            return Err(LayoutError::Swizzled { operation: "composition" });
        }
        let mut proofs = self.proofs();
        let left = proofs.merged(&self.leaves())?;
        let (mut all, mut used): (Vec<Vec<Leaf<Expr>>>, Vec<Part>) = (Vec::new(), Vec::new());
        for leaf in inner.leaves() {
            let mut leaves = Vec::new();
            for part in parts(&mut proofs, &left, leaf)? {
                let stride = left.get(part.mode).map_or(int(0), |mode| &part.step * &mode.stride);
                leaves.push(Leaf { size: part.size.clone(), stride: proofs.simple(&stride)? });
                used.push(part);
            }
            all.push(leaves);
        }
        no_carry(&mut proofs, &left, &used)?;
        SymbolicLayout::limited(inner.mode.replaced(&mut all.into_iter()), self.swizzles.clone(), self.domain.clone())
    }

    /// The layout that fills the gaps of this layout up to `end`. Sums of an index of this layout and an index of the
    /// complement are all different. The sums are all numbers from 0 on, at least up to `end`.
    ///
    /// Modes of stride 0 are left out, as in CuTe.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff::expr::var;
    /// use quaff_fronts::layout::SymbolicLayout;
    ///
    /// let domain: Domain = "M=1..4096, N=1..4096".parse()?;
    /// let rows = SymbolicLayout::parse("M:N", &domain)?;
    /// assert_eq!(rows.complement(&(var("M") * var("N")))?.to_string(), "N:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::NotProved`] and [`LayoutError::Refuted`] with the condition that fails. Strides must be above 0
    /// and have a known order. Each stride must be a multiple of the number of indices that the modes before it cover.
    /// [`LayoutError::Swizzled`] for a swizzled layout. [`LayoutError::Undeclared`] for an unknown name in `end`.
    pub fn complement(&self, end: &Expr) -> Result<SymbolicLayout, LayoutError> {
        if !self.swizzles.is_empty() {
            return Err(LayoutError::Swizzled { operation: "complement" });
        }
        self.declared(end)?;
        let mut proofs = self.proofs();
        proofs.require(&end.ge(1), "the indices end behind the first one")?;
        let leaves = proofs.merged(&self.leaves())?;
        let (mut out, mut reach) = (Vec::new(), int(1));
        for at in proofs.ascending(&leaves)? {
            let mode = &leaves[at];
            let is_multiple = mode.stride.floor_mod(&reach).equals(0);
            proofs.require(&is_multiple, CHAIN)?;
            out.push(Leaf { size: proofs.simple(&mode.stride.floor_div(&reach))?, stride: reach });
            reach = proofs.simple(&(&mode.stride * &mode.size))?;
        }
        let size = proofs.simple(&((end - 1).floor_div(&reach) + 1))?;
        out.push(Leaf { size, stride: reach });
        SymbolicLayout::limited(Mode::of_leaves(&proofs.merged(&out)?), Vec::new(), self.domain.clone())
    }
}

/// Splits a mode of the right layout into parts, one for each mode of the left layout that it runs through.
fn parts(proofs: &mut Proofs<'_>, left: &[Leaf<Expr>], inner: Leaf<Expr>) -> Result<Vec<Part>, LayoutError> {
    let last = left.len().saturating_sub(1);
    let (mut rest, mut step) = (inner.size, inner.stride);
    if left.is_empty() || proofs.equal(&step, &int(0))? {
        return Ok(vec![Part { mode: left.len(), size: rest, step: int(0) }]);
    }
    proofs.require(&step.ge(0), "a stride of the right layout is a number of the left one")?;
    let mut mode = 0;
    while mode < last && proofs.divides(&left[mode].size, &step)? {
        step = proofs.simple(&step.floor_div(&left[mode].size))?;
        mode += 1;
    }
    let mut out = Vec::new();
    while mode < last && !proofs.holds(&((&rest - 1) * &step).lt(&left[mode].size))? {
        let size = &left[mode].size;
        proofs.require(&step.ge(1), "a mode that is divided has a stride above 0")?;
        proofs.require(
            &size.floor_mod(&step).equals(0),
            "the stride of the right layout divides a mode of the left one",
        )?;
        let ends = proofs.simple(&size.floor_div(&step))?;
        let is_multiple = rest.floor_mod(&ends).equals(0);
        proofs.require(&is_multiple, "a mode of the right layout ends within a mode of the left one, or fills it")?;
        rest = proofs.simple(&rest.floor_div(&ends))?;
        out.push(Part { mode, size: ends, step });
        step = int(1);
        mode += 1;
    }
    if out.is_empty() || !proofs.equal(&rest, &int(1))? {
        out.push(Part { mode, size: rest, step });
    }
    Ok(out)
}

/// Checks that sums of several parts stay within their modes of the left layout. The last mode is unbounded.
fn no_carry(proofs: &mut Proofs<'_>, left: &[Leaf<Expr>], used: &[Part]) -> Result<(), LayoutError> {
    let last = left.len().saturating_sub(1);
    for (at, mode) in left.iter().enumerate().take(last) {
        let parts: Vec<&Part> = used.iter().filter(|part| part.mode == at).collect();
        if let [first, others @ ..] = &parts[..]
            && !others.is_empty()
        {
            let most = |part: &Part| (&part.size - 1) * &part.step;
            let sum = others.iter().fold(most(first), |sum, part| sum + most(part));
            proofs.require(&proofs.simple(&sum)?.lt(&mode.size), CARRIES)?;
        }
    }
    Ok(())
}
