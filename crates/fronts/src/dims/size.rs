//! Solves sizes. Each equation becomes a product of powers of unknown sizes, `prod d^e = c`. Equations with a single
//! unknown are solved until none is left.

use super::Term;
use super::base::{Base, Exact, Valuation, add_scaled, exact_root};
use super::error::{DimsError, ErrorKind};
use super::log_linear::{self, Residue};
use super::model::Model;
use super::product::Product;
use super::report::{Derived, EquationRef, Reduced};
use super::symbols::{Symbols, Unfit};
use quaff::expr::Expr;
use std::collections::VecDeque;

/// An equation that still has unknowns, with known sizes substituted, and the positions of the dimensions that it
/// mentions.
pub(super) type Open = (Reduced, Vec<usize>);

/// One equation: the product of the unknowns equals `right`.
struct Row {
    unknowns: Vec<(u32, i64)>,
    right: Valuation,
}

struct Solver<'a> {
    model: &'a Model,
    symbols: &'a Symbols,
    base: Base,
    known: Vec<Option<Product>>,
    rows: Vec<Row>,
    /// For each unknown dimension, the rows that mention it.
    uses: Vec<Vec<u32>>,
    /// The rows with at most one unknown.
    ready: VecDeque<u32>,
    /// The sizes in the order of solving, each with the rows from which it was solved.
    solved: Vec<(u32, Valuation, Vec<u32>)>,
}

/// All sizes that the equations determine from the `known` sizes, and the equations that still have unknowns.
///
/// The time is linear in the number of terms, plus the elimination if sizes are tied.
pub(super) fn solve(
    model: &Model,
    known: Vec<Option<Product>>,
    symbols: &Symbols,
    log_linear: bool,
) -> Result<(Vec<Option<Product>>, Vec<Open>), DimsError> {
    let sizes: Vec<i64> = known.iter().flatten().flat_map(|p| [p.num(), p.den()]).collect();
    let strides = model.equations.iter().flat_map(|e| e.sides.iter().flatten()).filter_map(|t| match *t {
        Term::Int(n) => Some(n),
        Term::Dim(_) => None,
    });
    let mut solver = Solver {
        model,
        symbols,
        base: Base::new(sizes.into_iter().chain(strides).chain([1]), symbols.names()),
        known,
        rows: vec![],
        uses: vec![vec![]; model.dims.len()],
        ready: VecDeque::new(),
        solved: vec![],
    };
    solver.read_equations();
    solver.propagate()?;
    if log_linear {
        solver.eliminate()?;
    }
    let open = solver.open_rows();
    Ok((solver.known, open))
}

impl Solver<'_> {
    fn read_equations(&mut self) {
        for (i, equation) in self.model.equations.iter().enumerate() {
            let mut exponents: Vec<(u32, i64)> = vec![];
            let mut right = Valuation::new();
            if !equation.relation.is_equal() {
                self.rows.push(Row { unknowns: vec![], right });
                continue;
            }
            for (side, sign) in equation.sides.iter().zip([1, -1]) {
                for term in side {
                    match *term {
                        Term::Int(n) => add_scaled(&mut right, -sign, self.base.valuation(n)),
                        Term::Dim(d) => exponents.push((d.index, sign)),
                    }
                }
            }
            exponents.sort_unstable();
            // factors that occur on both sides cancel here, even if their sizes are unknown
            exponents.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            exponents.retain(|&(_, e)| e != 0);
            for &(d, e) in &exponents {
                if let Some(size) = &self.known[d as usize] {
                    add_scaled(&mut right, -e, &self.base.valuation_of(size));
                }
            }
            exponents.retain(|&(d, _)| self.known[d as usize].is_none());
            exponents.iter().for_each(|&(d, _)| self.uses[d as usize].push(i as u32));
            if exponents.len() <= 1 {
                self.ready.push_back(i as u32);
            }
            self.rows.push(Row { unknowns: exponents, right });
        }
    }

    fn propagate(&mut self) -> Result<(), DimsError> {
        while let Some(i) = self.ready.pop_front() {
            let row = &self.rows[i as usize];
            match row.unknowns[..] {
                [] if row.right.is_empty() => {}
                [] => {
                    // without unknowns, the row says 1 = right side / left side
                    let mut ratio = Valuation::new();
                    add_scaled(&mut ratio, -1, &row.right);
                    match self.condition(&ratio).map(|c| (self.symbols.holds(&c), c)) {
                        Some((Some(true), _)) => continue,
                        Some((None, missing)) => return Err(self.undecided(i, missing, vec![])),
                        Some((Some(false), _)) | None => {}
                    }
                    let (equation, factor) = (self.text(i), Some(self.base.exact(&ratio)));
                    let derived = self.derived(&[i]);
                    return Err(ErrorKind::Contradiction { equation, factor, with: vec![], derived }.into());
                }
                [(d, e)] => {
                    let value = self.root(i, d, e)?;
                    self.assign(d, value, vec![i])?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The exponents of `d` from `d^e = right`.
    fn root(&self, i: u32, d: u32, e: i64) -> Result<Valuation, DimsError> {
        let (sign, degree) = (e.signum(), e.abs());
        let mut value = Valuation::new();
        add_scaled(&mut value, sign, &self.rows[i as usize].right);
        let dim = self.model.dim_ref(d as usize);
        let fits = |root: &Valuation| self.base.is_run_time(root) || root.iter().all(|&(_, x)| x > 0);
        match exact_root(&value, degree).filter(fits) {
            Some(root) => Ok(root),
            None if degree == 1 => {
                let value = Some(self.base.exact(&value));
                let (equations, derived) = (vec![self.text(i)], self.derived(&[i]));
                Err(ErrorKind::Fractional { dim, value, equations, derived }.into())
            }
            None => {
                let value = self.base.exact(&value);
                Err(ErrorKind::Root { dim, degree, value, equation: self.text(i) }.into())
            }
        }
    }

    fn undecided(&self, i: u32, missing: Expr, equations: Vec<EquationRef>) -> DimsError {
        let what = format!("the sizes of `{}` may not multiply out", self.text(i));
        ErrorKind::Undecided { what, missing, equations }.into()
    }

    /// The condition that a ratio of run-time sizes is 1. `None` for a ratio of numbers, or if a product may exceed 64
    /// bits.
    fn condition(&self, ratio: &[(u32, i64)]) -> Option<Expr> {
        let product = self.base.product(ratio).filter(|_| self.base.is_run_time(ratio))?;
        self.symbols.equal_parts(&product)
    }

    /// Records the size of `d`, which follows from `rows`, in every row that mentions it.
    fn assign(&mut self, d: u32, value: Valuation, rows: Vec<u32>) -> Result<(), DimsError> {
        let product = self.base.product(&value).ok_or(Unfit::Wide);
        let size = product.and_then(|product| self.symbols.check(&product).map(|()| product)).map_err(|unfit| {
            let (dim, exact, equations) = (self.model.dim_ref(d as usize), self.base.exact(&value), self.texts(&rows));
            match unfit {
                Unfit::Wide => {
                    ErrorKind::Overflow { what: format!("the size of `{dim}`"), value: Some(exact), equations }
                }
                Unfit::Fraction => {
                    ErrorKind::Fractional { dim, value: Some(exact), equations, derived: self.derived(&rows) }
                }
                Unfit::Unless(missing) => {
                    let what = format!("the size of `{dim}` would be {exact}, which may not be an integer");
                    ErrorKind::Undecided { what, missing, equations }
                }
            }
        })?;
        self.known[d as usize] = Some(size);
        for &i in &self.uses[d as usize] {
            let row = &mut self.rows[i as usize];
            if let Some(at) = row.unknowns.iter().position(|&(u, _)| u == d) {
                let (_, e) = row.unknowns.remove(at);
                add_scaled(&mut row.right, -e, &value);
                if row.unknowns.len() <= 1 {
                    self.ready.push_back(i);
                }
            }
        }
        self.solved.push((d, value, rows));
        Ok(())
    }

    /// Solves the remaining rows, one connected system at a time.
    fn eliminate(&mut self) -> Result<(), DimsError> {
        for (rows, dims) in self.components() {
            let column = |d: u32| dims.binary_search(&d).unwrap_or(0) as u32;
            let columns: Vec<Vec<(u32, i64)>> = rows
                .iter()
                .map(|&i| self.rows[i as usize].unknowns.iter().map(|&(d, e)| (column(d), e)).collect())
                .collect();
            let equations: Vec<_> = rows
                .iter()
                .zip(&columns)
                .map(|(&i, unknowns)| log_linear::Equation { unknowns, right: &self.rows[i as usize].right })
                .collect();
            let solution = log_linear::solve(&equations, dims.len(), self.base.len())
                .map_err(|bad| self.contradiction(&rows, bad))?;
            for (&d, exponents) in dims.iter().zip(&solution) {
                let Some(exponents) = exponents else { continue };
                let rows = self.uses[d as usize].clone();
                let value: Option<Valuation> =
                    exponents.iter().map(|&(b, x)| x.as_exponent().map(|x| (b, x))).collect();
                let fits = |v: &Valuation| self.base.is_run_time(v) || v.iter().all(|&(_, x)| x > 0);
                let value = value.filter(fits).ok_or_else(|| {
                    let (dim, value) = (self.model.dim_ref(d as usize), self.fraction(exponents));
                    let (equations, derived) = (self.texts(&rows), self.derived(&rows));
                    ErrorKind::Fractional { dim, value, equations, derived }
                })?;
                self.assign(d, value, rows)?;
            }
        }
        // Elimination may stop before it has used every row. Propagation checks all rows over the integers.
        self.propagate()
    }

    fn contradiction(&self, rows: &[u32], bad: log_linear::Inconsistent) -> DimsError {
        let mut involved: Vec<u32> = bad.equations.iter().map(|&at| rows[at]).collect();
        involved.sort_unstable();
        let last = involved.pop();
        let with = involved.iter().map(|&i| self.text(i)).collect();
        let exponents: Option<Valuation> = bad.factor.iter().map(|&(b, x)| Some((b, x.as_exponent()?))).collect();
        if let (Some(i), Some(missing)) = (last, exponents.and_then(|e| self.condition(&e)))
            && self.symbols.holds(&missing) != Some(false)
        {
            return self.undecided(i, missing, with);
        }
        let equation = self.text(last.or(rows.first().copied()).unwrap_or(0));
        involved.extend(last);
        let derived = self.derived(&involved);
        ErrorKind::Contradiction { equation, factor: self.fraction(&bad.factor), with, derived }.into()
    }

    /// The solved sizes in `rows` and all solved sizes on which they depend, in the order of solving.
    fn derived(&self, rows: &[u32]) -> Vec<Derived> {
        let mut wanted = vec![false; self.known.len()];
        let want = |rows: &[u32], wanted: &mut Vec<bool>| {
            let sides = rows.iter().flat_map(|&i| self.model.equations[i as usize].sides.iter().flatten());
            sides.for_each(|term| {
                if let Term::Dim(d) = term {
                    wanted[d.index as usize] = true;
                }
            });
        };
        want(rows, &mut wanted);
        let mut derived = vec![];
        for (d, size, from) in self.solved.iter().rev().filter(|(_, _, from)| from != rows) {
            if wanted[*d as usize] {
                want(from, &mut wanted);
                let (dim, size) = (self.model.dim_ref(*d as usize), self.base.exact(size));
                derived.push(Derived { dim, size, equations: self.texts(from) });
            }
        }
        derived.reverse();
        derived
    }

    fn texts(&self, rows: &[u32]) -> Vec<EquationRef> {
        rows.iter().map(|&i| self.text(i)).collect()
    }

    fn fraction(&self, exponents: &[(u32, Residue)]) -> Option<Exact> {
        let powers: Option<Vec<_>> = exponents.iter().map(|&(b, x)| x.as_fraction().map(|(n, d)| (b, n, d))).collect();
        powers.map(|powers| self.base.root(powers))
    }

    /// The open rows, grouped by shared unknowns, and the sorted unknowns of each group.
    fn components(&self) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut seen = vec![false; self.rows.len()];
        let mut reached = vec![false; self.known.len()];
        let mut components = vec![];
        for first in 0..self.rows.len() {
            if seen[first] || self.rows[first].unknowns.is_empty() {
                continue;
            }
            seen[first] = true;
            let (mut rows, mut dims) = (vec![first as u32], vec![]);
            let mut next = 0;
            while let Some(&i) = rows.get(next) {
                next += 1;
                for &(d, _) in &self.rows[i as usize].unknowns {
                    if !std::mem::replace(&mut reached[d as usize], true) {
                        dims.push(d);
                        let unseen = self.uses[d as usize].iter().filter(|&&j| !seen[j as usize]);
                        rows.extend(unseen.copied());
                        self.uses[d as usize].iter().for_each(|&j| seen[j as usize] = true);
                    }
                }
            }
            rows.sort_unstable();
            dims.sort_unstable();
            components.push((rows, dims));
        }
        components
    }

    fn open_rows(&self) -> Vec<(Reduced, Vec<usize>)> {
        let open = self.rows.iter().enumerate().filter(|(_, row)| !row.unknowns.is_empty());
        open.map(|(i, row)| {
            let sign = row.unknowns[0].1.signum();
            let mut right = Valuation::new();
            add_scaled(&mut right, sign, &row.right);
            let dims = row.unknowns.iter().map(|&(d, _)| d as usize).collect();
            let terms = row.unknowns.iter().map(|&(d, e)| (self.model.dim_ref(d as usize), sign * e)).collect();
            let equation = self.model.equation(i);
            (Reduced { equation, terms, value: self.base.exact(&right), at_least: false }, dims)
        })
        .collect()
    }

    fn text(&self, row: u32) -> EquationRef {
        self.model.equation_ref(row as usize)
    }
}
