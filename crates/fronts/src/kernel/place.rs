//! Decides the place where each value is computed, and which values get names.

use super::record::{Place, Recorder};
use quaff::lower::{Instr, Lowered};

/// The decision for one value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// The place where the value is computed.
    pub(super) place: Place,
    /// Whether the value is declared there as a variable. Otherwise it is part of the expression that uses it.
    pub(super) named: bool,
}

pub(super) struct Places<'a> {
    rec: &'a Recorder,
    depth: Vec<u32>,
}

impl<'a> Places<'a> {
    pub(super) fn new(rec: &'a Recorder) -> Places<'a> {
        let mut depth = vec![];
        for block in &rec.blocks {
            // a block is recorded after the block that contains it
            depth.push(block.parent.map_or(0, |p| depth[p.block as usize] + 1));
        }
        Places { rec, depth }
    }

    /// Whether a variable that gets its value at `known` is visible at `wanted`.
    pub(super) fn is_visible(&self, known: Place, wanted: Place) -> bool {
        let mut around = std::iter::successors(Some(wanted), |&at| self.parent(at));
        around.any(|at| at.block == known.block && known.at <= at.at)
    }

    /// The order of a place among nested places: a later place has a higher rank.
    pub(super) fn rank(&self, place: Place) -> u64 {
        u64::from(self.depth[place.block as usize]) << 32 | u64::from(place.at)
    }

    fn parent(&self, place: Place) -> Option<Place> {
        self.rec.blocks[place.block as usize].parent
    }

    /// The last place that precedes both `a` and `b`.
    fn before_both(&self, mut a: Place, mut b: Place) -> Place {
        while a.block != b.block {
            let (da, db) = (self.depth[a.block as usize], self.depth[b.block as usize]);
            if da >= db {
                a = self.parent(a).unwrap_or(a);
            }
            if db >= da {
                b = self.parent(b).unwrap_or(b);
            }
        }
        a.min(b)
    }

    /// The place to compute a value that can be computed from `known` on and is used at `wanted`. The place is outside
    /// of all loops that do not change the value, but inside of conditions around `wanted` if possible. It is the
    /// latest such place.
    fn outermost(&self, known: Place, wanted: Place) -> Place {
        let mut at = wanted;
        let mut best = wanted;
        while at.block != known.block {
            let looped = self.rec.blocks[at.block as usize].looped.is_some();
            match self.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
            if looped {
                best = at;
            }
        }
        best
    }

    /// The decisions for all values of `lowered`. `wanted` has the places where each root (requested value) is used.
    pub(super) fn decide(
        &self,
        lowered: &Lowered,
        wanted: &[Vec<Place>],
        trivial: impl Fn(u32) -> bool,
    ) -> Vec<Option<Placed>> {
        let values = lowered.values();
        // the place from which each value can be computed, and whether unrolling makes it a constant
        let mut known: Vec<(Place, bool)> = vec![];
        for value in values {
            let start = (Place { block: 0, at: 0 }, true);
            known.push(match value.instr {
                Instr::Param(p) => {
                    let name = &lowered.params()[p as usize].name;
                    let variable = self.rec.named(name);
                    variable.map_or(start, |v| (v.place, v.unrolled))
                }
                Instr::FastMultiplier(_) | Instr::FastShift(_) => (start.0, false),
                _ => value
                    .args()
                    .iter()
                    .map(|&a| known[a as usize])
                    .fold(start, |(p, u), (q, v)| (if self.rank(q) > self.rank(p) { q } else { p }, u && v)),
            });
        }
        let mut uses: Vec<(u32, Option<Place>)> = vec![(0, None); values.len()];
        let join = |uses: &mut Vec<(u32, Option<Place>)>, id: u32, place: Place| {
            let (count, at) = &mut uses[id as usize];
            *count += 1;
            *at = Some(at.map_or(place, |other| self.before_both(other, place)));
        };
        for (&root, places) in lowered.roots().iter().zip(wanted) {
            places.iter().for_each(|&place| join(&mut uses, root, place));
        }
        let mut out = vec![None; values.len()];
        for id in (0..values.len()).rev() {
            let (count, Some(wanted)) = uses[id] else { continue };
            let (from, unrolled) = known[id];
            let place = self.outermost(from, wanted);
            let hoisted = place.block != wanted.block && !unrolled;
            let named = !trivial(id as u32) && (count > 1 || hoisted);
            let place = if named { place } else { wanted };
            out[id] = Some(Placed { place, named });
            values[id].args().iter().for_each(|&a| join(&mut uses, a, place));
        }
        out
    }
}
