//! The laws of normal forms, and their proofs. The engine applies these identities without rules.

use super::{Proof, Prover};
#[cfg(feature = "smt")]
use quaff::domain::Domain;
#[cfg(feature = "smt")]
use quaff::expr::Dag;
use quaff::expr::{Expr, parse};
use quaff::internals::NormalForm;
#[cfg(feature = "smt")]
use quaff::quasi::{self, Method, Verdict};
use std::fmt;

/// An identity that the engine applies without a rule, when it puts an operation into normal form. It has a name and a
/// reason why it is right.
///
/// ```
/// use quaff_lab::proof::laws;
///
/// let law = laws().into_iter().find(|l| l.name() == "quotient-of-quotient").unwrap();
/// assert_eq!(law.to_string(), "x // m // n == x // (m*n) where m != 0 and n >= 1");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Law(NormalForm);

/// All laws of normal forms.
pub fn laws() -> Vec<Law> {
    NormalForm::ALL.into_iter().map(Law).collect()
}

impl Law {
    /// The name of the law in traces and explanations.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The reason why the law is right, in one line.
    pub fn reason(&self) -> &'static str {
        self.0.reason()
    }
}

impl fmt::Display for Law {
    /// Writes the identity, and the conditions under which it holds. Every name in it means any integer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let law = self.0.law();
        write!(f, "{} == {} where {}", law.before, law.after, law.given.join(" and "))
    }
}

/// Both sides of a law, and its conditions, as expressions.
pub(crate) struct Sides {
    pub(crate) before: Expr,
    pub(crate) after: Expr,
    pub(crate) given: Vec<Expr>,
}

impl Law {
    /// The sides of the law and its conditions. `None` if the law cannot be written as integer expressions.
    pub(crate) fn sides(&self) -> Option<Sides> {
        let law = self.0.law();
        let read = |text: &str| parse(text).ok().map(|p| p.into_expr());
        let given = law.given.iter().map(|g| read(g)).collect::<Option<_>>()?;
        Some(Sides { before: read(law.before)?, after: read(law.after)?, given })
    }
}

#[cfg(feature = "smt")]
impl Sides {
    /// The domain of all integers that satisfy the conditions.
    pub(crate) fn domain(&self) -> Option<Domain> {
        let mut domain = Domain::new();
        let sides = [self.before.clone(), self.after.clone()];
        let all: Vec<Expr> = sides.iter().chain(&self.given).cloned().collect();
        for name in Dag::new(&all).variables() {
            domain.declare(&format!("{name} = ..")).ok()?;
        }
        Some(self.given.iter().cloned().fold(domain, Domain::assume))
    }
}

impl Prover {
    /// Tries to prove a law for all integers.
    pub fn prove_law(&self, law: &Law) -> Proof {
        #[cfg(feature = "smt")]
        {
            self.decide(law)
                .unwrap_or_else(|| Proof::None { why: "the law is not written in integer expressions".into() })
        }
        #[cfg(not(feature = "smt"))]
        {
            let _ = law;
            Proof::None { why: "built without solvers".into() }
        }
    }

    #[cfg(feature = "smt")]
    fn decide(&self, law: &Law) -> Option<Proof> {
        let sides = law.sides()?;
        let domain = sides.domain()?;
        let options = quasi::Options { smt_timeout: self.timeout, ..quasi::Options::default() };
        let decision = quasi::decide(&sides.before, &sides.after, &domain, &options);
        Some(match (&decision.verdict, decision.method) {
            (Verdict::Equal, Method::Solver) => {
                let versions: Vec<&str> = self.solvers.iter().map(|s| s.1.as_str()).collect();
                Proof::AllIntegers { solver: versions.join(" or ") }
            }
            (Verdict::Equal, _) => Proof::AllIntegers { solver: "the exact procedure".into() },
            (verdict, _) => Proof::None { why: verdict.to_string() },
        })
    }
}
