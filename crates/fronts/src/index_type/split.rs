//! Splits expressions of unrolled copies into a part that all copies share, and values that are constants in each copy.

use super::check::{Types, states, unrolled};
use super::error::IndexError;
use super::family::Family;
use super::form::Form;
use super::lost::CheckError;
use super::state::State;
use quaff::domain::{Bounds, Domain};
use quaff::expr::name::free;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Dag, Expr, int, var};
use quaff::integer::{floor_mod, gcd};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A value that is a constant in each copy.
#[derive(Clone, Debug)]
pub struct Constant {
    name: Arc<str>,
    value: Expr,
    range: (i64, i64),
    modulus: i64,
}

impl Constant {
    /// The name of the variable that replaces the constant.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of the constant as an expression over the unrolled variables.
    pub fn value(&self) -> &Expr {
        &self.value
    }
}

/// Splits expressions. Constants of several expressions that are equal in all copies are merged.
///
/// ```
/// use quaff::domain::Domain;
/// use quaff_fronts::index_type::{Idx, Splitter, Types};
///
/// // `i` has eight copies, and `row` is a multiple of 8
/// let domain = Domain::new().with("row", 0..4096).stride("row", 8, 0).with("j", 0..64);
/// let types = Types::new(&domain)?.with("i", Idx::unrolled(0, 8, 8)?);
/// let mut splitter = Splitter::new(&types, &domain);
/// let parts = splitter.split(&"(row + i)//4*32 + (j ^ (row + i)%4)*8".parse()?)?;
/// assert_eq!(parts.to_string(), "row//4*32 + c0 + (j ^ c1)*8");
/// let constants: Vec<String> = splitter.constants().iter().map(|c| c.value().to_string()).collect();
/// assert_eq!(constants, ["(0 + i)//4*32", "(0 + i)%4"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Splitter<'a> {
    types: &'a Types,
    domain: &'a Domain,
    constants: Vec<Constant>,
    known: FxHashMap<(Vec<Arc<str>>, Vec<i128>), usize>,
}

impl<'a> Splitter<'a> {
    /// A splitter for expressions over the variables of `types`. The names of the new variables for constants differ
    /// from all names of `domain`.
    pub fn new(types: &'a Types, domain: &'a Domain) -> Splitter<'a> {
        Splitter { types, domain, constants: Vec::new(), known: FxHashMap::default() }
    }

    /// Splits `expr` without changing its values. A subexpression whose copies differ by constants becomes a shared
    /// dynamic part plus a variable for the constant. If the copies of an operator share no dynamic part, the operator
    /// stays and its operands are split. If a variable is not unrolled completely, `expr` is returned unchanged.
    ///
    /// The time is proportional to the number of copies times the number of operators, which is at most 4 Mi.
    ///
    /// # Errors
    /// The errors of [`check`](super::check()).
    pub fn split(&mut self, expr: &Expr) -> Result<Expr, CheckError> {
        let dag = Dag::new(std::slice::from_ref(expr));
        let unrolled = unrolled(&dag, self.types);
        if unrolled.iter().any(|(_, ty)| !ty.is_static()) {
            return Ok(expr.clone());
        }
        let names: Vec<Arc<str>> = unrolled.into_iter().map(|(name, _)| name).collect();
        let (states, _) = states(&dag, expr, self.types)?;
        // operands of a node whose copies share a dynamic part need no constants of their own
        let mut apart = vec![false; states.len()];
        apart.last_mut().into_iter().for_each(|root| *root = true);
        for (node, (id, state)) in dag.nodes().iter().zip(states.iter().enumerate()).rev() {
            if apart[id] && !matches!(state, State::Together(_)) {
                node.args().iter().for_each(|&a| apart[a as usize] = true);
            }
        }
        let mut forms: Vec<Form> = Vec::with_capacity(states.len());
        for (node, (state, id)) in dag.nodes().iter().zip(states.iter().zip(0..)) {
            let form = match state {
                _ if !apart[id as usize] => Form::Other(int(0)),
                State::Together(family) => {
                    let refused = |error| CheckError::Refused { error, culprit: dag.origin(id).clone() };
                    self.joined(&dag, id, &names, family).map_err(refused)?
                }
                State::Several(_) | State::Apart(_) => {
                    let args: Vec<(&Form, &State)> =
                        node.args().iter().map(|&a| (&forms[a as usize], &states[a as usize])).collect();
                    Form::apart(&node.op, &args)
                }
            };
            forms.push(form);
        }
        Ok(forms.pop().map_or_else(|| expr.clone(), |form| form.expr()))
    }

    /// The constants of all expressions so far.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The domain extended by the constants as variables.
    pub fn extended(&self) -> Domain {
        let mut domain = self.domain.clone();
        for c in &self.constants {
            domain.add_bounds(c.name.clone(), Bounds::from(c.range.0..=c.range.1));
            if c.modulus > 1 {
                domain.add_stride(c.name.clone(), c.modulus, floor_mod(c.range.0.into(), c.modulus.into()) as i64);
            }
        }
        domain
    }

    /// The dynamic part of `family` plus the variable for the constant of the copy. `family` is the state of node `id`
    /// of `dag`.
    fn joined(&mut self, dag: &Dag, id: u32, names: &[Arc<str>], family: &Family) -> Result<Form, IndexError> {
        let (least, greatest) = (family.least(), family.greatest());
        if least == greatest {
            return Ok(Form::Sum { base: family.copy(0)?, constant: None });
        }
        let key = (names.to_vec(), family.offsets.clone());
        let at = match self.known.get(&key) {
            Some(&at) => at,
            None => {
                let end = |x: i128| i64::try_from(x).map_err(|_| IndexError::Overflow);
                let modulus = family.offsets.iter().fold(0, |g, o| gcd(g, o - least));
                let constant = Constant {
                    name: self.fresh(),
                    value: self.value(dag, id, family)?,
                    range: (end(least)?, end(greatest)?),
                    modulus: end(modulus)?,
                };
                self.constants.push(constant);
                self.known.insert(key, self.constants.len() - 1);
                self.constants.len() - 1
            }
        };
        let constant = Some(var(self.constants[at].name.clone()));
        Ok(Form::Sum { base: family.base.clone(), constant })
    }

    /// The offsets of `family` as an expression over the unrolled variables. It is node `id` of `dag` with the least
    /// values of the shared variables, minus the dynamic part at these values.
    fn value(&self, dag: &Dag, id: u32, family: &Family) -> Result<Expr, IndexError> {
        let lowest = |name: &str| self.types.lowest(name);
        let whole = dag.expr(id).map(|e| substituted_all(std::slice::from_ref(e), |name| lowest(name).map(int)));
        let whole = whole.and_then(|mut all| all.pop()).ok_or(IndexError::Overflow)?;
        let base = family.base.eval(|name| lowest(name)).map_err(|_| IndexError::Overflow)?;
        let base = i64::try_from(base).map_err(|_| IndexError::Overflow)?;
        Ok(if base == 0 { whole } else { whole - base })
    }

    /// A name that no variable has.
    fn fresh(&self) -> Arc<str> {
        let taken = |name: &str| self.domain.contains(name) || self.constants.iter().any(|c| &*c.name == name);
        free(format!("c{}", self.constants.len()), |name| taken(name) || self.types.unrolls(name)).into()
    }
}
