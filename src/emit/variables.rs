//! Chooses the names of variables in a text, on the device and on the host.

use super::language::Language;
use super::text::Input;
use crate::expr::substitute::substituted_all;
use crate::expr::{Expr, Op, var};
use crate::lower::{Lowered, Param, Type};
use quaff_expr::names::Names;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Variables<'l> {
    names: FxHashMap<&'l str, String>,
    /// The variables that the language itself defines in a kernel, with their types.
    builtins: FxHashMap<&'l str, Type>,
    /// The variables that only host code uses, with their names in host code.
    on_host: Vec<(&'l str, String)>,
}

impl<'l> Variables<'l> {
    /// Takes names for the parameters, and for the variables that only the divisors of the host use.
    pub(super) fn new(lowered: &'l Lowered, language: Language, names: &mut Names) -> Variables<'l> {
        let given = || lowered.params().iter().filter(|p| p.text.is_none());
        // the variables that the language defines have 32 bits. A name that is taken does not refer to such a variable
        let can_be = |p: &Param| !p.ty.is_wide() && !names.is_taken(&p.name);
        let builtin = |p: &'l Param| Some((&*p.name, language.builtin(&p.name).filter(|_| can_be(p))?));
        let builtins: FxHashMap<&str, Type> = given().filter_map(builtin).collect();
        let is_own = |name: &&str| !builtins.contains_key(name);
        let mut all: Vec<&str> = lowered.params().iter().map(|p| &*p.name).filter(is_own).collect();
        let of_device = all.len();
        // the caller of the function has only these variables
        let mut known: FxHashSet<&str> = given().map(|p| &*p.name).filter(is_own).collect();
        for divisor in lowered.divisors() {
            // a walk of the expressions themselves, because their names must live as long as the result. Shared nodes
            // are visited once
            let mut seen: FxHashSet<usize> = FxHashSet::default();
            let mut stack = vec![&divisor.divisor];
            while let Some(e) = stack.pop() {
                match e.op() {
                    Op::Var(name) if known.insert(name) => all.push(name),
                    _ if seen.insert(e.address()) => stack.extend(e.args()),
                    _ => {}
                }
            }
        }
        let mut given = names.variables(all.iter().copied());
        let on_host = all.drain(of_device..).zip(given.drain(of_device..)).collect();
        Variables { names: all.into_iter().zip(given).collect(), builtins, on_host }
    }

    /// The type of a variable that the language itself defines.
    pub(super) fn builtin(&self, variable: &str) -> Option<Type> {
        self.builtins.get(variable).copied()
    }

    /// The inputs that only the host needs. Host code computes a divisor in `int`.
    pub(super) fn host_inputs(&self) -> Vec<Input> {
        let input = |(variable, name): &(&str, String)| Input {
            variable: (*variable).into(),
            name: name.clone(),
            ty: Type::Int.c_name(),
            defined: false,
        };
        self.on_host.iter().map(input).collect()
    }

    /// The name of a variable in the text.
    pub(super) fn name<'a>(&'a self, variable: &'a str) -> &'a str {
        self.names.get(variable).map_or(variable, String::as_str)
    }

    /// The expression with the names that variables have on the host.
    pub(super) fn on_host(&self, e: &Expr) -> Expr {
        let own: FxHashMap<&str, &str> = self.on_host.iter().map(|(variable, name)| (*variable, &**name)).collect();
        let name = |variable: &str| Some(var(own.get(variable).copied().unwrap_or_else(|| self.name(variable))));
        substituted_all(std::slice::from_ref(e), name).swap_remove(0)
    }
}
