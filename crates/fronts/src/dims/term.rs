//! The parts of equations: handles, terms and sides.

use std::fmt;
use std::sync::Arc;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            /// The number of the `Dims` that made the handle, compared at run time.
            pub(super) owner: u32,
            pub(super) index: u32,
        }

        impl $name {
            /// The position in the `Dims` that made the handle, counted from 0 in order of creation.
            pub fn index(self) -> usize {
                self.index as usize
            }
        }

        impl fmt::Debug for $name {
            // The owner is not printed, because it is a process-wide counter, and output would depend on earlier calls.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.index)
            }
        }
    )* };
}

handles! {
    /// A dimension: a named size at compile time, an index at run time.
    ///
    /// A `Dim` is a copyable handle that belongs to the [`Dims`](super::Dims) that made it. The name does not identify
    /// the dimension: two dimensions may have the same name.
    Dim
    /// A scope of a [`Dims`](super::Dims): a set of equations between indices that hold only while the scope is
    /// entered.
    Scope
    /// An equation of a [`Dims`](super::Dims), as returned by [`Dims::eq`](super::Dims::eq).
    Equation
}

/// A dimension together with its name in messages.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DimRef {
    /// The dimension.
    pub dim: Dim,
    /// The name of the dimension. The second dimension of a name is `name#2`.
    pub name: Arc<str>,
}

impl fmt::Display for DimRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for DimRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// One factor of a side of an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A dimension.
    Dim(Dim),
    /// An integer stride, at least 1. It counts as a digit that is always 0.
    Int(i64),
}

impl From<Dim> for Term {
    fn from(dim: Dim) -> Term {
        Term::Dim(dim)
    }
}

impl From<i64> for Term {
    fn from(stride: i64) -> Term {
        Term::Int(stride)
    }
}

/// One side of an equation: a dimension, an integer, a tuple of up to eight of them, or a list.
///
/// The order matters: the last factor varies fastest (row-major).
pub trait IntoSide {
    /// The factors, most significant first.
    fn into_side(self) -> Vec<Term>;
}

impl IntoSide for Dim {
    fn into_side(self) -> Vec<Term> {
        vec![self.into()]
    }
}

impl IntoSide for i64 {
    fn into_side(self) -> Vec<Term> {
        vec![self.into()]
    }
}

impl IntoSide for Vec<Term> {
    fn into_side(self) -> Vec<Term> {
        self
    }
}

impl<T: Into<Term> + Clone> IntoSide for &[T] {
    fn into_side(self) -> Vec<Term> {
        self.iter().cloned().map(Into::into).collect()
    }
}

impl<T: Into<Term>, const N: usize> IntoSide for [T; N] {
    fn into_side(self) -> Vec<Term> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($(($($t:ident)*))*) => { $(
        impl<$($t: Into<Term>),*> IntoSide for ($($t,)*) {
            #[allow(non_snake_case)]
            fn into_side(self) -> Vec<Term> {
                let ($($t,)*) = self;
                vec![$($t.into()),*]
            }
        }
    )* };
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
