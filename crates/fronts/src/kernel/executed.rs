//! The cost of the operations that a thread executes for the indices of a kernel.
//!
//! The cost depends on the roots (indices and conditions) and on the places at which their variables get values. An
//! operation counts once for each iteration of the loops on which it depends. A constant of unrolled loops costs
//! nothing.

use super::record::{LoopHead, Recorder, Statement};
use super::template::{Piece, Template};
use quaff::cost::Cost;
use quaff::domain::{Domain, VarFacts};
use quaff::expr::Expr;
use quaff::expr::offset::split_offset;
use quaff::{Simplified, Simplifier};

/// The cost of the executed operations of `answer`.
pub(super) fn cost(rec: &Recorder, answer: &Simplified, simplifier: &Simplifier, vars: &[VarFacts]) -> Cost {
    let strip = |(e, is_address): (&Expr, bool)| if is_address { split_offset(e).0 } else { e.clone() };
    let roots: Vec<Expr> = answer.exprs().iter().zip(addresses(rec)).map(strip).collect();
    answer.executed(&roots, simplifier.model(), vars)
}

/// Whether each root is used only as an address, so that adding a constant to it costs nothing.
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

/// `domain`, extended by the loops around the place where each variable of `rec` gets its value.
pub(super) fn in_loops(rec: &Recorder, mut domain: Domain) -> Domain {
    let head = |b: u32| rec.blocks[b as usize].looped.as_ref();
    for v in &rec.variables {
        let (mut around, mut at) = (Vec::new(), Some(v.place.block));
        while let Some(block) = at {
            around.extend(head(block).map(|h| h.variable.clone()));
            at = rec.blocks[block as usize].parent.map(|p| p.block);
        }
        around.reverse();
        let counted = head(v.place.block).filter(|h| h.variable == v.name);
        if v.unrolled || counted.is_some_and(LoopHead::is_unrolled) {
            domain = domain.unrolled(v.name.clone());
        } else if counted.is_some() {
            domain = domain.loop_nest(around);
        } else if !around.is_empty() {
            domain = domain.computed_in(v.name.clone(), around);
        }
    }
    domain
}
