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
    /// The text. It begins with definitions of parts that are used more than once, one on each line. Each result is one
    /// line. Several results in MLIR are one map, and the text of XLA is always a map.
    pub text: String,
    /// The texts that replace the names of some variables, because the language does not allow these names or has its
    /// own text for them. Examples are `threadIdx_x` for `threadIdx.x` in C and `tl.program_id(0)` for `program_id_0`
    /// in Triton. No two variables have the same text.
    pub renamed: BTreeMap<String, String>,
    /// The variables that need 64 bits in a language with widths, by their names in the expressions. All others need 32
    /// bits.
    pub wide: BTreeSet<String>,
}

/// Writes `results` as a text of `dialect`.
///
/// At every point at which an expression has a value, the text has the same value in the arithmetic of the language if
///
/// - every part of the expressions is in the interval that `ranges` returns for it, at every point at which the part
///   has a value. A caller without any facts returns [`Interval::ALL`]. An open end means the end in
///   [`Interval::ENDS`];
/// - a variable has a signed type, with 64 bits if it is in [`Written::wide`], and with 32 or 64 bits otherwise.
///   Variables that CUDA defines are unsigned, as in CUDA.
///
/// A comparison is a truth value of the language, which counts as 1 or 0. As an operand of arithmetic it is converted
/// to a number.
///
/// # What is written
/// - `//` and `%` round down. C, CUDA and Triton round towards zero. In these languages they are written as `/` and `%`
///   for values that are not negative, and as shifts and masks for powers of two. Other operands get a correction:
///   `(x + 12)/6 - 2` if `x` is at least -12, and `x / n - (x % n < 0)` for `n > 0`.
/// - `truncdiv` and `truncmod` round towards zero. They are written as `/` and `%` in C, CUDA and Triton, and as
///   functions in TVM and Halide. In other languages they are written as `//` and `%` of the absolute values:
///   `x//n if x >= 0 else -(-x//n)` for `n > 0`. No value passes through a floating-point number.
/// - C, CUDA, Triton, TVM and Halide compute with 32 bits. A value that may exceed 32 bits is computed with 64: `(long
///   long)i * j`, `i * 4LL`, `i.to(tl.int64)`. Python, Inductor, sympy and tinygrad have integers that are wide enough.
/// - MLIR and XLA have only affine operations. If an operand must be a number, a value whose range is a single number
///   is written as that number. Shifts and masks by powers of two are written as products, quotients and remainders. A
///   domain of XLA has the ranges of the variables.
/// - Triton, Halide, tinygrad, sympy and `T.Select` of TVM evaluate the two branches of a selection, and most of them
///   evaluate all operands of a condition. The value of the branch that is not selected is not used. If that branch may
///   have no value, TVM has `T.if_then_else`, which evaluates only one branch.
/// - A large part that is used more than once is defined before the results as `t0`, `t1` and so on, in C, CUDA,
///   Triton, Inductor, Python, TVM and tinygrad. A part is repeated instead if it may have no value at points where it
///   is not used. The other languages repeat the part.
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
/// [`WriteError`], with the part of the expressions that has no text in the language:
///
/// - a part that is not affine, in MLIR and XLA;
/// - bit operations, in sympy;
/// - a value that may exceed 64 bits, in a language with widths;
/// - a text of more than 1 MiB.
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

/// The language of a dialect. `None` for infix texts and s-expressions, which need no lowering.
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

/// Writes infix texts and s-expressions.
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

/// Combines the texts of several results.
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
