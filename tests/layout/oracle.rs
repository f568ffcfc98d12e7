//! Random layouts, and their indices by definition.

use quaff_fronts::layout::Layout;

/// A small generator of pseudo-random numbers (xorshift64*). It gives the same numbers in every run, so failures can be
/// repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A random number in `0..n`.
    pub(crate) fn below(&mut self, n: u64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let next = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(next) * u128::from(n)) >> 64) as i64
    }

    pub(crate) fn pick(&mut self, from: &[i64]) -> i64 {
        from[self.below(from.len() as u64) as usize]
    }

    /// A layout of up to four leaves in at most two levels of tuples, with random strides from `strides`.
    pub(crate) fn layout(&mut self, sizes: &[i64], strides: &[i64]) -> Layout {
        let count = 1 + self.below(4);
        let leaves: Vec<Layout> =
            (0..count).map(|_| Layout::new(self.pick(sizes), self.pick(strides)).expect("a small layout")).collect();
        self.nested(&leaves)
    }

    /// A layout that has a complement: its strides are products of sizes, in any order, with some gaps.
    pub(crate) fn chain(&mut self, sizes: &[i64]) -> Layout {
        let (mut leaves, mut stride) = (Vec::new(), 1);
        for _ in 0..1 + self.below(4) {
            stride *= self.pick(&[1, 1, 1, 2, 3]);
            let size = self.pick(sizes);
            leaves.insert(self.below(leaves.len() as u64 + 1) as usize, Layout::new(size, stride).expect("small"));
            stride *= size;
        }
        self.nested(&leaves)
    }

    fn nested(&mut self, leaves: &[Layout]) -> Layout {
        match (leaves, self.below(3)) {
            ([one], 0..=1) => one.clone(),
            ([first, rest @ ..], 0) if !rest.is_empty() => {
                let rest = Layout::of_modes(rest).expect("a tuple");
                Layout::of_modes(&[first.clone(), rest]).expect("a tuple")
            }
            _ => Layout::of_modes(leaves).expect("a tuple"),
        }
    }
}

/// The index of coordinate `c` by definition: the digits of `c`, the leftmost fastest, times the strides. The last mode
/// whose size is not 1 is unbounded.
pub(crate) fn index(layout: &Layout, c: i64) -> i64 {
    let leaves: Vec<_> = layout.leaves().into_iter().filter(|l| l.size != 1).collect();
    let (mut rest, mut sum) = (c, 0);
    for (at, leaf) in leaves.iter().enumerate() {
        let last = at + 1 == leaves.len();
        let digit = if last { rest } else { rest.rem_euclid(leaf.size) };
        sum += digit * leaf.stride;
        rest = rest.div_euclid(leaf.size);
    }
    layout.swizzles().iter().rev().fold(sum, |index, swizzle| swizzle.apply(index))
}

/// All indices by definition.
pub(crate) fn indices(layout: &Layout) -> Vec<i64> {
    (0..layout.size()).map(|c| index(layout, c)).collect()
}

/// Whether a layout has `values` as its indices. Tries all ordered factorisations of the size, with the strides that
/// the values give.
pub(crate) fn is_some_layout(values: &[i64]) -> bool {
    fn fits(values: &[i64], step: usize, left: usize, leaves: &mut Vec<(usize, i64)>) -> bool {
        if left == 1 {
            return values.iter().enumerate().all(|(c, value)| {
                let (mut rest, mut sum) = (c, 0);
                for (size, stride) in leaves.iter() {
                    sum += (rest % size) as i64 * stride;
                    rest /= size;
                }
                sum == *value
            });
        }
        (2..=left).filter(|size| left.is_multiple_of(*size)).any(|size| {
            leaves.push((size, values[step]));
            let found = fits(values, step * size, left / size, leaves);
            leaves.pop();
            found
        })
    }
    values[0] == 0 && fits(values, 1, values.len(), &mut Vec::new())
}
