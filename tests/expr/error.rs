//! The common error type: each error of the library converts to this type, and keeps its message.

use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff::lower::Sampling;
use quaff::rules::{RuleErrors, RuleSet};
use quaff::{Error, Simplifier};
use quaff_dialects::Dialect;
use quaff_fronts as fronts;
use quaff_fronts::coalesce;
use quaff_fronts::dims::{Dims, DimsError, Indices};
use quaff_fronts::kernel::KernelError;
use quaff_fronts::view::chain::Chain;
use std::fmt::Debug;

/// The parts of a message: the text, the code, the help, and the places.
fn told(error: &dyn Diagnostic) -> [String; 4] {
    let labels: Vec<String> = error.labels().into_iter().flatten().map(|l| format!("{l:?}")).collect();
    let source = error.source_code().map(|_| "a text");
    let code = error.code().map(|c| c.to_string()).unwrap_or_default();
    let help = error.help().map(|h| h.to_string()).unwrap_or_default();
    [error.to_string(), code, help, format!("{labels:?} in {source:?}")]
}

/// The converted error of a step. Checks that the message stays the same.
#[track_caller]
fn converted<T: Debug, E: Diagnostic + Clone + Into<To>, To: Diagnostic>(failed: Result<T, E>) -> To {
    let own = failed.expect_err("an error");
    let error: To = own.clone().into();
    assert_eq!(told(&error), told(&own));
    assert!(error.code().is_some(), "{error}");
    error
}

#[test]
fn errors_of_all_steps_convert_and_keep_what_they_say() {
    let simplifier = Simplifier::default();
    let domain = Domain::new().with("i", 0..9).with("j", 0..9).with("x", 0..);
    let simplified = |text: &str| simplifier.simplify(&text.parse::<Expr>().expect("an expression"), &domain);
    let parse = converted("i +* 2".parse::<Expr>());
    assert!(matches!(parse, Error::Parse(_)) && parse.labels().is_some_and(|mut l| l.next().is_some()));
    let declaration = converted("i=0..9, j=0..+".parse::<Domain>());
    assert!(matches!(declaration, Error::Domain(_)) && declaration.labels().is_some_and(|mut l| l.next().is_some()));
    assert!(matches!(converted(simplified("i//j")), Error::Simplify(_)));
    assert!(matches!(converted(simplified("x*x*x*i").expect("an answer").cuda()), Error::Lower(_)));
    let wide = [var("x") * var("x") * var("x") * var("i")];
    let compared = simplified("x*x*x*i").expect("an answer").compare_machine(&wide, &domain, Sampling::default());
    assert!(matches!(converted(compared), Error::Compare(_)));
    let dims = || -> Result<Indices, DimsError> {
        let mut dims = Dims::new();
        let (n, a) = (dims.dim("n", 10)?, dims.dim("a", None)?);
        dims.eq(n, (a, 3))?;
        dims.init()
    };
    assert!(matches!(converted(dims()), fronts::Error::Dims(_)));
    let kernel: Result<(), KernelError> = Err(simplified("i//j").expect_err("a divisor that may be 0").into());
    assert!(matches!(converted(kernel), fronts::Error::Kernel(_)));
    assert!(matches!(converted(Chain::read("shape(8).turn(0)", Dialect::Infix)), fronts::Error::Chain(_)));
    assert!(matches!(converted(coalesce::Access::new(var("i"), 3)), fronts::Error::Coalesce(_)));
    let rules: Result<RuleSet, RuleErrors> = RuleSet::parse("mine", "(rule nothing)");
    assert!(matches!(converted(rules.clone()), Error::Rules(_)));
    let of_the_core: [fronts::Error; 3] =
        [converted("i +* 2".parse::<Expr>()), converted(simplified("i//j")), converted(rules)];
    assert!(of_the_core.iter().all(|e| matches!(e, fronts::Error::Core(_))));
}

#[test]
fn a_caller_passes_all_of_them_on_with_question_marks() {
    let cuda = |expr: &str, domain: &str| -> Result<String, Error> {
        let domain: Domain = domain.parse()?;
        Ok(Simplifier::default().simplify(&expr.parse()?, &domain)?.cuda()?.to_string())
    };
    assert_eq!(cuda("(i*16 + j)//16", "i=0..99, j=0..15").expect("text").trim(), "return i;");
    assert!(matches!(cuda("i +", "i=0..9"), Err(Error::Parse(_))));
    assert!(matches!(cuda("i", "i=9..0"), Err(Error::Simplify(_) | Error::Domain(_))));
    let undeclared = cuda("i + k", "i=0..9").expect_err("`k` is not declared");
    assert!(matches!(&undeclared, Error::Simplify(e) if e.culprit() == Some(&var("k"))));
}
