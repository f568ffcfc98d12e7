//! [`Contract`]: the function that a text is the body of, as data.

#[cfg(doc)]
use crate::access::Access;

use super::language::Language;
use std::collections::BTreeMap;
use std::fmt;

/// A parameter of a text's function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Parameter {
    /// How the text calls it.
    pub name: String,
    /// The type that the text relies on: `int`, `unsigned`, `const float *`. Empty where the language has no types.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub ty: String,
}

/// A divisor that the host prepares, and that the function takes as a parameter of type `quaff_fastdivmod_t`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HostDivisor {
    /// The parameter's name.
    pub name: String,
    /// What is divided by, over [`Contract::params`] and [`Contract::host_params`].
    pub divisor: String,
    /// The function of [`Text::host`](super::Text::host) that makes it: `quaff_fastdivmod`, or `quaff_fastdivmod_any` where the divisor may be 1.
    pub helper: &'static str,
    /// The variables that `divisor` is made of, by their names on the host; all are `int` there.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub variables: Vec<String>,
    /// `divisor` in C, which has no `max`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) code: String,
}

impl HostDivisor {
    /// The host's expression that makes it, such as `quaff_fastdivmod(n)`.
    pub fn setup(&self) -> String {
        format!("{}({})", self.helper, self.code)
    }
}

/// What whoever puts a text into a function must know: with its definitions and the alignment that [`Access::aligned`] states, this is all
/// that the text relies on.
///
/// `Display` is for people, a line for each kind.
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
    /// The parameters, without prepared divisors: variables of the text and of its divisors, then buffers and values that are stored.
    pub params: Vec<Parameter>,
    /// The types of the results, in the order of the roots; none where statements do all.
    pub results: Vec<String>,
    /// The prepared divisors, which are parameters too.
    pub divisors: Vec<HostDivisor>,
    /// Variables of divisors that are none of these, by their names on the host: `blockDim_x` for `blockDim.x`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub host_params: Vec<Parameter>,
    /// Variables that have other names in the text, because the language does not take their own.
    pub renamed: BTreeMap<String, String>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) language: Language,
}

impl Contract {
    /// The parameters of the function, prepared divisors last, as the language of the text declares them.
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

    /// What [`Self::renamed`] says, as a comment of one line, or nothing.
    pub(super) fn renamed_comment(&self) -> String {
        match self.renamed.is_empty() {
            true => String::new(),
            false => format!("{} renamed: {}\n", self.language.comment(), self.renamed_text()),
        }
    }

    /// A name may be any text: an end of line in it does not end a comment.
    fn renamed_text(&self) -> String {
        let one = |(variable, name): (&String, &String)| format!("`{}` is {name}", variable.escape_debug());
        self.renamed.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Parameter {
    /// As C declares it; the name alone where there is no type.
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
