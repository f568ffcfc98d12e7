//! Front ends that pass the index computations of programs to [`quaff`]: sizes and equations, tensor views, index
//! types, memory traffic, kernels.
//!
//! ```
//! use quaff::expr::var;
//! use quaff_fronts::dims::Dims;
//!
//! let mut dims = Dims::new();
//! let (thread, warp, lane) = (dims.dim("thread", 256)?, dims.dim("warp", None)?, dims.dim("lane", 32)?);
//! dims.eq(thread, (warp, lane))?;
//! let mut indices = dims.init()?;
//! indices.set(thread, var("t"))?;
//! assert_eq!(indices.get(warp)?.to_string(), "t//32");
//! # Ok::<(), quaff_fronts::Error>(())
//! ```
//!
//! - [`dims`]: sizes, equations between them, and scopes. The module computes the index of one dimension from the
//!   indices of others.
//! - [`kernel`]: whole kernels over `dims`, printed with all indices simplified together.
//! - [`view`]: the element of a buffer that an index reads, after reshapes, permutations and padding.
//! - [`index_type`]: the part of an index that all copies of an unrolled loop share.
//! - [`layout`]: layouts `shape:stride` as in CuTe, and their algebra.
//! - [`banks`] and [`coalesce`]: the cost of the accesses of a warp to shared and global memory, and layouts that
//!   reduce it.
//!
//! # Features
//! `serde`: `Serialize` and `Deserialize` of [`ViewStack`](view::ViewStack). Off by default.

// on docs.rs, the page of an item shows the feature that the item needs
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod banks;
pub mod coalesce;
pub mod dims;
mod error;
pub mod index_type;
pub mod kernel;
pub mod layout;
pub mod view;

pub use error::Error;
