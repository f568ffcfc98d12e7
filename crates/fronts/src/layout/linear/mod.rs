//! [`LinearLayout`]: linear functions of bits, as in Triton.

mod algebra;
mod dims;
mod index;
mod rows;

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, merged};
use std::fmt;
use std::sync::Arc;

/// The most bits of all inputs together, and of all outputs together.
pub const MAX_BITS: usize = 62;
/// The most inputs, and the most outputs.
pub const MAX_DIMS: usize = 64;

/// An input with the basis of each of its bits, the lowest bit first. A basis has the bits of all outputs, with the
/// first output in the lowest bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Input {
    name: Arc<str>,
    bases: Vec<i64>,
}

/// An output with `2^bits` values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Output {
    name: Arc<str>,
    bits: usize,
}

/// A function from several named numbers to several named numbers that is linear over bits, like `LinearLayout` of
/// Triton.
///
/// Each bit of an input has a *basis*: one number for each output. The outputs are the exclusive or of the bases of all
/// bits that are set. Sizes are powers of two. Where all inputs or all outputs are treated as one number, the first of
/// them has the lowest bits.
///
/// ```
/// use quaff_fronts::layout::LinearLayout;
///
/// // 4 registers and 4 lanes of a tile of 4 rows and 4 columns, whose columns are exchanged by the number of the row
/// let tile: LinearLayout = "{register: [(0,1), (0,2)], lane: [(1,1), (2,2)]} -> {row: 4, column: 4}".parse()?;
/// assert_eq!(tile.apply(&[1, 2]), Some(vec![2, 3]));
/// assert_eq!(tile.invert()?.apply(&[2, 3]), Some(vec![1, 2]));
/// # Ok::<(), quaff_fronts::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct LinearLayout {
    ins: Vec<Input>,
    outs: Vec<Output>,
}

impl LinearLayout {
    /// The function with these bases for each input, the lowest bit first, and outputs of these sizes. A basis has one
    /// number for each output.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a size that is no power of two, and for a basis without exactly one number for each
    /// output. Also for a number of a basis that exceeds the size of its output. Also for a name that is given twice,
    /// and for more than [`MAX_BITS`] bits of all inputs or of all outputs. [`LayoutError::Limit`] for more than
    /// [`MAX_DIMS`] inputs or outputs.
    pub fn new(ins: &[(&str, Vec<Vec<i64>>)], outs: &[(&str, i64)]) -> Result<LinearLayout, LayoutError> {
        let outs = outputs(outs)?;
        let mut inputs = Vec::new();
        for (name, bases) in ins {
            let bases = bases.iter().map(|basis| joined(basis, &outs)).collect::<Result<Vec<_>, _>>()?;
            inputs.push(Input { name: (*name).into(), bases });
        }
        LinearLayout::checked(inputs, outs)
    }

    /// The function with these bases, and with outputs of the least sizes that contain all bases.
    ///
    /// # Errors
    /// The errors of [`LinearLayout::new`].
    pub fn of_bases(ins: &[(&str, Vec<Vec<i64>>)], outs: &[&str]) -> Result<LinearLayout, LayoutError> {
        let bases = || ins.iter().flat_map(|(_, bases)| bases);
        let mut sized = Vec::new();
        for (at, name) in outs.iter().enumerate() {
            let all = bases().fold(0, |all, basis| all | basis.get(at).copied().unwrap_or(0));
            let size = 1_i64.checked_shl(i64::BITS - all.leading_zeros()).filter(|size| *size > 0 && all >= 0);
            sized.push((*name, size.ok_or_else(|| refused(format!("a basis of {name} is negative or too large")))?));
        }
        LinearLayout::new(ins, &sized)
    }

    /// The function `out = stride * input` for inputs below `size`. Both `stride` and `size` must be powers of two.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if one of the numbers is no power of two.
    pub fn strided(size: i64, stride: i64, input: &str, out: &str) -> Result<LinearLayout, LayoutError> {
        let (bits, shift) = (power(size)?, power(stride)?);
        let outs = vec![Output { name: out.into(), bits: bits.saturating_add(shift) }];
        check_bits(&outs)?;
        let bases = (0..bits).map(|bit| 1 << (shift + bit)).collect();
        LinearLayout::checked(vec![Input { name: input.into(), bases }], outs)
    }

    /// The function `out = input` for inputs below `size`, a power of two.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if `size` is no power of two.
    pub fn identity(size: i64, input: &str, out: &str) -> Result<LinearLayout, LayoutError> {
        LinearLayout::strided(size, 1, input, out)
    }

    /// The function `out = 0` for inputs below `size`. The output has the size `out_size`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if a size is no power of two.
    pub fn zeros(size: i64, input: &str, out: &str, out_size: i64) -> Result<LinearLayout, LayoutError> {
        let bases = vec![0; power(size)?];
        LinearLayout::checked(vec![Input { name: input.into(), bases }], outputs(&[(out, out_size)])?)
    }

    /// The function of these inputs and outputs, after a check of their sizes and names.
    fn checked(ins: Vec<Input>, outs: Vec<Output>) -> Result<LinearLayout, LayoutError> {
        for (what, names) in [("inputs", names_of(&ins, |i| &i.name)), ("outputs", names_of(&outs, |o| &o.name))] {
            if names.len() > MAX_DIMS {
                return Err(LayoutError::Limit { what, count: names.len(), limit: MAX_DIMS });
            }
            if let Some((_, name)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
                return Err(refused(format!("`{name}` names two of the {what}")));
            }
        }
        check_bits(&outs)?;
        let count = ins.iter().map(|input| input.bases.len()).fold(0_usize, usize::saturating_add);
        if count > MAX_BITS {
            return Err(refused(format!("there are more than {MAX_BITS} bits of inputs")));
        }
        Ok(LinearLayout { ins, outs })
    }

    /// The inputs with their sizes.
    pub fn ins(&self) -> Vec<(&str, i64)> {
        self.ins.iter().map(|input| (&*input.name, 1 << input.bases.len())).collect()
    }

    /// The outputs with their sizes.
    pub fn outs(&self) -> Vec<(&str, i64)> {
        self.outs.iter().map(|out| (&*out.name, 1 << out.bits)).collect()
    }

    /// The bases of each input, the lowest bit first. Each basis has one number for each output.
    pub fn bases(&self) -> Vec<(&str, Vec<Vec<i64>>)> {
        let parts = |input: &Input| input.bases.iter().map(|basis| parts(*basis, &self.outs)).collect();
        self.ins.iter().map(|input| (&*input.name, parts(input))).collect()
    }

    /// The outputs for one number for each input. `None` if the number of inputs differs, or if an input is not below
    /// its size.
    pub fn apply(&self, inputs: &[i64]) -> Option<Vec<i64>> {
        if inputs.len() != self.ins.len() {
            return None;
        }
        let mut all = 0;
        for (input, c) in self.ins.iter().zip(inputs) {
            if !(0..1_i64 << input.bases.len()).contains(c) {
                return None;
            }
            all ^= bits_set(&input.bases, *c);
        }
        Some(parts(all, &self.outs))
    }

    /// The linear layout that equals `layout`. It maps coordinates to the index `out`. `ins` has the names of the
    /// coordinates: one for each mode, or one for all modes.
    ///
    /// ```
    /// use quaff_fronts::layout::{Layout, LinearLayout};
    ///
    /// let layout: Layout = "Swizzle<1,0,2> o (4,4):(1,4)".parse()?;
    /// let linear = LinearLayout::of_layout(&layout, &["row", "column"], "offset")?;
    /// assert_eq!(linear.to_string(), "{row: [1, 2], column: [5, 8]} -> {offset: 16}");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a size that is no power of two, a negative stride, and strides whose sums have
    /// carries. [`LayoutError::Rank`] for another number of names.
    pub fn of_layout(layout: &Layout, ins: &[&str], out: &str) -> Result<LinearLayout, LayoutError> {
        let modes: Vec<Vec<Leaf>> = match ins {
            [_] => vec![layout.leaves()],
            _ if ins.len() == layout.rank() => layout.mode_list().iter().map(Mode::leaves).collect(),
            _ => return Err(LayoutError::Rank { what: "names", given: ins.len(), modes: layout.rank() }),
        };
        let (mut used, mut inputs) = (0_i64, Vec::new());
        for (name, leaves) in ins.iter().zip(modes) {
            let mut bases = Vec::new();
            for leaf in leaves {
                if leaf.size.count_ones() != 1 || leaf.stride < 0 {
                    return Err(refused(format!(
                        "the mode {leaf} has a size that is no power of two, or a negative stride"
                    )));
                }
                for bit in 0..leaf.size.trailing_zeros() {
                    // the shift does not overflow, because the basis is within the checked reach of the layout
                    let basis = leaf.stride << bit;
                    if used & basis != 0 {
                        return Err(refused(format!("a sum with the mode {leaf} carries")));
                    }
                    used |= basis;
                    bases.push(vec![layout.swizzle(basis)]);
                }
            }
            inputs.push((*name, bases));
        }
        LinearLayout::of_bases(&inputs, &[out])
    }

    /// The layout with a mode for each input. Its index is the number that has the bits of all outputs, with the first
    /// output in the lowest bits.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if two bases share a bit, because their exclusive or is then no sum.
    /// [`LayoutError::Limit`] if there are no inputs.
    pub fn to_layout(&self) -> Result<Layout, LayoutError> {
        let mut used = 0;
        for basis in self.all() {
            if used & basis != 0 {
                return Err(refused(format!(
                    "the basis {basis} shares a bit with another one, so it is no shape:stride"
                )));
            }
            used |= basis;
        }
        let leaves =
            |input: &Input| input.bases.iter().map(|stride| Leaf { size: 2, stride: *stride }).collect::<Vec<_>>();
        let mut modes: Vec<Mode> = self.ins.iter().map(|input| Mode::of_leaves(&merged(&leaves(input)))).collect();
        let one = modes.len() == 1;
        Layout::checked(if one { modes.swap_remove(0) } else { Mode::Group(modes) }, Vec::new())
    }

    /// The bases of all inputs, beginning with the first input.
    fn all(&self) -> Vec<i64> {
        self.ins.iter().flat_map(|input| input.bases.iter().copied()).collect()
    }

    /// The number of bits of all outputs.
    fn out_bits(&self) -> usize {
        self.outs.iter().map(|out| out.bits).sum()
    }
}

fn names_of<T>(all: &[T], name: fn(&T) -> &Arc<str>) -> Vec<&str> {
    all.iter().map(|one| &**name(one)).collect()
}

fn check_bits(outs: &[Output]) -> Result<(), LayoutError> {
    let bits = outs.iter().map(|out| out.bits).fold(0_usize, usize::saturating_add);
    if bits > MAX_BITS { Err(refused(format!("there are more than {MAX_BITS} bits of outputs"))) } else { Ok(()) }
}

fn outputs(outs: &[(&str, i64)]) -> Result<Vec<Output>, LayoutError> {
    let outs = outs.iter().map(|(name, size)| Ok(Output { name: (*name).into(), bits: power(*size)? }));
    let outs = outs.collect::<Result<Vec<Output>, LayoutError>>()?;
    check_bits(&outs)?;
    Ok(outs)
}

/// The exponent of a size, which must be a power of two.
fn power(size: i64) -> Result<usize, LayoutError> {
    match size > 0 && size.count_ones() == 1 {
        true => Ok(size.trailing_zeros() as usize),
        false => Err(refused(format!("the size {size} is no power of two"))),
    }
}

/// The number with the bits of all outputs, with the first output in the lowest bits.
fn joined(parts: &[i64], outs: &[Output]) -> Result<i64, LayoutError> {
    if parts.len() != outs.len() {
        return Err(refused(format!("a basis has {} numbers, and there are {} outputs", parts.len(), outs.len())));
    }
    let (mut all, mut at) = (0, 0);
    for (part, out) in parts.iter().zip(outs) {
        if !(0..1_i64 << out.bits).contains(part) {
            return Err(refused(format!("the basis {part} leaves the {} numbers of {}", 1_i64 << out.bits, out.name)));
        }
        all |= part << at;
        at += out.bits;
    }
    Ok(all)
}

/// The number of each output, split from the bits of all outputs.
fn parts(mut all: i64, outs: &[Output]) -> Vec<i64> {
    let mut parts = Vec::with_capacity(outs.len());
    for out in outs {
        parts.push(all & ((1 << out.bits) - 1));
        all >>= out.bits;
    }
    parts
}

/// The exclusive or of the bases of the set bits of `c`.
fn bits_set(bases: &[i64], c: i64) -> i64 {
    bases.iter().enumerate().filter(|(bit, _)| c >> bit & 1 == 1).fold(0, |index, (_, basis)| index ^ basis)
}

fn refused(why: String) -> LayoutError {
    LayoutError::Bits { why }
}

impl fmt::Display for LinearLayout {
    /// Writes the bases of each input, and the size of each output: `{row: [1, 2], column: [5, 8]} -> {offset: 16}`. A
    /// basis is in parentheses unless there is exactly one output. If there are no outputs, a basis is written `[]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let basis = |basis: &Vec<i64>| {
            let numbers = basis.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            match basis.len() {
                0 => "[]".into(),
                1 => numbers,
                _ => format!("({numbers})"),
            }
        };
        let ins = self
            .bases()
            .iter()
            .map(|(name, bases)| format!("{name}: [{}]", bases.iter().map(basis).collect::<Vec<_>>().join(", ")))
            .collect::<Vec<_>>();
        let outs = self.outs().iter().map(|(name, size)| format!("{name}: {size}")).collect::<Vec<_>>();
        write!(f, "{{{}}} -> {{{}}}", ins.join(", "), outs.join(", "))
    }
}
