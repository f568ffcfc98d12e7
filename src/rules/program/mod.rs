//! The compiled form of a rule: a short list of instructions over numbered slots.

mod instruction;
mod rule;
mod slots;
mod trie;

pub use instruction::{Guard, Instr, IntExpr, Slot, Term};
pub use rule::Rule;
pub(crate) use slots::{AnySlot, SlotCounts};
pub(crate) use trie::RuleTrie;
