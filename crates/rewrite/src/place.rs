//! The order of statements, and the place at which a value can be computed for several statements.

use crate::model::{Kernel, Place};

impl Kernel {
    /// The statement of `block` that is at `place` or contains it. `None` if `block` is not around that place.
    pub(crate) fn within(&self, place: Place, block: usize) -> Option<Place> {
        let mut at = place;
        while at.block != block {
            at = self.blocks[at.block].parent?;
        }
        Some(at)
    }

    /// The last statement that is before or at all of `places`, and before which a new statement can be inserted. A
    /// value that all of these places need can be computed there.
    pub(crate) fn in_front_of(&self, places: &[Place]) -> Option<Place> {
        let (first, others) = places.split_first()?;
        let mut at = *first;
        for &other in others {
            at = self.common(at, other)?;
        }
        while !self.blocks[at.block].takes_statements {
            at = self.blocks[at.block].parent?;
        }
        Some(at)
    }

    /// The last place of a statement that is before or equal to `a` and also before or equal to `b`.
    fn common(&self, a: Place, b: Place) -> Option<Place> {
        let mut block = a.block;
        loop {
            if let (Some(a), Some(b)) = (self.within(a, block), self.within(b, block)) {
                return Some(if a.start <= b.start { a } else { b });
            }
            block = self.blocks[block].parent?.block;
        }
    }

    /// Whether a name that is declared at `declared` is visible at `place`.
    pub(crate) fn is_visible(&self, declared: Place, place: Place) -> bool {
        self.within(place, declared.block).is_some_and(|at| declared.start < at.start || self.is_head(declared, at))
    }

    /// Whether `declared` is a loop whose body contains `at` and is a single statement without braces.
    fn is_head(&self, declared: Place, at: Place) -> bool {
        declared == at && self.blocks[declared.block].is_loop && !self.blocks[declared.block].takes_statements
    }

    /// The context before a statement: the conditions that hold there.
    pub(crate) fn context_at(&self, place: Place) -> Option<usize> {
        let block = &self.blocks[place.block];
        match block.contexts.get(&place.start) {
            Some(context) => *context,
            // the context of a statement without a site is not recorded, so the context of the previous statement is
            // used
            None => {
                let before =
                    block.contexts.iter().filter(|(start, _)| **start < place.start).max_by_key(|(start, _)| **start);
                match before {
                    Some((_, context)) => *context,
                    None => block.parent.and_then(|parent| self.context_at(parent)),
                }
            }
        }
    }
}
