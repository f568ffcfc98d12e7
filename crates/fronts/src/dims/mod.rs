//! The dims solver. It computes sizes at compile time, and indices for run time, from the same equations.
//!
//! The shapes of a kernel are products: a row of `N` elements is `B` blocks of `T` threads. The equation `N = B * T`
//! gives the missing size. It also turns the indices of block and thread into the index of the element, or the reverse.
//!
//! ```
//! use quaff_fronts::dims::{Dims, Unroll};
//! use quaff::expr::var;
//!
//! let mut dims = Dims::new();
//! let thread = dims.dim("thread", 256)?;
//! let warp = dims.dim("warp", None)?;
//! let lane = dims.dim("lane", 32)?;
//! dims.eq(thread, (warp, lane))?;
//! let row = dims.dim("row", 4096)?;
//! let (steps, vector) = (dims.dim("steps", None)?, dims.dim("vector", 8)?);
//! // equations of a scope hold, as far as indices go, only while it is entered
//! let load = dims.new_scope("load")?;
//! dims.scope(load)?.eq(row, (steps, lane, vector))?;
//!
//! let mut ix = dims.init()?;
//! assert_eq!(ix.size(steps)?, 16);
//! ix.set(thread, var("t"))?;
//! {
//!     let mut ix = ix.scope(load)?;
//!     let mut ix = ix.loop_over(steps, "i", Unroll::Full)?;
//!     let ix = ix.vectorize(vector, 8)?;
//!     assert_eq!(ix.get_raw(row)?.to_string(), "i*256 + t%32*8 + 0");
//!     assert_eq!(ix.get(row)?.to_string(), "i*256 + t%32*8");
//! }
//! let error = ix.get(row).unwrap_err();
//! assert_eq!(error.name(), "unsolved");
//! # Ok::<(), quaff_fronts::dims::DimsError>(())
//! ```
//!
//! [`Dims`] collects declarations and solves sizes ([`Dims::size`]). [`Dims::init`] freezes the program and returns
//! [`Indices`], in which some indices are set and the others follow. [`Indices::get_raw`] returns an index as the
//! solver built it, in which digits are written with `//` and `%`. [`Indices::get`] returns the index simplified under
//! the facts `0 <= index < size` of every set index ([`Indices::facts`]). Indices that one kernel needs are best
//! queried together: see [`Indices::get_all`] and [`kernel`](crate::kernel).
//!
//! The order of factors is a choice of layout: `N = B * T` and `N = T * B` are equivalent for sizes, but not for
//! indices. When an equation with a stride such as `X * 4 = Y` is solved for `X`, the remainder is dropped:
//! `X = Y // 4`. For sums of indices, such as `ih = oh*2 + ky - 1` of a convolution, see [`Dims::affine`].

mod affine;
mod base;
mod cover;
mod declare;
mod error;
mod flow;
mod frame;
mod indices;
mod lanes;
mod layout;
mod log_linear;
mod loops;
mod message;
mod model;
mod product;
mod reads;
mod report;
mod run_time;
mod simplified;
mod size;
mod symbols;
mod tail;
mod term;

pub use affine::{Terms, affine_terms};
pub use base::Exact;
pub use declare::{Dims, InScope, Options};
pub use error::{DimsError, ErrorKind};
pub use frame::Frame;
pub use indices::Indices;
pub(crate) use lanes::{Limit, MOST_LANES, Moving};
pub use loops::{Loop, Unroll};
pub use report::{Derived, Direction, EquationRef, EquationState, Origin, Reduced, ScopeRef, Solved};
pub(crate) use tail::Guard;
pub use term::{Dim, DimRef, Equation, IntoSide, Scope, Term};
