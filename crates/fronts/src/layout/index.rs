//! The index of a layout as an expression, its text, its view and its picture.

use super::error::{LayoutError, coordinate};
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, merged};
use crate::banks::Swizzle;
use crate::view::ViewStack;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::{Simplified, Simplifier};
use quaff_draw::grid::{Cell, Fill, Panel, lane, svg};

use std::sync::Arc;

/// The most coordinates of a picture.
pub const MAX_CELLS: i64 = 4096;

impl Layout {
    /// The index of a coordinate. The coordinate is one expression for each mode, or one expression that counts through
    /// all modes, the leftmost fastest. Each expression is assumed to be at least 0 and below its size. The index is
    /// not simplified: see [`Layout::simplify`].
    ///
    /// ```
    /// use quaff::expr::var;
    /// use quaff_fronts::layout::Layout;
    ///
    /// let layout: Layout = "((2,4),8):((1,16),2)".parse()?;
    /// assert_eq!(layout.index(&[var("i"), var("j")])?.to_string(), "i%2 + i//2*16 + j*2");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of expressions.
    pub fn index(&self, coordinates: &[Expr]) -> Result<Expr, LayoutError> {
        let modes = self.mode.for_coordinate("coordinates", coordinates.len())?;
        let modes: Vec<Vec<Leaf<Expr>>> =
            modes.iter().map(|leaves| merged(leaves).iter().map(Leaf::wide).collect()).collect();
        Ok(index(&modes, coordinates, &self.swizzles))
    }

    /// The domain `0 <= name < size` with one name for each mode, or with one name that counts through all modes.
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of names, and [`LayoutError::NameTaken`] for a name that occurs twice.
    pub fn coordinate_domain<N: AsRef<str>>(&self, names: &[N]) -> Result<Domain, LayoutError> {
        let modes = self.mode.for_coordinate("names", names.len())?;
        let sizes = modes.iter().map(|leaves| leaves.iter().map(|l| l.size).product::<i64>());
        let mut domain = Domain::new();
        for (name, size) in names.iter().zip(sizes) {
            let name = Arc::<str>::from(name.as_ref());
            if domain.contains(&name) {
                return Err(LayoutError::NameTaken { name });
            }
            domain.add_bounds(name, 0..=size - 1);
        }
        Ok(domain)
    }

    /// The cheapest form of the index that the engine finds, for coordinates with the given names.
    ///
    /// ```
    /// use quaff::{Simplified, Simplifier};
    /// use quaff_fronts::layout::Layout;
    ///
    /// let layout: Layout = "(32,4):(4,1) o 128:1".parse()?;
    /// let answer = layout.simplify(&Simplifier::default(), &["t"])?;
    /// assert_eq!(answer.expr().to_string(), "t*4 - t//32*127");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of names, and [`LayoutError::Simplify`] if the engine rejects the
    /// index.
    pub fn simplify<N: AsRef<str>>(&self, simplifier: &Simplifier, names: &[N]) -> Result<Simplified, LayoutError> {
        let coordinates: Vec<Expr> = names.iter().map(|name| var(name.as_ref())).collect();
        let domain = self.coordinate_domain(names)?;
        simplifier.simplify(&self.index(&coordinates)?, &domain).map_err(LayoutError::Simplify)
    }

    /// The view with an axis for each size, in the order of the sizes. A single number counts through the first axis
    /// fastest in a layout, but through the last axis fastest in a view.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let layout: Layout = "(4,(2,2)):(1,(8,4))".parse()?;
    /// assert_eq!(layout.to_view()?.to_string(), "(4, 2, 2):(1, 8, 4)");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Swizzled`] for a swizzled layout, and [`LayoutError::View`] for more axes than a view can have.
    pub fn to_view(&self) -> Result<ViewStack, LayoutError> {
        let leaves = self.plain("view")?;
        let all = |number: fn(&Leaf) -> i64| leaves.iter().map(|leaf| int(number(leaf))).collect::<Vec<Expr>>();
        Ok(ViewStack::strided(Domain::new(), &all(|l| l.size), &all(|l| l.stride), &int(0), None)?)
    }

    /// The layout with a mode for each axis of a view.
    ///
    /// # Errors
    /// [`LayoutError::NotStrided`] for a stack of several views, an offset, a mask, variables in sizes or strides, and
    /// for a view without axes.
    pub fn of_view(view: &ViewStack) -> Result<Layout, LayoutError> {
        let number = |leaf: Leaf<Expr>| Some(Mode::leaf(leaf.size.as_const()?, leaf.stride.as_const()?));
        let modes = axes(view)?.into_iter().map(number).collect::<Option<Vec<Mode>>>();
        let modes = modes.ok_or(LayoutError::NotStrided { why: "a size or a stride is no number" })?;
        Layout::checked(Mode::Group(modes), Vec::new())
    }

    /// An SVG picture with a cell for each coordinate that shows its index. Cells are shaded from the least to the
    /// greatest index. The first mode runs downwards, and the second mode runs to the right. A layout with one mode
    /// runs to the right. For further modes, there is one grid for each of their coordinates. The tool tip of a cell
    /// also shows the lane and the warp that have the number of the coordinate.
    ///
    /// # Errors
    /// [`LayoutError::NotDrawn`] for more than [`MAX_CELLS`] coordinates.
    pub fn svg(&self, title: &str) -> Result<String, LayoutError> {
        let size = self.size();
        if size > MAX_CELLS {
            return Err(LayoutError::NotDrawn { cells: size, limit: MAX_CELLS });
        }
        let indices = self.indices()?;
        let (least, most) = self.reach()?;
        let scale = (most.saturating_sub(least).max(1) as f64).recip();
        let sizes: Vec<usize> = self.sizes().iter().map(|size| *size as usize).collect();
        let (rows, columns) = match sizes[..] {
            [columns] => (1, columns),
            [rows, columns, ..] => (rows, columns),
            [] => (1, 1),
        };
        let cell = |number: usize| {
            let index = indices[number];
            let mut rest = number;
            let mut at = Vec::new();
            for size in &sizes {
                at.push(rest.checked_rem(*size).unwrap_or(0) as i64);
                rest = rest.checked_div(*size).unwrap_or(0);
            }
            let tip = format!("{}: index {index}, {}", coordinate(&at), lane(number));
            Cell { label: index.to_string(), tip, fill: Fill::Shade((index as f64 - least as f64) * scale) }
        };
        let area = rows * columns;
        let mut panels = Vec::new();
        for first in (0..indices.len()).step_by(area.max(1)) {
            // the first mode varies fastest and runs downwards
            let numbers = (0..rows).flat_map(|row| (0..columns).map(move |column| first + row + column * rows));
            let title = if indices.len() > area { format!("from number {first} on") } else { String::new() };
            let axes =
                if sizes.len() > 1 { ["mode 0".into(), "mode 1".into()] } else { [String::new(), "mode 0".into()] };
            panels.push(Panel { title, axes, columns, cells: numbers.map(cell).collect() });
        }
        Ok(svg(title, &panels))
    }
}

/// The axes of a view that has no offset and no mask.
pub(super) fn axes(view: &ViewStack) -> Result<Vec<Leaf<Expr>>, LayoutError> {
    let refused = |why| LayoutError::NotStrided { why };
    let view = view.as_view().ok_or(refused("it is several views on one another"))?;
    if view.mask().is_some() {
        return Err(refused("it has a mask"));
    }
    if view.offset().as_const() != Some(0) {
        return Err(refused("its first element is not at address 0"));
    }
    let both = view.shape().iter().zip(view.strides());
    Ok(both.map(|(size, stride)| Leaf { size: size.clone(), stride: stride.clone() }).collect())
}

/// The index of a coordinate that has an expression for each of `modes`.
pub(super) fn index(modes: &[Vec<Leaf<Expr>>], coordinates: &[Expr], swizzles: &[Swizzle]) -> Expr {
    let terms = modes.iter().zip(coordinates).flat_map(|(leaves, c)| terms(leaves, c));
    let sum = terms.reduce(|sum, term| sum + term).unwrap_or_else(|| int(0));
    swizzles.iter().rev().fold(sum, |index, swizzle| swizzle.index(&index))
}

/// The terms that the digits of the number `c` add to the index.
fn terms(leaves: &[Leaf<Expr>], c: &Expr) -> Vec<Expr> {
    let (mut out, mut before) = (Vec::new(), int(1));
    for (at, leaf) in leaves.iter().enumerate() {
        let mut digit = if before.as_const() == Some(1) { c.clone() } else { c.floor_div(&before) };
        if at + 1 < leaves.len() {
            digit = digit.floor_mod(&leaf.size);
        }
        match leaf.stride.as_const() {
            Some(0) => {}
            Some(1) => out.push(digit),
            _ => out.push(digit * &leaf.stride),
        }
        before = times(before, &leaf.size);
    }
    out
}

/// A product, which is folded if both operands are numbers.
fn times(a: Expr, b: &Expr) -> Expr {
    match (a.as_const(), b.as_const()) {
        (Some(1), _) => b.clone(),
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => int(x.saturating_mul(y)),
        _ => a * b,
    }
}
