//! The statements of a function, and the blocks that contain them.

use super::tree::Tree;
use crate::model::{Block, Place};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A statement of a block.
pub(super) struct Statement {
    pub(super) node: usize,
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// Whether the statement can be removed together with its lines. This needs lines without other statements, and a
    /// block with other statements.
    pub(super) is_removable: bool,
}

pub(super) enum Kind {
    /// A statement that contains no block.
    Simple,
    /// An `if` with its `elif` and `else` branches, each a pair of a condition and a block. The block of the first
    /// condition that holds is executed. An `else` is the last pair, without a condition.
    If(Vec<(Option<usize>, usize)>),
    For {
        target: usize,
        iterable: usize,
        body: usize,
    },
    While {
        condition: usize,
        body: usize,
    },
    /// Other statements with blocks, such as `with`. The blocks are executed one after another, and some of them may be
    /// skipped.
    Other(Vec<usize>),
}

/// The statements of one block.
#[derive(Default)]
pub(super) struct Body {
    pub(super) statements: Vec<Statement>,
    pub(super) span: Range<usize>,
}

/// A part of the function that contains no block: a simple statement, a condition, or the head of a loop.
pub(super) struct Unit {
    pub(super) node: usize,
    pub(super) block: usize,
}

/// The structure of a function. A block has the same index in `blocks` and in `bodies`.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) blocks: Vec<Block>,
    pub(super) bodies: Vec<Body>,
    /// The units in the order of the text.
    pub(super) units: Vec<Unit>,
}

impl Outline {
    /// The outline of the function in `tree`.
    pub(super) fn new(tree: &Tree) -> Outline {
        let mut outline = Outline::default();
        if let Some(body) = tree.child(0, "body") {
            outline.block(tree, body, None, false);
        }
        outline
    }

    /// Adds the block `node` and returns its index. It calls itself for inner blocks, whose depth is limited.
    fn block(&mut self, tree: &Tree, node: usize, parent: Option<Place>, is_loop: bool) -> usize {
        let block = self.blocks.len();
        let span = tree.span(node);
        let line = span.start - tree.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &tree.text[span.start - line..span.start];
        let takes_statements = indent.chars().all(char::is_whitespace);
        self.blocks.push(Block { parent, takes_statements, is_loop, contexts: FxHashMap::default() });
        self.bodies.push(Body { statements: Vec::new(), span });
        let (mut line_start, mut before): (usize, Option<usize>) = (0, None);
        let mut statements: Vec<Statement> = Vec::new();
        for child in tree.children(node) {
            let span = tree.span(child);
            // no statement can be inserted between statements on one line, such as `a = 1; b = 2`
            let joins = before.is_some_and(|end| !tree.text[end..span.start].contains('\n'));
            if !joins {
                line_start = span.start;
            } else if let Some(last) = statements.last_mut() {
                last.is_removable = false;
            }
            let place = Place { block, start: line_start };
            let kind = self.statement(tree, child, place);
            statements.push(Statement { node: child, place, kind, is_removable: !joins });
            before = Some(span.end);
        }
        if let [only] = &mut statements[..] {
            only.is_removable = false;
        }
        self.bodies[block].statements = statements;
        block
    }

    fn statement(&mut self, tree: &Tree, node: usize, place: Place) -> Kind {
        match tree.kind(node) {
            "if_statement" => self.choice(tree, node, place),
            "for_statement" => {
                let parts = ["left", "right", "body"].map(|field| tree.child(node, field));
                let [Some(target), Some(iterable), Some(body)] = parts else { return self.simple(node, place) };
                self.units.push(Unit { node: iterable, block: place.block });
                let kind = Kind::For { target, iterable, body: self.block(tree, body, Some(place), true) };
                self.otherwise(tree, node, place);
                kind
            }
            "while_statement" => {
                let parts = ["condition", "body"].map(|field| tree.child(node, field));
                let [Some(condition), Some(body)] = parts else { return self.simple(node, place) };
                self.units.push(Unit { node: condition, block: place.block });
                let kind = Kind::While { condition, body: self.block(tree, body, Some(place), true) };
                self.otherwise(tree, node, place);
                kind
            }
            "with_statement" => {
                let head = tree.children(node).find(|&child| tree.kind(child) == "with_clause");
                self.units.extend(head.map(|head| Unit { node: head, block: place.block }));
                match tree.child(node, "body") {
                    Some(body) => Kind::Other(vec![self.block(tree, body, Some(place), false)]),
                    None => Kind::Other(Vec::new()),
                }
            }
            _ => self.simple(node, place),
        }
    }

    fn simple(&mut self, node: usize, place: Place) -> Kind {
        self.units.push(Unit { node, block: place.block });
        Kind::Simple
    }

    fn choice(&mut self, tree: &Tree, node: usize, place: Place) -> Kind {
        let mut arms = Vec::new();
        let clauses = tree.children(node).filter(|&c| matches!(tree.kind(c), "elif_clause" | "else_clause"));
        for clause in std::iter::once(node).chain(clauses) {
            let condition = tree.child(clause, "condition");
            self.units.extend(condition.map(|condition| Unit { node: condition, block: place.block }));
            let Some(body) = tree.child(clause, "consequence").or_else(|| tree.child(clause, "body")) else { continue };
            arms.push((condition, self.block(tree, body, Some(place), false)));
        }
        Kind::If(arms)
    }

    /// Reads the `else` block of a loop, which is executed if the loop ends without a `break`.
    fn otherwise(&mut self, tree: &Tree, node: usize, place: Place) {
        let clause = tree.children(node).find(|&c| tree.kind(c) == "else_clause");
        if let Some(body) = clause.and_then(|clause| tree.child(clause, "body")) {
            self.units.push(Unit { node: body, block: place.block });
        }
    }
}
