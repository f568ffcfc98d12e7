//! Memory accesses for the numbered elements of some work, such as a copy, and the tables of their addresses.

use super::digits::Digits;
use super::error::CoalesceError;
use super::traffic::{MASKED, Meter, Traffic, Warp};
use quaff::expr::{Expr, Program};
use quaff::quasi::Along;
use std::sync::Arc;

/// The most elements that are enumerated: 4,194,304, so that a search takes seconds and not hours.
pub(super) const ELEMENTS: u64 = 1 << 22;
/// The largest absolute value of an address, in elements. It is larger than any memory.
pub(super) const ADDRESS: i128 = 1 << 40;
/// The largest weight. It is small enough that no sum of costs exceeds 128 bits.
const WEIGHT: u32 = 1 << 16;

/// An access to an array, for every element `i` of some work such as a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    index: Expr,
    gate: Option<Expr>,
    bytes: u32,
    weight: u32,
}

impl Access {
    /// An access of element `index` of an array with elements of `bytes` bytes (1, 2, 4, 8 or 16).
    ///
    /// # Errors
    /// [`CoalesceError::Element`] for another number of bytes.
    pub fn new(index: Expr, bytes: u32) -> Result<Access, CoalesceError> {
        match bytes {
            1 | 2 | 4 | 8 | 16 => Ok(Access { index, gate: None, bytes, weight: 1 }),
            _ => Err(CoalesceError::Element { bytes }),
        }
    }

    /// The access, which happens only if `gate` is not 0.
    pub fn when(self, gate: Expr) -> Access {
        Access { gate: Some(gate), ..self }
    }

    /// The access, whose costs are multiplied by `weight` (1 to 65,536).
    ///
    /// # Errors
    /// [`CoalesceError::Weight`] for another weight.
    pub fn with_weight(self, weight: u32) -> Result<Access, CoalesceError> {
        match weight {
            1..=WEIGHT => Ok(Access { weight, ..self }),
            _ => Err(CoalesceError::Weight { weight, limit: WEIGHT }),
        }
    }

    /// The index, in elements.
    pub fn index(&self) -> &Expr {
        &self.index
    }

    /// The condition under which the access happens. `None` if it always happens.
    pub fn gate(&self) -> Option<&Expr> {
        self.gate.as_ref()
    }

    /// The size of an element in bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The factor by which the costs of the access are multiplied.
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Checks that `warp` can perform the access: a lane accesses 16 bytes at most.
    pub(super) fn fits(&self, warp: Warp) -> Result<(), CoalesceError> {
        match warp.vector() * self.bytes {
            0..=16 => Ok(()),
            _ => Err(CoalesceError::Vector { elements: warp.vector(), bytes: self.bytes }),
        }
    }

    /// The index, and the gate if the access has one.
    pub(super) fn roots(&self) -> Vec<Expr> {
        std::iter::once(&self.index).chain(&self.gate).cloned().collect()
    }

    /// The access with its index and its gate replaced by their images under `of`.
    pub(super) fn at(&self, of: impl Fn(&Expr) -> Expr) -> Access {
        Access { index: of(&self.index), gate: self.gate.as_ref().map(of), ..self.clone() }
    }

    /// Compiles the index and the gate for evaluation. Values are given in the order of `variables`.
    pub(super) fn program(&self, variables: &[&str]) -> Result<Program, CoalesceError> {
        Program::new(&self.roots(), variables).map_err(|unknown| {
            let variable: Arc<str> = variables.first().copied().unwrap_or_default().into();
            CoalesceError::Unknown { unknown, variable }
        })
    }
}

/// The address for the given values of index and gate. It is [`MASKED`] if the gate is 0. `at` returns the values of
/// the variables as text for error messages.
pub(super) fn address(
    mut values: impl Iterator<Item = quaff::expr::Value>,
    at: impl Fn() -> String,
) -> Result<i64, CoalesceError> {
    let index = values.next().unwrap_or(Ok(0));
    match values.next() {
        Some(Ok(0)) => return Ok(MASKED),
        Some(Err(why)) => return Err(CoalesceError::NoValue { at: at(), why }),
        _ => {}
    }
    let value = index.map_err(|why| CoalesceError::NoValue { at: at(), why })?;
    match i64::try_from(value) {
        Ok(short) if value.abs() <= ADDRESS => Ok(short),
        _ => Err(CoalesceError::Address { value, at: at() }),
    }
}

/// The addresses of all elements of one access.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) addresses: Vec<i64>,
    pub(super) bytes: u32,
    pub(super) weight: u128,
    /// The position of the access in the list of accesses.
    pub(super) access: usize,
    /// Whether the addresses depend on variables other than the number of the element.
    pub(super) moves: bool,
}

impl Table {
    /// The table of the elements `0..n` of `variable`. The time is linear in `n` and in the size of the index.
    pub(super) fn new(access: &Access, variable: &str, n: u64) -> Result<Table, CoalesceError> {
        let along = Along::new(&access.roots(), variable);
        let along = along.map_err(|unknown| CoalesceError::Unknown { unknown, variable: variable.into() })?;
        let mut addresses = Vec::with_capacity(n as usize);
        along.each(0, n, |i, values| {
            addresses.push(address(values.iter().copied(), || format!("at {variable} = {i}"))?);
            Ok::<(), CoalesceError>(())
        })?;
        Ok(Table { addresses, bytes: access.bytes, weight: access.weight.into(), access: 0, moves: false })
    }

    /// The address of element `i`, or [`MASKED`] beyond the last element.
    pub(super) fn at(&self, i: i64) -> i64 {
        usize::try_from(i).ok().and_then(|i| self.addresses.get(i)).copied().unwrap_or(MASKED)
    }

    /// The table whose elements are permuted by `digits`.
    pub(super) fn moved(&self, digits: &Digits) -> Table {
        let mut elements = vec![0; self.addresses.len()];
        digits.fill(0, &mut elements);
        Table { addresses: elements.into_iter().map(|i| self.at(i)).collect(), ..*self }
    }

    /// The traffic when lane `u` takes element `u`.
    pub(super) fn traffic(&self, warp: Warp) -> Traffic {
        let mut meter = Meter::default();
        let mut total = Traffic::default();
        for group in self.addresses.chunks(warp.group()) {
            total += meter.group(group, self.bytes, warp);
        }
        total.times(self.weight)
    }

    /// The elements in ascending order of their addresses. Elements without access come last. Elements with the same
    /// address keep their order or, with `last_first`, are reversed.
    pub(super) fn sorted(&self, last_first: bool) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.addresses.len() as u32).collect();
        if last_first {
            order.reverse();
        }
        order.sort_by_key(|i| {
            let address = self.addresses[*i as usize];
            (address == MASKED, address)
        });
        order
    }

    /// The traffic when the addresses are sorted in ascending order and cut into warps.
    pub(super) fn sorted_traffic(&self, warp: Warp) -> Traffic {
        let mut addresses: Vec<i64> = self.addresses.iter().copied().filter(|a| *a != MASKED).collect();
        addresses.sort_unstable();
        // lanes without access come last
        addresses.resize(self.addresses.len(), MASKED);
        Table { addresses, ..*self }.traffic(warp)
    }
}
