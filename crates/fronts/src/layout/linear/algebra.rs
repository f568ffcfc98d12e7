//! Compositions, products, quotients and inverses of linear layouts.

use super::dims::{order, united};
use super::rows::{reduced, solution};
use super::{Input, LinearLayout, MAX_BITS, Output, bits_set, joined, names_of, parts, refused};
use crate::layout::error::LayoutError;

impl LinearLayout {
    /// The function that applies `inner` first and `self` second. The inputs of `self` are the outputs of `inner` with
    /// the same names.
    ///
    /// Triton writes `inner.compose(self)`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if the names differ, or an output of `inner` is larger than the input.
    pub fn compose(&self, inner: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let own = names_of(&self.ins, |i| &i.name);
        let wanted = names_of(&inner.outs, |o| &o.name);
        let mut all = Vec::new();
        for (at, out) in order(&own, &wanted, "inputs of the left function")?.into_iter().zip(&inner.outs) {
            let bases = &self.ins[at].bases;
            let bases = bases.get(..out.bits).ok_or_else(|| {
                let (size, most) = (1_i64 << out.bits, 1_i64 << bases.len());
                refused(format!(
                    "`{}` of the right function has {size} numbers, and that of the left one {most}",
                    out.name
                ))
            })?;
            all.extend_from_slice(bases);
        }
        let ins = inner.ins.iter().map(|input| Input {
            name: input.name.clone(),
            bases: input.bases.iter().map(|basis| bits_set(&all, *basis)).collect(),
        });
        LinearLayout::checked(ins.collect(), self.outs.clone())
    }

    /// The product of both functions. The lower bits of each input belong to this function, and the higher bits to
    /// `outer`. The outputs of `outer` are placed above the outputs of this function with the same name. Inputs and
    /// outputs that only one function has stay unchanged.
    ///
    /// ```
    /// use quaff_fronts::layout::LinearLayout;
    ///
    /// let registers = LinearLayout::identity(4, "register", "column")?;
    /// let lanes = LinearLayout::identity(8, "lane", "row")?.product(&LinearLayout::identity(4, "lane", "column")?)?;
    /// let tile = registers.product(&lanes)?;
    /// assert_eq!(tile.to_string(), "{register: [(0,1), (0,2)], lane: [(1,0), (2,0), (4,0), (0,4), (0,8)]} -> {row: 8, column: 16}");
    /// assert_eq!(tile.divide_left(&registers).map(|rest| rest.outs()[1].1), Some(4));
    /// # Ok::<(), quaff_fronts::layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if both have the same names in different orders, or if the result has more than 62 bits.
    pub fn product(&self, outer: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let disorder = || refused("the inputs or the outputs of both are in different orders".into());
        let [ins, outer_ins] = [self, outer].map(|f| names_of(&f.ins, |i| &i.name));
        let [outs, outer_outs] = [self, outer].map(|f| names_of(&f.outs, |o| &o.name));
        let ins = united(&ins, &outer_ins).ok_or_else(disorder)?;
        let names = united(&outs, &outer_outs).ok_or_else(disorder)?;
        let outs: Vec<Output> =
            names.into_iter().map(|name| Output { bits: self.bits_out(&name) + outer.bits_out(&name), name }).collect();
        super::check_bits(&outs)?;
        let mut found = Vec::new();
        for name in ins {
            let mut bases = Vec::new();
            for (layout, is_outer) in [(self, false), (outer, true)] {
                for basis in layout.bases_in(&name) {
                    let old = parts(*basis, &layout.outs);
                    let part = |out: &Output| {
                        let at = layout.outs.iter().position(|own| own.name == out.name);
                        let above = if is_outer { self.bits_out(&out.name) } else { 0 };
                        at.map_or(0, |at| old[at] << above)
                    };
                    bases.push(joined(&outs.iter().map(part).collect::<Vec<_>>(), &outs)?);
                }
            }
            found.push(Input { name, bases });
        }
        LinearLayout::checked(found, outs)
    }

    /// The number of bits of an output. It is 0 if no output has this name.
    fn bits_out(&self, name: &str) -> usize {
        self.outs.iter().find(|out| *out.name == *name).map_or(0, |out| out.bits)
    }

    /// The bases of an input. Empty if no input has this name.
    fn bases_in(&self, name: &str) -> &[i64] {
        self.ins.iter().find(|input| *input.name == *name).map_or(&[], |input| &input.bases)
    }

    /// The function `rest` with `divisor.product(&rest) == self`, which has all inputs and outputs of this function.
    /// `None` if there is no such function.
    pub fn divide_left(&self, divisor: &LinearLayout) -> Option<LinearLayout> {
        let rest = self.quotient(divisor, true)?;
        (divisor.product(&rest).ok()? == *self).then_some(rest)
    }

    /// The function `rest` with `rest.product(&divisor) == self`, which has all inputs and outputs of this function.
    /// `None` if there is no such function.
    pub fn divide_right(&self, divisor: &LinearLayout) -> Option<LinearLayout> {
        let rest = self.quotient(divisor, false)?;
        (rest.product(divisor).ok()? == *self).then_some(rest)
    }

    /// The function of the higher or the lower bits that remain after the bits of a divisor are removed. The caller
    /// must check that it is a quotient.
    fn quotient(&self, divisor: &LinearLayout, is_higher: bool) -> Option<LinearLayout> {
        let mut outs = self.outs.clone();
        for out in &mut outs {
            out.bits = out.bits.checked_sub(divisor.bits_out(&out.name))?;
        }
        let mut ins = Vec::new();
        for input in &self.ins {
            let taken = divisor.bases_in(&input.name).len();
            let kept = match is_higher {
                true => input.bases.get(taken..)?,
                false => input.bases.get(..input.bases.len().checked_sub(taken)?)?,
            };
            let mut bases = Vec::new();
            for basis in kept {
                let mut all = parts(*basis, &self.outs);
                if is_higher {
                    all.iter_mut().zip(&self.outs).for_each(|(part, out)| *part >>= divisor.bits_out(&out.name));
                }
                bases.push(joined(&all, &outs).ok()?);
            }
            ins.push(Input { name: input.name.clone(), bases });
        }
        LinearLayout::checked(ins, outs).ok()
    }

    /// The number of independent bases. The outputs together take `2^rank` different values.
    pub fn rank(&self) -> usize {
        reduced(&self.all()).len()
    }

    /// Whether different inputs have different outputs.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.all().len()
    }

    /// Whether the function takes all values of all outputs.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.out_bits()
    }

    /// For each input, the mask of its free bits. The basis of a free bit is a combination of the bases of lower bits
    /// and of the inputs before it. All masks are 0 exactly when the function is injective.
    pub fn free_masks(&self) -> Vec<(&str, i64)> {
        let used = reduced(&self.all()).iter().fold(0, |used, row| used | row.inputs);
        let mut at = 0;
        let mask = |input: &Input| {
            let size = 1_i64 << input.bases.len();
            let free = !(used >> at) & (size - 1);
            at += input.bases.len();
            free
        };
        self.ins.iter().map(|input| &*input.name).zip(self.ins.iter().map(mask).collect::<Vec<_>>()).collect()
    }

    /// The function `c` with `self.apply(x) == other.apply(c.apply(x))` for all `x`. Its outputs are the inputs of
    /// `other`. If several functions satisfy this, the result is the function with the least values, in which free bits
    /// of `other` are 0.
    ///
    /// Let the inputs of `self` be registers and lanes, and the input of `other` offsets in memory. The result is then
    /// the offset of each value.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if the outputs of both have different names, and if `other` does not reach the outputs of
    /// an input of `self`.
    pub fn invert_and_compose(&self, other: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let names = names_of(&self.outs, |o| &o.name);
        let other = other.transpose_outs(&names)?;
        let rows = reduced(&other.all());
        let mut ins = Vec::new();
        for input in &self.ins {
            let mut bases = Vec::new();
            for (bit, basis) in input.bases.iter().enumerate() {
                let value = parts(*basis, &self.outs);
                let found = joined(&value, &other.outs).ok().and_then(|value| solution(&rows, value));
                bases.push(found.ok_or_else(|| {
                    refused(format!(
                        "the value {value:?} of `{}` = {} is none of the right function",
                        input.name,
                        1_i64 << bit
                    ))
                })?);
            }
            ins.push(Input { name: input.name.clone(), bases });
        }
        let outs = other.ins.iter().map(|input| Output { name: input.name.clone(), bits: input.bases.len() });
        LinearLayout::checked(ins, outs.collect())
    }

    /// The function `r` with `self.apply(r.apply(y)) == y` for all `y`. If several functions satisfy this, the result
    /// is the function with the least values. Triton calls it `pseudoinvert`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a function that is not surjective.
    pub fn right_inverse(&self) -> Result<LinearLayout, LayoutError> {
        if !self.is_surjective() {
            let (rank, bits) = (self.rank(), self.out_bits());
            return Err(refused(format!(
                "it is not surjective: {rank} bases are independent, and the outputs have {bits} bits"
            )));
        }
        let mut identity = LinearLayout::default();
        for (name, size) in self.outs() {
            identity = identity.product(&LinearLayout::identity(size, name, name)?)?;
        }
        identity.invert_and_compose(self)
    }

    /// A function `l` with `l.apply(self.apply(x)) == x` for all `x`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a function that is not injective.
    pub fn left_inverse(&self) -> Result<LinearLayout, LayoutError> {
        let all = self.all();
        let rows = reduced(&all);
        if rows.len() < all.len() {
            return Err(refused(format!("it is not injective: {} of {} bases are independent", rows.len(), all.len())));
        }
        // each row has a highest bit that no other row has
        let of_bit = |bit: usize| rows.iter().find(|row| row.value.ilog2() as usize == bit).map_or(0, |row| row.inputs);
        let mut bases: Vec<i64> = (0..self.out_bits().min(MAX_BITS)).map(of_bit).collect();
        let mut ins = Vec::new();
        for out in &self.outs {
            let rest = bases.split_off(out.bits);
            ins.push(Input { name: out.name.clone(), bases: std::mem::replace(&mut bases, rest) });
        }
        let outs = self.ins.iter().map(|input| Output { name: input.name.clone(), bits: input.bases.len() });
        LinearLayout::checked(ins, outs.collect())
    }

    /// The inverse, from outputs to inputs.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a function that is not both injective and surjective.
    pub fn invert(&self) -> Result<LinearLayout, LayoutError> {
        self.left_inverse()?;
        self.right_inverse()
    }
}
