//! [`write`](write()): expressions as a text of one dialect.

mod affine;
mod c;
mod divide;
mod error;
mod form;
mod halide;
mod lower;
mod names;
mod python;
mod sympy;
mod text;

use crate::dialect::Dialect;
use error::Refusal;
pub use error::WriteError;
use form::{Id, Kind};
use lower::{Language, Lowering};
use quaff_expr::domain::{Interval, intervals_within};
use quaff_expr::expr::substitute::substituted_all;
use quaff_expr::expr::{Dag, Expr, Op, TooLarge, var};
use quaff_expr::names::Names;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use text::{LONGEST, Printer, TooLong};

/// Expressions as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text: definitions of what is used more than once, each on a line, and one line for each result. Of several results, the text
    /// of MLIR is one map, and that of XLA always is.
    pub text: String,
    /// What the text has in the place of variables whose names the language cannot have, or has something of its own for: `threadIdx_x`
    /// for `threadIdx.x` in C, `tl.program_id(0)` for `program_id_0` in Triton. No two variables have the same text.
    pub renamed: BTreeMap<String, String>,
    /// The variables, under their names in the expressions, that need 64 bits in a language with widths. All others need 32.
    pub wide: BTreeSet<String>,
}

/// Writes `results` as a text of `dialect`.
///
/// The text has the value of each expression at every point at which it has one, in the language's own arithmetic, when
///
/// - every part of the expressions lies in what `ranges` answers for it, at every point at which it has a value. [`Interval::ALL`] is what
///   a caller without knowledge answers; an open end is one in [`Interval::ENDS`];
/// - a variable has a type with a sign, of 64 bits where it is in [`Written::wide`], and of 32 or 64 elsewhere. Those that CUDA itself
///   defines are unsigned, as CUDA has them.
///
/// A comparison is a truth value of the language, which counts as 1 or 0. In an operation on numbers it is written as one.
///
/// # What is written
/// - `//` and `%` round down. Where a language rounds towards zero (C, CUDA, Triton), they are `/` and `%` of values that are not negative,
///   shifts and masks by powers of two, and otherwise corrected: `(x + 12)/6 - 2` where `x` is at least -12, and
///   `x / n - (x % n < 0)` for `n > 0`.
/// - `truncdiv` and `truncmod` round towards zero. They are `/` and `%` in C, CUDA and Triton, functions in TVM and Halide, and elsewhere `//`
///   and `%` of the operands' sizes: `x//n if x >= 0 else -(-x//n)` for `n > 0`. No value passes through a floating-point number.
/// - C, CUDA, Triton, TVM and Halide compute with 32 bits. What may leave them is computed with 64: `(long long)i * j`, `i * 4LL`,
///   `i.to(tl.int64)`. Python, Inductor, sympy and tinygrad have integers that are wide enough.
/// - MLIR and XLA have affine operations only. Where an operand has to be a number, a value whose range is one number is written as it. Shifts
///   and masks by powers of two are products, quotients and remainders. A domain of XLA has the ranges of the variables.
/// - Triton, Halide, tinygrad, sympy and `T.Select` of TVM compute both branches of a selection, and most of them both operands of a condition.
///   What one gives that is not taken is not used. Where it may have no value, TVM has `T.if_then_else`, which computes one branch.
/// - What is large and used more than once is defined in front as `t0`, `t1` and so on, in C, CUDA, Triton, Inductor, Python, TVM and tinygrad; but
///   not if it might have no value where it is not used. The other languages repeat it.
///
/// ```
/// use quaff_dialects::{Dialect, write};
/// use quaff_expr::domain::{Interval, interval_of};
/// use quaff_expr::expr::Expr;
///
/// let e: Expr = "(threadIdx.x - 8)//32".parse()?;
/// let range = |e: &Expr| interval_of(e, |_| Interval::new(0, 1023).unwrap());
/// let text = |dialect| write(&[e.clone()], dialect, &range).map(|written| written.text);
/// assert_eq!(text(Dialect::C)?, "(threadIdx_x - 8) >> 5");
/// assert_eq!(text(Dialect::Cuda)?, "((int)threadIdx.x - 8) >> 5");
/// assert_eq!(text(Dialect::Tvm)?, "T.floordiv(threadIdx_x - 8, 32)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`], with the part of the expressions that the language has no text for: what is not affine in MLIR and XLA, bits in sympy, a value
/// that may leave 64 bits in a language with widths, and a text of more than 1 MiB.
pub fn write(results: &[Expr], dialect: Dialect, ranges: &dyn Fn(&Expr) -> Interval) -> Result<Written, WriteError> {
    let dag = Dag::with_origins(results);
    let variables: Vec<Arc<str>> = dag.variables().cloned().collect();
    let mut names = Names::new(names::words(dialect));
    let written = names::written(dialect, &variables.iter().map(|name| &**name).collect::<Vec<_>>(), &mut names);
    let pairs = variables.iter().zip(&written).filter(|(name, written)| ***name != **written);
    let renamed = pairs.map(|(name, written)| (name.to_string(), written.clone())).collect();
    let called: FxHashMap<&str, &str> = variables.iter().zip(&written).map(|(n, w)| (&**n, w.as_str())).collect();
    let (text, wide) = match language(dialect) {
        None => (plain_text(results, dialect, &called)?, BTreeSet::new()),
        Some(language) => language_text(&dag, language, &called, names, ranges)?,
    };
    Ok(Written { text, renamed, wide })
}

/// How a dialect is written; `None` for those that expressions print themselves in.
fn language(dialect: Dialect) -> Option<&'static Language> {
    Some(match dialect {
        Dialect::Infix | Dialect::Sexp => return None,
        Dialect::C => &c::C,
        Dialect::Cuda => &c::CUDA,
        Dialect::Triton => &python::TRITON,
        Dialect::Inductor => &python::INDUCTOR,
        Dialect::Sympy => &sympy::SYMPY,
        Dialect::Tvm => &python::TVM,
        Dialect::Mlir => &affine::MLIR,
        Dialect::Xla => &affine::XLA,
        Dialect::Halide => &halide::HALIDE,
        Dialect::Tinygrad => &python::TINYGRAD,
        Dialect::Python => &python::PYTHON,
    })
}

/// Infix texts and s-expressions.
fn plain_text(results: &[Expr], dialect: Dialect, called: &FxHashMap<&str, &str>) -> Result<String, WriteError> {
    let results = substituted_all(results, |name| called.get(name).map(|written| var(*written)));
    let mut text = String::new();
    for (i, result) in results.iter().enumerate() {
        let left = LONGEST.saturating_sub(text.len());
        let line = if dialect == Dialect::Infix { result.to_infix(left) } else { result.to_sexp(left) };
        let line = line.map_err(|TooLarge { .. }| too_long().about(result, dialect))?;
        text += if i > 0 { "\n" } else { "" };
        text += &line;
    }
    Ok(text)
}

fn too_long() -> Refusal {
    Refusal::new(format!("its text is longer than {LONGEST} bytes"))
        .with_help("what is used more than once is defined in front in languages with statements, such as `python`")
}

/// The text, and the variables that need 64 bits.
fn language_text(
    dag: &Dag,
    language: &Language,
    called: &FxHashMap<&str, &str>,
    mut names: Names,
    ranges: &dyn Fn(&Expr) -> Interval,
) -> Result<(String, BTreeSet<String>), WriteError> {
    let own = |name: &str| (language.builtin)(name).map_or(Interval::ALL, |(_, range)| range);
    let known = intervals_within(dag, own, |id| ranges(dag.origin(id)));
    let mut lowering = Lowering::new(language);
    let mut ids: Vec<Id> = Vec::with_capacity(dag.nodes().len());
    let mut variables = Vec::new();
    for (i, node) in dag.nodes().iter().enumerate() {
        ids.push(match &node.op {
            Op::Const(c) => lowering.number(*c),
            Op::Var(name) => {
                let written = called.get(&**name).copied().unwrap_or(name);
                let id = lowering.variable(name, written, known[i]);
                variables.push((&**name, written, id));
                id
            }
            _ => {
                let args: Vec<Id> = node.args().iter().map(|&a| ids[a as usize]).collect();
                let form = lowering.node(node, &args, known[i]);
                form.map_err(|refusal| refusal.about(dag.origin(i as u32), language.dialect))?
            }
        });
    }
    let roots: Vec<Id> = dag.roots().iter().map(|&root| ids[root as usize]).collect();
    let mut printer = Printer::new(&lowering);
    let too_long = |root: usize| move |_: TooLong| too_long().about(&dag.exprs()[root], language.dialect);
    let definitions = printer.definitions(&roots, &mut names).map_err(too_long(0))?;
    let texts = roots.iter().enumerate().map(|(i, &root)| printer.text(root).map_err(too_long(i)));
    let texts = texts.collect::<Result<Vec<String>, WriteError>>()?;
    let wide = variables.iter().filter(|v| lowering.form(v.2).kind == Kind::Wide).map(|v| v.0.to_string()).collect();
    let dimensions: Vec<(&str, Interval)> = variables.iter().map(|v| (v.1, lowering.range(v.2))).collect();
    Ok((whole(language.dialect, definitions, texts, &dimensions), wide))
}

/// The texts of several results as one.
fn whole(dialect: Dialect, definitions: Vec<String>, texts: Vec<String>, dimensions: &[(&str, Interval)]) -> String {
    let names = dimensions.iter().map(|d| d.0).collect::<Vec<_>>().join(", ");
    let results = texts.join(", ");
    match dialect {
        Dialect::Mlir if texts.len() != 1 => format!("affine_map<({names}) -> ({results})>"),
        Dialect::Xla => {
            let end = |end: Option<i64>, open: i64| end.unwrap_or(open);
            let range = |(name, range): &(&str, Interval)| {
                format!("{name} in [{}, {}]", end(range.lo(), i64::MIN), end(range.hi(), i64::MAX))
            };
            let domain = dimensions.iter().map(range).collect::<Vec<_>>().join(", ");
            let domain = if domain.is_empty() { domain } else { format!(", domain: {domain}") };
            format!("({names}) -> ({results}){domain}")
        }
        _ => [definitions, texts].concat().join("\n"),
    }
}
