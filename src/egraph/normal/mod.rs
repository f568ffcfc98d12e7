//! Construction of nodes in the e-graph. Every node is made in its normal form, and only here.

pub(crate) mod applied_forms;
pub(crate) mod budget;
pub(crate) mod conditions;
pub(crate) mod extrema;
pub(crate) mod graph;
pub(crate) mod nonzero;
pub(crate) mod opaque;
pub(crate) mod polynomials;
pub(crate) mod products;
pub(crate) mod prover;
mod quotient_bounds;
pub(crate) mod quotients;
pub(crate) mod spellings;
pub(crate) mod sums;
pub(crate) mod symbolic_bounds;
pub(crate) mod truncation;
