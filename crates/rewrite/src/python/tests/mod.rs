//! Tests of reading kernels that are given as texts.

mod control;
mod files;
mod names;
mod values;

use super::kernels;
use crate::model::{Kernel, Role, Site, Variable};
use crate::options::Options;
use crate::question::{Expand, Question};
use quaff::Simplifier;
use quaff::domain::VarFacts;
use quaff::expr::Op;

/// The text of a kernel with these arguments and this body. Each line of the body gets an indentation.
fn source(arguments: &str, body: &str) -> String {
    let lines = body.lines().map(|line| format!("    {line}\n"));
    format!("@triton.jit\ndef kernel({arguments}):\n{}", lines.collect::<String>())
}

/// Reads the kernel that [`source`] writes.
fn read(arguments: &str, body: &str) -> Kernel {
    read_with(arguments, body, &Options::default())
}

fn read_with(arguments: &str, body: &str, options: &Options) -> Kernel {
    let text = source(arguments, body);
    let mut all = kernels(&text, options);
    assert_eq!(all.len(), 1, "{text}");
    let kernel = all.remove(0);
    check(&kernel, &text);
    kernel
}

/// Checks that the parts of a kernel's model agree with each other and with the text.
fn check(kernel: &Kernel, text: &str) {
    let starts: Vec<_> = kernel.sites.iter().map(|site| site.span.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    for (at, site) in kernel.sites.iter().enumerate() {
        assert!(kernel.span.contains(&site.span.start) && site.span.end <= kernel.span.end);
        assert!(site.place.start <= site.span.start);
        assert!(kernel.blocks[site.place.block].parent.is_none_or(|parent| parent < site.place));
        for name in names(site) {
            let known = kernel.variables.get(name.as_str()).unwrap_or_else(|| panic!("{name} is no variable"));
            assert!(known.declared.start <= site.span.start, "{name}");
        }
        if let Role::Definition(definition) = site.role {
            assert_eq!(kernel.definitions[definition].site, at);
        }
    }
    for definition in &kernel.definitions {
        assert!(kernel.variables.contains_key(&definition.variable));
        assert!(text.get(definition.removal.statement.clone()).is_some());
    }
    assert!(kernel.domain.resolve().is_ok(), "{:?}", kernel.domain.resolve());
}

fn names(site: &Site) -> Vec<String> {
    let dag = quaff::expr::Dag::new(std::slice::from_ref(&site.expr));
    let names = dag.nodes().iter().filter_map(|node| match &node.op {
        Op::Var(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

/// A site as text: its role, its value, and its conditions. The last condition comes first.
fn shown(kernel: &Kernel, site: &Site) -> String {
    let role = match site.role {
        Role::Definition(at) => format!("{} =", kernel.definitions[at].variable),
        Role::Address => "address".into(),
        Role::Condition => "condition".into(),
        Role::Value => "value".into(),
    };
    let holds: Vec<String> = kernel.conditions(site.context).iter().map(|c| c.to_string()).collect();
    let holds = if holds.is_empty() { String::new() } else { format!(" if {}", holds.join("; ")) };
    format!("{role} {}{holds}", site.expr)
}

/// Whether tests show the site. They show definitions, sites that compute something, and offsets or conditions that are
/// only the name of a definition.
fn is_shown(kernel: &Kernel, site: &Site) -> bool {
    let is_defined = |name: &str| kernel.definition(name).is_some() && site.role != Role::Value;
    match site.expr.op() {
        _ if matches!(site.role, Role::Definition(_)) => true,
        Op::Const(_) => false,
        Op::Var(name) => is_defined(name),
        _ => true,
    }
}

/// The sites that tests show, as texts.
fn sites(kernel: &Kernel) -> Vec<String> {
    kernel.sites.iter().filter(|site| is_shown(kernel, site)).map(|site| shown(kernel, site)).collect()
}

/// The shown sites that are not definitions.
fn uses(kernel: &Kernel) -> Vec<String> {
    let others = kernel.sites.iter().filter(|site| is_shown(kernel, site));
    others.filter(|site| !matches!(site.role, Role::Definition(_))).map(|site| shown(kernel, site)).collect()
}

fn variable<'k>(kernel: &'k Kernel, name: &str) -> &'k Variable {
    kernel.variables.get(name).unwrap_or_else(|| panic!("{name} is no variable of {:?}", kernel.variables.keys()))
}

fn facts(kernel: &Kernel, name: &str) -> VarFacts {
    let question = Question::new(kernel, Expand::All, &Simplifier::default());
    let all = question.domain().resolve().unwrap();
    all.into_iter().find(|facts| *facts.name == *name).unwrap_or_else(|| panic!("{name} has no facts"))
}

/// The range of a variable in the domain.
fn range(kernel: &Kernel, name: &str) -> String {
    facts(kernel, name).interval.to_string()
}

/// The reasons why places stay unchanged.
fn reasons(kernel: &Kernel) -> Vec<&str> {
    kernel.not_followed.iter().map(|place| place.reason.as_str()).collect()
}
