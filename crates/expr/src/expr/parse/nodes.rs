//! Makes equal sub-expressions of a text one node, so that every later pass over the expression visits them once. Also
//! records their places in the text.

use super::parsed::{Parsed, Spans};
use crate::expr::divisor::common_divisor;
use crate::expr::{Expr, Op};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// The nodes that a reader of texts has made so far. Each distinct expression occurs once in this table, with its
/// places in the text.
///
/// ```
/// use quaff_expr::expr::{Op, Nodes, var};
///
/// let mut nodes = Nodes::default();
/// let i = nodes.one(var("i"), &(0..1));
/// let sum = nodes.applied(&Op::Add, &[i.clone(), i], &(0..5)).expect("two operands");
/// let [parsed] = &*nodes.finish([sum], "i + i") else { unreachable!() };
/// assert_eq!(parsed.span_of(&parsed.expr().args()[0]), Some(0..1));
/// ```
#[derive(Default)]
pub struct Nodes {
    nodes: HashTable<Expr>,
    spans: Vec<(usize, usize, usize)>,
}

impl Nodes {
    /// The node for `e`, which was read from `span`. If an equal node exists, the result is that node, and otherwise
    /// `e`. Operands are compared by address, because they are already nodes of this table.
    pub fn one(&mut self, e: Expr, span: &Range<usize>) -> Expr {
        let same = |known: &Expr| {
            known.op() == e.op() && known.args().iter().map(Expr::address).eq(e.args().iter().map(Expr::address))
        };
        let one = match self.nodes.find(hash(&e), same) {
            Some(known) => known.clone(),
            None => {
                self.nodes.insert_unique(hash(&e), e.clone(), hash);
                e
            }
        };
        self.spans.push((one.address(), span.start, span.end));
        one
    }

    /// The node of `~x`, read from `span`.
    pub fn complement(&mut self, x: &Expr, span: &Range<usize>) -> Expr {
        let negated = self.one(-x, span);
        self.one(negated - 1, span)
    }

    /// The node of `abs(x)`, read from `span`.
    pub fn abs(&mut self, x: &Expr, span: &Range<usize>) -> Expr {
        let negated = self.one(-x, span);
        self.one(x.max(negated), span)
    }

    /// The greatest common divisor of `args`, read from `span`. `Ok(None)` when `args` is empty.
    ///
    /// # Errors
    /// The two expressions whose divisor is unknown, for the same reasons as in [`common_divisor`].
    pub fn gcd(&mut self, args: &[Expr], span: &Range<usize>) -> Result<Option<Expr>, [Expr; 2]> {
        let Some((first, others)) = args.split_first() else { return Ok(None) };
        let divisor = others.iter().try_fold(first.clone(), |all, e| common_divisor(&all, e))?;
        Ok(Some(self.one(divisor, span)))
    }

    /// The node of `op` with `args`, read from `span`. An operator of two operands is applied to more operands from
    /// left to right. `None` for too few operands.
    pub fn applied(&mut self, op: &Op, args: &[Expr], span: &Range<usize>) -> Option<Expr> {
        if op.arity() == 2 {
            return args.iter().cloned().reduce(|all, e| self.one(Expr::new(op.clone(), [all, e]), span));
        }
        let e = Expr::try_new(op.clone(), args.iter().cloned()).ok()?;
        Some(self.one(e, span))
    }

    /// The results as parsed expressions of `source`, the text from which all nodes were read.
    pub fn finish(self, results: impl IntoIterator<Item = Expr>, source: &str) -> Vec<Parsed> {
        let (source, spans) = (Arc::from(source), Arc::new(Spans::new(self.spans)));
        let parsed = |expr| Parsed { expr, source: Arc::clone(&source), spans: Arc::clone(&spans) };
        results.into_iter().map(parsed).collect()
    }

    /// The only result as a parsed expression of `source`.
    pub(super) fn finish_one(self, expr: Expr, source: &str) -> Parsed {
        Parsed { expr, source: source.into(), spans: Arc::new(Spans::new(self.spans)) }
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
            // the sum with its operands in the other order is another node, although both sums share their operands
            assert_ne!(numerator(0).address(), other.address());
            assert_eq!(numerator(0).args()[0].address(), other.args()[1].address());
        }
        // the place of a node is its first occurrence
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
