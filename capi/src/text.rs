//! `quaff_text`: an answer as program text.

use crate::call::{call, needed};
use crate::ended::Ended;
use crate::failure::quaff_error;
use crate::place::quaff_status;
use crate::span::quaff_str;
use quaff::emit::Text;
use std::mem::MaybeUninit;

/// Program text in pieces. It is freed by `quaff_text_free`. All texts that its functions return are borrowed from it.
pub struct quaff_text {
    text: Text,
    body: Ended,
    whole: Ended,
    prelude: Ended,
    host: Ended,
    statements: Vec<Ended>,
    results: Vec<(Ended, Ended)>,
    parameters: Vec<[Ended; 3]>,
    divisors: Vec<[Ended; 3]>,
    function: Ended,
}

/// The value of one expression.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct quaff_result<'a> {
    /// An expression over parameters and over names that statements define.
    pub text: quaff_str<'a>,
    /// The type of the value, such as `int`. It is empty if the language has no types.
    pub type_name: quaff_str<'a>,
}

/// A parameter of the function whose body is the text.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct quaff_parameter<'a> {
    /// The name of the parameter in the text.
    pub name: quaff_str<'a>,
    /// The type that the text relies on, such as `int`. It is empty if the language has no types.
    pub type_name: quaff_str<'a>,
    /// The name of the variable in the expressions. The parameter has another name if the language does not accept the
    /// name of the variable.
    pub variable: quaff_str<'a>,
}

/// A divisor that the host prepares: a parameter of type `quaff_fastdivmod_t`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct quaff_divisor<'a> {
    /// The name of the parameter in the text.
    pub name: quaff_str<'a>,
    /// The expression of the divisor.
    pub divisor: quaff_str<'a>,
    /// The expression with which the host computes the parameter.
    pub setup: quaff_str<'a>,
}

impl quaff_text {
    pub(crate) fn new(text: Text) -> quaff_text {
        let parameters = text.inputs.iter().filter(|input| !input.defined);
        quaff_text {
            body: Ended::new(text.to_string()),
            whole: Ended::new(text.whole()),
            prelude: Ended::new(&*text.prelude),
            host: Ended::new(&*text.host),
            statements: text.statements.iter().map(|statement| Ended::new(&**statement)).collect(),
            results: text.results.iter().map(|r| (Ended::new(&*r.text), Ended::new(r.ty))).collect(),
            parameters: parameters
                .map(|input| [Ended::new(&*input.name), Ended::new(input.ty), Ended::new(&*input.variable)])
                .collect(),
            divisors: text
                .divisors
                .iter()
                .map(|d| [Ended::new(&*d.name), Ended::new(&*d.divisor), Ended::new(d.setup())])
                .collect(),
            function: Ended::new(""),
            text,
        }
    }
}

/// The body of a function: all statements, and `return` with the result. With several results, C and CUDA assign to
/// `out[0]`, `out[1]` and so on. The result is empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_body(text: Option<&quaff_text>) -> quaff_str<'_> {
    text.map_or(quaff_str::empty(), |text| text.body.view())
}

/// The definitions, the parameters as a comment, and the body. The result is empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_whole(text: Option<&quaff_text>) -> quaff_str<'_> {
    text.map_or(quaff_str::empty(), |text| text.whole.view())
}

/// Definitions that a file with the text needs once. The result is empty if the text needs no definitions, and for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_prelude(text: Option<&quaff_text>) -> quaff_str<'_> {
    text.map_or(quaff_str::empty(), |text| text.prelude.view())
}

/// Definitions for the host, which prepares divisors. The result is empty if there are no divisors, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_host(text: Option<&quaff_text>) -> quaff_str<'_> {
    text.map_or(quaff_str::empty(), |text| text.host.view())
}

/// The number of statements before the results. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_statement_count(text: Option<&quaff_text>) -> usize {
    text.map_or(0, |text| text.statements.len())
}

/// The complete statement number `at`. The result is empty if there is no such statement.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_statement(text: Option<&quaff_text>, at: usize) -> quaff_str<'_> {
    text.and_then(|text| text.statements.get(at)).map_or(quaff_str::empty(), Ended::view)
}

/// The number of results, which is the number of expressions. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_result_count(text: Option<&quaff_text>) -> usize {
    text.map_or(0, |text| text.results.len())
}

/// Result number `at`. Its texts are empty if there is no such result.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_result(text: Option<&quaff_text>, at: usize) -> quaff_result<'_> {
    let found = text.and_then(|text| text.results.get(at));
    found.map_or(quaff_result::default(), |(text, ty)| quaff_result { text: text.view(), type_name: ty.view() })
}

/// The number of parameters, without prepared divisors. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_parameter_count(text: Option<&quaff_text>) -> usize {
    text.map_or(0, |text| text.parameters.len())
}

/// Parameter number `at`. Its texts are empty if there is no such parameter.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_parameter(text: Option<&quaff_text>, at: usize) -> quaff_parameter<'_> {
    let found = text.and_then(|text| text.parameters.get(at)).map(|all| all.each_ref().map(Ended::view));
    found.map_or(quaff_parameter::default(), |[name, type_name, variable]| quaff_parameter {
        name,
        type_name,
        variable,
    })
}

/// The number of prepared divisors, which are also parameters. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_divisor_count(text: Option<&quaff_text>) -> usize {
    text.map_or(0, |text| text.divisors.len())
}

/// Prepared divisor number `at`. Its texts are empty if there is no such divisor.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_divisor(text: Option<&quaff_text>, at: usize) -> quaff_divisor<'_> {
    let found = text.and_then(|text| text.divisors.get(at)).map(|all| all.each_ref().map(Ended::view));
    found.map_or(quaff_divisor::default(), |[name, divisor, setup]| quaff_divisor { name, divisor, setup })
}

/// The whole text as a function `name`. It has definitions, parameters with their types, and the code with which the
/// host prepares divisors.
///
/// `*function` is borrowed from `text` until the next call of this function. A name that the language does not accept
/// gives `QUAFF_STATUS_ARGUMENT`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_function<'a>(
    text: Option<&'a mut quaff_text>,
    name: quaff_str<'_>,
    function: Option<&mut MaybeUninit<quaff_str<'a>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(function, error, || {
        let held = needed(text, "text")?;
        let made = held.text.function(name.text("name", 0)?);
        held.function = Ended::new(made.map_err(|e| quaff_error::of(quaff_status::Argument, &e))?);
        Ok(held.function.view())
    })
}

/// Frees a text. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_text_free(text: Option<Box<quaff_text>>) {
    drop(text);
}
