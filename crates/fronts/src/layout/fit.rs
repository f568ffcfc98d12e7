//! Recognises the layout of a function of coordinates from its values.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, looked_at};
use quaff::expr::{Expr, Program};
use quaff::integer::{floor_div, floor_mod};

/// The first position at which a sequence of values differs from a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) at: i64,
    pub(super) expected: i64,
}

/// The modes of a sequence of values, with as few modes as possible. The first value must be 0. The result is exact: an
/// error means that the sequence is no layout.
///
/// The first mode ends at the first position `k` whose value is not `k` times the first stride. The size of this mode
/// must divide the length, and the values at the multiples of its size must form a layout, too. The time is linear in
/// the length.
pub(super) fn line(values: &[i64]) -> Result<Vec<Leaf>, Misfit> {
    let (mut out, mut step, mut left) = (Vec::new(), 1_usize, values.len());
    while left > 1 {
        let stride = values[step];
        let wrong = (2..left).find_map(|k| {
            let expected = (k as i128) * i128::from(stride);
            (i128::from(values[k * step]) != expected).then_some((k, expected))
        });
        let run = wrong.map_or(left, |(k, _)| k);
        if let Some((_, expected)) = wrong.filter(|_| !left.is_multiple_of(run)) {
            return Err(Misfit { at: (run * step) as i64, expected: clamped(expected) });
        }
        out.push(Leaf { size: run as i64, stride });
        step *= run;
        left = left.checked_div(run).unwrap_or(1);
    }
    for (at, value) in values.iter().enumerate() {
        let expected = sum(&out, at as i64);
        if i128::from(*value) != expected {
            return Err(Misfit { at: at as i64, expected: clamped(expected) });
        }
    }
    Ok(out)
}

/// The index of coordinate `c`, a single number that counts through all modes. The strides may be negative.
fn sum(leaves: &[Leaf], c: i64) -> i128 {
    let (mut c, mut index) = (i128::from(c), 0);
    for leaf in leaves {
        index += floor_mod(c, leaf.size.into()) * i128::from(leaf.stride);
        c = floor_div(c, leaf.size.into());
    }
    index
}

fn clamped(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// For each size, the modes of the function `index` of coordinates below `sizes`. The value of the function at 0 must
/// be 0.
///
/// # Errors
/// [`LayoutError::NoLayout`] with a coordinate at which the function is no layout, [`LayoutError::Undecided`] for too
/// many coordinates, and the errors of `index`.
pub(super) fn fitted(
    sizes: &[i64],
    mut index: impl FnMut(&[i64]) -> Result<i64, LayoutError>,
) -> Result<Vec<Vec<Leaf>>, LayoutError> {
    let (mut count, mut modes) = (1_i64, Vec::new());
    for size in sizes {
        count = count.saturating_mul(*size);
    }
    looked_at("whether it is a layout", count)?;
    let mut at = vec![0; sizes.len()];
    for (axis, size) in sizes.iter().enumerate() {
        let mut values = Vec::new();
        for c in 0..*size {
            at[axis] = c;
            values.push(index(&at)?);
        }
        at[axis] = 0;
        modes.push(line(&values).map_err(|misfit| {
            at[axis] = misfit.at;
            let index = usize::try_from(misfit.at).ok().and_then(|c| values.get(c)).copied().unwrap_or(0);
            LayoutError::NoLayout { at: at.clone(), index, expected: misfit.expected, left: None }
        })?);
    }
    for number in 0..count {
        let mut rest = i128::from(number);
        for (c, size) in at.iter_mut().zip(sizes) {
            *c = clamped(floor_mod(rest, (*size).into()));
            rest = floor_div(rest, (*size).into());
        }
        let expected: i128 = modes.iter().zip(&at).map(|(leaves, c)| sum(leaves, *c)).sum();
        let index = index(&at)?;
        if i128::from(index) != expected {
            return Err(LayoutError::NoLayout { at, index, expected: clamped(expected), left: None });
        }
    }
    Ok(modes)
}

impl Layout {
    /// The layout that equals an index as a function of coordinates with the given sizes. It has one mode for each
    /// coordinate, with as few parts as possible. The result is exact, because all coordinates are enumerated. An error
    /// names a coordinate at which the index is no layout.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let index = "i%4*8 + i//4 + j*32".parse()?;
    /// assert_eq!(Layout::of_index(&index, &[("i", 8), ("j", 2)])?.to_string(), "((4,2),2):((8,1),32)");
    /// let error = Layout::of_index(&"i*i".parse()?, &[("i", 4)]).unwrap_err();
    /// assert!(error.to_string().contains("at coordinate 3 the index is 9"));
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors are:
    ///
    /// - [`LayoutError::NoLayout`] with a coordinate at which the index is no layout;
    /// - [`LayoutError::Offset`] for an index that does not begin at 0;
    /// - [`LayoutError::Undecided`] for more coordinates than [`MAX_COORDINATES`](super::MAX_COORDINATES);
    /// - [`LayoutError::Size`] for a size below 1;
    /// - [`LayoutError::NoValue`] for an index without a value at some coordinate;
    /// - [`LayoutError::Unknown`] for a variable that is not one of the coordinates.
    pub fn of_index(index: &Expr, coordinates: &[(&str, i64)]) -> Result<Layout, LayoutError> {
        if let Some((_, size)) = coordinates.iter().find(|(_, size)| *size < 1) {
            return Err(LayoutError::Size { size: *size });
        }
        let names: Vec<&str> = coordinates.iter().map(|(name, _)| *name).collect();
        let sizes: Vec<i64> = coordinates.iter().map(|(_, size)| *size).collect();
        let program = Program::new(std::slice::from_ref(index), &names)?;
        let value = |at: &[i64]| {
            let wide: Vec<i128> = at.iter().map(|c| i128::from(*c)).collect();
            let value = program.eval(&wide).swap_remove(0);
            let value = value.map_err(|why| LayoutError::NoValue { at: at.to_vec(), why })?;
            i64::try_from(value).map_err(|_| LayoutError::Overflow { what: "an index" })
        };
        let first = value(&vec![0; sizes.len()])?;
        if first != 0 {
            return Err(LayoutError::Offset { index: first });
        }
        let mut modes: Vec<Mode> = fitted(&sizes, value)?.iter().map(|leaves| Mode::of_leaves(leaves)).collect();
        let one = modes.len() == 1;
        Layout::checked(if one { modes.swap_remove(0) } else { Mode::Group(modes) }, Vec::new())
    }
}
