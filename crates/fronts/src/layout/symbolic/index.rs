//! The index of a layout as an expression, its text and its view.

use super::SymbolicLayout;
use crate::layout::error::LayoutError;
use crate::layout::index::{axes, index};
use crate::layout::mode::Mode;
use crate::view::ViewStack;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::{Simplified, Simplifier};
use std::sync::Arc;

impl SymbolicLayout {
    /// The index of a coordinate. The coordinate is one expression for each mode, or one expression that counts through
    /// all modes, the leftmost fastest. Each expression is assumed to be at least 0 and below its size.
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of expressions.
    pub fn index(&self, coordinates: &[Expr]) -> Result<Expr, LayoutError> {
        let modes = self.mode.for_coordinate("coordinates", coordinates.len())?;
        Ok(index(&modes, coordinates, &self.swizzles))
    }

    /// The domain extended by `0 <= name < size`, with one name for each mode, or with one name that counts through all
    /// modes.
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of names. [`LayoutError::NameTaken`] for a name that the domain already
    /// has, or that occurs twice. [`LayoutError::Simplify`] if the engine rejects a size.
    pub fn coordinate_domain<N: AsRef<str>>(&self, names: &[N]) -> Result<Domain, LayoutError> {
        let modes = self.mode.for_coordinate("names", names.len())?;
        let (mut domain, proofs) = ((*self.domain).clone(), self.proofs());
        for (name, leaves) in names.iter().zip(modes) {
            let name = Arc::<str>::from(name.as_ref());
            if domain.contains(&name) {
                return Err(LayoutError::NameTaken { name });
            }
            let size = leaves.iter().fold(int(1), |size, leaf| size * &leaf.size);
            domain.add_bounds(name, (int(0), proofs.simple(&(size - 1))?));
        }
        Ok(domain)
    }

    /// The cheapest form of the index that the engine finds, for coordinates with the given names.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff::domain::Domain;
    /// use quaff_fronts::layout::SymbolicLayout;
    ///
    /// let domain: Domain = "M=1..4096, N=1..4096".parse()?;
    /// let rows = SymbolicLayout::parse("(N,M):(1,N)", &domain)?;
    /// assert_eq!(rows.simplify(&Simplifier::default(), &["t"])?.expr().to_string(), "t");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::coordinate_domain`].
    pub fn simplify<N: AsRef<str>>(&self, simplifier: &Simplifier, names: &[N]) -> Result<Simplified, LayoutError> {
        let coordinates: Vec<Expr> = names.iter().map(|name| var(name.as_ref())).collect();
        let domain = self.coordinate_domain(names)?;
        Ok(simplifier.simplify(&self.index(&coordinates)?, &domain)?)
    }

    /// The view with an axis for each size. A single number counts through the first axis fastest in a layout, but
    /// through the last axis fastest in a view.
    ///
    /// # Errors
    /// [`LayoutError::Swizzled`] for a swizzled layout, and [`LayoutError::View`] for more axes than a view can have.
    pub fn to_view(&self) -> Result<ViewStack, LayoutError> {
        if !self.swizzles.is_empty() {
            return Err(LayoutError::Swizzled { operation: "view" });
        }
        let (shape, strides): (Vec<Expr>, Vec<Expr>) =
            self.leaves().into_iter().map(|leaf| (leaf.size, leaf.stride)).unzip();
        Ok(ViewStack::strided((*self.domain).clone(), &shape, &strides, &int(0), None)?)
    }

    /// The layout with a mode for each axis of a view.
    ///
    /// # Errors
    /// [`LayoutError::NotStrided`] for a stack of several views, an offset, and a mask. [`LayoutError::Limit`] for a
    /// view without axes. [`LayoutError::NotProved`] and [`LayoutError::Refuted`] for a size that may be 0.
    pub fn of_view(view: &ViewStack) -> Result<SymbolicLayout, LayoutError> {
        let axes = axes(view)?;
        let mode = Mode::Group(axes.into_iter().map(Mode::Leaf).collect::<Vec<Mode<Expr>>>());
        SymbolicLayout::checked(mode, Arc::new(view.domain().clone()))
    }
}
