//! Makes equal sub-expressions of a text one node, so that every later pass over the expression visits them once.

use crate::expr::Expr;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The nodes made so far.
#[derive(Default)]
pub(super) struct Shared(HashTable<Expr>);

impl Shared {
    /// The node that stands for `e`: an equal one that was made before, or `e` itself. Operands are compared by address, for
    /// they have been through here, too.
    pub(super) fn one(&mut self, e: Expr) -> Expr {
        let same = |known: &Expr| {
            known.op() == e.op() && known.args().iter().map(Expr::address).eq(e.args().iter().map(Expr::address))
        };
        if let Some(known) = self.0.find(hash(&e), same) {
            return known.clone();
        }
        self.0.insert_unique(hash(&e), e.clone(), hash);
        e
    }
}

fn hash(e: &Expr) -> u64 {
    let mut hasher = FxHasher::default();
    e.op().hash(&mut hasher);
    e.args().iter().for_each(|a| hasher.write_usize(a.address()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, parse, parse_sexp};

    #[test]
    fn equal_parts_of_a_text_are_one_node() {
        let infix = parse("(i*4 + j)//8 + (i*4 + j)%8 - (j + i*4)").unwrap();
        let sexp = parse_sexp("(- (+ (// (+ (* i 4) j) 8) (% (+ (* i 4) j) 8)) (+ j (* i 4)))").unwrap();
        for parsed in [&infix, &sexp] {
            let [both, other] = parsed.expr().args() else { panic!("{}", parsed.expr()) };
            let numerator = |i: usize| both.args()[i].args()[0].clone();
            assert_eq!(numerator(0).address(), numerator(1).address());
            // operands in another order are another sum, of the same parts
            assert_ne!(numerator(0).address(), other.address());
            assert_eq!(numerator(0).args()[0].address(), other.args()[1].address());
        }
        // the place is the first
        let numerator = infix.expr().args()[0].args()[1].args()[0].clone();
        assert_eq!(infix.span_of(&numerator), Some(1..8));
        assert_eq!(infix.expr(), sexp.expr());
    }

    #[test]
    fn deep_and_repeated_texts_are_read() {
        let text = format!("{}x{}", "(".repeat(50_000), " + 1)".repeat(50_000));
        let e: Expr = format!("{text} * {text}").parse().unwrap();
        assert_eq!(e.args()[0].address(), e.args()[1].address());
        assert_eq!(e.eval(|_| Some(2)).unwrap(), 50_002 * 50_002);
    }
}
