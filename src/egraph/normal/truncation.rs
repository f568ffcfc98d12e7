//! Division that rounds towards zero, as C divides.
//!
//! Where the signs of both operands are known, it is floor division of what is never negative. Else it is a node of its own, whose
//! numerator and divisor have the signs that make fewer nodes: `truncdiv(-x, n)` and `truncdiv(x, -n)` are minus that of `x` and `n`.

use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// What the operands of a division were multiplied by, 1 or -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) numerator: i64,
    pub(crate) divisor: i64,
}

impl Signs {
    /// What the quotient was multiplied by.
    fn quotient(self) -> i64 {
        self.numerator * self.divisor
    }
}

/// Operands with signs of their own.
pub(crate) struct Oriented {
    pub(crate) numerator: LinearForm,
    pub(crate) divisor: LinearForm,
    pub(crate) signs: Signs,
    /// Whether neither operand is ever negative: rounding makes no difference.
    pub(crate) is_floor: bool,
}

impl Oriented {
    /// Whether the quotient of `x <= 0` by `n > 0` is taken as `(x + n - 1)//n`, which costs less than `-(-x//n)`.
    pub(crate) fn rounds_up(&self) -> bool {
        let is_turned = self.signs == Signs { numerator: -1, divisor: 1 };
        self.is_floor
            && is_turned
            && self.divisor.is_constant()
            && self.numerator.coeffs().first().is_some_and(|&c| c < 0)
    }
}

impl EGraph {
    /// `truncdiv(a, b)`. The caller knows that `b` is never 0.
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

    /// The quotient of operands of known signs.
    fn floor_quotient(&mut self, o: &Oriented) -> Option<LinearForm> {
        if o.rounds_up() {
            let above = o.numerator.scaled(-1)?.plus_constant(o.divisor.constant - 1)?;
            return self.div(&above, &o.divisor);
        }
        self.div(&o.numerator, &o.divisor)?.scaled(o.signs.quotient())
    }

    /// `truncmod(a, b)` as one operation, where it is not that of floor division. Its sign is that of `a`.
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

    /// The class of `truncdiv(a, b)` where the signs of both are known by now.
    pub(crate) fn floor_of_truncation(&mut self, a: Id, b: Id) -> Option<Id> {
        let (a, b) = (self.canonical(a), self.canonical(b));
        let oriented = self.oriented(&a, &b).filter(|o| o.is_floor)?;
        let quotient = self.floor_quotient(&oriented)?;
        self.class_of(&quotient)
    }

    /// Numerator and divisor of a division that rounds towards zero, negated where they are never positive, or where their first
    /// factor is negative.
    pub(crate) fn oriented(&mut self, a: &LinearForm, b: &LinearForm) -> Option<Oriented> {
        let (numerator, of_numerator, above) = self.upright(a)?;
        let (divisor, of_divisor, positive) = self.upright(b)?;
        let signs = Signs { numerator: of_numerator, divisor: of_divisor };
        Some(Oriented { numerator, divisor, signs, is_floor: above && positive })
    }

    /// A sum or its opposite, 1 or -1 for which of them it is, and whether it is known never to be negative.
    fn upright(&mut self, sum: &LinearForm) -> Option<(LinearForm, i64, bool)> {
        let sum = self.canonical_deep(sum)?.into_owned();
        let class = self.class_of(&sum)?;
        let sign = sign(self.facts(class).interval);
        let negates = sign.unwrap_or_else(|| sum.coeffs().first().is_some_and(|&c| c < 0));
        let factor = if negates { -1 } else { 1 };
        Some((sum.scaled(factor)?, factor, sign.is_some()))
    }
}

/// Whether no value is positive, where that is so or none is negative.
fn sign(range: Interval) -> Option<bool> {
    if range.is_nonneg() { Some(false) } else { range.hi().is_some_and(|h| h <= 0).then_some(true) }
}
