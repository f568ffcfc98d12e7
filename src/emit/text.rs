//! [`Text`], which every printer returns: statements, results, inputs, and the code of the host.

use super::contract::{Contract, HostDivisor, Parameter};
use super::language::Language;
use super::program::{Statement, lines};
use quaff_expr::names::is_identifier;
use std::fmt;
use std::sync::Arc;

/// A variable in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name of the variable in the expression.
    pub variable: Arc<str>,
    /// The name in the text. The variable keeps its own name if the target language accepts this name.
    pub name: String,
    /// The type in the target language. The string is empty when the language has no types.
    pub ty: &'static str,
    /// Whether the text or the language defines the variable, so that it is no parameter. The first statements of the
    /// text define a variable for each opaque value. CUDA defines `threadIdx.x` and others, which the text converts to
    /// `ty`. Triton defines `tl.program_id(0)` and others.
    pub defined: bool,
}

/// The value of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The value as program text, an expression over inputs and temporaries.
    pub text: String,
    /// The type in the target language. The string is empty when the language has no types.
    pub ty: &'static str,
}

/// Program text in pieces, which the caller combines. `Display` prints the body of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The definitions (such as types and functions) that the text needs once per file.
    pub prelude: String,
    /// The definitions for host code. The string is empty when the host prepares no divisor. In C, the prelude contains
    /// these definitions, too.
    pub host: String,
    /// The variables in the text.
    pub inputs: Vec<Input>,
    /// The buffers, and the stored values that are single names.
    pub objects: Vec<Parameter>,
    /// The divisors in the text that the host prepares.
    pub divisors: Vec<HostDivisor>,
    /// The variables that occur only in divisors, by their names on the host.
    pub host_inputs: Vec<Input>,
    /// The definitions of temporaries, in order. Each is a complete statement without a line end.
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

    /// The signature and the requirements of the function whose body is this text.
    pub fn contract(&self) -> Contract {
        let parameter = |i: &Input| Parameter { name: i.name.clone(), ty: i.ty.into() };
        let params = self.inputs.iter().filter(|i| !i.defined).map(parameter).chain(self.objects.iter().cloned());
        // a value that the language itself defines under another name does not count as renamed
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
    /// Python and Triton have no types, so their contract is shown only when variables are renamed.
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
    /// Writes the body of a function: all statements, and `return` with the result. C assigns several results to
    /// `out[0]`, `out[1]` and so on. Python, Triton and Rust return a tuple.
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
