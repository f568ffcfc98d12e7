//! Merges neighbouring axes whose elements are read in order with a single stride.

use super::error::ViewError;
use super::facts::Facts;
use super::strided::View;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};

/// Neighbouring axes of a view that are merged.
///
/// Let `x` be a valid index, and `X` the row-major index of the axes of a group. Then `sum(x[i] * strides[i])` is a
/// constant plus the sum of `stride * (X % real)` over the groups. A group with `real` 0 adds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedDim {
    /// The product of the sizes of the axes.
    pub size: Expr,
    /// The stride of the innermost axis.
    pub stride: Expr,
    /// The number of the innermost indices to which the stride applies. It is the product of the sizes, without outer
    /// axes with one valid index, because such an axis only adds a constant. It is 0 for stride 0.
    pub real: Expr,
}

/// The groups of neighbouring axes that can be merged, the outermost first. Axes of size 1 are dropped unless they come
/// first.
///
/// Two neighbours are merged when a step along the outer axis is as long as `size` steps along the inner axis. They are
/// also merged when the outer axis, with the axes merged into it, has only one valid index. Strides need not be
/// canonical: an axis with one valid index may have any stride, even within a run of matching strides. The function
/// equals `_merge_dims` of the shape tracker of tinygrad. The version of tinygrad of 2024 (0.10.0) is wrong for such an
/// axis, and the earlier version is correct.
///
/// ```
/// use quaff::domain::Domain;
/// use quaff::expr::int;
/// use quaff_fronts::view::merge_dims;
///
/// let merged = |shape: [i64; 3], strides: [i64; 3]| {
///     let merged = merge_dims(&Domain::new(), &shape.map(int), &strides.map(int), None)?;
///     Ok::<_, quaff_fronts::view::ViewError>(merged.iter().map(|m| m.to_string()).collect::<Vec<_>>())
/// };
/// assert_eq!(merged([2, 2, 2], [4, 2, 1])?, ["8:1 (8)"]);
/// assert_eq!(merged([2, 2, 2], [0, 0, 1])?, ["4:0 (0)", "2:1 (2)"]);
/// # Ok::<(), quaff_fronts::view::ViewError>(())
/// ```
///
/// # Errors
/// The errors of [`ViewStack::strided`](super::ViewStack::strided).
///
/// The time is linear in the number of axes.
pub fn merge_dims(
    sizes: &Domain,
    shape: &[Expr],
    strides: &[Expr],
    mask: Option<&[(Expr, Expr)]>,
) -> Result<Vec<MergedDim>, ViewError> {
    let facts = Facts::new(sizes.clone())?;
    let shape = facts.shape(shape.iter().cloned())?;
    facts.one_each(("stride", "strides"), shape.len(), strides.len())?;
    let mask = mask.map(|mask| facts.mask(&shape, mask)).transpose()?;
    for stride in strides {
        facts.check(stride)?;
    }
    let strides = strides.iter().map(|s| facts.normal(s)).collect::<Result<_, _>>()?;
    merged(&facts, &View { shape, strides, offset: int(0), mask })
}

/// [`merge_dims`] of a view.
pub(super) fn merged(facts: &Facts, view: &View) -> Result<Vec<MergedDim>, ViewError> {
    let mut groups: Vec<MergedDim> = Vec::new();
    // whether each axis to which the stride of the last group applies has only one valid index
    let mut fixed = false;
    for axis in 0..view.rank() {
        let (size, stride) = (&view.shape[axis], &view.strides[axis]);
        let (begin, end) = view.valid(axis);
        let single = facts.is(&facts.sub(&end, &begin)?, 1);
        let still = facts.is(stride, 0);
        let alone = if still { int(0) } else { size.clone() };
        let Some(last) = groups.last_mut() else {
            groups.push(MergedDim { size: size.clone(), stride: stride.clone(), real: alone });
            fixed = single;
            continue;
        };
        if facts.is(size, 1) {
            continue;
        }
        if fixed {
            *last = MergedDim { size: facts.mul(&last.size, size)?, stride: stride.clone(), real: alone };
            fixed = single;
        } else if facts.same(&last.stride, &facts.mul(size, stride)?) == Some(true) {
            let real = if still { int(0) } else { facts.mul(&last.real, size)? };
            *last = MergedDim { size: facts.mul(&last.size, size)?, stride: stride.clone(), real };
            fixed = still && single;
        } else {
            groups.push(MergedDim { size: size.clone(), stride: stride.clone(), real: alone });
            fixed = single;
        }
    }
    Ok(groups)
}

impl std::fmt::Display for MergedDim {
    /// Writes `size:stride (real)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{} ({})", self.size, self.stride, self.real)
    }
}

/// Merged neighbouring axes, which are valid from `begin` to the exclusive `end`.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) size: Expr,
    pub(super) stride: Expr,
    pub(super) begin: Expr,
    pub(super) end: Expr,
}

impl Group {
    /// The group of the single axis `axis`.
    pub(super) fn of(view: &View, axis: usize) -> Group {
        let (begin, end) = view.valid(axis);
        Group { size: view.shape[axis].clone(), stride: view.strides[axis].clone(), begin, end }
    }

    pub(super) fn is_single(&self, facts: &Facts) -> bool {
        facts.sub(&self.end, &self.begin).is_ok_and(|n| facts.is(&n, 1))
    }

    fn is_empty(&self, facts: &Facts) -> bool {
        facts.le(&self.end, &self.begin) == Some(true)
    }

    fn is_full(&self, facts: &Facts) -> bool {
        facts.is(&self.begin, 0) && facts.same(&self.end, &self.size) == Some(true)
    }

    /// This group merged with the group inside of it, if the valid indices of both together are an interval with one
    /// stride. The second value is a constant that is added to all addresses.
    pub(super) fn with_inner(&self, inner: &Group, facts: &Facts) -> Result<Option<(Group, Expr)>, ViewError> {
        let size = facts.mul(&self.size, &inner.size)?;
        let scaled = |e: &Expr| facts.mul(e, &inner.size);
        if self.is_empty(facts) && inner.is_empty(facts) {
            return Ok(Some((Group { size, stride: int(0), begin: int(0), end: int(0) }, int(0))));
        }
        if self.is_single(facts) {
            let before = scaled(&self.begin)?;
            let (begin, end) = (facts.add(&before, &inner.begin)?, facts.add(&before, &inner.end)?);
            let adds = facts.sub(&facts.mul(&self.begin, &self.stride)?, &facts.mul(&before, &inner.stride)?)?;
            return Ok(Some((Group { size, stride: inner.stride.clone(), begin, end }, adds)));
        }
        let follows = facts.same(&self.stride, &scaled(&inner.stride)?) == Some(true);
        if !(follows && inner.is_full(facts)) {
            return Ok(None);
        }
        let (begin, end) = (scaled(&self.begin)?, scaled(&self.end)?);
        Ok(Some((Group { size, stride: inner.stride.clone(), begin, end }, int(0))))
    }
}

/// The offset of the view and its groups of axes, the outermost first. The address of a valid index is the offset plus
/// `stride * X` of every group. The list is empty when all axes have size 1.
pub(super) fn groups(facts: &Facts, view: &View) -> Result<(Expr, Vec<Group>), ViewError> {
    let (mut offset, mut groups) = (view.offset.clone(), Vec::<Group>::new());
    for axis in (0..view.rank()).filter(|&a| !facts.is(&view.shape[a], 1)) {
        let inner = Group::of(view, axis);
        let fused = groups.last().map(|last| last.with_inner(&inner, facts)).transpose()?.flatten();
        match (fused, groups.last_mut()) {
            (Some((fused, adds)), Some(last)) => {
                *last = fused;
                offset = facts.add(&offset, &adds)?;
            }
            _ => groups.push(inner),
        }
    }
    Ok((offset, groups))
}
