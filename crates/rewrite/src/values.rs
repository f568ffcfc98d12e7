//! [`values`]: lists the integers that the kernels of a source file compute.

use crate::language::Language;
use crate::options::Options;
use crate::question::{Expand, Question};
use crate::rewritten::{RewriteError, line_at, line_ends, read};
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;

/// An integer that a kernel computes, such as an index, a condition or an argument of a call.
#[derive(Clone, Debug)]
pub struct Value {
    /// The name of the function.
    pub kernel: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The text that computes the value.
    pub text: String,
    /// The value, as an expression of the parameters and counters of the kernel. Definitions are replaced by their
    /// values.
    pub value: Expr,
    /// The facts that hold where the value is computed.
    pub domain: Domain,
    /// The cost of the value, computed alone.
    pub cost: Option<Cost>,
}

/// The values that the kernels of `source` compute, in the order of the text. Constants, single variables and values in
/// code that never runs are left out.
///
/// The time is n log n for a text of n bytes, plus an e-graph search for the facts about each value.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_rewrite::{Language, Options, values};
///
/// let source = "__global__ void f(float* x) { int i = threadIdx.x / 32; x[i * 32] = 0; }";
/// let all = values(source, Language::Cuda, &Options::default(), &Simplifier::default())?;
/// assert_eq!((all[0].text.as_str(), all[0].value.to_string()), ("i * 32", "threadIdx.x//32*32".to_string()));
/// # Ok::<(), quaff_rewrite::RewriteError>(())
/// ```
///
/// # Errors
/// [`RewriteError::NotParsed`] if the text cannot be parsed.
pub fn values(
    source: &str,
    language: Language,
    options: &Options,
    simplifier: &Simplifier,
) -> Result<Vec<Value>, RewriteError> {
    let ends = line_ends(source);
    let mut all = Vec::new();
    for kernel in read(source, language, options)? {
        let question = Question::new(&kernel, Expand::All, simplifier);
        let (sites, accesses) = question.roots();
        for (site, access) in std::iter::zip(sites, accesses) {
            let (value, span) = (access.index().clone(), kernel.sites[site].span.clone());
            let Some(domain) = question.inside(site).filter(|_| !value.args().is_empty()) else { continue };
            let cost = question.price([&value], simplifier);
            let (kernel, line, text) = (kernel.name.clone(), line_at(&ends, span.start), source[span].into());
            all.push(Value { kernel, line, text, value, domain, cost });
        }
    }
    Ok(all)
}
