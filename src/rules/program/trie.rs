//! The rules about one operator as a tree of instructions. Rules that begin with the same instructions share a branch.

use super::instruction::{Instr, Slot};
use crate::expr::Junction;
use crate::rules::operator::Operator;

/// Rules with a common beginning, which is matched once for all of them.
#[derive(Clone, Debug)]
pub(crate) struct RuleTrie {
    pub(crate) instr: Instr,
    /// The first rule that has this instruction. For [`Instr::Yield`], it is the rule with this result.
    pub(crate) rule: u16,
    /// Whether several rules share this instruction.
    pub(crate) shared: bool,
    /// A set of operators as bits, used below an [`Instr::Pick`], which chooses a term of a sum. A term that has none
    /// of these operators cannot match.
    pub(crate) operators: u32,
    pub(crate) next: Vec<RuleTrie>,
}

impl RuleTrie {
    /// For rules about sums, a set of operators as bits. A sum without a term that has one of these operators matches
    /// no rule.
    pub(in crate::rules) fn term_operators(trees: &[RuleTrie]) -> u32 {
        trees.iter().fold(0, |bits, t| {
            bits | match &t.instr {
                Instr::Node { operator, .. } => 1 << *operator as u32,
                Instr::Factor { .. } => 1 << Operator::Product as u32,
                Instr::Yield(_) => u32::MAX,
                _ => RuleTrie::term_operators(&t.next),
            }
        })
    }

    /// Records, below each choice of a term, the operators that the term must have.
    pub(in crate::rules) fn note_operators(trees: &mut [RuleTrie]) {
        for t in trees {
            if let Instr::Pick { class, .. } = t.instr {
                t.next.iter_mut().for_each(|n| n.operators = n.operators_of(class));
            }
            RuleTrie::note_operators(&mut t.next);
        }
    }

    /// The operators, as bits, of which the class in `slot` must have at least one for any rule below to match.
    fn operators_of(&self, slot: Slot) -> u32 {
        match &self.instr {
            Instr::Node { class, operator, .. } if *class == slot => 1 << *operator as u32,
            Instr::Junction { class, junction, .. } if *class == slot => {
                1 << match junction {
                    Junction::And => Operator::And,
                    Junction::Or => Operator::Or,
                } as u32
            }
            Instr::Factor { class, .. } if *class == slot => 1 << Operator::Product as u32,
            Instr::Yield(_) => u32::MAX,
            _ => self.next.iter().fold(0, |bits, t| bits | t.operators_of(slot)),
        }
    }

    /// Adds the rest of a rule's code below `siblings`. The first instruction of this code that is no filter may
    /// already be among `siblings`. It is then shared, and so runs before the filters of this rule.
    pub(in crate::rules) fn insert(siblings: &mut Vec<RuleTrie>, rule: u16, mut code: Vec<Instr>) {
        let Some(filters) = code.iter().position(|i| !i.is_filter()) else { return };
        let is_yield = matches!(code[filters], Instr::Yield(_));
        let shared = |instr: &Instr| siblings.iter().position(|t| t.instr == *instr);
        let found = (0..filters + usize::from(!is_yield)).find_map(|n| Some((n, shared(&code[n])?)));
        let first = code.remove(found.map_or(0, |f| f.0));
        let i = match found {
            Some((_, i)) => {
                siblings[i].shared |= siblings[i].rule != rule;
                i
            }
            None => {
                let next = Vec::new();
                siblings.push(RuleTrie { instr: first, rule, shared: false, operators: u32::MAX, next });
                siblings.len() - 1
            }
        };
        RuleTrie::insert(&mut siblings[i].next, rule, code);
    }
}
