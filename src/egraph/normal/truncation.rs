//! Makes the normal forms of divisions that round towards zero, as in C.
//!
//! If the signs of both operands are known, the division becomes a floor division of non-negative operands. Otherwise
//! it is a node of its own. The signs of its numerator and divisor are chosen such that fewer nodes are made:
//! `truncdiv(-x, n)` and `truncdiv(x, -n)` both become `-truncdiv(x, n)`.

use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// The factors by which the operands of a division were multiplied. Each is 1 or -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) numerator: i64,
    pub(crate) divisor: i64,
}

impl Signs {
    /// The factor, 1 or -1, by which the quotient of the changed operands must be multiplied.
    fn quotient(self) -> i64 {
        self.numerator * self.divisor
    }
}

/// The operands of a division with normalised signs.
pub(crate) struct Oriented {
    pub(crate) numerator: LinearForm,
    pub(crate) divisor: LinearForm,
    pub(crate) signs: Signs,
    /// Whether neither operand is ever negative. Then both kinds of rounding agree.
    pub(crate) is_floor: bool,
}

impl Oriented {
    /// Whether the quotient of `x <= 0` by `n > 0` is written as `(x + n - 1)//n`, which costs less than `-(-x//n)`.
    pub(crate) fn rounds_up(&self) -> bool {
        let is_turned = self.signs == Signs { numerator: -1, divisor: 1 };
        self.is_floor
            && is_turned
            && self.divisor.is_constant()
            && self.numerator.coeffs().first().is_some_and(|&c| c < 0)
    }
}

impl EGraph {
    /// `truncdiv(a, b)`. The caller guarantees that `b` is never 0.
    pub(crate) fn trunc_div(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        let oriented = self.oriented(a, b)?;
        if oriented.is_floor {
            return self.floor_quotient(&oriented);
        }
        let Oriented { numerator, divisor, signs, .. } = oriented;
        let quotient = if divisor.is_constant() && divisor.constant == 1 {
            numerator
        } else {
            let operands = [self.class_of(&numerator)?, self.class_of(&divisor)?];
            LinearForm::atom(self.add(Node::TruncDiv(operands)))
        };
        quotient.scaled(signs.quotient())
    }

    /// The quotient as a floor division. The signs of both operands must be known.
    fn floor_quotient(&mut self, o: &Oriented) -> Option<LinearForm> {
        if o.rounds_up() {
            let above = o.numerator.scaled(-1)?.plus_constant(o.divisor.constant - 1)?;
            return self.div(&above, &o.divisor);
        }
        self.div(&o.numerator, &o.divisor)?.scaled(o.signs.quotient())
    }

    /// `truncmod(a, b)`. It is a node of its own if floor division does not give the same remainder. The sign of the
    /// result is the sign of `a`.
    pub(crate) fn trunc_mod(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        let Oriented { numerator, divisor, signs, is_floor } = self.oriented(a, b)?;
        let remainder = if is_floor {
            self.modulo(&numerator, &divisor)?
        } else {
            let operands = [self.class_of(&numerator)?, self.class_of(&divisor)?];
            LinearForm::atom(self.add(Node::TruncMod(operands)))
        };
        remainder.scaled(signs.numerator)
    }

    /// The class of `truncdiv(a, b)` as a floor division, if the signs of both operands are known.
    pub(crate) fn floor_of_truncation(&mut self, a: Id, b: Id) -> Option<Id> {
        let (a, b) = (self.canonical(a), self.canonical(b));
        let oriented = self.oriented(&a, &b).filter(|o| o.is_floor)?;
        let quotient = self.floor_quotient(&oriented)?;
        self.class_of(&quotient)
    }

    /// Numerator and divisor of a division that rounds towards zero. An operand is negated if it is never positive. An
    /// operand of unknown sign is negated if its first coefficient is negative.
    pub(crate) fn oriented(&mut self, a: &LinearForm, b: &LinearForm) -> Option<Oriented> {
        let (numerator, of_numerator, above) = self.upright(a)?;
        let (divisor, of_divisor, positive) = self.upright(b)?;
        let signs = Signs { numerator: of_numerator, divisor: of_divisor };
        Some(Oriented { numerator, divisor, signs, is_floor: above && positive })
    }

    /// `sum` or its negation, the factor 1 or -1 that was applied, and whether the result is never negative.
    fn upright(&mut self, sum: &LinearForm) -> Option<(LinearForm, i64, bool)> {
        let sum = self.canonical_deep(sum)?.into_owned();
        let class = self.class_of(&sum)?;
        let sign = sign(self.facts(class).interval);
        let negates = sign.unwrap_or_else(|| sum.coeffs().first().is_some_and(|&c| c < 0));
        let factor = if negates { -1 } else { 1 };
        Some((sum.scaled(factor)?, factor, sign.is_some()))
    }
}

/// Whether all values are at most 0 (`true`) or at least 0 (`false`). `None` if neither is known.
fn sign(range: Interval) -> Option<bool> {
    if range.is_nonneg() { Some(false) } else { range.hi().is_some_and(|h| h <= 0).then_some(true) }
}
