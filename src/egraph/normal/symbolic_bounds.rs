//! Proves that a sum is at least 0, for the guards of rules and for comparisons.
//!
//! The input is a linear form. The output is whether it is proved to be at least 0. Ranges are tried first, then the
//! operands of extrema, then the prover.

use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::extrema::{has_extrema, range_by_operands};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover;

/// Whether `lin >= 0` follows from intervals, from the operands of extrema, or from the [`prover`]. The prover uses
/// symbolic ends, products and quotients.
pub(crate) fn proves_nonneg(e: &EGraph, lin: &LinearForm) -> bool {
    facts_of_form(&e.graph, lin).0.is_nonneg()
        || has_extrema(e, lin) && range_by_operands(e, lin).is_nonneg()
        || e.has_symbols && prover::proves(e, lin)
}
