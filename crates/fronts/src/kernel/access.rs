//! Copies between buffers: by vectors where the engine proves that right, and with a guard where an element may be
//! out of bounds.

use super::block::{Block, Recorded};
use super::buffer::Buffer;
use super::error::KernelError;
use super::record::Statement;
use super::report::AccessReport;
use super::template::{Piece, Template};
use crate::dims::{Dim, Indices, Lanes, Limit, Unroll};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, int};
use quaff::integer::floor_mod;
use std::sync::Arc;

/// A copy of the elements along one dimension from one buffer to another.
///
/// The elements are addressed by a dimension of each buffer; `lanes` is the dimension that is covered by one vector
/// access if that is possible, and by a loop if not. A vector access needs proof that both addresses are multiples of
/// its width and that they grow by one from lane to lane; what is missing is reported in
/// [`KernelText::accesses`](super::KernelText::accesses).
///
/// An index of either buffer that comes from a product which only [covers](crate::dims::Dims::covered) its dimension has the
/// end of that dimension for a limit, unless a block around it [guards](Block::inside) it already.
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

    /// Writes zeros where a limit excludes the element.
    pub fn or_zero(mut self) -> Transfer<'b> {
        self.zero = true;
        self
    }
}

/// The indices that a transfer is about, in order: written, read, limited by the transfer, guarded at a tail.
struct Addresses {
    /// At lane 0.
    first: Vec<Expr>,
    /// At the lane that the lane variable says.
    lane: Vec<Expr>,
    /// What each limited or guarded index is below, and of which dimension, where the transfer says it.
    limits: Vec<(Option<Dim>, Expr)>,
}

impl Block<'_> {
    /// Copies elements as described by `transfer`.
    ///
    /// # Errors
    /// `unsolved` for an index that is not known, `already_solved` when the lanes' index is set; [`KernelError::UnknownBuffer`].
    pub fn transfer(&mut self, transfer: &Transfer<'_>) -> Recorded {
        [transfer.to.0, transfer.from.0].into_iter().try_for_each(|buffer| self.rec.check_buffer(buffer))?;
        let lanes = transfer.lanes.map_or(Ok(1), |lanes| self.ix.size(lanes))?;
        let variable = self.rec.take_similar("lane")?;
        let proved = self.addresses(transfer, &variable);
        let proved = proved.and_then(|a| Ok((self.prove(transfer, lanes, &variable, &a)?, a)));
        if proved.is_err() {
            self.rec.release(&variable);
        }
        let ((vector, reasons, limits), addresses) = proved?;
        let holds = |at: &[Expr], last: i64| {
            let pairs = addresses.limits.iter().zip(&limits).zip(&at[2..]);
            let needed =
                pairs.filter(|((_, state), _)| **state != Limit::Always).map(|(((_, limit), state), index)| {
                    if *state == Limit::Cut && last > 0 { (index + last).lt(limit) } else { index.lt(limit) }
                });
            needed.reduce(|a, b| a.and(b))
        };
        match vector {
            Some(ty) => {
                let (to, from) = (self.address(transfer.to.0, &addresses.first[0]), {
                    self.address(transfer.from.0, &addresses.first[1])
                });
                let copy = vector_copy(ty, &to, &from);
                match holds(&addresses.first, lanes - 1) {
                    None => self.rec.push(self.rec.here, Statement::Code(copy)),
                    Some(condition) => {
                        let cut = limits.contains(&Limit::Cut);
                        let (then, otherwise) = self.rec.open_if(self.rec.here, condition, cut || transfer.zero);
                        self.rec.push(then, Statement::Code(copy));
                        match otherwise {
                            Some(block) if cut => {
                                let condition = holds(&addresses.lane, 0);
                                self.each(transfer, block, lanes, &variable, &addresses.lane, condition);
                            }
                            Some(block) => self.rec.push(block, Statement::Code(vector_zero(ty, &to))),
                            None => {}
                        }
                    }
                }
            }
            None => {
                let at = if lanes == 1 { &addresses.first } else { &addresses.lane };
                self.each(transfer, self.rec.here, lanes, &variable, at, holds(at, 0));
            }
        }
        if self.rec.variable(&variable).is_none() {
            self.rec.release(&variable);
        }
        self.rec.reports.push(AccessReport {
            to: transfer.to.0.name.clone(),
            from: transfer.from.0.name.clone(),
            lanes,
            vector,
            reasons,
        });
        Ok(())
    }

    fn addresses(&mut self, transfer: &Transfer<'_>, variable: &str) -> Recorded<Addresses> {
        let dims: Vec<Dim> =
            [transfer.to.1, transfer.from.1].into_iter().chain(transfer.limits.iter().map(|l| l.0)).collect();
        let read = |ix: &Indices| {
            let own = dims.iter().map(|&d| ix.get_raw(d)).collect::<Result<Vec<Expr>, _>>()?;
            Ok::<_, KernelError>((own, ix.guards(&dims[..2])?))
        };
        let (mut lane, guards) = match transfer.lanes {
            Some(dim) => read(&*self.ix.loop_over(dim, variable, Unroll::Full)?)?,
            None => read(self.ix)?,
        };
        let mut limits: Vec<_> = transfer.limits.iter().map(|(dim, limit)| (Some(*dim), limit.clone())).collect();
        // one that does not change with the lane may hold already
        for guard in guards.into_iter().filter(|guard| !self.rec.held.contains(guard)) {
            limits.push((None, guard.end));
            lane.push(guard.index.first);
        }
        let first = substituted_all(&lane, |name| (name == variable).then(|| int(0)));
        Ok(Addresses { first, lane, limits })
    }

    /// The vector type if the access can be vectorised, why not, and the state of every limit.
    fn prove(
        &self,
        transfer: &Transfer<'_>,
        lanes: i64,
        variable: &str,
        addresses: &Addresses,
    ) -> Recorded<(Option<&'static str>, Vec<String>, Vec<Limit>)> {
        let indices: Vec<(&Expr, &Expr)> = addresses.first.iter().zip(&addresses.lane).collect();
        let ends: Vec<(usize, &Expr)> = addresses.limits.iter().enumerate().map(|(i, (_, end))| (i + 2, end)).collect();
        let questions = Lanes { variable, count: lanes, simplifier: self.simplifier };
        let (along, limits) = questions.prove(&indices, &ends, self.rec.domain())?;
        if lanes == 1 {
            return Ok((None, vec![], limits));
        }
        let mut reasons = vec![];
        let (to, from) = (transfer.to.0, transfer.from.0);
        if to.element != from.element {
            reasons.push(format!("`{}` and `{}` have different elements", to.name, from.name));
        }
        let vector = to.element.vector(lanes);
        if vector.is_none() {
            reasons.push(format!("there is no vector of {lanes} {}", to.element.c_name()));
        }
        for (i, buffer) in [to, from].into_iter().enumerate() {
            if !along[i].grows {
                reasons.push(format!("lanes of `{}` are not proved to be neighbours", buffer.name));
            } else if !along[i].aligned {
                reasons.push(format!("the index of `{}` is not proved to be a multiple of {lanes}", buffer.name));
            }
            let bytes = lanes.saturating_mul(buffer.element.bytes());
            if floor_mod(i128::from(buffer.alignment), i128::from(bytes)) != 0 {
                reasons.push(format!("`{}` is not known to start at a multiple of {bytes} bytes", buffer.name));
            }
        }
        for (limit, (dim, end)) in limits.iter().zip(&addresses.limits) {
            if *limit == Limit::Unknown {
                let name = dim.map_or_else(|| Ok(end.to_string().into()), |dim| self.ix.label(dim))?;
                reasons.push(format!("lanes may leave the limit of `{name}` in any order"));
            }
        }
        Ok((vector.filter(|_| reasons.is_empty()), reasons, limits))
    }

    /// `buffer[index]`
    fn address(&mut self, buffer: &Buffer, index: &Expr) -> Template {
        let root = self.rec.root(&format!("{}_at", buffer.name), index.clone());
        vec![Piece::Text(format!("{}[", buffer.name)), Piece::Root(root), Piece::Text("]".into())]
    }

    /// One element at a time.
    fn each(
        &mut self,
        transfer: &Transfer<'_>,
        mut block: u32,
        lanes: i64,
        variable: &Arc<str>,
        at: &[Expr],
        condition: Option<Expr>,
    ) {
        if lanes > 1 {
            block = self.rec.open_loop(block, variable.clone(), &int(lanes), Unroll::Full);
        }
        let (to, from) = (self.address(transfer.to.0, &at[0]), self.address(transfer.from.0, &at[1]));
        let assign = |right: &[Piece]| {
            let mut code = to.clone();
            code.push(Piece::Text(" = ".into()));
            code.extend_from_slice(right);
            code.push(Piece::Text(";".into()));
            Statement::Code(code)
        };
        match condition {
            None => self.rec.push(block, assign(&from)),
            Some(condition) => {
                let (then, otherwise) = self.rec.open_if(block, condition, transfer.zero);
                self.rec.push(then, assign(&from));
                if let Some(otherwise) = otherwise {
                    self.rec.push(otherwise, assign(&[Piece::Text(int(0).to_string())]));
                }
            }
        }
    }
}

fn vector_copy(ty: &str, to: &[Piece], from: &[Piece]) -> Template {
    let mut code = vec![Piece::Text(format!("*reinterpret_cast<{ty}*>(&"))];
    code.extend_from_slice(to);
    code.push(Piece::Text(format!(") = *reinterpret_cast<const {ty}*>(&")));
    code.extend_from_slice(from);
    code.push(Piece::Text(");".into()));
    code
}

fn vector_zero(ty: &str, to: &[Piece]) -> Template {
    let mut code = vec![Piece::Text(format!("*reinterpret_cast<{ty}*>(&"))];
    code.extend_from_slice(to);
    code.push(Piece::Text(format!(") = {ty}{{}};")));
    code
}
