//! [`LinearLayout`]: functions of bits, as in Triton.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::tree::{Layout, Mode, merged};
use quaff::expr::{Expr, int};
use std::fmt;

/// Bits of all coordinates together, and of an index, at most.
pub const MAX_BITS: usize = 62;

/// A function from coordinates of several bits to an index, which is linear over bits: each bit of a coordinate changes a set of bits of
/// the index, its basis, and the index is the exclusive or of the bases of all bits that are set.
///
/// Triton's `LinearLayout` with one output; several outputs are neighbouring bits of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    /// For each coordinate the basis of each bit, the lowest bit first.
    bases: Vec<Vec<i64>>,
    /// Bits of the index.
    bits: usize,
}

impl LinearLayout {
    /// The function with the bases of each coordinate, the lowest bit first, and an index of `bits` bits.
    ///
    /// ```
    /// use quaff_fronts::layout::LinearLayout;
    ///
    /// // rows of 4, each with its columns exchanged by the number of the row
    /// let swizzled = LinearLayout::new(&[vec![1, 2], vec![4 + 1, 8 + 2]], 4)?;
    /// assert_eq!(swizzled.apply(&[1, 2]), Some(11));
    /// assert_eq!(swizzled.to_string(), "(1,2),(5,10) -> 4 bits");
    /// # Ok::<(), quaff_fronts::layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for more than [`MAX_BITS`] bits of all coordinates or of the index, and for a basis with other bits.
    pub fn new(bases: &[Vec<i64>], bits: usize) -> Result<LinearLayout, LayoutError> {
        let count = bases.iter().map(Vec::len).fold(0_usize, usize::saturating_add);
        if count > MAX_BITS || bits > MAX_BITS || bases.len() > MAX_BITS {
            return Err(refused(format!("there are more than {MAX_BITS} bits")));
        }
        match bases.iter().flatten().find(|basis| !(0..1_i64 << bits).contains(*basis)) {
            Some(basis) => Err(refused(format!("the basis {basis} has bits beyond the {bits} of the index"))),
            None => Ok(LinearLayout { bases: bases.to_vec(), bits }),
        }
    }

    /// The bases of each coordinate, the lowest bit first.
    pub fn bases(&self) -> &[Vec<i64>] {
        &self.bases
    }

    /// Bits of the index.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The index of a coordinate, one number for each input; `None` for another count of them, or one with more bits than it has bases.
    pub fn apply(&self, coordinate: &[i64]) -> Option<i64> {
        if coordinate.len() != self.bases.len() {
            return None;
        }
        let mut index = 0;
        for (bases, c) in self.bases.iter().zip(coordinate) {
            if !(0..1_i64 << bases.len()).contains(c) {
                return None;
            }
            index ^= bits_set(bases, *c);
        }
        Some(index)
    }

    /// The bases of all coordinates, those of the first one first: the function of one number that has the bits of all.
    fn all(&self) -> Vec<i64> {
        self.bases.concat()
    }

    /// `self` after `inner`, whose indices are numbers that have the bits of all coordinates of `self`, those of the first one lowest.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] where the indices of `inner` have more bits.
    pub fn compose(&self, inner: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let all = self.all();
        if inner.bits > all.len() {
            return Err(refused(format!(
                "the right index has {} bits, and the left coordinates {}",
                inner.bits,
                all.len()
            )));
        }
        let bases: Vec<Vec<i64>> =
            inner.bases.iter().map(|bases| bases.iter().map(|basis| bits_set(&all, *basis)).collect()).collect();
        LinearLayout::new(&bases, self.bits)
    }

    /// The number of independent bases: the index takes `2^rank` values.
    pub fn rank(&self) -> usize {
        reduced(&self.all()).len()
    }

    /// Whether different coordinates have different indices.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.all().len()
    }

    /// Whether each number of [`bits`](Self::bits) bits is an index.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.bits
    }

    /// The function from an index to the number that has the bits of all coordinates, those of the first one lowest: one coordinate.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a function that has no inverse: it is injective and surjective, or has none.
    pub fn invert(&self) -> Result<LinearLayout, LayoutError> {
        if !self.is_injective() || !self.is_surjective() {
            let (rank, bits) = (self.rank(), self.bits);
            return Err(refused(format!(
                "of {} bases {rank} are independent, and the index has {bits} bits, so there is no inverse",
                self.all().len()
            )));
        }
        let rows = reduced(&self.all());
        // in reduced form each row has one leading bit, which no other row has
        let inverse =
            (0..self.bits).map(|bit| rows.iter().find(|r| r.value == 1 << bit).map_or(0, |r| r.inputs)).collect();
        LinearLayout::new(&[inverse], self.bits)
    }

    /// The function `rest` whose product with `divisor` this is: for each coordinate the lower bits are those of `divisor`, and the higher ones
    /// those of `rest`, whose index stands above the bits of `divisor`. `None` where there is none.
    pub fn divide_left(&self, divisor: &LinearLayout) -> Option<LinearLayout> {
        if divisor.bases.len() != self.bases.len() || divisor.bits > self.bits {
            return None;
        }
        let mut rest = Vec::new();
        for (own, lower) in self.bases.iter().zip(&divisor.bases) {
            let higher = own.strip_prefix(&lower[..])?;
            // the rest leaves the bits of the divisor
            if higher.iter().any(|basis| basis & ((1 << divisor.bits) - 1) != 0) {
                return None;
            }
            rest.push(higher.iter().map(|basis| basis >> divisor.bits).collect());
        }
        LinearLayout::new(&rest, self.bits - divisor.bits).ok()
    }

    /// The product: for each coordinate the lower bits are those of this function, and the higher ones those of `outer`, whose index stands above.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for another number of coordinates, and too many bits.
    pub fn product(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        if outer.bases.len() != self.bases.len() {
            return Err(refused(format!("{} coordinates and {}", self.bases.len(), outer.bases.len())));
        }
        if self.bits + outer.bits > MAX_BITS {
            return Err(refused(format!("there are more than {MAX_BITS} bits")));
        }
        let both = self.bases.iter().zip(&outer.bases);
        let above = |basis: &i64| basis << self.bits;
        let bases: Vec<Vec<i64>> =
            both.map(|(lower, higher)| lower.iter().copied().chain(higher.iter().map(above)).collect()).collect();
        LinearLayout::new(&bases, self.bits + outer.bits)
    }

    /// The layout over bits that `layout` is, with a coordinate for each mode.
    ///
    /// ```
    /// use quaff_fronts::layout::{Layout, LinearLayout};
    ///
    /// let layout: Layout = "Swizzle<1,0,2> o (4,4):(1,4)".parse()?;
    /// let linear = LinearLayout::of_layout(&layout)?;
    /// assert_eq!(linear.to_string(), "(1,2),(5,8) -> 4 bits");
    /// assert!(linear.is_injective());
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a size that is no power of two, a negative stride, and strides whose sums carry.
    pub fn of_layout(layout: &Layout) -> Result<LinearLayout, LayoutError> {
        let (mut used, mut all) = (0_i64, Vec::new());
        for mode in layout.mode_list() {
            let mut bases = Vec::new();
            for leaf in mode.leaves() {
                if leaf.size.count_ones() != 1 || leaf.stride < 0 {
                    return Err(refused(format!(
                        "the mode {leaf} has a size that is no power of two, or a negative stride"
                    )));
                }
                for bit in 0..leaf.size.trailing_zeros() {
                    // less than the reach of the layout
                    let basis = leaf.stride << bit;
                    if used & basis != 0 {
                        return Err(refused(format!("a sum with the mode {leaf} carries")));
                    }
                    used |= basis;
                    bases.push(layout.swizzle(basis));
                }
            }
            all.push(bases);
        }
        let most = all.iter().flatten().fold(0, |most, basis| most | basis);
        LinearLayout::new(&all, (i64::BITS - most.leading_zeros()) as usize)
    }

    /// The layout of the same indices, with a mode for each coordinate.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] where two bases share a bit: their exclusive or is no sum.
    pub fn to_layout(&self) -> Result<Layout, LayoutError> {
        let mut used = 0;
        for basis in self.bases.iter().flatten() {
            if used & basis != 0 {
                return Err(refused(format!(
                    "the basis {basis} shares a bit with another one, so it is no shape:stride"
                )));
            }
            used |= basis;
        }
        let leaves =
            |bases: &Vec<i64>| bases.iter().map(|stride| Leaf { size: 2, stride: *stride }).collect::<Vec<_>>();
        let mut modes: Vec<Mode> = self.bases.iter().map(|bases| Mode::of_leaves(&merged(&leaves(bases)))).collect();
        let one = modes.len() == 1;
        Layout::checked(if one { modes.swap_remove(0) } else { Mode::Group(modes) }, Vec::new())
    }

    /// The index of a coordinate, one expression for each input, each at least 0 and of no more bits than it has bases: runs of bits are shifted by
    /// the same distance, and combined by exclusive or.
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of expressions.
    pub fn index(&self, coordinates: &[Expr]) -> Result<Expr, LayoutError> {
        if coordinates.len() != self.bases.len() {
            return Err(LayoutError::Rank { what: "coordinates", given: coordinates.len(), modes: self.bases.len() });
        }
        let terms =
            self.bases.iter().zip(coordinates).flat_map(|(bases, c)| runs(bases).into_iter().map(|run| run.of(c)));
        Ok(terms.reduce(|all, term| all ^ term).unwrap_or_else(|| int(0)))
    }
}

/// Bits of a coordinate that stand next to one another, and in the index, too.
#[derive(Clone, Copy)]
struct Run {
    from: usize,
    to: usize,
    count: usize,
    /// Whether the highest bit of the coordinate is among them.
    is_last: bool,
}

impl Run {
    /// The bits of `c`, moved to their places.
    fn of(self, c: &Expr) -> Expr {
        let low = if self.from == 0 { c.clone() } else { c.floor_div(int(1 << self.from)) };
        let bits = if self.is_last { low } else { low.floor_mod(int(1 << self.count)) };
        if self.to == 0 { bits } else { bits * int(1 << self.to) }
    }
}

/// The runs of each distance between a bit of the coordinate and one of the index.
fn runs(bases: &[i64]) -> Vec<Run> {
    let has = |from: usize, to: usize| bases.get(from).is_some_and(|basis| basis >> to & 1 == 1);
    let mut out = Vec::new();
    for from in 0..bases.len() {
        for to in 0..MAX_BITS {
            let continues = from > 0 && to > 0 && has(from - 1, to - 1);
            if !has(from, to) || continues {
                continue;
            }
            let count = (1..).find(|n| to + n >= MAX_BITS || !has(from + n, to + n)).unwrap_or(1);
            out.push(Run { from, to, count, is_last: from + count == bases.len() });
        }
    }
    out
}

/// The exclusive or of the bases of the bits of `c`.
fn bits_set(bases: &[i64], c: i64) -> i64 {
    bases.iter().enumerate().filter(|(bit, _)| c >> bit & 1 == 1).fold(0, |index, (_, basis)| index ^ basis)
}

/// A combination of bases.
#[derive(Clone, Copy)]
struct Row {
    value: i64,
    /// The bits of the coordinates whose bases it is made of.
    inputs: i64,
}

/// Independent combinations of `bases`, each with a highest bit that no other one has.
fn reduced(bases: &[i64]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (bit, basis) in bases.iter().enumerate() {
        let mut row = Row { value: *basis, inputs: 1 << bit };
        let without = |row: &mut Row, other: &Row| {
            if row.value >> other.value.ilog2() & 1 == 1 {
                *row = Row { value: row.value ^ other.value, inputs: row.inputs ^ other.inputs };
            }
        };
        rows.iter().for_each(|other| without(&mut row, other));
        if row.value != 0 {
            rows.iter_mut().for_each(|other| without(other, &row));
            rows.push(row);
        }
    }
    rows
}

fn refused(why: String) -> LayoutError {
    LayoutError::Bits { why }
}

impl fmt::Display for LinearLayout {
    /// The bases of each coordinate, and the bits of the index: `(1,2),(5,10) -> 4 bits`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |bases: &Vec<i64>| format!("({})", bases.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
        let all: Vec<String> = self.bases.iter().map(one).collect();
        write!(f, "{} -> {} bits", all.join(","), self.bits)
    }
}
