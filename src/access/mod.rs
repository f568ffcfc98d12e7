//! Loads and stores under a condition.
//!
//! An [`Access`] is a load or store that happens only if its condition, the *gate*, holds. The gate is then said to be
//! open. Examples are an access under a mask, in the tail of a block, or inside of a padded image.
//! [`Simplifier::simplify_accesses`] simplifies the gates, and each index under its gate. A simplified index may differ
//! from the input where its gate is closed, because the printed text never computes the index there.
//!
//! ```
//! use quaff::access::{Access, Gate};
//! use quaff::{Simplifier, domain::Domain};
//!
//! // row r of an image, padded by one row above and below
//! let domain = Domain::new().with("t", 0..=287).with("r", 0..=2);
//! let load = Access::load("v", "image", "(t//16 + r - 1)*16 + t%16".parse()?)
//!     .when("t//16 + r >= 1 and t//16 + r < 17".parse()?)
//!     .element("half");
//! let answer = Simplifier::default().simplify_access(&load, &domain)?;
//! assert_eq!(answer.accesses()[0].gate().to_string(), "t + r*16 < 272 and t + r*16 >= 16");
//! assert_eq!(answer.accesses()[0].index().to_string(), "t + r*16 - 16");
//! println!("{}", answer.cuda()?);
//!
//! // a tail guard that never fails is none
//! let load = Access::load("v", "from", "b*32 + t".parse()?).when("b*32 + t < 96".parse()?);
//! let domain = Domain::new().with("b", 0..=2).with("t", 0..=31);
//! let answer = Simplifier::default().simplify_access(&load, &domain)?;
//! assert_eq!(*answer.accesses()[0].gate(), Gate::Always);
//! assert_eq!(answer.cuda()?.to_string(), "const float v = from[b * 32 + t];\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod compare;
mod copies;
mod nested;
mod one_by_one;
mod prices;
mod print_prices;
mod scopes;
mod shape;
mod simplify;
mod statements;
mod text;
mod ungated;
pub(crate) mod vectors;

pub use answer::SimplifiedAccesses;
pub(crate) use nested::in_loops;
pub use nested::{Carried, NestedAccesses};
pub(crate) use simplify::{cost_of_accesses, simplify_accesses};
pub(crate) use vectors::vectorised;

use crate::expr::Expr;
use std::fmt;
use std::sync::Arc;

#[cfg(doc)]
use crate::Simplifier;

/// The condition under which an access happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The access happens at every point of the domain.
    Always,
    /// The access happens when the condition is not 0.
    When(Expr),
    /// The access happens at no point of the domain.
    Never,
}

impl Gate {
    /// The condition. `None` for [`Gate::Always`] and [`Gate::Never`].
    pub fn condition(&self) -> Option<&Expr> {
        match self {
            Gate::When(c) => Some(c),
            Gate::Always | Gate::Never => None,
        }
    }
}

impl From<Expr> for Gate {
    /// Converts a condition to a gate. A constant condition becomes [`Gate::Always`] or [`Gate::Never`].
    fn from(condition: Expr) -> Gate {
        match condition.as_const() {
            Some(0) => Gate::Never,
            Some(_) => Gate::Always,
            None => Gate::When(condition),
        }
    }
}

impl fmt::Display for Gate {
    /// Writes the condition. [`Gate::Always`] is written as `1`, and [`Gate::Never`] as `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::Always => f.write_str("1"),
            Gate::When(c) => c.fmt(f),
            Gate::Never => f.write_str("0"),
        }
    }
}

/// The direction of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Reads into a variable that the printed text declares.
    Load {
        /// The variable, which is an array when the access has several lanes (indices).
        into: Arc<str>,
        /// The text of the value when the gate is closed.
        otherwise: Arc<str>,
    },
    /// Writes a value, and does nothing when the gate is closed.
    Store {
        /// The text of the value. For several lanes, it is the text of an array of values.
        value: Arc<str>,
    },
}

/// A load or store that happens when a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    buffer: Arc<str>,
    element: Arc<str>,
    direction: Direction,
    /// The index of each lane. An access has one lane, or several that share its gate.
    lanes: Vec<Expr>,
    /// The number of elements of each lane, which are neighbours in memory. The list is empty when each lane is one
    /// element.
    widths: Vec<u32>,
    /// A number of bytes that divides the address of the buffer.
    alignment: u32,
    gate: Gate,
}

impl Access {
    /// Reads element `index` of `buffer` into a variable `into`, which is 0 when the gate is closed. Elements are
    /// `float` unless [another type](Access::element) is set.
    pub fn load(into: impl Into<Arc<str>>, buffer: impl Into<Arc<str>>, index: Expr) -> Access {
        let direction = Direction::Load { into: into.into(), otherwise: "0".into() };
        Access::new(buffer.into(), direction, index)
    }

    /// Writes the value of the text `value` to element `index` of `buffer`.
    pub fn store(buffer: impl Into<Arc<str>>, index: Expr, value: impl Into<Arc<str>>) -> Access {
        Access::new(buffer.into(), Direction::Store { value: value.into() }, index)
    }

    fn new(buffer: Arc<str>, direction: Direction, index: Expr) -> Access {
        let (lanes, widths) = (vec![index], Vec::new());
        Access { buffer, element: "float".into(), direction, lanes, widths, alignment: 1, gate: Gate::Always }
    }

    /// Adds a condition. The access then happens only if `condition` is not 0 and all earlier conditions hold.
    pub fn when(mut self, condition: Expr) -> Access {
        self.gate = match self.gate {
            Gate::Always => condition.into(),
            Gate::When(before) => Gate::When(before.and(condition)),
            Gate::Never => Gate::Never,
        };
        self
    }

    /// Adds a lane: another index with the same gate. The lane is read into, or written from, the next element of an
    /// array.
    pub fn lane(mut self, index: Expr) -> Access {
        self.lanes.push(index);
        self
    }

    /// Sets the name of the element type.
    pub fn element(mut self, ty: impl Into<Arc<str>>) -> Access {
        self.element = ty.into();
        self
    }

    /// Sets the text of the value of a load when the gate is closed. Stores have no such value.
    pub fn otherwise(mut self, text: impl Into<Arc<str>>) -> Access {
        if let Direction::Load { otherwise, .. } = &mut self.direction {
            *otherwise = text.into();
        }
        self
    }

    /// The name of the buffer.
    pub fn buffer(&self) -> &str {
        &self.buffer
    }

    /// The element type of the buffer.
    pub fn element_type(&self) -> &str {
        &self.element
    }

    /// The direction of the access.
    pub fn direction(&self) -> &Direction {
        &self.direction
    }

    /// The condition under which the access happens.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The index of the first (or only) lane.
    pub fn index(&self) -> &Expr {
        &self.lanes[0]
    }

    /// The indices of all lanes. The index of a [vector](Access::width) is that of its first element.
    pub fn lanes(&self) -> &[Expr] {
        &self.lanes
    }

    /// The number of neighbouring elements of a lane. The width is 1. In an answer of [`Simplifier::vectorised`], it
    /// may be greater.
    pub fn width(&self, lane: usize) -> u32 {
        self.widths.get(lane).copied().unwrap_or(1)
    }

    /// The number of elements of all lanes together.
    pub fn elements(&self) -> usize {
        if self.widths.is_empty() { self.lanes.len() } else { self.widths.iter().map(|&w| w as usize).sum() }
    }

    /// States that the buffer begins at a multiple of `bytes`, and that an array of values to store does so as well.
    /// Buffers of `cudaMalloc` begin at a multiple of 256. Several lanes can then be read or written together. See
    /// [`Simplifier::vectorised`].
    pub fn aligned(mut self, bytes: u32) -> Access {
        self.alignment = bytes.max(1);
        self
    }
}
