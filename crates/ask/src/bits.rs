//! Represents expressions as words of bits. Each bit is an exclusive or of bits of variables. Swizzles such as `x ^
//! x//8` have this form.
//!
//! A bit of an expression is the exclusive or of some bits of variables, and possibly of 1, which inverts it. Quotients
//! and remainders by powers of two move or drop bits. A sum without carries combines the bits of its operands.
//! Expressions with the same bits are equal.

use quaff::domain::{Interval, intervals_of};
use quaff::expr::{Dag, DagNode, Expr, Op};
use rustc_hash::FxHashMap;

/// One bit of a value, stored as a set of bits of variables. The bit is the exclusive or of all elements of the set. If
/// [`ONE`] is in the set, the result is inverted.
type Bit = u128;
const ONE: Bit = 1 << 127;
/// The most bits that all variables may have together.
const MOST_INPUTS: u32 = 127;
/// The most bits of a value.
const MOST_BITS: usize = 63;

/// The bits of a value, the lowest first.
type Word = Vec<Bit>;

/// Replaces each part of the expressions by the first part with the same bits. For example, `(x ^ x//8) ^ x//8` becomes
/// `x`. The result of an operation that does not act on bits is treated as a new variable, if it is never negative.
///
/// The time is proportional to the number of nodes and the number of bits.
pub(crate) fn merged(exprs: &[Expr], range_of: impl Fn(&str) -> Interval) -> Vec<Expr> {
    let dag = Dag::with_origins(exprs);
    let ranges = intervals_of(&dag, range_of);
    let mut count = 0;
    let mut words: Vec<Option<Word>> = Vec::with_capacity(dag.nodes().len());
    for (node, range) in dag.nodes().iter().zip(ranges) {
        words.push(word_of(node, &dag, &words).or_else(|| of_range(range, &mut count)));
    }
    let mut first: FxHashMap<&Word, usize> = FxHashMap::default();
    let mut new: Vec<Expr> = Vec::with_capacity(words.len());
    dag.rebuilt(|id, args| {
        let own = words[id as usize].as_ref();
        let same = own.and_then(|word| first.get(word)).map(|&at: &usize| new[at].clone());
        first.extend(own.filter(|_| same.is_none()).map(|word| (word, id as usize)));
        new.push(same.clone().unwrap_or_else(|| {
            let node = dag.origin(id);
            if node.args() == args { node.clone() } else { Expr::new(node.op().clone(), args.iter().cloned()) }
        }));
        same
    })
}

/// The bits of a new variable with this range. `None` if the range is too large or contains negative numbers.
fn of_range(range: Interval, count: &mut u32) -> Option<Word> {
    let (_, high) = range.bounded().filter(|(low, _)| *low >= 0)?;
    let (first, width) = (*count, i64::BITS - high.leading_zeros());
    (first + width <= MOST_INPUTS).then(|| {
        *count += width;
        (first..first + width).map(|at| 1 << at).collect()
    })
}

fn word_of(node: &DagNode, dag: &Dag, words: &[Option<Word>]) -> Option<Word> {
    if let Op::Const(value) = node.op {
        let value = u64::try_from(value).ok()?;
        let width = u64::BITS - value.leading_zeros();
        return Some((0..width).map(|at| if value >> at & 1 == 1 { ONE } else { 0 }).collect());
    }
    let number = |k: usize| dag.nodes()[node.args[k] as usize].as_const();
    let word = |k: usize| words[node.args[k] as usize].clone();
    let power = |k: usize| number(k).filter(|c| *c > 0 && c.count_ones() == 1).map(|c| c.trailing_zeros() as usize);
    let count = |k: usize| number(k).and_then(|c| usize::try_from(c).ok()).filter(|c| *c <= MOST_BITS);
    match node.op {
        Op::Add => joined(&word(0)?, &word(1)?, |a, b| (a == 0 || b == 0).then_some(a ^ b)),
        // the difference of two bits needs no borrow if the first bit is 1, the second bit is 0, or both are equal
        Op::Sub => joined(&word(0)?, &word(1)?, |a, b| (a == ONE || b == 0 || a == b).then_some(a ^ b)),
        Op::BitXor => joined(&word(0)?, &word(1)?, |a, b| Some(a ^ b)),
        Op::BitAnd => joined(&word(0)?, &word(1)?, |a, b| match (a, b) {
            (0, _) | (_, 0) => Some(0),
            (ONE, other) | (other, ONE) => Some(other),
            (a, b) => (a == b).then_some(a),
        }),
        Op::BitOr => joined(&word(0)?, &word(1)?, |a, b| match (a, b) {
            (ONE, _) | (_, ONE) => Some(ONE),
            (0, other) | (other, 0) => Some(other),
            (a, b) => (a == b).then_some(a),
        }),
        Op::Mul => match (power(0), power(1)) {
            (_, Some(power)) => raised(word(0)?, power),
            (Some(power), None) => raised(word(1)?, power),
            (None, None) => None,
        },
        Op::Shl => raised(word(0)?, count(1)?),
        Op::FloorDiv => Some(lowered(word(0)?, power(1)?)),
        Op::Shr => Some(lowered(word(0)?, count(1)?)),
        Op::FloorMod => {
            let mut low = word(0)?;
            low.truncate(power(1)?);
            Some(trimmed(low))
        }
        _ => None,
    }
}

/// The word shifted down by `at` bits.
fn lowered(mut word: Word, at: usize) -> Word {
    word.drain(..at.min(word.len()));
    word
}

/// Combines two words bit by bit. `None` if `bit` gives `None` for a pair of bits.
fn joined(a: &Word, b: &Word, bit: impl Fn(Bit, Bit) -> Option<Bit>) -> Option<Word> {
    let at = |word: &Word, i: usize| word.get(i).copied().unwrap_or(0);
    let all = (0..a.len().max(b.len())).map(|i| bit(at(a, i), at(b, i)));
    all.collect::<Option<Word>>().map(trimmed)
}

fn raised(word: Word, by: usize) -> Option<Word> {
    if word.is_empty() {
        return Some(word);
    }
    (word.len() + by <= MOST_BITS).then(|| std::iter::repeat_n(0, by).chain(word).collect())
}

fn trimmed(mut word: Word) -> Word {
    while word.last() == Some(&0) {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_have_the_bits_of_their_digits() {
        let equal = |a: &str, b: &str| {
            let range = |_: &str| Interval::new(0, 1023).expect("ordered");
            let both = merged(&[a, b].map(|text| text.parse().expect("an expression")), range);
            both[0] == both[1]
        };
        assert!(equal("x ^ x//8%8", "x//8*8 + (x%8 ^ x//8%8)"));
        assert!(equal("(x ^ x//32) ^ (x ^ x//32)//32", "x"));
        assert!(equal("1023 - x", "x ^ 1023"));
        assert!(equal("x - x%8 + (x & 7)", "x | x"));
        assert!(equal("(x << 3 | 5) >> 3", "x"));
        assert!(equal("(x*3 ^ x) ^ x", "x*3"), "taken as a variable");
        assert!(!equal("x ^ x//8", "x"));
        assert!(!equal("x + x//2", "x ^ x//2"), "carries");
        assert!(!equal("0 - x ^ x", "0 - x"), "negative");
    }
}
