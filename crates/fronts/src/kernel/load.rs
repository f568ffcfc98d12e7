//! Loads through a view. A view maps each index to the element that is read, or masks the index.

use super::block::{Block, Recorded};
use super::buffer::Buffer;
use super::error::KernelError;
use super::record::{Recorder, Statement};
use super::template::Piece;
use crate::dims::{Dim, Dims};
use crate::view::ViewStack;
use quaff::access::Gate;

impl Block<'_> {
    /// Declares a variable `name` with the element of `buffer` that `view` reads at the indices of `dims`. The variable
    /// is 0 if the view has no element (a mask) at these indices. From then on, `$name` refers to the variable. The
    /// address is simplified under the mask of the view.
    ///
    /// The size of each dimension must equal the size of the corresponding axis of the view. An index may be outside of
    /// its dimension only if the view is masked there. An exception is an index from a product that only
    /// [covers](crate::dims::Dims::covered) its dimension. If this index is outside, the variable is 0.
    ///
    /// # Errors
    /// [`KernelError::View`] if the number of dimensions differs from the number of axes. [`KernelError::ViewShape`]
    /// for a dimension of another size. `unsolved` for an index that is not known. [`KernelError::UnknownBuffer`] for a
    /// buffer of another kernel or block. [`KernelError::Name`] for a name that is taken.
    pub fn load(&mut self, name: &str, buffer: &Buffer, view: &ViewStack, dims: &[Dim]) -> Recorded {
        self.rec.check_buffer(buffer)?;
        self.fits(view, dims)?;
        let at = dims.iter().map(|&dim| self.ix.get_raw(dim)).collect::<Result<Vec<_>, _>>()?;
        let guards = self.open_guards(dims)?;
        let access = view.load(name, buffer.name(), &at)?;
        let access = guards.iter().fold(access, |access, guard| access.when(guard.condition()));
        let answer = self.simplifier.simplify_access(&access, &self.rec.domain())?;
        let simplified = &answer.accesses()[0];
        let name = self.rec.take(name)?;
        let ty = buffer.element().c_name();
        let address = format!("{}_at", buffer.name());
        let element = |rec: &mut Recorder| {
            let root = rec.root_as(&address, access.index().clone(), simplified.index().clone());
            [Piece::Text(format!("{}[", buffer.name())), Piece::Root(root), Piece::Text("]".into())]
        };
        let mut code = vec![Piece::Text(format!("const {ty} {name} = "))];
        match simplified.gate() {
            Gate::Never => code.push(Piece::Text(format!("({ty})0"))),
            Gate::Always => code.extend(element(self.rec)),
            Gate::When(condition) => {
                let raw = access.gate().condition().unwrap_or(condition).clone();
                code.push(Piece::Root(self.rec.root_as("inside", raw, condition.clone())));
                code.push(Piece::Text(" ? ".into()));
                code.extend(element(self.rec));
                code.push(Piece::Text(format!(" : ({ty})0")));
            }
        }
        code.push(Piece::Text(";".into()));
        self.rec.declare(&name, self.rec.here);
        self.rec.push(self.rec.here, Statement::Code(code));
        self.rec.name(&name, name.to_string());
        Ok(())
    }

    /// Checks that there is one dimension for each axis of `view`, with the same size.
    fn fits(&self, view: &ViewStack, dims: &[Dim]) -> Recorded {
        view.check_rank(("dimension", "dimensions"), dims.len())?;
        for (axis, (&dim, wanted)) in dims.iter().zip(view.shape()).enumerate() {
            let size = self.ix.size_expr(dim)?;
            let constants = size.as_const().is_some() && wanted.as_const().is_some();
            let equal = || matches!(self.simplifier.facts(&self.rec.domain()).equal(&size, wanted), Ok(Some(true)));
            if size != *wanted && (constants || !equal()) {
                return Err(KernelError::ViewShape {
                    dim: self.ix.label(dim)?,
                    size,
                    axis,
                    wanted: wanted.to_string(),
                });
            }
        }
        Ok(())
    }
}

impl ViewStack {
    /// Declares one dimension for each axis of the view, with the size of the axis and the given name.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let padded = ViewStack::row_major([8, 12])?.pad([(1, 1), (0, 4)])?;
    /// let mut dims = Dims::new();
    /// let [y, x] = padded.dims(&mut dims, &["y", "x"])?[..] else { panic!("two axes") };
    /// assert_eq!((dims.size(y)?, dims.size(x)?), (10, 16));
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::View`] if the number of names differs from the number of axes, and [`KernelError::SymbolicView`]
    /// if a size is no number. Also the errors of [`Dims::dim`]. Dimensions that were declared before an error stay
    /// declared.
    pub fn dims(&self, dims: &mut Dims, names: &[&str]) -> Result<Vec<Dim>, KernelError> {
        self.check_rank(("name", "names"), names.len())?;
        let axes = names.iter().zip(self.shape()).enumerate();
        let declared = axes.map(|(axis, (name, size))| match size.as_const() {
            Some(size) => Ok(dims.dim(name, size)?),
            None => Err(KernelError::SymbolicView { axis, size: size.to_string() }),
        });
        declared.collect()
    }
}
