//! The outputs as expressions of the inputs.

use super::{Input, LinearLayout, MAX_BITS, names_of, parts};
use crate::layout::error::LayoutError;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::{Simplified, Simplifier};
use std::sync::Arc;

impl LinearLayout {
    /// Each output as an expression, given one expression for each input. Each input is assumed to be at least 0 and
    /// below its size. Bits that move by the same distance are shifted together, and the results are combined by
    /// exclusive or.
    ///
    /// # Errors
    /// [`LayoutError::Rank`] for another number of expressions.
    pub fn index(&self, inputs: &[Expr]) -> Result<Vec<Expr>, LayoutError> {
        if inputs.len() != self.ins.len() {
            return Err(LayoutError::Rank { what: "expressions", given: inputs.len(), modes: self.ins.len() });
        }
        let of_out = |at: usize| {
            let terms = self.ins.iter().zip(inputs).flat_map(|(input, c)| {
                let bases: Vec<i64> = input.bases.iter().map(|basis| parts(*basis, &self.outs)[at]).collect();
                moves(&bases).into_iter().map(|moved| moved.of(c)).collect::<Vec<_>>()
            });
            terms.reduce(|all, term| all ^ term).unwrap_or_else(|| int(0))
        };
        Ok((0..self.outs.len()).map(of_out).collect())
    }

    /// The cheapest form of the outputs that the engine finds, for inputs that are variables with their names.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_fronts::layout::LinearLayout;
    ///
    /// let tile: LinearLayout = "{register: [(1,0), (2,0)], lane: [(4,0), (8,0), (0,1), (0,2), (0,4)]}".parse()?;
    /// let answer = tile.simplify(&Simplifier::default())?;
    /// let texts: Vec<String> = answer.exprs().iter().map(|e| e.to_string()).collect();
    /// assert_eq!(texts, ["register + lane%4*4", "lane//4"]);
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Simplify`] if the engine rejects an expression.
    pub fn simplify(&self, simplifier: &Simplifier) -> Result<Simplified, LayoutError> {
        let inputs: Vec<Expr> = names_of(&self.ins, |i| &i.name).into_iter().map(var).collect();
        let declared =
            |domain: Domain, input: &Input| domain.with(Arc::clone(&input.name), 0..=(1_i64 << input.bases.len()) - 1);
        let domain = self.ins.iter().fold(Domain::new(), declared);
        Ok(simplifier.simplify_all(&self.index(&inputs)?, &domain)?)
    }
}

/// The bits of an input that move by the same distance.
struct Moved {
    mask: i64,
    /// The distance by which the bits move up in the output.
    up: i32,
    /// Whether the group has all bits of the input above some position.
    is_rest: bool,
}

impl Moved {
    /// The moved bits of `c`.
    fn of(&self, c: &Expr) -> Expr {
        let low = self.mask.trailing_zeros();
        let count = self.mask.count_ones();
        let runs = self.mask >> low == (1 << count) - 1;
        // contiguous bits are extracted as a digit, and other bits by a mask
        let (digit, up) = match (self.is_rest, runs) {
            (true, _) => (down(c, low), self.up + low as i32),
            (_, true) => (down(c, low).floor_mod(int(1 << count)), self.up + low as i32),
            _ => (c & &int(self.mask), self.up),
        };
        match up {
            0 => digit,
            1.. => digit * int(1 << up),
            ..0 => down(&digit, up.unsigned_abs()),
        }
    }
}

fn down(c: &Expr, bits: u32) -> Expr {
    if bits == 0 { c.clone() } else { c.floor_div(int(1 << bits)) }
}

/// The groups of bits, one for each distance.
fn moves(bases: &[i64]) -> Vec<Moved> {
    let mut out = Vec::new();
    let most = MAX_BITS as i32;
    for up in -most..most {
        let moved = |from: &usize| {
            usize::try_from(*from as i32 + up).is_ok_and(|to| to < MAX_BITS && bases[*from] >> to & 1 == 1)
        };
        let bits: Vec<usize> = (0..bases.len()).filter(moved).collect();
        if let Some(first) = bits.first() {
            let mask = bits.iter().fold(0, |mask, bit| mask | 1 << bit);
            out.push(Moved { mask, up, is_rest: bits.len() == bases.len() - first });
        }
    }
    out
}
