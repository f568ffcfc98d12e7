//! Helper functions for the structure of expressions.

use crate::expr::Expr;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// `e` with other arguments. Returns `e` itself if they are unchanged.
pub(super) fn with_args(e: &Expr, args: Vec<Expr>) -> Expr {
    if args.iter().zip(e.args()).all(|(a, b)| a.address() == b.address()) {
        return e.clone();
    }
    Expr::new(e.op().clone(), args)
}

/// Calls `visit` with every node, users before operands. The second argument is the result of `visit` for the user of
/// the node, or `false` for a root. If users of a shared node had different results, the node is visited once for each
/// result.
pub(super) fn for_each_node<'a>(roots: &'a [Expr], mut visit: impl FnMut(&'a Expr, bool) -> bool) {
    let mut seen: FxHashSet<(usize, bool)> = FxHashSet::default();
    let mut todo: SmallVec<[(&Expr, bool); 16]> = roots.iter().map(|e| (e, false)).collect();
    while let Some((e, of_user)) = todo.pop() {
        if e.args().is_empty() || !e.has_several_owners() || seen.insert((e.address(), of_user)) {
            let own = visit(e, of_user);
            todo.extend(e.args().iter().map(|a| (a, own)));
        }
    }
}
