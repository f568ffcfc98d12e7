//! Moves what can fail in front of what takes long.

use super::program::{Guard, Instr, IntExpr};

/// Moves guards and computed integers up to where all they read is known, so that a match fails before, not after, the
/// choice points between.
pub(super) fn hoisted(code: Vec<Instr>) -> Vec<Instr> {
    let mut out: Vec<Instr> = Vec::with_capacity(code.len());
    for mut instr in code {
        // what is left of a sum is constant when the sum has one term: known before the term is chosen
        if let Instr::When(Guard::IsConstant(rest)) = instr
            && let Some(Instr::Without { sum, .. }) =
                out.iter().find(|i| matches!(i, Instr::Without { to, .. } if *to == rest))
        {
            instr = Instr::When(Guard::Equal(IntExpr::Terms(*sum), IntExpr::Literal(1)));
        }
        let cheap = match &instr {
            Instr::When(g) => g.only_integers(),
            Instr::LetInt { value, .. } => value.only_integers(),
            Instr::SameInt { .. } | Instr::Constant { .. } | Instr::SameClass { .. } => true,
            _ => false,
        };
        let mut at = out.len();
        if let Instr::Without { .. } = instr {
            // the same for every spelling of the term
            let reads = instr.reads();
            while at > 0
                && matches!(out[at - 1], Instr::Spelling { .. })
                && !out[at - 1].writes().iter().any(|w| reads.contains(w))
            {
                at -= 1;
            }
        }
        if cheap {
            let reads = instr.reads();
            while at > 0 && !out[at - 1].writes().iter().any(|w| reads.contains(w)) && out[at - 1].is_choice() {
                at -= 1;
            }
        }
        out.insert(at, instr);
    }
    out
}
