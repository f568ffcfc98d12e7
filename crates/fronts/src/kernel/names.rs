//! Names of requested indices that no code mentions. The text declares a variable for each requested index, so nothing
//! else that is visible there may have the name.

use super::KernelError;
use super::record::{Declared, Recorder};
use quaff::emit;
use quaff::expr::Op;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The roots (requested indices and expressions) that are declared as variables under their requested names.
pub(super) struct Asked<'r> {
    declared: Vec<bool>,
    /// The number of declarations of each name in the text.
    counts: FxHashMap<&'r str, u32>,
}

impl<'r> Asked<'r> {
    /// The variables for all roots that no code mentions. A root is not declared where a variable with its name and
    /// value is visible.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is invalid in CUDA, or for two visible declarations of one name with
    /// different values.
    pub(super) fn new(rec: &'r Recorder, mentioned: &[bool]) -> Result<Asked<'r>, KernelError> {
        let mut asked = Asked { declared: vec![false; rec.roots.len()], counts: FxHashMap::default() };
        let mut known: FxHashMap<(&str, u32), &Declared> = FxHashMap::default();
        for new in rec.declared.iter().filter(|d| d.root.is_none_or(|r| !mentioned[r as usize])) {
            let raw = new.root.map(|r| &rec.roots[r as usize].raw);
            if raw.is_some() {
                check(&new.name)?;
            }
            let around = std::iter::successors(Some(new.block), |&b| Some(rec.blocks[b as usize].parent?.block));
            let same = |old: &Declared| match (old.root, raw) {
                (Some(old), Some(raw)) => rec.roots[old as usize].raw == *raw,
                (None, Some(raw)) => matches!(raw.op(), Op::Var(name) if *name == old.name),
                (_, None) => false,
            };
            match around.filter_map(|block| known.get(&(&*new.name, block))).next() {
                Some(old) if same(old) => {}
                Some(_) => {
                    return Err(KernelError::Name { name: new.name.clone(), reason: "something else has it here" });
                }
                None => {
                    known.insert((&*new.name, new.block), new);
                    *asked.counts.entry(&*new.name).or_default() += 1;
                    new.root.into_iter().for_each(|root| asked.declared[root as usize] = true);
                }
            }
        }
        Ok(asked)
    }

    /// All names that the text declares.
    pub(super) fn names(&self) -> impl Iterator<Item = &'r str> {
        self.counts.keys().copied()
    }

    /// Whether the root is declared as a variable of its name.
    pub(super) fn is_declared(&self, root: u32) -> bool {
        self.declared[root as usize]
    }

    /// Whether the variable of the root is the only declaration of this name in the text, so that it may be in any
    /// block.
    pub(super) fn is_only(&self, root: u32, name: &str) -> bool {
        self.is_declared(root) && self.counts.get(name) == Some(&1)
    }
}

/// Checks that the name is valid in CUDA.
pub(super) fn check(name: &Arc<str>) -> Result<(), KernelError> {
    match emit::is_free_name(name) {
        true => Ok(()),
        false => Err(KernelError::Name { name: name.clone(), reason: "it is no identifier, or reserved" }),
    }
}
