//! Vector loads and tiles.

use super::error::{ErrorKind, ViewError};
use super::memory::holds;
use super::stack::ViewStack;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::integer::floor_div;
use std::sync::Arc;

/// The widest vector of neighbours along an axis. See [`ViewStack::widest_vector`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The number of elements that are read at once, a power of two. It is 1 when there is no vector.
    pub lanes: i64,
    /// The obstacle to a vector of twice the width. `None` when only the width of the load is the limit.
    pub obstacle: Option<Obstacle>,
}

/// The reason why there is no wider vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The condition that fails, or that is not known to hold.
    pub kind: ObstacleKind,
    /// Whether the condition is known to fail. It is `false` when it is not known whether the condition holds.
    pub certain: bool,
}

/// The conditions of a vector load, in the order in which they are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObstacleKind {
    /// The size of the axis is no multiple of the lanes.
    Size,
    /// Some lanes of a vector are valid, and other lanes are not.
    Mask,
    /// Neighbours along the axis are not neighbours in memory.
    Stride,
    /// The address of the first lane is no multiple of the lanes.
    Alignment,
}

/// A condition of a vector load, and whether it is known to hold or to fail.
type Condition = (ObstacleKind, Option<bool>);

impl ViewStack {
    /// The most neighbours along `axis` that one vector load of at most `load_bytes` reads, with elements of
    /// `element_bytes`. Every aligned group of indices that one load reads must be valid as a whole or not at all, and
    /// consecutive in memory. If the buffer starts at a multiple of the bytes of the load, each group must start at
    /// such a multiple, too.
    ///
    /// The engine decides the conditions, even with variables in sizes. A condition that it does not decide is an
    /// [`Obstacle`] that is not certain.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff::expr::{int, var};
    /// use quaff_fronts::view::ViewStack;
    ///
    /// // rows of half precision, whose length is a multiple of 4
    /// let sizes = Domain::new().with("n", 4..=4096).stride("n", 4, 0);
    /// let rows = ViewStack::row_major_in(sizes, [int(16), var("n")])?;
    /// assert_eq!(rows.widest_vector(1, 2, 16)?.lanes, 4);
    /// assert_eq!(rows.permute(&[1, 0])?.widest_vector(1, 2, 16)?.lanes, 1);
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`] for an axis that does not exist.
    pub fn widest_vector(&self, axis: usize, element_bytes: u32, load_bytes: u32) -> Result<Vector, ViewError> {
        if axis >= self.rank() {
            return Err(ErrorKind::Axis { axis, axes: self.rank() }.into());
        }
        let most = floor_div(load_bytes.into(), element_bytes.max(1).into());
        let mut obstacle = None;
        for power in (1..i128::BITS).rev() {
            let lanes = 1i128 << power.min(40);
            if power > 40 || lanes > most {
                continue;
            }
            let lanes = lanes as i64;
            match self.vector(axis, lanes)? {
                None => return Ok(Vector { lanes, obstacle }),
                Some((kind, known)) => obstacle = Some(Obstacle { kind, certain: known.is_some() }),
            }
        }
        Ok(Vector { lanes: 1, obstacle })
    }

    /// The first condition of a vector of `lanes` that fails or is not known to hold.
    fn vector(&self, axis: usize, lanes: i64) -> Result<Option<Condition>, ViewError> {
        let mut tile = vec![int(1); self.rank()];
        tile[axis] = int(lanes);
        let tiles = self.tiles(&tile)?;
        let whole = holds(&self.shape()[axis].floor_mod(lanes).equals(0), self.domain());
        if whole != Some(true) {
            return Ok(Some((ObstacleKind::Size, whole)));
        }
        let one_valid = tiles.all_or_none();
        if one_valid != Some(true) {
            return Ok(Some((ObstacleKind::Mask, one_valid)));
        }
        let lane = &tiles.inside[axis];
        let consecutive = tiles.where_valid(&(&tiles.address - &tiles.first).equals(lane));
        if consecutive != Some(true) {
            return Ok(Some((ObstacleKind::Stride, consecutive)));
        }
        let aligned = tiles.where_valid(&tiles.first.floor_mod(lanes).equals(0));
        Ok((aligned != Some(true)).then_some((ObstacleKind::Alignment, aligned)))
    }

    /// Whether the elements of a tile, in row-major order of the tile, are consecutive in memory, for every position on
    /// the grid of tiles. Each tile is then one contiguous run of memory. If a tile is only partly valid, the result is
    /// `false`. If the answer is not known, the result is `None`.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let rows = ViewStack::row_major([8, 12])?;
    /// assert_eq!(rows.tile_is_contiguous(&[2.into(), 12.into()])?, Some(true));
    /// assert_eq!(rows.tile_is_contiguous(&[2.into(), 6.into()])?, Some(false));
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`] unless there is one size of at least 1 for each axis.
    pub fn tile_is_contiguous(&self, tile: &[Expr]) -> Result<Option<bool>, ViewError> {
        let facts = self.facts();
        facts.one_each(("size of a tile", "sizes of a tile"), self.rank(), tile.len())?;
        let tile = facts.shape(tile.iter().cloned())?;
        for (axis, size) in tile.iter().enumerate() {
            match facts.le(&int(1), size) {
                Some(true) => {}
                Some(false) => return Err(ErrorKind::NegativeSize { axis, size: size.clone() }.into()),
                None => {
                    let condition = size.ge(1);
                    return Err(ErrorKind::Undecided { what: "a tile", condition, nearest: None }.into());
                }
            }
        }
        let tiles = self.tiles(&tile)?;
        let one_valid = tiles.all_or_none();
        if one_valid != Some(true) {
            return Ok(one_valid);
        }
        let mut number = int(0);
        for (inside, size) in tiles.inside.iter().zip(&tile) {
            number = number * size + inside;
        }
        Ok(tiles.where_valid(&(&tiles.address - &tiles.first).equals(number)))
    }

    /// All tiles of these sizes that are completely within the shape.
    fn tiles(&self, tile: &[Expr]) -> Result<Tiles, ViewError> {
        let names = self.index_names();
        let (mut domain, mut begin, mut inside) = (self.domain().clone(), Vec::new(), Vec::new());
        for ((name, size), shape) in names.iter().zip(tile).zip(self.shape()) {
            if size.as_const() == Some(1) {
                domain.add_bounds(name.clone(), (int(0), shape - 1));
                begin.push(var(name.clone()));
                inside.push(int(0));
                continue;
            }
            let (outer, inner): (Arc<str>, Arc<str>) = (format!("{name}_tile").into(), format!("{name}_in").into());
            for name in [&outer, &inner] {
                if domain.contains(name) {
                    return Err(ErrorKind::NameTaken { name: name.clone() }.into());
                }
            }
            domain.add_bounds(outer.clone(), (int(0), shape.floor_div(size) - 1));
            domain.add_bounds(inner.clone(), (int(0), size - 1));
            begin.push(var(outer) * size);
            inside.push(var(inner));
        }
        let here: Vec<Expr> =
            begin.iter().zip(&inside).map(|(b, i)| if i.as_const() == Some(0) { b.clone() } else { b + i }).collect();
        let (first, here) = (self.at(&begin)?, self.at(&here)?);
        Ok(Tiles { domain, inside, first: first.address, address: here.address, valid: [first.valid, here.valid] })
    }
}

/// Expressions for the first element and for any other element of a tile, over variables for the position of the tile.
struct Tiles {
    domain: Domain,
    /// The index within the tile.
    inside: Vec<Expr>,
    first: Expr,
    address: Expr,
    /// The validity of the first element and of the other element.
    valid: [Expr; 2],
}

impl Tiles {
    fn all_or_none(&self) -> Option<bool> {
        let [first, other] = &self.valid;
        if first.as_const().is_some() && first == other {
            return Some(true);
        }
        holds(&first.differs(0).equals(other.differs(0)), &self.domain)
    }

    /// Whether a condition holds for all valid tiles.
    fn where_valid(&self, condition: &Expr) -> Option<bool> {
        let [first, _] = &self.valid;
        if first.as_const() == Some(1) {
            return holds(condition, &self.domain);
        }
        holds(condition, &self.domain.clone().assume(first.clone()))
    }
}
