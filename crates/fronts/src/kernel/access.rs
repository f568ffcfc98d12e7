//! Copies between buffers: by vectors if the engine proves them correct, and with a guard if an element may be out of
//! bounds.

use super::block::{Block, Recorded};
use super::buffer::Buffer;
use super::record::Statement;
use super::report::AccessReport;
use super::template::{Piece, Template};
use crate::dims::{Dim, Guard, Limit, MOST_LANES, Moving, Unroll};
use quaff::expr::{Expr, int, var};
use quaff::integer::floor_mod;
use quaff::internals::{Side, vector_widths};

/// A copy of the elements along one dimension from one buffer to another.
///
/// The elements are addressed by a dimension of each buffer. Vector accesses cover the dimension `lanes` if possible.
/// Otherwise the copy takes one element at a time. The accesses also cover the [vectors](Block::vectorize) around the
/// copy, together with `lanes`. A vector access needs proof that both addresses are multiples of its width and grow by
/// one from lane to lane (see [`Simplifier::vectorised`](quaff::Simplifier::vectorised)). Missing proofs are reported
/// in [`KernelText::accesses`](super::KernelText::accesses).
///
/// An index of either buffer may come from a product that only [covers](crate::dims::Dims::covered) its dimension. The
/// limit of this index is then the end of that dimension, unless a block around the copy already
/// [guards](Block::inside) it.
#[derive(Clone, Debug)]
pub struct Transfer<'b> {
    to: (&'b Buffer, Dim),
    from: (&'b Buffer, Dim),
    lanes: Option<Dim>,
    limits: Vec<(Dim, Expr)>,
    zero: bool,
}

impl<'b> Transfer<'b> {
    /// A copy to the element `to.1` of buffer `to.0` from the element `from.1` of buffer `from.0`.
    pub fn new(to: (&'b Buffer, Dim), from: (&'b Buffer, Dim), lanes: Dim) -> Transfer<'b> {
        Transfer { to, from, lanes: Some(lanes), limits: vec![], zero: false }
    }

    /// A copy of one element.
    pub fn one(to: (&'b Buffer, Dim), from: (&'b Buffer, Dim)) -> Transfer<'b> {
        Transfer { to, from, lanes: None, limits: vec![], zero: false }
    }

    /// Copies only elements whose index of `dim` is below `limit`. Several limits must all hold.
    pub fn below(mut self, dim: Dim, limit: impl Into<Expr>) -> Transfer<'b> {
        self.limits.push((dim, limit.into()));
        self
    }

    /// Writes zeros for elements that a limit excludes: a limit of [`below`](Transfer::below), or the end of the buffer
    /// that is read. Beyond the end of the buffer that is written, nothing is written.
    pub fn or_zero(mut self) -> Transfer<'b> {
        self.zero = true;
        self
    }
}

/// A copy as a function of the lanes of its transfer and of the open vector regions.
struct Copy<'t> {
    to: (&'t Buffer, Moving),
    from: (&'t Buffer, Moving),
    lanes: i64,
    /// Nested conditions, the outermost first.
    levels: Vec<Level>,
    /// The number of lanes of each access. Empty if no access is a vector.
    widths: Vec<u32>,
    reasons: Vec<String>,
}

/// An access that covers some of the lanes: the type of a vector, and the places that are written and read.
type Vector = (Option<&'static str>, [Template; 2]);

/// Limits that must all hold.
struct Level {
    limits: Vec<Limited>,
    /// Whether zeros are written if one of the limits does not hold.
    or_zero: bool,
}

/// An index with its exclusive upper bound.
struct Limited {
    index: Moving,
    end: Expr,
    limit: Limit,
    /// The dimension, if the limit was given in the transfer.
    dim: Option<Dim>,
}

impl Level {
    /// The condition that the limits hold at all lanes.
    fn all(&self) -> Option<Expr> {
        self.limits.iter().filter_map(|l| l.index.all_below(&l.end, l.limit)).reduce(|a, b| a.and(b))
    }

    /// The condition that the limits hold at the lane `lane`.
    fn at(&self, lane: &Expr) -> Option<Expr> {
        self.limits.iter().map(|l| l.index.at(lane).lt(&l.end)).reduce(|a, b| a.and(b))
    }

    fn is_cut(&self) -> bool {
        self.limits.iter().any(|l| l.limit == Limit::Cut)
    }
}

impl Block<'_> {
    /// Copies elements as described by `transfer`, along its lanes and the lanes of the [vectors](Block::vectorize)
    /// around the copy.
    ///
    /// # Errors
    /// `unsolved` for an index that is not known. `already_solved` when the index of the dimension `lanes` is set.
    /// [`UnknownBuffer`](super::KernelError::UnknownBuffer) for a buffer of another kernel or block.
    pub fn transfer(&mut self, transfer: &Transfer<'_>) -> Recorded {
        [transfer.to.0, transfer.from.0].into_iter().try_for_each(|buffer| self.rec.check_buffer(buffer))?;
        let mut frame = match transfer.lanes {
            Some(lanes) => {
                let size = self.ix.size(lanes)?;
                self.ix.vectorize(lanes, size)?
            }
            None => self.ix.frame(),
        };
        let mut inner = Block { ix: &mut frame, rec: self.rec, simplifier: self.simplifier };
        let copy = inner.copy(transfer)?;
        inner.copied(&copy)
    }

    fn copied(&mut self, copy: &Copy<'_>) -> Recorded {
        let vectors = self.vectors(copy);
        match vectors.is_empty() {
            true => self.each(copy, self.rec.here, &copy.levels)?,
            false => self.together(copy, &vectors)?,
        }
        self.rec.reports.push(AccessReport {
            to: copy.to.0.name.clone(),
            from: copy.from.0.name.clone(),
            lanes: copy.lanes,
            vectors: copy.widths.iter().filter_map(|&width| copy.vector(width)).collect(),
            single: copy.single(),
            reasons: copy.reasons.clone(),
        });
        Ok(())
    }

    /// The copy that `transfer` describes, with its limits and its vector widths.
    fn copy<'t>(&self, transfer: &Transfer<'t>) -> Recorded<Copy<'t>> {
        let (to, from) = (transfer.to, transfer.from);
        let mut indices = vec![self.ix.solved(to.1)?, self.ix.solved(from.1)?];
        let mut ends = vec![];
        for (dim, end) in &transfer.limits {
            indices.push(self.ix.solved(*dim)?);
            ends.push((Some(*dim), end.clone(), false));
        }
        // a guard around the copy may imply the limit
        let is_held = |index: &Expr, end: &Expr| {
            self.rec.held.contains(&Guard { index: self.ix.moving(index), end: end.clone() })
        };
        let written = self.ix.covers(&[to.1])?;
        for cover in self.ix.covers(&[to.1, from.1])? {
            let is_written = written.contains(&cover);
            let (index, end) = cover;
            if !is_held(&index, &end) {
                indices.push(index);
                ends.push((None, end, is_written));
            }
        }
        let mut moving = self.ix.moving_together(&indices).into_iter();
        let [to_at, from_at] = [0, 1].map(|_| moving.next().unwrap_or_else(|| self.ix.moving(&int(0))));
        let lanes = to_at.lanes;
        let mut levels = [false, true].map(|or_zero| Level { limits: vec![], or_zero });
        for (index, (dim, end, is_written)) in moving.zip(ends) {
            let limit = index.limit(&end, self.simplifier, || self.rec.domain())?;
            let always = || self.simplifier.facts(&self.rec.domain()).prove(&index.first.lt(&end));
            if limit != Limit::Always && !(lanes == 1 && always()? == Some(true)) {
                let level = usize::from(transfer.zero && !is_written);
                levels[level].limits.push(Limited { index, end, limit, dim });
            }
        }
        let levels = levels.into_iter().filter(|level| !level.limits.is_empty()).collect();
        let mut copy =
            Copy { to: (to.0, to_at), from: (from.0, from_at), lanes, levels, widths: vec![], reasons: vec![] };
        if lanes > 1 {
            self.decide(&mut copy)?;
        }
        Ok(copy)
    }

    /// Decides which lanes are copied by vectors.
    fn decide(&self, copy: &mut Copy<'_>) -> Recorded {
        copy.reasons = self.obstacles(copy)?;
        if copy.reasons.is_empty() {
            let sides = [&copy.to, &copy.from];
            let indices = sides.map(|(_, at)| (0..copy.lanes).map(|lane| at.at(&int(lane))).collect::<Vec<Expr>>());
            let side = |i: usize| Side { lanes: &indices[i], alignment: sides[i].0.alignment };
            let (element, domain) = (copy.to.0.element, self.rec.domain());
            copy.widths = vector_widths(self.simplifier, element, &[side(0), side(1)], &domain)?;
        }
        if copy.widths.iter().all(|&width| width == 1) {
            copy.widths.clear();
        }
        if copy.single() > 0 {
            let missing = self.missing(copy)?;
            copy.reasons.extend(missing);
        }
        Ok(())
    }

    /// The reasons that exclude all vectors.
    fn obstacles(&self, copy: &Copy<'_>) -> Recorded<Vec<String>> {
        let Copy { to, from, lanes, levels, .. } = copy;
        let mut reasons = vec![];
        if to.0.element != from.0.element {
            reasons.push(format!("`{}` and `{}` have different elements", to.0.name, from.0.name));
        }
        if *lanes > MOST_LANES {
            reasons.push(format!("there are more than {MOST_LANES} lanes"));
        }
        let limits = levels.iter().flat_map(|level| &level.limits);
        for Limited { end, dim, .. } in limits.filter(|l| l.limit == Limit::Unknown) {
            let name = dim.map_or_else(|| Ok(end.to_string().into()), |dim| self.ix.label(dim))?;
            reasons.push(format!("lanes may leave the limit of `{name}` in any order"));
        }
        if reasons.is_empty() {
            let mut facts = self.simplifier.facts(&self.rec.domain());
            for condition in levels.iter().filter_map(Level::all) {
                if facts.prove(&condition)? == Some(false) {
                    reasons.push(format!("`{condition}` is never so"));
                }
            }
        }
        Ok(reasons)
    }

    /// The reasons why one access does not cover all lanes.
    fn missing(&self, copy: &Copy<'_>) -> Recorded<Vec<String>> {
        let Copy { to, from, lanes, .. } = copy;
        let mut reasons = vec![];
        let has_vector = to.0.element.vector(*lanes).is_some();
        if !has_vector {
            reasons.push(format!("there is no vector of {lanes} {}", to.0.element.c_name()));
        }
        for (buffer, at) in [to, from] {
            let along = at.along(self.simplifier, self.rec.domain())?;
            if !along.grows {
                reasons.push(format!("lanes of `{}` are not proved to be neighbours", buffer.name));
            } else if !along.aligned && has_vector {
                reasons.push(format!("the index of `{}` is not proved to be a multiple of {lanes}", buffer.name));
            }
            let bytes = lanes.saturating_mul(buffer.element.bytes());
            if has_vector && floor_mod(i128::from(buffer.alignment), i128::from(bytes)) != 0 {
                reasons.push(format!("`{}` is not known to start at a multiple of {bytes} bytes", buffer.name));
            }
        }
        Ok(reasons)
    }

    /// The text `buffer[index]`.
    fn address(&mut self, buffer: &Buffer, index: &Expr) -> Template {
        let root = self.rec.root(&format!("{}_at", buffer.name), index.clone());
        vec![Piece::Text(format!("{}[", buffer.name)), Piece::Root(root), Piece::Text("]".into())]
    }

    /// The accesses that cover all lanes. Empty if no access is a vector.
    fn vectors(&mut self, copy: &Copy<'_>) -> Vec<Vector> {
        let (mut all, mut lane) = (vec![], 0);
        for &width in &copy.widths {
            let ends = [&copy.to, &copy.from].map(|(buffer, at)| self.address(buffer, &at.at(&int(lane))));
            all.push((copy.vector(width), ends));
            lane += i64::from(width);
        }
        all
    }

    /// Copies by vectors if all lanes are within the limits. Otherwise, if a limit may be between two lanes, copies one
    /// element at a time.
    fn together(&mut self, copy: &Copy<'_>, vectors: &[Vector]) -> Recorded {
        let mut block = self.rec.here;
        for (i, level) in copy.levels.iter().enumerate() {
            let Some(condition) = level.all() else { continue };
            let (then, otherwise) = self.rec.open_if(block, condition, level.is_cut() || level.or_zero);
            block = then;
            match otherwise {
                Some(otherwise) if level.is_cut() => self.each(copy, otherwise, &copy.levels[i..])?,
                Some(otherwise) => {
                    let zeros = vectors.iter().map(|(ty, [to, _])| assigned(*ty, to, None));
                    zeros.for_each(|zero| self.rec.push(otherwise, zero));
                }
                None => {}
            }
        }
        let copies = vectors.iter().map(|(ty, [to, from])| assigned(*ty, to, Some(from)));
        copies.for_each(|copy| self.rec.push(block, copy));
        Ok(())
    }

    /// Copies one element at a time.
    fn each(&mut self, copy: &Copy<'_>, mut block: u32, levels: &[Level]) -> Recorded {
        let mut lane = int(0);
        if copy.lanes > 1 {
            let variable = self.rec.take_similar("lane")?;
            lane = var(variable.clone());
            block = self.rec.open_loop(block, variable, &int(copy.lanes), Unroll::Full);
        }
        let [to, from] = [&copy.to, &copy.from].map(|(buffer, at)| self.address(buffer, &at.at(&lane)));
        for level in levels {
            let Some(condition) = level.at(&lane) else { continue };
            let (then, otherwise) = self.rec.open_if(block, condition, level.or_zero);
            block = then;
            if let Some(otherwise) = otherwise {
                self.rec.push(otherwise, assigned(None, &to, None));
            }
        }
        self.rec.push(block, assigned(None, &to, Some(&from)));
        Ok(())
    }
}

impl Copy<'_> {
    /// The number of lanes that no vector covers.
    fn single(&self) -> i64 {
        let vectors: i64 = self.widths.iter().filter(|&&width| width > 1).map(|&width| i64::from(width)).sum();
        self.lanes - vectors
    }

    /// The type of an access that covers `width` lanes. `None` for one element.
    fn vector(&self, width: u32) -> Option<&'static str> {
        self.to.0.element.vector(width.into()).filter(|_| width > 1)
    }
}

/// An assignment to an element, or to a vector of the type `ty`. It assigns zero if `from` is `None`.
fn assigned(ty: Option<&str>, to: &Template, from: Option<&Template>) -> Statement {
    let text = |text: String| Piece::Text(text);
    let wrapped = |place: &Template, qualifier: &str| match ty {
        None => place.clone(),
        Some(ty) => {
            let mut code = vec![text(format!("*reinterpret_cast<{qualifier}{ty}*>(&"))];
            code.extend_from_slice(place);
            code.push(text(")".into()));
            code
        }
    };
    let mut code = wrapped(to, "");
    code.push(text(" = ".into()));
    match (from, ty) {
        (Some(from), _) => code.extend(wrapped(from, "const ")),
        (None, Some(ty)) if ty.ends_with(|c: char| c.is_ascii_digit()) => code.push(text(format!("{ty}{{}}"))),
        // any other type converts from 0, for example the integer type that represents a vector of small elements
        (None, _) => code.push(text(int(0).to_string())),
    }
    code.push(text(";".into()));
    Statement::Code(code)
}
