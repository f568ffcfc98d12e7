//! Wraps a printed text in a whole function.

use super::contract::{Contract, HostDivisor, Parameter};
use super::language::Language;
use super::names::identifiers;
use super::program::{Statement, lines};
use super::text::Text;
use miette::Diagnostic;
use quaff_expr::names::is_identifier;

/// The error for a name that the function of a text cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[error("no function of this text can be called `{}`: {reason}", .name.escape_debug())]
#[diagnostic(
    code(quaff::function_name),
    help(
        "a name has letters, digits and `_`, begins with no digit, is no word of the language, and nothing in the text has it"
    )
)]
pub struct FunctionName {
    /// The rejected name.
    pub name: String,
    /// The reason.
    pub reason: &'static str,
}

impl Text {
    /// The whole text as a function `name`: the definitions, a host function for each prepared divisor, and the
    /// function itself.
    ///
    /// The function is `__device__ __forceinline__` in CUDA and `static inline` in C. Functions in these languages
    /// write several results to `out`. Rust, Python and Triton return a tuple. Prepared divisors are the last
    /// parameters.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("i", 0..1000).with("w", 1..100).launch_invariant("w");
    /// let index: Expr = "i//(w*3)".parse()?;
    /// let text = Simplifier::default().simplify(&index, &domain)?.cuda()?.function("row")?;
    /// assert!(text.ends_with("
    /// // row_w3_div makes w3_div
    /// static inline quaff_fastdivmod_t row_w3_div(int w) { return quaff_fastdivmod(w*3); }
    ///
    /// __device__ __forceinline__ int row(int i, quaff_fastdivmod_t w3_div) {
    ///   return (int)(__umulhi((unsigned)i, w3_div.m) >> w3_div.s);
    /// }
    /// "), "{text}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FunctionName`] when the language does not accept the name, or the name already occurs in the text.
    pub fn function(&self, name: &str) -> Result<String, FunctionName> {
        let (mut contract, body) = (self.contract(), self.to_string());
        self.check(name, &contract, &body)?;
        // a value that only the host needs is a parameter of the host function only
        let is_of_host = |p: &Parameter| contract.divisors.iter().any(|d| d.variables.contains(&p.name));
        let params = contract.params.iter().filter(|p| !is_of_host(p) || identifiers(&body).any(|n| n == p.name));
        contract.params = params.cloned().collect();
        let mut parts: Vec<String> = Vec::new();
        parts.extend([&self.prelude, &self.host].into_iter().filter(|p| !p.is_empty()).cloned());
        let makers: String = contract.divisors.iter().map(|d| d.maker(name)).collect();
        parts.extend((!makers.is_empty()).then_some(makers));
        let body = body.lines().map(|line| Statement::Code(line.into())).collect();
        let function = Statement::Function { head: self.head(name, &contract), body };
        parts.push(contract.renamed_comment() + &lines(&[function], self.language).join("\n") + "\n");
        Ok(parts.join("\n"))
    }

    fn check(&self, name: &str, contract: &Contract, body: &str) -> Result<(), FunctionName> {
        let mut names = contract.params.iter().chain(&contract.host_params).map(|p| &*p.name);
        let mut divisors = contract.divisors.iter().map(|d| &*d.name);
        let reason = if !is_identifier(name) {
            "it is no identifier"
        } else if self.language.words().reserves(name) {
            "the language or its texts reserve it"
        } else if names.any(|n| n == name) || divisors.any(|n| n == name) || identifiers(body).any(|n| n == name) {
            "something in the text has this name"
        } else {
            return Ok(());
        };
        Err(FunctionName { name: name.into(), reason })
    }

    /// The head of the function: its name with qualifiers, parameters and result.
    fn head(&self, name: &str, contract: &Contract) -> String {
        let mut parameters = contract.signature();
        let results: Vec<&str> = contract.results.iter().map(String::as_str).collect();
        let qualifiers = match self.language {
            Language::Cuda => "__device__ __forceinline__",
            Language::C => "static inline",
            Language::Rust => {
                let result = if let [one] = results[..] { one.into() } else { format!("({})", results.join(", ")) };
                return format!("pub fn {name}({}) -> {result}", parameters.join(", "));
            }
            Language::Python | Language::Triton => {
                let decorator = if self.language == Language::Triton { "@triton.jit\n" } else { "" };
                return format!("{decorator}def {name}({})", parameters.join(", "));
            }
        };
        let result = if let [one] = results[..] { one } else { "void" };
        if results.len() > 1 {
            let is_same = results.iter().all(|ty| *ty == results[0]);
            // `long long` holds the values of all result types
            parameters.push(format!("{} *out", if is_same { results[0] } else { "long long" }));
        }
        if parameters.is_empty() && self.language == Language::C {
            parameters.push("void".into());
        }
        format!("{qualifiers} {result} {name}({})", parameters.join(", "))
    }
}

impl HostDivisor {
    /// The host function that makes this divisor for the function `name`.
    fn maker(&self, name: &str) -> String {
        let parameters: Vec<String> = self.variables.iter().map(|v| format!("int {v}")).collect();
        let (own, setup) = (&self.name, self.setup());
        format!(
            "// {name}_{own} makes {own}\nstatic inline quaff_fastdivmod_t {name}_{own}({}) {{ return {setup}; }}\n",
            parameters.join(", ")
        )
    }
}
