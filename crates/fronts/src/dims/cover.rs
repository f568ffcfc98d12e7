//! Solves all sizes of a program, including products that cover a size, such as `N <= B * T`.
//!
//! `N <= B * T` with one unknown on the right is solved by the least value: `N / T`, rounded up if it is no integer. An
//! equation may need a size that such an inequality determines, and the inequality may need a size that an equation
//! determines. So the two solvers alternate until neither finds a size.

use super::Term;
use super::error::{DimsError, ErrorKind};
use super::model::{Model, Relation};
use super::product::Product;
use super::report::{EquationRef, Reduced};
use super::size::{self, Open};
use super::symbols::Symbols;
use rustc_hash::FxHashSet;

/// The sizes that the equations determine.
pub(super) struct Sizes {
    pub(super) known: Vec<Option<Product>>,
    pub(super) symbols: Symbols,
    open: Vec<Open>,
}

impl Sizes {
    /// The error that lists the dimensions without a size. If `dim` is given, it lists only this dimension.
    pub(super) fn underdetermined(&self, model: &Model, dim: Option<usize>) -> DimsError {
        let wanted = |d: usize| self.known[d].is_none() && dim.is_none_or(|only| d == only);
        // several equations may be equal after known sizes are substituted
        let mut said = FxHashSet::default();
        let mut reduced: Vec<Reduced> = vec![];
        for (equation, dims) in &self.open {
            let Reduced { terms, value, at_least, .. } = equation;
            if dims.iter().any(|&d| wanted(d)) && said.insert((terms, value, at_least)) {
                reduced.push(equation.clone());
            }
        }
        let dims = (0..self.known.len()).filter(|&d| wanted(d)).map(|d| model.dim_ref(d)).collect();
        ErrorKind::Underdetermined { dims, reduced }.into()
    }
}

/// All sizes that the equations of `model` determine.
///
/// One size may be rounded up from another size that is itself rounded up. The equations are solved again for each link
/// of such a chain.
pub(super) fn solve(model: &Model, log_linear: bool) -> Result<Sizes, DimsError> {
    let mut symbols = Symbols::new(model);
    let mut known: Vec<Option<Product>> = model.dims.iter().map(|d| d.size.clone()).collect();
    let covers = (0..model.equations.len()).filter(|&e| model.equations[e].relation == Relation::Covered);
    let mut covers: Vec<usize> = covers.collect();
    loop {
        let (solved, mut open) = size::solve(model, known, &symbols, log_linear)?;
        known = solved;
        let before = covers.len();
        let mut waiting = vec![];
        for &cover in &covers {
            let rest = Rest::new(model, cover, &known)?;
            match rest.unknowns[..] {
                [] => rest.check(&symbols)?,
                [(d, 1)] => known[d] = Some(rest.least(model, d, &mut symbols)?),
                _ => {
                    waiting.push(cover);
                    open.push(rest.reduced(model, &symbols));
                }
            }
        }
        covers = waiting;
        if covers.len() == before {
            return Ok(Sizes { known, symbols, open });
        }
    }
}

/// An inequality after known sizes are substituted: the product of the unknowns is at least `least`.
struct Rest {
    equation: EquationRef,
    unknowns: Vec<(usize, i64)>,
    least: Product,
}

impl Rest {
    fn new(model: &Model, cover: usize, known: &[Option<Product>]) -> Result<Rest, DimsError> {
        let equation = model.equation_ref(cover);
        let mut unknowns: Vec<(usize, i64)> = vec![];
        let mut least = Product::ONE;
        for (side, sign) in model.equations[cover].sides.iter().zip([-1, 1]) {
            for term in side {
                let factor = match *term {
                    Term::Int(n) => Product::number(n),
                    Term::Dim(d) => match &known[d.index()] {
                        Some(size) => size.clone(),
                        None => {
                            unknowns.push((d.index(), sign));
                            continue;
                        }
                    },
                };
                let next = if sign < 0 { least.times(&factor) } else { least.over(&factor) };
                least =
                    next.ok_or_else(|| overflow(format!("the product of `{}`", model.side_text(side)), &equation))?;
            }
        }
        unknowns.sort_unstable();
        unknowns.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        unknowns.retain(|&(_, e)| e != 0);
        Ok(Rest { equation, unknowns, least })
    }

    /// The least size of the only unknown `d` for which the product is at least the covered size.
    fn least(&self, model: &Model, d: usize, symbols: &mut Symbols) -> Result<Product, DimsError> {
        let wide = || overflow(format!("the size of `{}`", model.dims[d].label), &self.equation);
        symbols.rounded_up(&self.least).ok_or_else(wide)
    }

    /// Returns an error unless the product is proved to be at least the covered size. All sizes must be known.
    fn check(&self, symbols: &Symbols) -> Result<(), DimsError> {
        let wide = || overflow("a size".to_string(), &self.equation);
        let factor = Product::ONE.over(&self.least).ok_or_else(wide)?;
        let (holds, condition) = match factor.powers() {
            [] => (Some(factor.num() >= factor.den()), None),
            _ => {
                let condition = symbols.at_least_one(&factor).ok_or_else(wide)?;
                (symbols.holds(&condition), Some(condition))
            }
        };
        let equation = self.equation.clone();
        match (holds, condition) {
            (Some(true), _) => Ok(()),
            (None, Some(missing)) => {
                let what = format!("the sizes of `{equation}` may cover too little");
                Err(ErrorKind::Undecided { what, missing, equations: vec![] }.into())
            }
            _ => Err(ErrorKind::Uncovered { equation, factor: Some(symbols.exact(&factor)) }.into()),
        }
    }

    fn reduced(&self, model: &Model, symbols: &Symbols) -> Open {
        let terms = self.unknowns.iter().map(|&(d, e)| (model.dim_ref(d), e)).collect();
        let dims = self.unknowns.iter().map(|&(d, _)| d).collect();
        let equation = self.equation.equation;
        (Reduced { equation, terms, value: symbols.exact(&self.least), at_least: true }, dims)
    }
}

fn overflow(what: String, cover: &EquationRef) -> DimsError {
    ErrorKind::Overflow { what, value: None, equations: vec![cover.clone()] }.into()
}
