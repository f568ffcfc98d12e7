//! [`Mode`]: leaves (sizes with their strides) in nested tuples.

use super::error::LayoutError;
use super::leaf::Leaf;
use std::fmt;

/// A leaf, or modes in parentheses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode<N = i64> {
    Leaf(Leaf<N>),
    Group(Vec<Mode<N>>),
}

impl<N: Clone + From<i64>> Mode<N> {
    pub(super) fn leaf(size: N, stride: N) -> Mode<N> {
        Mode::Leaf(Leaf { size, stride })
    }

    /// The sizes without tuples, the fastest first.
    pub(super) fn leaves(&self) -> Vec<Leaf<N>> {
        match self {
            Mode::Leaf(leaf) => vec![leaf.clone()],
            Mode::Group(modes) => modes.iter().flat_map(Mode::leaves).collect(),
        }
    }

    /// The mode of these leaves: a single leaf without a tuple, several leaves in a tuple, and `1:0` for none.
    pub(super) fn of_leaves(leaves: &[Leaf<N>]) -> Mode<N> {
        match leaves {
            [] => Mode::leaf(1.into(), 0.into()),
            [one] => Mode::Leaf(one.clone()),
            several => Mode::Group(several.iter().cloned().map(Mode::Leaf).collect()),
        }
    }

    pub(super) fn depth(&self) -> usize {
        match self {
            Mode::Leaf(_) => 0,
            Mode::Group(modes) => 1 + modes.iter().map(Mode::depth).max().unwrap_or(0),
        }
    }

    /// The mode with the same tuples in which each leaf is replaced by its image under `f`.
    pub(super) fn map<M, E>(&self, f: &mut impl FnMut(&Leaf<N>) -> Result<Leaf<M>, E>) -> Result<Mode<M>, E> {
        match self {
            Mode::Leaf(leaf) => f(leaf).map(Mode::Leaf),
            Mode::Group(modes) => modes.iter().map(|mode| mode.map(f)).collect::<Result<_, E>>().map(Mode::Group),
        }
    }

    /// The leaves of each mode, if the coordinate has one number for each mode. All leaves in one list, if the
    /// coordinate is a single number.
    pub(super) fn for_coordinate(&self, what: &'static str, given: usize) -> Result<Vec<Vec<Leaf<N>>>, LayoutError> {
        match (given, self.list().len()) {
            (given, rank) if given == rank => Ok(self.list().iter().map(Mode::leaves).collect()),
            (1, _) => Ok(vec![self.leaves()]),
            (given, modes) => Err(LayoutError::Rank { what, given, modes }),
        }
    }

    /// The mode in which each leaf is replaced by the next item of `parts`.
    pub(super) fn replaced(&self, parts: &mut impl Iterator<Item = Vec<Leaf<N>>>) -> Mode<N> {
        match self {
            Mode::Leaf(_) => Mode::of_leaves(&parts.next().unwrap_or_default()),
            Mode::Group(modes) => Mode::Group(modes.iter().map(|mode| mode.replaced(parts)).collect()),
        }
    }

    /// The modes of the outermost tuple, or the mode itself.
    pub(super) fn list(&self) -> &[Mode<N>] {
        match self {
            Mode::Leaf(_) => std::slice::from_ref(self),
            Mode::Group(modes) => modes,
        }
    }
}

impl<N: fmt::Display> fmt::Display for Mode<N> {
    /// Writes the sizes and the strides, such as `(4,8):(8,1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |leaf| &leaf.size)?;
        f.write_str(":")?;
        self.write(f, |leaf| &leaf.stride)
    }
}

impl<N: fmt::Display> Mode<N> {
    fn write(&self, f: &mut fmt::Formatter<'_>, number: fn(&Leaf<N>) -> &N) -> fmt::Result {
        match self {
            Mode::Leaf(leaf) => write!(f, "{}", number(leaf)),
            Mode::Group(modes) => {
                for (at, mode) in modes.iter().enumerate() {
                    f.write_str(if at == 0 { "(" } else { "," })?;
                    mode.write(f, number)?;
                }
                f.write_str(")")
            }
        }
    }
}
