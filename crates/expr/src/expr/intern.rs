//! An interner, which makes equal expressions one node.

use super::{Expr, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// A table that returns the same node for equal expressions. So an expression whose parts were built separately takes
/// only the space and time of its distinct parts.
#[derive(Default)]
pub struct Interner {
    /// The nodes, by operator and by the addresses of their operands, which are nodes of this table, too.
    known: FxHashMap<(Op, [usize; 3]), Expr>,
    held: FxHashSet<usize>,
}

impl Interner {
    /// The node for expressions equal to `e`. The time is linear in the nodes of `e` that this table did not return
    /// before.
    pub fn intern(&mut self, e: &Expr) -> Expr {
        // the new node for each visited node of `e`
        let mut done: FxHashMap<usize, Expr> = FxHashMap::default();
        let mut todo = vec![(e, false)];
        while let Some((node, operands_done)) = todo.pop() {
            if self.held.contains(&node.address()) || done.contains_key(&node.address()) {
                continue;
            }
            if !operands_done {
                todo.push((node, true));
                todo.extend(node.args().iter().map(|a| (a, false)));
                continue;
            }
            let args: Vec<Expr> = node.args().iter().map(|a| done.get(&a.address()).unwrap_or(a).clone()).collect();
            let mut key = [0; 3];
            key.iter_mut().zip(&args).for_each(|(at, a)| *at = a.address());
            let held = &mut self.held;
            let shared = self.known.entry((node.op().clone(), key)).or_insert_with(|| {
                let new = Expr::new(node.op().clone(), args);
                held.insert(new.address());
                new
            });
            done.insert(node.address(), shared.clone());
        }
        done.remove(&e.address()).unwrap_or_else(|| e.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;
    use crate::expr::{Expr, var};

    #[test]
    fn equal_expressions_are_one_node() {
        let mut interner = Interner::default();
        let read = |text: &str| text.parse::<Expr>().expect(text);
        let a = interner.intern(&read("(x + 1)//3 + (x + 1)%4"));
        assert_eq!(a, read("(x + 1)//3 + (x + 1)%4"));
        assert_eq!(a.args()[0].args()[0].address(), a.args()[1].args()[0].address());
        assert_eq!(interner.intern(&read("(x + 1)%4")).address(), a.args()[1].address());
        assert_eq!(interner.intern(&a).address(), a.address());
        assert_ne!(interner.intern(&read("(1 + x)%4")), a.args()[1]);
        let chain = |n: usize| (0..n).fold(var("x"), |e, _| e + 1);
        assert_eq!(interner.intern(&chain(100_000)).address(), interner.intern(&chain(100_000)).address());
    }
}
