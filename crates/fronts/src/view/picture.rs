//! A picture of a view that shows the address that each position reads.

use super::error::{ErrorKind, ViewError};
use super::stack::ViewStack;
use quaff::expr::{Expr, Program, var};
use quaff::integer::{floor_div, floor_mod};
use quaff_draw::grid::{Cell, Fill, Panel, lane, svg};

/// The most positions of a picture.
pub const MAX_POSITIONS: i64 = 4096;
/// The most axes of a view that is drawn.
pub const MAX_DRAWN_AXES: usize = 3;

impl ViewStack {
    /// An SVG picture with a cell for each position. The cell shows the address that the position reads. Cells are
    /// shaded from the least to the greatest address, on a scale that colour-blind people can distinguish. Cells of
    /// masked positions are hatched. The last axis runs to the right, and the axis before it downwards. A view with
    /// three axes has a grid for each index of its first axis. The tool tip of a cell also has the lane that reads it, if consecutive lanes read
    /// consecutive positions of the last axis.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let padded = ViewStack::row_major([2, 3])?.pad([(1, 0), (0, 0)])?;
    /// let picture = padded.svg("rows below an empty one")?;
    /// assert_eq!(picture.matches("<g>").count(), 9);
    /// assert_eq!(picture.matches("fill=\"url(#masked)\"").count(), 3);
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotDrawn`] for a size that is no number, more than [`MAX_DRAWN_AXES`] axes, and more than
    /// [`MAX_POSITIONS`] positions.
    pub fn svg(&self, title: &str) -> Result<String, ViewError> {
        let shape = self.drawn_shape()?;
        let addresses = self.addresses(&shape)?;
        let read = || addresses.iter().flatten();
        let (least, most) = (read().min().copied().unwrap_or(0), read().max().copied().unwrap_or(0));
        let scale = ((most - least).max(1) as f64).recip();
        let columns = shape.last().copied().unwrap_or(1);
        let rows = shape.len().checked_sub(2).map_or(1, |axis| shape[axis]);
        let area = rows * columns;
        let names = self.index_names();
        let name =
            |from_end: usize| self.rank().checked_sub(from_end).map_or(String::new(), |axis| names[axis].to_string());
        let cell = |position: usize| {
            let index = digits(position as i128, &shape).iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
            match addresses[position] {
                Some(address) => Cell {
                    label: address.to_string(),
                    tip: format!("index ({index}): address {address}, not masked, {}", lane(position)),
                    fill: Fill::Shade((address - least) as f64 * scale),
                },
                None => Cell {
                    label: "\u{b7}".into(),
                    tip: format!("index ({index}): masked, nothing is read, {}", lane(position)),
                    fill: Fill::Masked,
                },
            }
        };
        let mut panels = Vec::new();
        for plane in 0..shape.iter().product::<usize>().checked_div(area).unwrap_or(0) {
            let title = if self.rank() > 2 { format!("{} = {plane}", names[0]) } else { String::new() };
            let cells = (plane * area..(plane + 1) * area).map(cell).collect();
            panels.push(Panel { title, axes: [name(2), name(1)], columns, cells });
        }
        Ok(svg(title, &panels))
    }

    /// The sizes as numbers.
    fn drawn_shape(&self) -> Result<Vec<usize>, ViewError> {
        let refused = |why| ViewError::from(ErrorKind::NotDrawn { why });
        if self.rank() > MAX_DRAWN_AXES {
            return Err(refused("it has more than 3 axes"));
        }
        let sizes = self.shape().iter().map(Expr::as_const).collect::<Option<Vec<i64>>>();
        let sizes = sizes.ok_or_else(|| refused("a size is not a number"))?;
        let mut positions = 1i64;
        for size in &sizes {
            positions = positions.saturating_mul(*size);
        }
        if positions > MAX_POSITIONS {
            return Err(refused("it has more than 4096 positions"));
        }
        Ok(sizes.into_iter().map(|s| s.max(0) as usize).collect())
    }

    /// The address at each position in row-major order, or `None` if the view is masked there.
    fn addresses(&self, shape: &[usize]) -> Result<Vec<Option<i128>>, ViewError> {
        let names = self.index_names();
        let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
        let at = self.at(&indices)?;
        let refused = |_| ViewError::from(ErrorKind::NotDrawn { why: "an address depends on a variable" });
        let names: Vec<&str> = names.iter().map(|n| &**n).collect();
        let program = Program::new(&[at.valid, at.address], &names).map_err(refused)?;
        let mut out = Vec::new();
        for position in 0..shape.iter().product::<usize>() {
            let values = program.eval(&digits(position as i128, shape));
            let masked = matches!(values[0], Ok(0));
            out.push(if masked { None } else { values[1].ok() });
        }
        Ok(out)
    }
}

/// The digits of `position` in the mixed-radix system with the radices `shape`.
fn digits(mut position: i128, shape: &[usize]) -> Vec<i128> {
    let mut out = vec![0; shape.len()];
    for (digit, &size) in out.iter_mut().zip(shape).rev() {
        *digit = floor_mod(position, size as i128);
        position = floor_div(position, size as i128);
    }
    out
}
