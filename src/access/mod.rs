//! Loads and stores under a condition.
//!
//! An [`Access`] is an address that matters only where its gate holds: below a mask, in the tail of a block, inside of a
//! padded image. [`Simplifier::simplify_accesses`] simplifies the gates on their own and the indices under them, where
//! they are free to be anything else outside, and prints both so that no index is computed where its gate is closed.
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

/// When an access happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// At every point of the domain.
    Always,
    /// Where the condition is not 0.
    When(Expr),
    /// At no point of the domain.
    Never,
}

impl Gate {
    /// The condition, if there is one to be computed.
    pub fn condition(&self) -> Option<&Expr> {
        match self {
            Gate::When(c) => Some(c),
            Gate::Always | Gate::Never => None,
        }
    }
}

impl From<Expr> for Gate {
    /// A condition that is constant is no condition.
    fn from(condition: Expr) -> Gate {
        match condition.as_const() {
            Some(0) => Gate::Never,
            Some(_) => Gate::Always,
            None => Gate::When(condition),
        }
    }
}

impl fmt::Display for Gate {
    /// The condition, `1` or `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::Always => f.write_str("1"),
            Gate::When(c) => c.fmt(f),
            Gate::Never => f.write_str("0"),
        }
    }
}

/// What an access does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Reads into a variable that the text declares.
    Load {
        /// The variable; an array when there are several lanes.
        into: Arc<str>,
        /// Text of the value where the gate is closed.
        otherwise: Arc<str>,
    },
    /// Writes, and does nothing where the gate is closed.
    Store {
        /// Text of the value; of several lanes, of an array of values.
        value: Arc<str>,
    },
}

/// A load or store that happens where a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    buffer: Arc<str>,
    element: Arc<str>,
    direction: Direction,
    /// One index a lane; at least one.
    lanes: Vec<Expr>,
    /// Of each lane how many neighbouring elements it is; none where each is one.
    widths: Vec<u32>,
    /// Bytes that divide the address of the buffer.
    alignment: u32,
    gate: Gate,
}

impl Access {
    /// Reads element `index` of `buffer` into a variable `into`; 0 where the gate is closed. Elements are `float` unless
    /// [said otherwise](Access::element).
    pub fn load(into: impl Into<Arc<str>>, buffer: impl Into<Arc<str>>, index: Expr) -> Access {
        let direction = Direction::Load { into: into.into(), otherwise: "0".into() };
        Access::new(buffer.into(), direction, index)
    }

    /// Writes what the text `value` says to element `index` of `buffer`.
    pub fn store(buffer: impl Into<Arc<str>>, index: Expr, value: impl Into<Arc<str>>) -> Access {
        Access::new(buffer.into(), Direction::Store { value: value.into() }, index)
    }

    fn new(buffer: Arc<str>, direction: Direction, index: Expr) -> Access {
        let (lanes, widths) = (vec![index], Vec::new());
        Access { buffer, element: "float".into(), direction, lanes, widths, alignment: 1, gate: Gate::Always }
    }

    /// Only where `condition` is not 0 and what was said before holds.
    pub fn when(mut self, condition: Expr) -> Access {
        self.gate = match self.gate {
            Gate::Always => condition.into(),
            Gate::When(before) => Gate::When(before.and(condition)),
            Gate::Never => Gate::Never,
        };
        self
    }

    /// One more lane: it belongs to the same gate, and is read into (written from) the next element of an array.
    pub fn lane(mut self, index: Expr) -> Access {
        self.lanes.push(index);
        self
    }

    /// The spelling of the type of the elements.
    pub fn element(mut self, ty: impl Into<Arc<str>>) -> Access {
        self.element = ty.into();
        self
    }

    /// The text of the value of a load where the gate is closed. Stores have none.
    pub fn otherwise(mut self, text: impl Into<Arc<str>>) -> Access {
        if let Direction::Load { otherwise, .. } = &mut self.direction {
            *otherwise = text.into();
        }
        self
    }

    /// What is accessed.
    pub fn buffer(&self) -> &str {
        &self.buffer
    }

    /// The type of its elements.
    pub fn element_type(&self) -> &str {
        &self.element
    }

    /// What is done.
    pub fn direction(&self) -> &Direction {
        &self.direction
    }

    /// When it is done.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The index of the first (or only) lane.
    pub fn index(&self) -> &Expr {
        &self.lanes[0]
    }

    /// The indices of all lanes. Of a [vector](Access::width), that of its first element.
    pub fn lanes(&self) -> &[Expr] {
        &self.lanes
    }

    /// How many neighbouring elements a lane is: 1, or more in an answer of [`Simplifier::vectorised`].
    pub fn width(&self, lane: usize) -> u32 {
        self.widths.get(lane).copied().unwrap_or(1)
    }

    /// The elements of all lanes together.
    pub fn elements(&self) -> usize {
        if self.widths.is_empty() { self.lanes.len() } else { self.widths.iter().map(|&w| w as usize).sum() }
    }

    /// States that the buffer begins at a multiple of `bytes`, as what `cudaMalloc` returns does for 256; and so do values that are stored.
    /// Lanes may be read and written together then: see [`Simplifier::vectorised`].
    pub fn aligned(mut self, bytes: u32) -> Access {
        self.alignment = bytes.max(1);
        self
    }
}
