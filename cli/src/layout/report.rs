//! The report about a layout of sizes and strides.

use super::refused::{Refused, refused, said};
use crate::answer::CudaJson;
use crate::input;
use crate::json;
use crate::report::{Failure, Problem, shortened};
use quaff::cost::Cost;
use quaff::expr::{Expr, int};
use quaff::{Simplified, Simplifier};
use quaff_fronts::layout::{Layout, Note, SymbolicLayout};
use serde::Serialize;
use std::fmt;

/// A number, or an expression.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum Size {
    Number(i64),
    Expression(String),
}

impl From<Expr> for Size {
    fn from(e: Expr) -> Size {
        e.as_const().map_or_else(|| Size::Expression(shortened(&e.to_string())), Size::Number)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Number(n) => n.fmt(f),
            Size::Expression(e) => e.fmt(f),
        }
    }
}

/// The report that is printed.
#[derive(Serialize)]
pub(super) struct Report {
    layout: String,
    /// The layout with the same indices and the fewest modes.
    coalesced: String,
    size: Size,
    /// One more than the greatest index. None if it is not proved, or has too many coordinates. The two fields below
    /// are also None then.
    cosize: Option<Size>,
    injective: Option<bool>,
    surjective: Option<bool>,
    /// The names and sizes of the coordinates.
    coordinates: Vec<(String, Size)>,
    index: String,
    /// The cost of the index, in instructions.
    cost: Cost,
    input_cost: Cost,
    notes: Vec<String>,
    #[serde(flatten)]
    cuda: CudaJson,
    #[serde(skip)]
    body: Option<String>,
}

/// Facts about a layout, besides its index.
struct Facts {
    layout: String,
    coalesced: String,
    sizes: Vec<Expr>,
    size: Expr,
    cosize: Option<Expr>,
    injective: Option<bool>,
    surjective: Option<bool>,
}

impl Report {
    pub(super) fn of_numbers(names: &[String], layout: &Layout, notes: &[Note]) -> Result<Report, Failure> {
        let names = named(names, layout.rank())?;
        let answer = layout.simplify(&Simplifier::default(), &names).map_err(refused)?;
        let facts = Facts {
            layout: layout.to_string(),
            coalesced: layout.coalesce().to_string(),
            sizes: layout.sizes().into_iter().map(int).collect(),
            size: int(layout.size()),
            cosize: layout.cosize().ok().map(int),
            injective: layout.is_injective().ok(),
            surjective: layout.is_surjective().ok(),
        };
        Ok(Report::new(names, facts, &answer, notes))
    }

    pub(super) fn of_names(names: &[String], layout: &SymbolicLayout, notes: &[Note]) -> Result<Report, Failure> {
        let names = named(names, layout.rank())?;
        let answer = layout.simplify(&Simplifier::default(), &names).map_err(refused)?;
        let facts = Facts {
            layout: layout.to_string(),
            coalesced: layout.coalesce().map_err(refused)?.to_string(),
            sizes: layout.sizes().map_err(refused)?,
            size: layout.size().map_err(refused)?,
            cosize: layout.cosize().ok(),
            injective: layout.is_injective().map_err(refused)?,
            surjective: layout.is_surjective().map_err(refused)?,
        };
        Ok(Report::new(names, facts, &answer, notes))
    }

    fn new(names: Vec<String>, facts: Facts, answer: &Simplified, notes: &[Note]) -> Report {
        let Facts { layout, coalesced, sizes, size, cosize, injective, surjective } = facts;
        let sizes = if names.len() == sizes.len() { sizes } else { vec![size.clone()] };
        let text = answer.cuda();
        Report {
            layout,
            coalesced,
            size: size.into(),
            cosize: cosize.map(Size::from),
            injective,
            surjective,
            coordinates: names.into_iter().zip(sizes.into_iter().map(Size::from)).collect(),
            index: shortened(&answer.expr().to_string()),
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            notes: notes.iter().map(said).collect(),
            body: text.as_ref().ok().map(|text| text.whole()),
            cuda: CudaJson::new(text),
        }
    }

    pub(super) fn printed(&self, as_json: bool) -> String {
        if as_json { json::indented(self) } else { self.text() }
    }

    fn text(&self) -> String {
        let answer =
            |known: Option<bool>| known.map_or("not decided", |yes| if yes { "yes" } else { "no" }).to_string();
        let number = self.cosize.as_ref().map_or("not decided".into(), Size::to_string);
        let lines = [
            ("layout", self.layout.clone()),
            ("coalesced", self.coalesced.clone()),
            ("size", self.size.to_string()),
            ("cosize", number),
            ("injective", answer(self.injective)),
            ("surjective", answer(self.surjective)),
            ("index", self.index.clone()),
            ("cost", format!("{}, as built {}", self.cost, self.input_cost)),
        ];
        block(&lines, &self.coordinates, self.body.as_deref())
    }
}

/// A block of text: lines of facts, then `body` with the ranges of its inputs.
pub(super) fn block(lines: &[(&str, String)], ranges: &[(String, impl fmt::Display)], body: Option<&str>) -> String {
    let lines: String = lines.iter().map(|(what, text)| format!("{what:<11} {text}\n")).collect();
    let ranges: Vec<String> = ranges.iter().map(|(name, size)| format!("{name} < {size}")).collect();
    lines + &body.map_or(String::new(), |body| format!("\n// {}\n{body}", ranges.join(", ")))
}

/// The names of the coordinates: `names` if given, otherwise `c0`, `c1` and so on.
fn named(names: &[String], rank: usize) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = match (names, rank) {
        ([], 1) => vec!["c".into()],
        ([], rank) => (0..rank).map(|at| format!("c{at}")).collect(),
        (names, _) => names.to_vec(),
    };
    names.iter().try_for_each(|name| input::named("--names", name))?;
    match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        Some((_, twice)) => Err(Problem::at_value(&Refused::Twice { name: twice.clone() }, "--names", twice).into()),
        None => Ok(names),
    }
}
