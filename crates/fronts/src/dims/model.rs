//! The stored program: names, known sizes, equations and scopes. The solver and all `Indices` share it.

use super::error::{DimsError, ErrorKind};
use super::product::Product;
use super::report::EquationRef;
use super::{Dim, DimRef, Equation, Scope, Term};
use quaff::domain::Interval;
use quaff::expr::{Expr, var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct DimDef {
    /// The name as given.
    pub(super) name: Arc<str>,
    /// The name in messages. The label has a number, as in `name#2`, if an earlier dimension has this name.
    pub(super) label: Arc<str>,
    /// The given size: a number or a parameter of the kernel. `None` if the equations determine the size.
    pub(super) size: Option<Product>,
}

/// The relation between the two sides of an equation.
#[derive(Clone, PartialEq)]
pub(super) enum Relation {
    /// The sizes and the linear indices of both sides are equal.
    Equal,
    /// The linear indices are equal, and the size of the right side is at least the size of the left side.
    Covered,
    /// The index of the dimension on the left is a linear combination of the indices on the right. Sizes are not
    /// related.
    Affine(Affine),
}

/// The constant of the right side, and one coefficient for each dimension of the right side.
#[derive(Clone, PartialEq)]
pub(super) struct Affine {
    pub(super) coefficients: Vec<Expr>,
    pub(super) constant: Expr,
}

impl Relation {
    /// Whether the equation states that the sizes of both sides are equal.
    pub(super) fn is_equal(&self) -> bool {
        matches!(self, Relation::Equal)
    }

    fn symbol(&self) -> &'static str {
        match self {
            Relation::Equal | Relation::Affine(_) => "=",
            Relation::Covered => "<=",
        }
    }
}

#[derive(Clone)]
pub(super) struct EquationDef {
    pub(super) sides: [Vec<Term>; 2],
    pub(super) relation: Relation,
    pub(super) text: Arc<str>,
    pub(super) scope: u32,
}

/// The numbers of the dimensions among `terms`.
pub(super) fn dims_of(terms: &[Term]) -> impl Iterator<Item = usize> {
    terms.iter().filter_map(|t| if let Term::Dim(d) = t { Some(d.index()) } else { None })
}

#[derive(Clone)]
pub(super) struct ScopeDef {
    pub(super) name: Arc<str>,
    pub(super) parent: u32,
}

/// A size that is a parameter of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: Arc<str>,
    /// The least and the greatest value, both multiples of the step.
    pub(super) range: Interval,
    pub(super) step: i64,
}

#[derive(Clone)]
pub(super) struct Model {
    pub(super) owner: u32,
    pub(super) dims: Vec<DimDef>,
    pub(super) equations: Vec<EquationDef>,
    /// The scopes. The root comes first and is its own parent.
    pub(super) scopes: Vec<ScopeDef>,
    /// The sizes that are known at run time.
    pub(super) parameters: Vec<Parameter>,
    /// The assumed conditions on the parameters.
    pub(super) assumptions: Vec<Expr>,
    /// The dimensions by their labels.
    labels: FxHashMap<Arc<str>, u32>,
    /// The number of dimensions with each name.
    names: FxHashMap<Arc<str>, u32>,
}

impl Model {
    pub(super) fn new(owner: u32) -> Model {
        let root = ScopeDef { name: "root".into(), parent: 0 };
        Model {
            owner,
            dims: vec![],
            equations: vec![],
            scopes: vec![root],
            parameters: vec![],
            assumptions: vec![],
            labels: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    pub(super) fn add_dim(&mut self, name: &str, size: Option<Product>) -> Dim {
        let name: Arc<str> = name.into();
        let count = self.names.entry(name.clone()).or_insert(0);
        *count += 1;
        let label = if *count == 1 { name.clone() } else { format!("{name}#{count}").into() };
        self.labels.insert(label.clone(), self.dims.len() as u32);
        self.dims.push(DimDef { name, label, size });
        Dim { owner: self.owner, index: (self.dims.len() - 1) as u32 }
    }

    pub(super) fn dim(&self, index: usize) -> Dim {
        Dim { owner: self.owner, index: index as u32 }
    }

    pub(super) fn dim_ref(&self, index: usize) -> DimRef {
        DimRef { dim: self.dim(index), name: self.dims[index].label.clone() }
    }

    pub(super) fn dim_labelled(&self, label: &str) -> Option<Dim> {
        Some(self.dim(*self.labels.get(label)? as usize))
    }

    pub(super) fn equation_ref(&self, index: usize) -> EquationRef {
        EquationRef { equation: self.equation(index), text: self.equations[index].text.clone() }
    }

    pub(super) fn equation(&self, index: usize) -> Equation {
        Equation { owner: self.owner, index: index as u32 }
    }

    /// The position of `dim`, or an error when `dim` belongs to another `Dims`.
    pub(super) fn check_dim(&self, dim: Dim, place: &str) -> Result<usize, DimsError> {
        if dim.owner == self.owner {
            Ok(dim.index())
        } else {
            Err(ErrorKind::ForeignDim { what: "dimension", place: place.to_string() }.into())
        }
    }

    pub(super) fn check_scope(&self, scope: Scope, place: &str) -> Result<usize, DimsError> {
        if scope.owner == self.owner {
            Ok(scope.index())
        } else {
            Err(ErrorKind::ForeignDim { what: "scope", place: place.to_string() }.into())
        }
    }

    pub(super) fn check_equation(&self, equation: Equation, place: &str) -> Result<usize, DimsError> {
        if equation.owner == self.owner {
            Ok(equation.index())
        } else {
            Err(ErrorKind::ForeignDim { what: "equation", place: place.to_string() }.into())
        }
    }

    /// The text of a side, such as `A * 4`, with `?` for a dimension of another `Dims`.
    pub(super) fn side_text(&self, side: &[Term]) -> String {
        let term = |t: &Term| match *t {
            Term::Dim(d) if d.owner == self.owner => self.dims[d.index()].label.to_string(),
            Term::Dim(_) => "?".to_string(),
            Term::Int(n) => n.to_string(),
        };
        side.iter().map(term).collect::<Vec<_>>().join(" * ")
    }

    pub(super) fn equation_text(&self, sides: &[Vec<Term>; 2], relation: &Relation) -> String {
        let right = match relation {
            Relation::Affine(affine) => {
                let index = |term: &Term| var(self.side_text(std::slice::from_ref(term)));
                affine.sum(sides[1].iter().map(index)).to_string()
            }
            _ => self.side_text(&sides[1]),
        };
        format!("{} {} {right}", self.side_text(&sides[0]), relation.symbol())
    }

    /// The name of the scope after the names of its ancestors below the root, such as `load > left`.
    pub(super) fn scope_path(&self, mut scope: usize) -> Arc<str> {
        let mut names = vec![self.scopes[scope].name.clone()];
        while self.scopes[scope].parent != 0 {
            scope = self.scopes[scope].parent as usize;
            names.push(self.scopes[scope].name.clone());
        }
        names.reverse();
        names.join(" > ").into()
    }
}
