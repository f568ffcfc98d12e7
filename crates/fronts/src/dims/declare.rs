//! [`Dims`]: declares dimensions, equations and scopes, and computes sizes.

use super::cover::{self, Sizes};
use super::error::{DimsError, ErrorKind};
use super::indices::Indices;
use super::layout::Layout;
use super::model::{EquationDef, Model, Relation, ScopeDef};
use super::product::Product;
use super::{Dim, Equation, IntoSide, Scope, Term};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Optional methods of the solver beyond the basic rules.
///
/// ```
/// use quaff_fronts::dims::{Dims, Options};
/// let dims = Dims::with_options(Options { digit_alignment: true, ..Options::default() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Solves sizes that are tied to one another (`A = 2 * B, A * B = 32`) by linear algebra on their exponents. This
    /// option is on by default, because its only effect is an answer in place of an `underdetermined` error. If it is
    /// off, an equation is solved only when a single unknown remains.
    pub log_linear: bool,
    /// Splits an equation if both sides agree on a suffix: `A * B = C * D` with `|B| = |D|` becomes the equivalent
    /// equations `A = C` and `B = D`. The solver then treats each of these equations on its own. Indices may flow
    /// through them in opposite directions, which would be a conflict in the whole equation. This option is off by
    /// default, so indices flow along whole equations.
    pub digit_alignment: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { log_linear: true, digit_alignment: false }
    }
}

/// Named dimensions, the equations between them, and the scopes of the equations.
///
/// An equation `L = R` between products of dimensions and integer strides has two meanings. The products of the sizes
/// are always equal. While the scope of the equation is entered, the linear (row-major) indices of both sides are equal
/// too. Sizes are exact integers of at least 1 that fit `i64`, or expressions with such values over sizes that are
/// known at run time ([`Dims::run_time`]).
///
/// Every method that can fail returns a [`DimsError`], and a call that fails changes nothing.
///
/// ```
/// use quaff_fronts::dims::Dims;
///
/// let mut dims = Dims::new();
/// let n = dims.dim("N", 1 << 20)?;
/// let b = dims.dim("B", None)?;
/// let t = dims.dim("T", 1024)?;
/// dims.eq(n, (b, t))?;
/// assert_eq!(dims.size(b)?, 1024);
/// # Ok::<(), quaff_fronts::dims::DimsError>(())
/// ```
pub struct Dims {
    model: Arc<Model>,
    options: Options,
    /// The scope to which new equations and scopes are added.
    current: u32,
    /// The sizes of the current program, computed when they are first needed.
    sizes: OnceLock<Result<Sizes, DimsError>>,
    frozen: Option<Arc<Layout>>,
}

impl Default for Dims {
    fn default() -> Dims {
        Dims::new()
    }
}

impl Dims {
    /// An empty program with the default [`Options`].
    pub fn new() -> Dims {
        Dims::with_options(Options::default())
    }

    /// An empty program.
    pub fn with_options(options: Options) -> Dims {
        // Each `Dims` gets its own number, so that a handle of another `Dims` gives an error and not a wrong index.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let model = Arc::new(Model::new(NEXT.fetch_add(1, Ordering::Relaxed)));
        Dims { model, options, current: 0, sizes: OnceLock::new(), frozen: None }
    }

    /// A new dimension of the given size. With `None`, the equations determine its size.
    ///
    /// # Errors
    /// The codes are:
    ///
    /// - `bad_name` for a name that is no identifier, such as `a b`, because it is used in equations and in code;
    /// - `bad_size` unless the size is at least 1;
    /// - `frozen` after [`init`](Dims::init).
    pub fn dim(&mut self, name: &str, size: impl Into<Option<i64>>) -> Result<Dim, DimsError> {
        let size = size.into();
        self.check_open(|| format!("a new dimension `{name}`"))?;
        check_name(name)?;
        if let Some(value) = size.filter(|&s| s < 1) {
            return Err(ErrorKind::BadSize { place: format!("the size of `{name}`"), value }.into());
        }
        Ok(self.model_mut().add_dim(name, size.map(Product::number)))
    }

    /// A new dimension that equals a product. It combines [`dim`](Dims::dim) and [`eq`](Dims::eq).
    ///
    /// # Errors
    /// The errors of [`dim`](Dims::dim) and [`eq`](Dims::eq).
    pub fn dim_eq(&mut self, name: &str, product: impl IntoSide) -> Result<Dim, DimsError> {
        let product = product.into_side();
        // The product is checked before the dimension is made, because a failing call changes nothing.
        self.check_open(|| format!("a new dimension `{name}`"))?;
        check_name(name)?;
        check_side(&self.model, &product, || format!("{name} = {}", self.model.side_text(&product)))?;
        let dim = self.dim(name, None)?;
        self.eq(dim, product)?;
        Ok(dim)
    }

    /// States `left = right` in the current scope. A side is a dimension, an integer, or a tuple or list of them.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`, `bad_size` for an integer below 1, `empty_side` for an empty
    /// list, and `frozen` after [`init`](Dims::init). An equation that contradicts the sizes is reported when sizes are
    /// queried.
    pub fn eq(&mut self, left: impl IntoSide, right: impl IntoSide) -> Result<Equation, DimsError> {
        self.relate(left.into_side(), right.into_side(), Relation::Equal)
    }

    pub(super) fn relate(
        &mut self,
        left: Vec<Term>,
        right: Vec<Term>,
        relation: Relation,
    ) -> Result<Equation, DimsError> {
        let sides = [left, right];
        let text = self.model.equation_text(&sides, &relation);
        self.check_open(|| format!("the equation `{text}`"))?;
        for side in &sides {
            check_side(&self.model, side, || text.clone())?;
        }
        let scope = self.current;
        let model = self.model_mut();
        model.equations.push(EquationDef { sides, relation, text: text.into(), scope });
        Ok(model.equation(model.equations.len() - 1))
    }

    /// A new scope, which is a child of the current scope.
    ///
    /// # Errors
    /// `frozen` after [`init`](Dims::init).
    pub fn new_scope(&mut self, name: &str) -> Result<Scope, DimsError> {
        self.check_open(|| format!("a new scope `{name}`"))?;
        let parent = self.current;
        let model = self.model_mut();
        model.scopes.push(ScopeDef { name: name.into(), parent });
        Ok(Scope { owner: model.owner, index: (model.scopes.len() - 1) as u32 })
    }

    /// Makes `scope` the current scope until the guard is dropped. Equations that are declared through the guard belong
    /// to `scope`.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # let mut dims = Dims::new();
    /// # let (n, b, t) = (dims.dim("N", 64)?, dims.dim("B", 8)?, dims.dim("T", 8)?);
    /// let tile = dims.new_scope("tile")?;
    /// dims.scope(tile)?.eq(n, (b, t))?;
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// `foreign_dim` for a scope of another `Dims`.
    pub fn scope(&mut self, scope: Scope) -> Result<InScope<'_>, DimsError> {
        let index = self.model.check_scope(scope, "to open a scope")?;
        let outer = std::mem::replace(&mut self.current, index as u32);
        Ok(InScope { dims: self, outer })
    }

    /// The root scope, which contains everything that is declared outside of other scopes.
    pub fn root(&self) -> Scope {
        Scope { owner: self.model.owner, index: 0 }
    }

    /// The size of `dim` by the equations so far. It can be called before or after [`init`](Dims::init).
    ///
    /// The first query after a change solves all sizes. Further queries are look-ups.
    ///
    /// # Errors
    /// `underdetermined` when the equations leave the size open. `run_time` when the size is known only at run time, in
    /// which case [`size_expr`](Dims::size_expr) returns it. All errors of [`init`](Dims::init) are possible too.
    pub fn size(&self, dim: Dim) -> Result<i64, DimsError> {
        let open = || self.sizes().and_then(|sizes| Err(sizes.underdetermined(&self.model, Some(dim.index()))));
        self.known_size(dim)?.map_or_else(open, Ok)
    }

    /// The size of `dim` as [`size`](Dims::size) returns it, or `None` for a size that is still open.
    ///
    /// # Errors
    /// `fractional`, `root`, `contradiction`, `uncovered`, `undecided` or `overflow` when no sizes are proved to
    /// satisfy the equations. `run_time` when the size is known only at run time, as in [`size`](Dims::size).
    pub fn known_size(&self, dim: Dim) -> Result<Option<i64>, DimsError> {
        let index = self.model.check_dim(dim, "to ask for a size")?;
        let sizes = self.sizes()?;
        let Some(size) = &sizes.known[index] else { return Ok(None) };
        let run_time = || {
            let dim = self.model.dim_ref(index);
            ErrorKind::RunTime { dim, size: sizes.symbols.expr(size), what: "`size`" }.into()
        };
        size.as_number().map(Some).ok_or_else(run_time)
    }

    /// The name given to `dim`. Several dimensions may have the same name.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub fn name(&self, dim: Dim) -> Result<&str, DimsError> {
        let index = self.model.check_dim(dim, "to ask for a name")?;
        Ok(&self.model.dims[index].name)
    }

    /// Solves all sizes, over the equations of all scopes, and freezes the program.
    ///
    /// The method may be called again for another, independent [`Indices`] over the same sizes. If the call fails, the
    /// program is not frozen. The time is linear in the length of the program, except for tied sizes (see
    /// [`Options::log_linear`]).
    ///
    /// # Errors
    /// `underdetermined` when the equations leave a size open. `overflow` when a size or the product of a side exceeds
    /// `i64`. `fractional`, `root`, `contradiction`, `uncovered` or `undecided` when no sizes are proved to satisfy the
    /// equations.
    pub fn init(&mut self) -> Result<Indices, DimsError> {
        if let Some(layout) = &self.frozen {
            return Ok(Indices::new(layout.clone()));
        }
        let sizes = self.sizes()?;
        let all: Option<Vec<Product>> = sizes.known.iter().cloned().collect();
        let all = all.ok_or_else(|| sizes.underdetermined(&self.model, None))?;
        let symbols = sizes.symbols.clone();
        let layout = Arc::new(Layout::new(self.model.clone(), all, symbols, self.options.digit_alignment)?);
        self.frozen = Some(layout.clone());
        Ok(Indices::new(layout))
    }

    pub(super) fn sizes(&self) -> Result<&Sizes, DimsError> {
        self.sizes.get_or_init(|| cover::solve(&self.model, self.options.log_linear)).as_ref().map_err(Clone::clone)
    }

    pub(super) fn check_open(&self, action: impl FnOnce() -> String) -> Result<(), DimsError> {
        match self.frozen {
            Some(_) => Err(ErrorKind::Frozen { action: action() }.into()),
            None => Ok(()),
        }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// Mutable access to the program. It discards the sizes computed so far. It copies nothing, because an open program
    /// is not shared.
    pub(super) fn model_mut(&mut self) -> &mut Model {
        self.sizes = OnceLock::new();
        Arc::make_mut(&mut self.model)
    }
}

/// Writes the equations with their scopes, one on each line.
impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scoped = |e: &EquationDef| match e.scope {
            0 => e.text.to_string(),
            scope => format!("{}: {}", self.model.scope_path(scope as usize), e.text),
        };
        f.debug_list().entries(self.model.equations.iter().map(scoped)).finish()
    }
}

/// Returns an error unless `name` is an identifier, because names occur in the text of equations and in placeholders.
/// Reserved words of CUDA are allowed for dimensions (`do` for the depth of an output), although a kernel cannot
/// declare them as variables.
pub(super) fn check_name(name: &str) -> Result<(), DimsError> {
    let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if word && name.bytes().next().is_some_and(|b| !b.is_ascii_digit()) {
        return Ok(());
    }
    Err(ErrorKind::BadName { what: "dimension", name: name.into(), reason: "it is no identifier" }.into())
}

fn check_side(model: &Model, side: &[Term], text: impl Fn() -> String) -> Result<(), DimsError> {
    if side.is_empty() {
        return Err(ErrorKind::EmptySide { equation: text().into() }.into());
    }
    for term in side {
        match *term {
            Term::Dim(d) if d.owner != model.owner => {
                return Err(ErrorKind::ForeignDim { what: "dimension", place: format!("in `{}`", text()) }.into());
            }
            Term::Int(value) if value < 1 => {
                return Err(ErrorKind::BadSize { place: format!("a term of `{}`", text()), value }.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// A [`Dims`] with another current scope. Dropping it restores the outer scope. See [`Dims::scope`].
#[derive(Debug)]
#[must_use = "the scope is closed again when this value is dropped"]
pub struct InScope<'a> {
    dims: &'a mut Dims,
    outer: u32,
}

impl Deref for InScope<'_> {
    type Target = Dims;
    fn deref(&self) -> &Dims {
        self.dims
    }
}

impl DerefMut for InScope<'_> {
    fn deref_mut(&mut self) -> &mut Dims {
        self.dims
    }
}

impl Drop for InScope<'_> {
    fn drop(&mut self) {
        self.dims.current = self.outer;
    }
}
