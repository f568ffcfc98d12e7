//! Replaces divisors by divisors that the host prepares. `x / n` becomes `x / n_div`, which is a multiplication and a
//! shift, and the kernel gets a parameter `n_div`.

use super::file::{File, Function, function_declarator, is_guard};
use super::launches::{Launch, is_repeatable, launches};
use super::names::DIVISOR;
use super::tree::{children, identifiers};
use super::walker::{Division, Walker};
use super::{kernels, parsed};
use crate::c::Functions;
use crate::edit::{Edit, apply};
use crate::model::Kernel;
use crate::options::Options;
use crate::question::{Expand, Question, expanded};
use crate::spell::replaced;
use quaff::Simplifier;
use quaff::domain::Interval;
use quaff::expr::name::free;
use quaff::expr::{Dag, Expr, Op};
use quaff_dialects::{Dialect, IntegerType, write};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// The type of a prepared divisor, and its operators. The quotient is exact for `0 <= x < 2^31` and `1 <= d < 2^31`
/// (Granlund and Montgomery 1994).
const DEFINITION: &str = "\
#ifndef QUAFF_DIVISOR
#define QUAFF_DIVISOR
// A divisor that the host prepares. x / d and x % d take a multiplication in the place of a division, for 0 <= x < 2^31 and 1 <= d < 2^31.
struct quaff_divisor {
  int d;
  unsigned m, s;
  explicit __host__ __device__ quaff_divisor(int divisor) : d(divisor > 1 ? divisor : 1), m(0), s(0) {
    while ((1u << s) < (unsigned)d) ++s;
    m = (unsigned)(((((unsigned long long)1 << s) - d << 32) + d - 1) / d);
  }
  __host__ __device__ operator int() const { return d; }
  friend __device__ __forceinline__ unsigned operator/(unsigned x, quaff_divisor n) { return (__umulhi(x, n.m) + x) >> n.s; }
  friend __device__ __forceinline__ unsigned operator%(unsigned x, quaff_divisor n) { return x - x / n * n.d; }
  friend __device__ __forceinline__ int operator/(int x, quaff_divisor n) { return (int)((unsigned)x / n); }
  friend __device__ __forceinline__ int operator%(int x, quaff_divisor n) { return x - x / n * n.d; }
};
#endif

";

/// A divisor that the host prepares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The new parameter of the kernel. New parameters are appended to the existing parameters, in order.
    pub name: String,
    /// The divisor, as an expression of the other parameters of the kernel.
    pub divisor: String,
    /// The number of divisions by the divisor.
    pub divisions: usize,
    /// The number of kernel launches in the file that pass the prepared divisor. Launches in other files must be
    /// changed by hand.
    pub launches: usize,
}

/// The divisors of a kernel that the host prepares, and the divisions that stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) prepared: Vec<Prepared>,
    /// The divisions by parameters that stay unchanged. If all divisions stay for the same reason, there is only one
    /// entry, with the name of the kernel as its text.
    pub(crate) kept: Vec<Kept>,
}

/// A division for which the host prepares no divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) text: String,
    pub(crate) reason: String,
}

impl Outcome {
    /// The outcome of the function `name` if all its divisions stay unchanged for the same reason.
    fn refused(name: &str, reason: &str) -> Outcome {
        Outcome { prepared: vec![], kept: vec![Kept { text: name.into(), reason: reason.into() }] }
    }
}

/// `source` with prepared divisors, and the outcome for each kernel.
///
/// `source` is read, changed and read again. Each division takes several proofs.
pub(crate) fn prepared(source: &str, options: &Options, simplifier: &Simplifier) -> Option<(String, Vec<Outcome>)> {
    let tree = parsed(source)?;
    let file = File::new(source, &tree, options);
    let wanted: Vec<&Function> = file.functions.iter().filter(|f| f.is_of_device).collect();
    let (mut edits, mut outcomes) = (Vec::new(), Vec::new());
    let mut old: Vec<Kernel> = Vec::new();
    for function in &wanted {
        let (mut kernel, divisions) = Walker::with_divisions(&file, function, options);
        kernel.limit_definitions();
        let found = Host::new(&file, function, &kernel, &divisions, simplifier);
        let is_one = wanted.iter().filter(|other| other.name == function.name).count() == 1;
        outcomes.push(match found {
            Some(host) if host.divisors.is_empty() => Outcome { prepared: vec![], kept: host.kept },
            Some(_) if !is_one => Outcome::refused(function.name, "another function has its name"),
            Some(host) => match host.edits(tree.root_node()) {
                Ok((own, prepared)) => {
                    edits.extend(own);
                    Outcome { prepared, kept: host.kept }
                }
                Err(reason) => Outcome::refused(function.name, &reason),
            },
            None => Outcome::default(),
        });
        old.push(kernel);
    }
    if edits.is_empty() {
        return Some((source.into(), outcomes));
    }
    if !source.contains(&format!("struct {DIVISOR}")) {
        let at = place_of_definition(&file);
        edits.push(Edit { span: at..at, text: DEFINITION.into() });
    }
    edits.sort_by_key(|edit| edit.span.start);
    let text = apply(source, 0..source.len(), &edits);
    let mut new = kernels(&text, Functions::OfDevice, options)?;
    new.iter_mut().for_each(Kernel::limit_definitions);
    let is_same = old.len() == new.len() && old.iter().zip(&new).zip(&outcomes).all(|((a, b), o)| agree(a, b, o));
    if is_same {
        return Some((text, outcomes));
    }
    let kept = |(outcome, function): (Outcome, &&Function)| match outcome.prepared.is_empty() {
        true => outcome,
        false => Outcome::refused(function.name, "the new text of the file has other values"),
    };
    Some((source.into(), outcomes.into_iter().zip(&wanted).map(kept).collect()))
}

/// Whether each site (a part that computes an integer) has the same value in `old` and `new`, if each prepared divisor
/// has the value that the host passes.
fn agree(old: &Kernel, new: &Kernel, outcome: &Outcome) -> bool {
    let prepared = &outcome.prepared;
    let value = |p: &Prepared| Some((p.name.as_str().into(), p.divisor.parse::<Expr>().ok()?));
    let divisors: FxHashMap<Arc<str>, Expr> = prepared.iter().filter_map(value).collect();
    let values = |kernel: &Kernel| {
        let mut known = divisors.clone();
        for definition in kernel.definitions.iter().filter(|d| d.is_constant) {
            let value = expanded(&kernel.sites[definition.site].expr, &known);
            known.insert(definition.variable.clone(), value);
        }
        kernel.sites.iter().map(|site| expanded(&site.expr, &known)).collect::<Vec<Expr>>()
    };
    divisors.len() == prepared.len() && values(old) == values(new)
}

/// The position at which the type of prepared divisors is defined. It is before the first function and its comments,
/// outside of namespaces, and inside a header guard.
fn place_of_definition(file: &File) -> usize {
    let Some(first) = file.functions.first() else { return 0 };
    let mut outermost = first.node;
    while let Some(parent) = outermost.parent().filter(|p| p.parent().is_some() && !is_guard(*p, file.text)) {
        outermost = parent;
    }
    while let Some(comment) = outermost.prev_named_sibling().filter(|n| n.kind() == "comment") {
        outermost = comment;
    }
    outermost.start_byte()
}

/// A kernel with divisors that the host can prepare.
struct Host<'f, 't> {
    file: &'f File<'t>,
    function: &'f Function<'t>,
    /// The names of all parameters. The name of a parameter is empty if its declarator is not a plain name.
    parameters: Vec<&'t str>,
    divisors: Vec<Divisor>,
    /// The divisions by parameters for which no divisor is prepared.
    kept: Vec<Kept>,
}

struct Divisor {
    name: String,
    value: Expr,
    /// The text of the divisor, as an expression of the parameters.
    text: String,
    /// The places of the text that divide by the divisor.
    places: Vec<Range<usize>>,
}

impl<'f, 't> Host<'f, 't> {
    /// The divisors of `function`. `None` if the host does not launch the function.
    fn new(
        file: &'f File<'t>,
        function: &'f Function<'t>,
        kernel: &Kernel,
        divisions: &[Division],
        simplifier: &Simplifier,
    ) -> Option<Host<'f, 't>> {
        let declarator = function_declarator(function.node)?;
        let before = &file.text[function.node.start_byte()..declarator.start_byte()];
        let list = declarator.child_by_field_name("parameters").filter(|_| before.contains("__global__"))?;
        let all: Vec<Node<'t>> = children(list).into_iter().filter(|p| p.kind() != "comment").collect();
        let parameters = all.iter().map(|p| name_of(file, *p).unwrap_or_default()).collect();
        let is_integer = |p: &&Node<'t>| is_int(file, **p);
        let integers: Vec<&str> = all.iter().filter(is_integer).filter_map(|p| name_of(file, *p)).collect();
        let mut host = Host { file, function, parameters, divisors: Vec::new(), kept: Vec::new() };
        let question = Question::new(kernel, Expand::All, simplifier);
        let mut words = kernel.words.clone();
        for division in divisions {
            let (numerator, divisor) = (&division.numerator, &division.divisor);
            let values = question.values_of(&[numerator.clone(), divisor.clone()], simplifier);
            let [numerator, divisor] = &values[..] else { continue };
            let is_uniform = |name: &Arc<str>| {
                let known = kernel.variables.get(name);
                integers.contains(&&**name) && known.is_some_and(|v| !v.changes && v.spelling == **name)
            };
            let variables = divisor.variables();
            if variables.is_empty() || !variables.iter().all(is_uniform) || !is_sum_of_products(divisor) {
                continue;
            }
            let condition = question.condition(kernel, division.context);
            let mut facts = simplifier.facts(&question.about(&[numerator, divisor], condition.as_ref()));
            let bounds = [numerator, divisor].map(|e| facts.bounds(e).unwrap_or(Interval::ALL));
            let is_small = division.has_sign || bounds[0].hi().is_some_and(|hi| hi <= i64::from(i32::MAX));
            let missing = match () {
                () if bounds[1].lo() < Some(1) => Some(format!("`{}` is positive", division.divisor)),
                () if bounds[0].lo() < Some(0) => Some(format!("`{}` is not negative", division.numerator)),
                () if !is_small => Some(format!("`{}` is below 2^31", division.numerator)),
                () => None,
            };
            if let Some(missing) = missing {
                let operand = |e: &Expr| if e.args().is_empty() { e.to_string() } else { format!("({e})") };
                let text = format!("{} / {}", operand(&division.numerator), operand(&division.divisor));
                let reason = format!("it is not proved that {missing}, which a note in the file can say");
                let kept = Kept { text, reason };
                if !host.kept.contains(&kept) {
                    host.kept.push(kept);
                }
                continue;
            }
            if let Some(known) = host.divisors.iter_mut().find(|known| known.value == *divisor) {
                known.places.push(division.span.clone());
                continue;
            }
            let narrow = |_: &Expr| Interval::from_wide(0, i32::MAX.into());
            let Ok(written) = write(std::slice::from_ref(divisor), Dialect::Cuda, &narrow) else { continue };
            let name = new_name(file.text, &file.text[division.span.clone()], &variables, &mut words);
            let places = vec![division.span.clone()];
            host.divisors.push(Divisor { name, value: divisor.clone(), text: written.text, places });
        }
        Some(host)
    }

    /// The edits for the kernel and its launches.
    ///
    /// # Errors
    /// The reason why the divisors stay unchanged.
    fn edits(&self, root: Node<'t>) -> Result<(Vec<Edit>, Vec<Prepared>), String> {
        let declarator = function_declarator(self.function.node).ok_or("it has no parameters")?;
        let list = declarator.child_by_field_name("parameters").ok_or("it has no parameters")?;
        let parameters = children(list);
        if parameters.iter().any(|p| p.kind() == "optional_parameter_declaration" || p.kind().starts_with("variadic")) {
            return Err("a parameter is optional".into());
        }
        let count = self.parameters.len();
        let found = launches(self.file, root, self.function.name, count, &declarator.byte_range())?;
        let passed_twice = found.iter().flat_map(|launch| self.used().map(|at| launch.arguments[at]));
        if !passed_twice.into_iter().all(is_repeatable) {
            return Err("a launch computes a divisor with a call, which would be computed twice".into());
        }
        let mut edits: Vec<Edit> = Vec::new();
        for divisor in &self.divisors {
            let text = || divisor.name.clone();
            edits.extend(divisor.places.iter().map(|span| Edit { span: span.clone(), text: text() }));
        }
        let end = parameters.last().map_or(list.start_byte() + 1, Node::end_byte);
        let declared: Vec<String> = self.divisors.iter().map(|d| format!(", {DIVISOR} {}", d.name)).collect();
        edits.push(Edit { span: end..end, text: declared.concat() });
        edits.extend(self.comment());
        for launch in &found {
            let passed: Vec<String> = self.divisors.iter().map(|d| format!(", {}", self.argument(d, launch))).collect();
            edits.push(Edit { span: launch.end..launch.end, text: passed.concat() });
        }
        let prepared = self.divisors.iter().map(|d| Prepared {
            name: d.name.clone(),
            divisor: d.text.clone(),
            divisions: d.places.len(),
            launches: found.len(),
        });
        Ok((edits, prepared.collect()))
    }

    /// The indices of the parameters that the divisors contain.
    fn used(&self) -> impl Iterator<Item = usize> {
        let variables: Vec<Arc<str>> = self.divisors.iter().flat_map(|d| d.value.variables()).collect();
        let all = self.parameters.iter().enumerate();
        all.filter(move |(_, name)| variables.iter().any(|v| **v == ***name)).map(|(at, _)| at)
    }

    /// The argument that a launch passes for `divisor`.
    fn argument(&self, divisor: &Divisor, launch: &Launch) -> String {
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let passed = |text: &str| if is_word(text) { text.into() } else { format!("({text})") };
        let arguments = self.parameters.iter().zip(&launch.arguments);
        let spellings = arguments.map(|(name, text)| ((*name).to_owned(), passed(text))).collect();
        format!("{DIVISOR}({})", replaced(&divisor.text, &spellings))
    }

    /// A comment that explains the divisors.
    fn comment(&self) -> Option<Edit> {
        let body = self.function.node.child_by_field_name("body")?;
        let values: Vec<String> = self.divisors.iter().map(|d| format!("{} is {}", d.name, d.text)).collect();
        let (values, at) = (values.join(", "), body.start_byte() + 1);
        let behind = &self.file.text[at..body.end_byte()];
        let line_end = if behind.starts_with("\r\n") { "\r\n" } else { "\n" };
        let text = match behind.strip_prefix(line_end) {
            Some(lines) => {
                let indent: String = lines.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
                format!("{line_end}{indent}// {values}")
            }
            None => format!(" /* {values} */"),
        };
        Some(Edit { span: at..at, text })
    }
}

/// The name of a parameter that is a plain variable.
fn name_of<'t>(file: &File<'t>, parameter: Node<'t>) -> Option<&'t str> {
    let declarator = parameter.child_by_field_name("declarator").filter(|d| d.kind() == "identifier")?;
    Some(file.of(declarator))
}

/// Whether a parameter is an `int`, or a narrower integer.
fn is_int<'t>(file: &File<'t>, parameter: Node<'t>) -> bool {
    let Some(declarator) = parameter.child_by_field_name("declarator") else { return false };
    let words = &file.text[parameter.start_byte()..declarator.start_byte()];
    let words: Vec<&str> = words.split_whitespace().filter(|w| *w != "const").collect();
    file.integer(&words.join(" ")).map(IntegerType::promoted) == Some(IntegerType::INT)
}

/// Whether `e` has only sums and products, so that its text means the same in C and in the engine.
fn is_sum_of_products(e: &Expr) -> bool {
    let is_known = |op: &Op| matches!(op, Op::Const(_) | Op::Var(_) | Op::Add | Op::Sub | Op::Mul);
    Dag::new(std::slice::from_ref(e)).nodes().iter().all(|node| is_known(&node.op))
}

/// A name that does not occur in the file or in `words`. It is `w_div` if `text` is `w`, and `h_w_div` for the product
/// of `h` and `w`.
fn new_name(file: &str, text: &str, variables: &[Arc<str>], words: &mut Vec<String>) -> String {
    let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_') && text.starts_with(char::is_alphabetic);
    let base = if is_word { text.to_owned() } else { variables.iter().map(|v| &**v).collect::<Vec<_>>().join("_") };
    let is_taken = |name: &str| words.iter().any(|word| word == name) || identifiers(file).any(|word| word == name);
    let name = free(format!("{base}_div"), is_taken);
    words.push(name.clone());
    name
}
