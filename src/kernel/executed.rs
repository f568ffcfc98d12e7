//! What a thread executes of a kernel's indices.
//!
//! What goes in are the values of the roots and where their variables get values; what comes out is their price, in which an
//! operation counts as often as the loops around it run that it depends on, and what is a constant once loops are unrolled costs
//! nothing.

use super::record::{LoopHead, Recorder, Statement, Variable};
use super::template::{Piece, Template};
use crate::cost::{Cost, Loops};
use crate::dims::trips_or;
use crate::expr::Expr;
use crate::expr::offset::split_offset;
use crate::{Simplified, Simplifier};
use rustc_hash::FxHashMap;

/// What the answer costs when it is executed.
pub(super) fn cost(rec: &Recorder, answer: &Simplified, simplifier: &Simplifier) -> Cost {
    let strip = |(e, is_address): (&Expr, bool)| if is_address { split_offset(e).0 } else { e.clone() };
    let roots: Vec<Expr> = answer.exprs().iter().zip(addresses(rec)).map(strip).collect();
    let (trips, variables) = loops(rec);
    let loops_of = |name: &str| variables.get(name).copied().unwrap_or_default();
    answer.executed_roots(&roots, simplifier.model(), &trips, loops_of)
}

/// Which roots are addresses wherever they stand, so that the constant that is added last costs nothing.
pub(super) fn addresses(rec: &Recorder) -> Vec<bool> {
    let (mut inside, mut elsewhere) = (vec![false; rec.roots.len()], vec![false; rec.roots.len()]);
    let mut mention = |template: &Template| {
        for (i, piece) in template.iter().enumerate() {
            let Piece::Root(root) = piece else { continue };
            let text = |at: Option<&Piece>| match at {
                Some(Piece::Text(text)) => text.clone(),
                _ => String::new(),
            };
            let before = text(i.checked_sub(1).and_then(|at| template.get(at)));
            let is_index = before.trim_end().ends_with('[') && text(template.get(i + 1)).trim_start().starts_with(']');
            let kind = if is_index { &mut inside } else { &mut elsewhere };
            kind[*root as usize] = true;
        }
    };
    for statement in rec.blocks.iter().flat_map(|b| &b.statements) {
        match statement {
            Statement::Code(template) => mention(template),
            Statement::Define(v) => rec.variables[*v as usize].text.iter().for_each(&mut mention),
            Statement::If { .. } | Statement::Ask(_) | Statement::Loop(_) => {}
        }
    }
    inside.iter().zip(elsewhere).map(|(inside, elsewhere)| *inside && !elsewhere).collect()
}

/// The trips of all loops, and in which of them each variable changes: those around the place where it gets its value. What an
/// unrolled loop counts is the same in all copies of another one around it.
fn loops(rec: &Recorder) -> (Vec<i64>, FxHashMap<&str, Loops>) {
    let blocks: Vec<u32> = (0..rec.blocks.len() as u32).filter(|&b| rec.blocks[b as usize].looped.is_some()).collect();
    let bit = |b: u32| blocks.iter().position(|&l| l == b).map_or(0, Loops::bit);
    let head = |b: u32| rec.blocks[b as usize].looped.as_ref();
    let of_variable = |v: &Variable| {
        let own = v.place.block;
        let counted = head(own).is_some_and(|h| h.variable == v.name);
        let (mut bits, mut at) = (0, Some(own));
        while let Some(block) = at {
            let copied = block != own && counted && head(block).is_some_and(LoopHead::is_unrolled);
            bits |= if copied { 0 } else { bit(block) };
            at = rec.blocks[block as usize].parent.map(|p| p.block);
        }
        Loops { bits, constant: v.unrolled }
    };
    let variables: FxHashMap<&str, Loops> = rec.variables.iter().map(|v| (&*v.name, of_variable(v))).collect();
    let trips: Vec<i64> = blocks.iter().filter_map(|&b| head(b)).map(|h| trips_or(&h.trips)).collect();
    (trips, variables)
}
