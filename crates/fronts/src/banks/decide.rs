//! The cost of an access at the worst point of its domain.

use super::error::BankError;
use super::machine::Machine;
use super::memory::{Service, is_width};
use super::points::{Walk, shown};
use quaff::domain::Domain;
use quaff::expr::Expr;
use std::sync::Arc;

/// An access by each lane to one element, or to several neighbouring elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    index: Expr,
    bytes: u32,
    width: u32,
}

impl Access {
    /// An access to element `index` of an array with elements of `bytes` bytes. Every lane accesses one element.
    ///
    /// # Errors
    /// [`BankError::Width`] when `bytes` is not 1, 2, 4, 8 or 16.
    pub fn new(index: Expr, bytes: u32) -> Result<Access, BankError> {
        if is_width(bytes) {
            Ok(Access { index, bytes, width: bytes })
        } else {
            Err(BankError::Width { what: "an element", bytes })
        }
    }

    /// The access in which each lane accesses `width` bytes, beginning with the element at the index.
    ///
    /// # Errors
    /// [`BankError::Width`] when `width` is not 1, 2, 4, 8 or 16.
    pub fn wide(self, width: u32) -> Result<Access, BankError> {
        if is_width(width) {
            Ok(Access { width, ..self })
        } else {
            Err(BankError::Width { what: "an access", bytes: width })
        }
    }
}

/// The point at which an access costs most, and its cost there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    service: Service,
    at: Vec<(Arc<str>, i64)>,
    lanes: Vec<i64>,
    points: u64,
}

impl Decided {
    /// The cost of the access at the worst point. The lanes in it are given as positions in [`Decided::lanes`].
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The values of all variables except the lane variable, at the worst point.
    pub fn at(&self) -> &[(Arc<str>, i64)] {
        &self.at
    }

    /// The value of the lane variable for each lane.
    pub fn lanes(&self) -> &[i64] {
        &self.lanes
    }

    /// The number of points that were evaluated.
    pub fn points(&self) -> u64 {
        self.points
    }
}

/// The cost of `access` when the variable `lane` has a different value in each lane, at the worst values of all other
/// variables. The result is exact over the domain, not a bound.
///
/// A lane is inactive if an assumption of the domain, or a range with symbolic ends, does not hold for it. If several
/// points have the highest degree, the first of them is reported. A part of the index that shifts all addresses by the
/// same number of words changes no conflict, so its values are not tried. All values of the remaining variables are
/// tried, with at most 4,194,304 addresses in total.
///
/// ```
/// use quaff_fronts::banks::{Access, Memory, decide};
/// use quaff::domain::Domain;
///
/// let domain = Domain::new().with("t", 0..32).with("row", 0..1 << 30);
/// let access = Access::new("row*1024 + t*32 + (t ^ row%8)".parse()?, 4)?;
/// let decided = decide(&access, "t", &domain, Memory::default())?;
/// assert_eq!((decided.service().degree(), decided.points()), (1, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BankError::Misaligned`] for an address that is no multiple of the width. [`BankError::NoValue`] for an index
/// without a value. [`BankError::Open`] for a variable without a range, and [`BankError::TooMany`] for too many
/// addresses.
pub fn decide(access: &Access, lane: &str, domain: &Domain, machine: impl Into<Machine>) -> Result<Decided, BankError> {
    let machine = machine.into();
    let alignment = machine.memory().bytes().max(access.width);
    let walk = Walk::new(std::slice::from_ref(&access.index), lane, domain, Some((access.bytes, alignment)))?;
    let mut buffer = Vec::new();
    let mut worst: Option<(Service, u64, usize)> = None;
    for number in 0..walk.len() {
        let lanes = walk.lanes(number, &mut buffer)?;
        let address = |v: &Vec<i128>| v.first().and_then(|v| v.checked_mul(access.bytes.into()));
        let mut addresses = Vec::with_capacity(lanes.len());
        for (lane, position) in lanes.iter().zip(0..) {
            let no_value = || BankError::NoValue {
                access: 0,
                lane: walk.lane_number(position),
                at: shown(&walk.at(number)),
                why: quaff::expr::EvalError::Overflow,
            };
            addresses.push(lane.as_ref().map(|v| address(v).ok_or_else(no_value)).transpose()?);
        }
        let service = machine.words(&addresses, access.width).map_err(|m| BankError::Misaligned {
            access: 0,
            lane: walk.lane_number(m.lane),
            address: m.address,
            width: access.width,
            at: shown(&walk.at(number)),
        })?;
        if worst.as_ref().is_none_or(|(w, ..)| w.degree() < service.degree()) {
            worst = Some((service, number, lanes.len()));
        }
    }
    let Some((service, number, lanes)) = worst else {
        return Err(BankError::Lanes { name: lane.into(), limit: super::memory::LANES });
    };
    let lanes = (0..lanes).map(|l| walk.lane_number(l)).collect();
    Ok(Decided { service, at: walk.at(number), lanes, points: walk.len() })
}
