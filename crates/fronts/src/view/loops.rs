//! Loops that several views share.

use super::error::{ErrorKind, ViewError};
use super::merge::Group;
use super::stack::ViewStack;
use super::strided::View;
use quaff::expr::{Expr, int};

/// Views over one loop nest, as [`common_loops`] finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonLoops {
    /// For each loop, the axes over which it runs. Loops and axes are listed from the outermost on. Axes of size 1
    /// belong to no loop.
    pub axes: Vec<Vec<usize>>,
    /// The views with one axis for each loop, in the given order.
    pub views: Vec<ViewStack>,
}

/// The fewest loops in which several views of one shape can be read, for example an input and an output of a kernel.
///
/// Axes become one loop if they can be merged in every view. Two axes can be merged if a step along the outer axis is
/// as long as all steps along the inner axis. They can also be merged if the outer axis has only one valid index. The
/// order of loops may differ from the order of axes, so that two transposed matrices share one loop. The order is kept
/// if the fewest loops need no other order. For stacks of one view, no loop nest has fewer loops. For other stacks only
/// the last view is used, and the views below stay unchanged.
///
/// ```
/// use quaff_fronts::view::{ViewStack, common_loops};
///
/// let output = ViewStack::row_major([4, 6, 8])?;
/// let input = ViewStack::row_major([4, 48])?.pad([(0, 0), (0, 16)])?.shrink([(0, 4), (0, 48)])?.reshape([4, 6, 8])?;
/// assert_eq!(common_loops(&[output.clone(), input])?.axes, [[0, 1, 2]]);
/// let rows = ViewStack::row_major([4, 1, 8])?.expand([4, 6, 8])?;
/// assert_eq!(common_loops(&[output, rows])?.views[1].to_string(), "(4, 6, 8):(8, 0, 1)");
/// # Ok::<(), quaff_fronts::view::ViewError>(())
/// ```
///
/// # Errors
/// [`ErrorKind::ShapesDiffer`] when the shapes differ. [`ErrorKind::DomainsDiffer`] when the views have different facts
/// about the variables in their sizes.
///
/// The time is proportional to the number of views and to the square of the number of axes.
pub fn common_loops(views: &[ViewStack]) -> Result<CommonLoops, ViewError> {
    let Some(first) = views.first() else { return Ok(CommonLoops { axes: Vec::new(), views: Vec::new() }) };
    let facts = first.facts();
    for (view, stack) in views.iter().enumerate() {
        let same = |(a, b): (&Expr, &Expr)| facts.same(a, b) == Some(true);
        if stack.rank() != first.rank() || !stack.shape().iter().zip(first.shape()).all(same) {
            let (first, shape) = (first.shape().to_vec(), stack.shape().to_vec());
            return Err(ErrorKind::ShapesDiffer { first, view, shape }.into());
        }
        if stack.domain() != first.domain() {
            return Err(ErrorKind::DomainsDiffer.into());
        }
    }
    let no_point = views.iter().any(|stack| stack.top().is_empty(facts));
    let mut axes: Vec<usize> = (0..first.rank()).filter(|&a| !facts.is(&first.shape()[a], 1)).collect();
    if axes.is_empty() && no_point {
        // without an axis, an empty view would have an element, so all axes are kept
        axes = (0..first.rank()).collect();
    }
    let follows = |outer: usize, inner: usize| {
        views.iter().all(|stack| {
            let group = |axis| Group::of(stack.top(), axis);
            matches!(group(outer).with_inner(&group(inner), facts), Ok(Some(_)))
        })
    };
    // if two axes can be nested in both orders, because no view moves along them, the first axis is the outer axis
    let around = |outer: usize, inner: usize| follows(outer, inner) && (outer < inner || !follows(inner, outer));
    let mut loops = chains(&axes, matching(&axes, around));
    loops.sort_by_key(|group| group[0]);
    let views = views.iter().map(|stack| looped(stack, &loops)).collect::<Result<_, _>>()?;
    Ok(CommonLoops { axes: loops, views })
}

/// The chains of axes in which each axis is nested in the axis before it. A cycle is cut at its first axis.
fn chains(axes: &[usize], mut next: Vec<Option<usize>>) -> Vec<Vec<usize>> {
    let begins: Vec<usize> = axes.iter().copied().filter(|a| !next.contains(&Some(*a))).collect();
    let mut placed = vec![false; next.len()];
    let mut loops = Vec::new();
    for start in begins.into_iter().chain(axes.iter().copied()) {
        let (mut group, mut at) = (Vec::new(), Some(start));
        while let Some(axis) = at.filter(|&a| !std::mem::replace(&mut placed[a], true)) {
            group.push(axis);
            at = next[axis].take();
        }
        if !group.is_empty() {
            loops.push(group);
        }
    }
    loops
}

/// For each axis, the axis directly inside of it. The result is a maximum matching of outer and inner axes, found by
/// augmenting paths (Kuhn). Neighbouring axes are tried first.
fn matching(axes: &[usize], follows: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let rank = axes.last().map_or(0, |a| a + 1);
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); rank];
    for (at, &outer) in axes.iter().enumerate() {
        // the next axis comes first, and then the other axes in turn
        let others =
            (1..axes.len()).filter_map(|by| axes.get(at + by).or_else(|| axes.get((at + by).checked_sub(axes.len())?)));
        edges[outer] = others.copied().filter(|&inner| follows(outer, inner)).collect();
    }
    let mut outer_of: Vec<Option<usize>> = vec![None; rank];
    for &outer in axes {
        augment(outer, &edges, &mut outer_of, &mut vec![false; rank]);
    }
    let mut next = vec![None; rank];
    for (inner, outer) in outer_of.iter().enumerate() {
        if let Some(outer) = outer {
            next[*outer] = Some(inner);
        }
    }
    next
}

/// Finds an inner axis for `outer`, possibly after other outer axes switch to another inner axis. The recursion is at
/// most as deep as the number of axes.
fn augment(outer: usize, edges: &[Vec<usize>], outer_of: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for &inner in &edges[outer] {
        if std::mem::replace(&mut seen[inner], true) {
            continue;
        }
        if outer_of[inner].is_none_or(|other| augment(other, edges, outer_of, seen)) {
            outer_of[inner] = Some(outer);
            return true;
        }
    }
    false
}

/// The stack with one axis for each loop.
fn looped(stack: &ViewStack, loops: &[Vec<usize>]) -> Result<ViewStack, ViewError> {
    let (facts, top) = (stack.facts(), stack.top());
    let mut view = View { shape: Vec::new(), strides: Vec::new(), offset: top.offset.clone(), mask: None };
    let mut mask = Vec::with_capacity(loops.len());
    for axes in loops {
        let mut group: Option<Group> = None;
        for &axis in axes {
            let inner = Group::of(top, axis);
            group = Some(match group {
                None => inner,
                Some(outer) => match outer.with_inner(&inner, facts)? {
                    Some((fused, adds)) => {
                        view.offset = facts.add(&view.offset, &adds)?;
                        fused
                    }
                    // axes that can be merged in pairs can always be merged together
                    None => return Ok(stack.clone()),
                },
            });
        }
        let group = group.unwrap_or(Group { size: int(1), stride: int(0), begin: int(0), end: int(1) });
        view.shape.push(group.size);
        view.strides.push(group.stride);
        mask.push((group.begin, group.end));
    }
    if top.mask.is_some() {
        view.mask = Some(mask);
    }
    let mut views = stack.views().to_vec();
    views.pop();
    views.push(view.canonical(facts)?);
    Ok(stack.moved(views))
}
