//! [`Text`], which every printer returns: statements, results, inputs, and the host's part.

use super::contract::{Contract, HostDivisor, Parameter};
use super::language::Language;
use super::program::{Statement, lines};
use quaff_expr::names::is_identifier;
use std::fmt;
use std::sync::Arc;

/// A variable as the text uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The variable in the expression.
    pub variable: Arc<str>,
    /// How the text calls it: the same, unless that is no identifier or a reserved word of the target.
    pub name: String,
    /// Its type in the target; empty where there are no types.
    pub ty: &'static str,
    /// Whether it is no parameter: the first statements define it, from the text of an opaque value, or CUDA does, as
    /// `threadIdx.x`, which the text converts to `ty`, or Triton does, as `tl.program_id(0)`.
    pub defined: bool,
}

/// The value of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// An expression over inputs and temporaries.
    pub text: String,
    /// Its type in the target; empty where there are no types.
    pub ty: &'static str,
}

/// Program text in pieces, to be put together by the caller; `Display` prints a function's body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Definitions that the text needs once per file; empty when it needs none.
    pub prelude: String,
    /// Definitions for the host side; empty when no divisor is prepared. In C, the prelude has them too.
    pub host: String,
    /// The variables that occur.
    pub inputs: Vec<Input>,
    /// Buffers, and values that are stored, where they are single names.
    pub objects: Vec<Parameter>,
    /// The prepared divisors that occur.
    pub divisors: Vec<HostDivisor>,
    /// Variables of divisors that are none of the parameters, by their names on the host.
    pub host_inputs: Vec<Input>,
    /// Definitions of temporaries, in order, each one complete, without line end.
    pub statements: Vec<String>,
    /// The values of the roots, in order.
    pub results: Vec<Output>,
    pub(super) language: Language,
}

impl Text {
    pub(super) fn new(language: Language) -> Text {
        Text { language, ..Text::default() }
    }

    /// Adds statements at the end.
    pub(crate) fn add(&mut self, statements: &[Statement]) {
        self.statements.extend(lines(statements, self.language));
    }

    /// The function that this text is the body of.
    pub fn contract(&self) -> Contract {
        let parameter = |i: &Input| Parameter { name: i.name.clone(), ty: i.ty.into() };
        let params = self.inputs.iter().filter(|i| !i.defined).map(parameter).chain(self.objects.iter().cloned());
        // what the language itself has under another name is no variable that was renamed
        let is_renamed = |i: &&Input| *i.name != *i.variable && is_identifier(&i.name);
        let renamed = self.inputs.iter().chain(&self.host_inputs).filter(is_renamed);
        Contract {
            params: params.collect(),
            results: self.results.iter().map(|r| r.ty.into()).collect(),
            divisors: self.divisors.clone(),
            host_params: self.host_inputs.iter().map(parameter).collect(),
            renamed: renamed.map(|i| (i.variable.to_string(), i.name.clone())).collect(),
            language: self.language,
        }
    }

    /// The whole text: definitions for the device and the host, the contract as a comment, and the body.
    ///
    /// Python and Triton have no types: the contract is there where names are others.
    pub fn whole(&self) -> String {
        let mut out = String::new();
        for part in [&self.prelude, &self.host].into_iter().filter(|part| !part.is_empty()) {
            out += part.trim_end();
            out += "\n\n";
        }
        let contract = self.contract();
        let is_said = match self.language {
            Language::Python | Language::Triton => !contract.renamed.is_empty(),
            Language::C | Language::Cuda | Language::Rust => true,
        };
        if is_said {
            contract.to_string().lines().for_each(|line| out += &format!("{} {line}\n", self.language.comment()));
        }
        out + &self.to_string()
    }
}

impl fmt::Display for Text {
    /// A function's body: all statements, and `return` with the result. Of several results, C assigns to `out[0]`,
    /// `out[1]` and so on; Python, Triton and Rust return a tuple.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.statements {
            writeln!(f, "{statement}")?;
        }
        let all = || self.results.iter().map(|r| r.text.as_str()).collect::<Vec<_>>().join(", ");
        match (self.language, self.results.len()) {
            (Language::C | Language::Cuda | Language::Rust, 1) => writeln!(f, "return {};", all()),
            (Language::C | Language::Cuda, _) => {
                self.results.iter().enumerate().try_for_each(|(i, r)| writeln!(f, "out[{i}] = {};", r.text))
            }
            (Language::Python | Language::Triton, _) => writeln!(f, "return {}", all()),
            (Language::Rust, _) => writeln!(f, "return ({});", all()),
        }
    }
}
