//! The loops of a kernel as blocks in one another.

use std::ops::Range;
use std::sync::Arc;

/// A loop; the first block is no loop and has everything in it.
struct Block {
    parent: usize,
    variable: Option<Arc<str>>,
    depth: usize,
    statements: Vec<Part>,
    /// The accesses in it and in the loops in it.
    accesses: Range<usize>,
}

/// A part of a block.
enum Part {
    Accesses(Range<usize>),
    Loop(usize),
}

/// What stands at a place of the text.
pub(super) enum Statement {
    /// Neighbouring accesses that belong together.
    Accesses(Range<usize>),
    /// The head of the loop of a block.
    Begin(usize),
    /// The end of a loop's body.
    End,
}

/// Blocks, each behind the one that it stands in.
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    /// Accesses in the loops of `nests`, in their order; `together` says which of the next ones belong to one from it on.
    pub(super) fn new(nests: &[Vec<Arc<str>>], together: impl Fn(usize) -> Range<usize>) -> Blocks {
        let top = Block { parent: 0, variable: None, depth: 0, statements: Vec::new(), accesses: 0..nests.len() };
        let mut blocks = vec![top];
        // the blocks that are open now, without the first
        let mut open: Vec<usize> = Vec::new();
        let mut i = 0;
        while let Some(nest) = nests.get(i) {
            let is_same = |(&b, name): (&usize, &Arc<str>)| blocks[b].variable.as_ref() == Some(name);
            let same = open.iter().zip(nest).take_while(|&pair| is_same(pair)).count();
            open.truncate(same);
            for name in &nest[same..] {
                let (parent, new) = (open.last().copied().unwrap_or(0), blocks.len());
                blocks[parent].statements.push(Part::Loop(new));
                let depth = open.len() + 1;
                let variable = Some(name.clone());
                blocks.push(Block { parent, variable, depth, statements: Vec::new(), accesses: i..i });
                open.push(new);
            }
            let range = together(i);
            let same_nest = range.clone().take_while(|&j| nests.get(j) == Some(nest)).count();
            let range = i..i + same_nest.max(1);
            let at = open.last().copied().unwrap_or(0);
            blocks[at].statements.push(Part::Accesses(range.clone()));
            open.iter().for_each(|&b| blocks[b].accesses.end = range.end);
            i = range.end;
        }
        Blocks(blocks)
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// What counts the loop of a block.
    pub(super) fn variable(&self, at: usize) -> Option<&Arc<str>> {
        self.0[at].variable.as_ref()
    }

    /// The block around a block.
    pub(super) fn parent(&self, at: usize) -> usize {
        self.0[at].parent
    }

    /// The accesses in a block and in the loops in it.
    pub(super) fn accesses(&self, at: usize) -> Range<usize> {
        self.0[at].accesses.clone()
    }

    /// The outermost block in which a value is the same as in block `at`: `changes` says whether it depends on what counts a loop.
    pub(super) fn outermost(&self, mut at: usize, changes: impl Fn(&str) -> bool) -> usize {
        while let Some(variable) = self.variable(at).filter(|v| !changes(v)) {
            debug_assert!(!variable.is_empty());
            at = self.parent(at);
        }
        at
    }

    /// Visits all statements in the order of the text, with their blocks and the depth of these.
    pub(super) fn walk(&self, mut visit: impl FnMut(usize, usize, Statement)) {
        let mut open = vec![(0, 0)];
        while let Some((at, next)) = open.pop() {
            let block = &self.0[at];
            let Some(part) = block.statements.get(next) else {
                visit(at, block.depth, Statement::End);
                continue;
            };
            open.push((at, next + 1));
            match part {
                Part::Accesses(range) => visit(at, block.depth, Statement::Accesses(range.clone())),
                Part::Loop(inner) => {
                    visit(at, block.depth, Statement::Begin(*inner));
                    open.push((*inner, 0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_their_loops() {
        let nests: Vec<Vec<Arc<str>>> = [&["i", "k"][..], &["i", "k"], &["i"], &["i", "k"], &[]]
            .map(|n| n.iter().map(|&v| v.into()).collect())
            .to_vec();
        let blocks = Blocks::new(&nests, |i| i..i + 2);
        let mut shown = Vec::new();
        blocks.walk(|_, depth, statement| {
            shown.push(match statement {
                Statement::Accesses(range) => format!("{depth}: {range:?}"),
                Statement::Begin(inner) => format!("{depth}: for {}", blocks.variable(inner).expect("a loop")),
                Statement::End => format!("{depth}: end"),
            });
        });
        let wanted = [
            "0: for i", "1: for k", "2: 0..2", "2: end", "1: 2..3", "1: for k", "2: 3..4", "2: end", "1: end",
            "0: 4..5", "0: end",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(blocks.outermost(2, |v| v == "i"), 1);
        assert_eq!((blocks.outermost(2, |_| false), blocks.accesses(1)), (0, 0..4));
    }
}
