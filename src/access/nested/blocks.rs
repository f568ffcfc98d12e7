//! Represents the loops of a kernel as nested blocks.
//!
//! If a loop may run no iteration, an `if` around the loop can be printed, the *guard*. The guard is also a block.
//! Loop-invariant values that only this loop needs are computed inside of the guard.

use std::ops::Range;
use std::sync::Arc;

/// The kind of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The outermost block, which contains everything.
    Whole,
    /// The guard of the loop that this variable counts.
    Guard(Arc<str>),
    /// The loop that this variable counts.
    Loop(Arc<str>),
}

impl Kind {
    /// The variable that counts the loop.
    pub(super) fn variable(&self) -> Option<&Arc<str>> {
        match self {
            Kind::Whole => None,
            Kind::Guard(variable) | Kind::Loop(variable) => Some(variable),
        }
    }
}

/// A block: a loop, the guard of a loop, or the whole kernel.
struct Block {
    parent: usize,
    kind: Kind,
    parts: Vec<Part>,
    /// The accesses in the block, including those in its inner loops.
    accesses: Range<usize>,
}

/// A part of a block.
#[derive(Clone)]
pub(super) enum Part {
    /// Neighbouring accesses that are printed together.
    Accesses(Range<usize>),
    /// An inner block, by its number.
    Inner(usize),
}

/// All blocks. Each follows the block that contains it.
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    /// The blocks of accesses in the loops of `nests`, in their order. The loops of `guarded` have guards.
    /// `together(i)` is the range of accesses that are printed together with access `i`, which is the first of them.
    pub(super) fn new(
        nests: &[Vec<Arc<str>>],
        guarded: &[Arc<str>],
        together: impl Fn(usize) -> Range<usize>,
    ) -> Blocks {
        let top = Block { parent: 0, kind: Kind::Whole, parts: Vec::new(), accesses: 0..nests.len() };
        let mut blocks = Blocks(vec![top]);
        // the loops that are open at access `i`
        let mut open: Vec<usize> = Vec::new();
        let mut i = 0;
        while let Some(nest) = nests.get(i) {
            let is_same = |(&b, name): (&usize, &Arc<str>)| blocks.variable(b) == Some(name);
            let same = open.iter().zip(nest).take_while(|&pair| is_same(pair)).count();
            open.truncate(same);
            for name in &nest[same..] {
                let mut at = open.last().copied().unwrap_or(0);
                if guarded.contains(name) {
                    at = blocks.open(at, Kind::Guard(name.clone()), i);
                }
                open.push(blocks.open(at, Kind::Loop(name.clone()), i));
            }
            let range = together(i);
            let same_nest = range.clone().take_while(|&j| nests.get(j) == Some(nest)).count();
            let range = i..i + same_nest.max(1);
            let at = open.last().copied().unwrap_or(0);
            blocks.0[at].parts.push(Part::Accesses(range.clone()));
            let mut around = at;
            while around != 0 {
                blocks.0[around].accesses.end = range.end;
                around = blocks.parent(around);
            }
            i = range.end;
        }
        blocks
    }

    /// Adds a block at the end of block `parent`, for accesses from `first` on. Returns its number.
    fn open(&mut self, parent: usize, kind: Kind, first: usize) -> usize {
        let new = self.0.len();
        self.0[parent].parts.push(Part::Inner(new));
        self.0.push(Block { parent, kind, parts: Vec::new(), accesses: first..first });
        new
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The kind of a block.
    pub(super) fn kind(&self, at: usize) -> &Kind {
        &self.0[at].kind
    }

    /// The variable that counts the loop. `None` for a block that is no loop.
    pub(super) fn variable(&self, at: usize) -> Option<&Arc<str>> {
        self.kind(at).variable().filter(|_| matches!(self.kind(at), Kind::Loop(_)))
    }

    /// The block that contains a block.
    pub(super) fn parent(&self, at: usize) -> usize {
        self.0[at].parent
    }

    /// The accesses in a block, including those in its inner loops.
    pub(super) fn accesses(&self, at: usize) -> Range<usize> {
        self.0[at].accesses.clone()
    }

    /// The outermost block in which a value that block `at` needs can be computed with the same result. `changes` says
    /// whether the value depends on the variable of a loop. A value that is not `always_defined` stays inside of a
    /// guard.
    pub(super) fn outermost(&self, mut at: usize, changes: impl Fn(&str) -> bool, always_defined: bool) -> usize {
        loop {
            let leaves = match self.kind(at) {
                Kind::Whole => false,
                Kind::Guard(_) => always_defined,
                Kind::Loop(variable) => !changes(variable),
            };
            if !leaves {
                return at;
            }
            at = self.parent(at);
        }
    }

    /// The parts of a block, in the order of the text.
    pub(super) fn parts(&self, at: usize) -> &[Part] {
        &self.0[at].parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(blocks: &Blocks, at: usize) -> String {
        let shown = |part: &Part| match part {
            Part::Accesses(range) => format!("{range:?} "),
            Part::Inner(inner) => {
                format!("for {} {{ {}}} ", blocks.variable(*inner).expect("a loop"), shown(blocks, *inner))
            }
        };
        blocks.parts(at).iter().map(shown).collect()
    }

    #[test]
    fn neighbours_share_their_loops() {
        let nests: Vec<Vec<Arc<str>>> = [&["i", "k"][..], &["i", "k"], &["i"], &["i", "k"], &[]]
            .map(|n| n.iter().map(|&v| v.into()).collect())
            .to_vec();
        let blocks = Blocks::new(&nests, &[], |i| i..i + 2);
        assert_eq!(shown(&blocks, 0), "for i { for k { 0..2 } 2..3 for k { 3..4 } } 4..5 ");
        assert_eq!(blocks.outermost(2, |v| v == "i", false), 1);
        assert_eq!((blocks.outermost(2, |_| false, false), blocks.accesses(1)), (0, 0..4));
    }

    #[test]
    fn guards_keep_what_may_be_undefined() {
        let nests: Vec<Vec<Arc<str>>> = vec![vec!["i".into(), "k".into()]];
        let blocks = Blocks::new(&nests, &["k".into()], |i| i..i + 1);
        let kinds: Vec<&Kind> = (0..blocks.len()).map(|at| blocks.kind(at)).collect();
        let wanted = [Kind::Whole, Kind::Loop("i".into()), Kind::Guard("k".into()), Kind::Loop("k".into())];
        assert_eq!(kinds, wanted.iter().collect::<Vec<_>>());
        assert_eq!((blocks.outermost(3, |_| false, true), blocks.outermost(3, |_| false, false)), (0, 2));
        assert_eq!((blocks.accesses(2), blocks.accesses(3)), (0..1, 0..1));
    }
}
