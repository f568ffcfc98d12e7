//! One case: an expression, the ranges of its variables, the answer, and the result of the search.

use super::numbers::Numbers;
use super::points::points;
use super::search::{Answer, Search};
use super::value::{Field, MOST_POINTS};
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{Expr, parse};
use quaff::quasi::{Verdict, equivalent};
use serde_json::Value;
use std::collections::HashSet;

/// The largest price of a program in the search, in tenths of an instruction.
pub(crate) const MOST_PRICE: u64 = 39;
/// The largest number of searches for one case. Each search adds the points at which candidates of the search before
/// differ from the case.
const MOST_ROUNDS: usize = 30;
/// A new search begins after this number of points at which candidates differ from the case.
const ENOUGH: usize = 4;

type Error = Box<dyn std::error::Error>;

/// The result of the search for a cheaper form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No program of the search costs less than the answer.
    Least,
    /// No program of the search takes fewer instructions. Programs with as many instructions, which only a tie-break
    /// makes cheaper, are not tried.
    FewestInstructions,
    /// A form that costs less than the answer, and its price.
    Cheaper(Expr, u64),
    /// The case is not decided, for the given reason.
    Open(String),
}

pub(crate) struct Case<'s> {
    pub(crate) simplifier: &'s Simplifier,
    pub(crate) id: String,
    pub(crate) expr: Expr,
    pub(crate) domain: Domain,
    names: Vec<String>,
    /// The least and the greatest value of each variable.
    pub(crate) ends: Vec<(i64, i64)>,
    pub(crate) answer: Expr,
    /// The price of the answer, in tenths of an instruction.
    pub(crate) price: u64,
}

impl<'s> Case<'s> {
    /// Reads a case from a line, and simplifies its expression with `simplifier`.
    pub(crate) fn read(line: &str, simplifier: &'s Simplifier) -> Result<Case<'s>, Error> {
        let fields: Value = serde_json::from_str(line)?;
        let text = |name: &str| fields[name].as_str().ok_or_else(|| format!("no text `{name}`"));
        let expr = parse(text("expr")?)?.into_expr();
        let (mut domain, mut names, mut ends) = (Domain::new(), Vec::new(), Vec::new());
        for (name, range) in fields["vars"].as_object().into_iter().flatten() {
            let (Some(low), Some(high)) = (range[0].as_i64(), range[1].as_i64()) else {
                return Err("an open range".into());
            };
            domain.add_bounds(name.as_str(), low..=high);
            names.push(name.clone());
            ends.push((low, high));
        }
        let answered = simplifier.simplify(&expr, &domain)?;
        let (answer, price) = (answered.expr().clone(), answered.cost().tenths());
        Ok(Case { simplifier, id: text("id")?.into(), expr, domain, names, ends, answer, price })
    }

    /// The value of `expr` at a point.
    pub(crate) fn at(&self, expr: &Expr, row: &[i64]) -> Result<i128, Error> {
        let value = |name: &str| Some(row[self.names.iter().position(|n| n == name)?]);
        expr.eval(value).map_err(|e| e.to_string().into())
    }

    /// Points of the domain. For a small domain, they are all points.
    pub(crate) fn points(&self) -> Vec<Vec<i64>> {
        points(&self.ends, &self.numbers().divisors)
    }

    /// The variables that the case depends on, one bit each. A change of such a variable changes the value of the case
    /// at one of `rows`.
    fn needed(&self, rows: &[Vec<i64>]) -> Result<u32, Error> {
        let mut needed = 0;
        for row in rows {
            for (k, (low, high)) in self.ends.iter().enumerate() {
                for value in [*low, low.midpoint(*high), *high] {
                    let mut other = row.clone();
                    other[k] = value;
                    if self.at(&self.expr, &other)? != self.at(&self.expr, row)? {
                        needed |= 1 << k;
                    }
                }
            }
        }
        Ok(needed)
    }

    fn numbers(&self) -> Numbers {
        Numbers::new(&self.answer, &self.expr, &self.ends)
    }

    /// Searches for a cheaper form. A form may agree with the case at all points and still differ elsewhere. Then a
    /// counterexample is added to the points, and the search is repeated. So no program is lost because it was mistaken
    /// for another one, unless a search reaches its limit.
    pub(crate) fn outcome(&self) -> Result<Outcome, Error> {
        let numbers = self.numbers();
        let mut rows = self.points();
        let needed = self.needed(&rows)?;
        for _ in 0..MOST_ROUNDS {
            let mut asked = Asked {
                case: self,
                least: self.price,
                forms: HashSet::new(),
                rows: Vec::new(),
                cheaper: None,
                open: None,
            };
            let wanted = rows.iter().map(|row| Ok(i32::try_from(self.at(&self.expr, row)?)?));
            let Ok(wanted) = wanted.collect::<Result<Vec<i32>, Error>>() else {
                return Ok(Outcome::Open("values need more than 32 bits".into()));
            };
            let column = |k: usize| rows.iter().map(|row| i32::try_from(row[k])).collect::<Result<Vec<i32>, _>>();
            let Ok(columns) = (0..self.names.len()).map(column).collect::<Result<Vec<_>, _>>() else {
                return Ok(Outcome::Open("variables need more than 32 bits".into()));
            };
            let budget = self.price.saturating_sub(1).min(MOST_PRICE);
            let mut ask = |form: Expr, price: u64| asked.about(form, price);
            let is_whole =
                Search::new(Field::new(wanted), columns, &numbers, &self.names, needed, &mut ask).run(budget);
            let before = rows.len();
            for row in asked.rows {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
            if rows.len() > before {
                if rows.len() > MOST_POINTS {
                    return Ok(Outcome::Open("too many points".into()));
                }
                continue;
            }
            if let Some(form) = asked.cheaper {
                return Ok(Outcome::Cheaper(form, asked.least));
            }
            return Ok(match asked.open {
                Some(why) => Outcome::Open(why),
                None if !is_whole => Outcome::Open("too many programs".into()),
                None if self.price <= MOST_PRICE + 1 => Outcome::Least,
                None => Outcome::FewestInstructions,
            });
        }
        Ok(Outcome::Open("too many points that tell forms apart".into()))
    }
}

/// The results for the forms that agree with a case at all points.
struct Asked<'a> {
    case: &'a Case<'a>,
    /// The price of the cheapest known form.
    least: u64,
    forms: HashSet<String>,
    /// Points at which some of the forms differ from the case.
    rows: Vec<Vec<i64>>,
    cheaper: Option<Expr>,
    open: Option<String>,
}

impl Asked<'_> {
    fn about(&mut self, form: Expr, least: u64) -> Answer {
        let case = self.case;
        if least >= self.least || !self.forms.insert(form.to_string()) {
            return Answer::GoOn;
        }
        match equivalent(&case.expr, &form, &case.domain) {
            Verdict::Equal => match case.simplifier.simplify(&form, &case.domain) {
                Ok(simplified) if simplified.cost().tenths() < self.least => {
                    (self.cheaper, self.least) = (Some(simplified.expr().clone()), simplified.cost().tenths());
                }
                Ok(simplified) => {
                    let price = simplified.cost();
                    self.open.get_or_insert(format!("`{form}` could cost {}, and costs {price}", tenths(least)));
                }
                Err(error) => {
                    self.open.get_or_insert(error.to_string());
                }
            },
            Verdict::Differs { witness } => {
                let value = |(name, (low, _)): (&String, &(i64, i64))| witness.get(name).unwrap_or(*low);
                self.rows.push(case.names.iter().zip(&case.ends).map(value).collect());
                if self.rows.len() >= ENOUGH {
                    return Answer::Stop;
                }
            }
            Verdict::Undecided { why } => {
                self.open.get_or_insert(format!("`{form}`: {why}"));
            }
        }
        Answer::GoOn
    }
}

/// The text of `price`, which is in tenths of an instruction, as a number of instructions.
pub(crate) fn tenths(price: u64) -> String {
    Cost::from_tenths(price).to_string()
}
