//! [`Contract`]: the signature and the requirements of the function whose body is a text.

#[cfg(doc)]
use crate::access::Access;

use super::language::Language;
use std::collections::BTreeMap;
use std::fmt;

/// A parameter of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Parameter {
    /// The name of the parameter in the text.
    pub name: String,
    /// The type that the text relies on, such as `int`, `unsigned` or `const float *`. The text is empty when the
    /// language has no types.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub ty: String,
}

/// A divisor that the host prepares. The function takes it as a parameter of type `quaff_fastdivmod_t`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HostDivisor {
    /// The name of the parameter.
    pub name: String,
    /// The divisor as an expression over [`Contract::params`] and [`Contract::host_params`].
    pub divisor: String,
    /// The function of [`Text::host`](super::Text::host) that makes the prepared divisor. The function is
    /// `quaff_fastdivmod`, or `quaff_fastdivmod_any` when the divisor may be 1.
    pub helper: &'static str,
    /// The variables of `divisor`, by their names on the host. All these variables are `int` there.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub variables: Vec<String>,
    /// `divisor` in C, which has no `max`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) code: String,
}

impl HostDivisor {
    /// The expression with which the host makes the divisor, such as `quaff_fastdivmod(n)`.
    pub fn setup(&self) -> String {
        format!("{}({})", self.helper, self.code)
    }
}

/// What a caller needs to know to put a text into a function: its parameters, their types, its results and its prepared
/// divisors. Apart from these, the text relies only on its own definitions and on the alignment that
/// [`Access::aligned`] states.
///
/// `Display` prints one line for each kind of fact, such as `result: int`.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, expr::var};
///
/// let domain = Domain::new().with("x y", 0..=3_000_000_000i64);
/// let text = Simplifier::default().simplify(&(var("x y") / 8), &domain)?.cuda()?;
/// assert_eq!(text.contract().to_string(), "parameters: unsigned x_y\nresult: int\nrenamed: `x y` is x_y\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Contract {
    /// The parameters, except prepared divisors. Variables of the text and of its divisors come first, then buffers and
    /// stored values.
    pub params: Vec<Parameter>,
    /// The types of the results, in the order of the roots. The list is empty when the text has only statements.
    pub results: Vec<String>,
    /// The prepared divisors, which are also parameters.
    pub divisors: Vec<HostDivisor>,
    /// Variables that occur only in divisors, by their names on the host, such as `blockDim_x` for `blockDim.x`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub host_params: Vec<Parameter>,
    /// Variables that have other names in the text, because the language does not accept their own names.
    pub renamed: BTreeMap<String, String>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) language: Language,
}

impl Contract {
    /// The parameters of the function as the language declares them. Prepared divisors come last.
    ///
    /// ```
    /// use quaff::emit::Parameter;
    ///
    /// let declared = |ty: &str| Parameter { name: "x".into(), ty: ty.into() }.to_string();
    /// assert_eq!((declared("unsigned").as_str(), declared("float *").as_str()), ("unsigned x", "float *x"));
    /// ```
    pub fn signature(&self) -> Vec<String> {
        let divisors = self.divisors.iter().map(|d| format!("quaff_fastdivmod_t {}", d.name));
        let declared = |p: &Parameter| match self.language {
            Language::Rust => format!("{}: {}", p.name, p.ty),
            Language::C | Language::Cuda | Language::Python | Language::Triton => p.to_string(),
        };
        self.params.iter().map(declared).chain(divisors).collect()
    }

    /// [`Self::renamed`] as a comment of one line. The comment is empty when no variable is renamed.
    pub(super) fn renamed_comment(&self) -> String {
        match self.renamed.is_empty() {
            true => String::new(),
            false => format!("{} renamed: {}\n", self.language.comment(), self.renamed_text()),
        }
    }

    /// The renamed variables as text. Names are escaped, so that the end of a line in a name does not end the comment.
    fn renamed_text(&self) -> String {
        let one = |(variable, name): (&String, &String)| format!("`{}` is {name}", variable.escape_debug());
        self.renamed.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Parameter {
    /// Writes the declaration in C, or only the name when there is no type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blank = if self.ty.is_empty() || self.ty.ends_with(" *") { "" } else { " " };
        write!(f, "{}{blank}{}", self.ty, self.name)
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |title: &str, parts: Vec<String>| {
            if parts.is_empty() { Ok(()) } else { writeln!(f, "{title}: {}", parts.join(", ")) }
        };
        line("parameters", self.signature())?;
        let results: Vec<String> = self.results.iter().filter(|ty| !ty.is_empty()).cloned().collect();
        line(if results.len() == 1 { "result" } else { "results" }, results)?;
        line("host", self.divisors.iter().map(|d| format!("{} = {}", d.name, d.setup())).collect())?;
        line("host parameters", self.host_params.iter().map(ToString::to_string).collect())?;
        let renamed = self.renamed_text();
        line("renamed", if renamed.is_empty() { Vec::new() } else { vec![renamed] })
    }
}
