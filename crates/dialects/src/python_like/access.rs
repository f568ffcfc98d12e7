//! Accesses to memory, subscripts, and the variables of kernels.

use super::calls::Arguments;
use super::language::Elements;
use super::reader::Reader;
use super::refusal::{Reading, Refusal, shorten};
use super::value::{Item, Shape, Value};
use quaff_expr::domain::Bounds;
use quaff_expr::expr::{Expr, Op, int, var};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;

/// The greatest start of an `arange`, because Triton allows at most 2^20 values.
const MOST: i64 = 1 << 20;

/// A part of a sum. The pair holds the index of the sum that contains the part, and the index of the part among its
/// operands.
type Term = (Expr, Option<(usize, usize)>);

impl Reader<'_> {
    /// Reads `program_id(0)` as the variable `program_id_0`.
    pub(super) fn axis(&mut self, name: &str, ranges: [(i64, i64); 2], args: &Arguments) -> Reading<Expr> {
        let axis = args.need(0, "axis")?;
        match self.int(axis)?.as_const() {
            Some(n @ 0..=2) => {
                let name: Arc<str> = format!("{name}_{n}").into();
                self.add_range(Arc::clone(&name), ranges[usize::from(n > 0)].into());
                Ok(self.nodes.one(var(name), &args.span))
            }
            _ => Refusal::new(format!("`{}` is no axis", shorten(&self.text[axis.span.clone()])), &axis.span)
                .help("axes are 0, 1 and 2")
                .err(),
        }
    }

    /// Reads `arange(0, 128)` as the variable `arange_0_128`.
    pub(super) fn arange(&mut self, args: &Arguments) -> Reading<Expr> {
        let (first, last) = (args.need(0, "start")?, args.need(1, "end")?);
        let (start, end) = (self.int(first)?, self.int(last)?);
        let Some(start @ 0..=MOST) = start.as_const() else {
            return Refusal::new("an `arange` starts at an integer", &first.span)
                .help("write `tl.arange(0, 128)`")
                .err();
        };
        let (name, range): (Arc<str>, Bounds) = match end.op() {
            Op::Const(end) if start < *end => (format!("arange_{start}_{end}").into(), (start, *end - 1).into()),
            Op::Var(size) if !size.contains('.') => {
                // an `arange` is never empty
                self.add_range(Arc::clone(size), (start + 1..).into());
                (format!("arange_{start}_{size}").into(), (start, &end - 1).into())
            }
            _ => {
                return Refusal::new("an `arange` ends at an integer above its start, or at a name", &last.span)
                    .help("write a definition of a name in front: `BLOCK = 128`")
                    .err();
            }
        };
        if !self.aranges.contains_key(&name) {
            self.add_range(Arc::clone(&name), range);
            self.aranges.insert(Arc::clone(&name), None);
        }
        Ok(self.nodes.one(var(name), &args.span))
    }

    /// Reads `object[subscripts]`.
    pub(super) fn subscript(
        &mut self,
        object: &Item,
        subscripts: &[Item],
        span: &Range<usize>,
    ) -> Reading<(Value, Shape)> {
        let is_axis = |s: &Item| matches!(s.value, Value::Whole | Value::None);
        if let (Value::Many(items), [place]) = (&object.value, subscripts) {
            let place = self.int(place)?.as_const();
            let item = place.and_then(|p| items.get(usize::try_from(p).ok()?));
            return match item {
                Some(item) => Ok((item.value.clone(), item.shape)),
                None => Refusal::new(format!("places are 0 to {}", items.len().saturating_sub(1)), span).err(),
            };
        }
        let at = || shorten(&self.text[span.clone()]);
        if self.language.elements == Elements::Indices {
            self.int(object)?;
            let indices: Reading<Vec<Expr>> = subscripts.iter().map(|s| self.int(s)).collect();
            return Ok((Value::Access(indices?.into()), Shape::Any));
        }
        let value = self.int(object)?;
        if !subscripts.is_empty() && subscripts.iter().all(is_axis) {
            return Ok((Value::Int(value.clone()), self.placed(object, &value, subscripts, span)?));
        }
        Refusal::new(format!("`{}` is data, and no index", at()), span)
            .help("write a name in its place; `--from tvm` reads the indices of `A[i, j]`")
            .err()
    }

    /// The axes of `object[:, None]`, which has the same values along another axis.
    fn placed(&mut self, object: &Item, value: &Expr, subscripts: &[Item], span: &Range<usize>) -> Reading<Shape> {
        let is_whole = |s: &Item| matches!(s.value, Value::Whole);
        let wholes = subscripts.iter().filter(|s| is_whole(s)).count();
        let axes = subscripts.len();
        let before = match object.shape {
            Shape::Tensor(n) => n,
            _ => wholes,
        };
        if before != wholes || wholes == 0 || before > 1 && axes != wholes {
            return Refusal::new(format!("this subscript has {wholes} `:` for {before} axes"), span).err();
        }
        if let Some(axis) = subscripts.iter().position(is_whole).filter(|_| wholes == 1) {
            self.place(value, (axis, axes), span)?;
        }
        Ok(Shape::Tensor(axes))
    }

    /// Records that the `arange`s in `value` vary along `axis`. An `arange` along two axes is an error, because it
    /// would be two variables.
    fn place(&mut self, value: &Expr, (axis, axes): (usize, usize), span: &Range<usize>) -> Reading<()> {
        let mut todo = vec![value];
        while let Some(e) = todo.pop() {
            if self.aranges.is_empty() || !self.placed.insert((e.address(), axis, axes)) {
                continue;
            }
            todo.extend(e.args());
            let Op::Var(name) = e.op() else { continue };
            match self.aranges.get_mut(name) {
                Some(place @ None) => *place = Some((axis, axes)),
                Some(Some(place)) if *place != (axis, axes) => {
                    return Refusal::new(format!("`{name}` lies along two axes, and is two variables"), span)
                        .help("write a name such as `rows` in the place of one of them")
                        .err();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads `load(pointer + offset, mask)` and `store(pointer + offset, value, mask)`. The result is the offset, and
    /// the mask if there is one.
    pub(super) fn access(&mut self, args: &Arguments, mask_at: usize) -> Reading<Value> {
        let pointer = args.need(0, "pointer")?;
        let sum = self.int(pointer)?;
        let offset = self.offset(sum, &pointer.span)?;
        let mask = args.get(mask_at, "mask").filter(|m| !matches!(m.value, Value::None));
        Ok(Value::Access(match mask {
            Some(mask) => [offset, self.int(mask)?].into(),
            None => [offset].into(),
        }))
    }

    /// `sum` without its pointer. The pointer is the first term with the name of a pointer. If there is none, it is the
    /// first term of all, which must be a name.
    fn offset(&mut self, sum: Expr, span: &Range<usize>) -> Reading<Expr> {
        let terms = terms(sum);
        let named =
            |wanted: fn(&str) -> bool| terms.iter().position(|t| matches!(t.0.op(), Op::Var(name) if wanted(name)));
        // the first term is the first part that is not itself a sum or a difference
        let first = || {
            let at = terms.iter().position(|t| !matches!(t.0.op(), Op::Add | Op::Sub))?;
            // a variable with a range, such as `program_id_0`, is a number and not a pointer
            matches!(terms[at].0.op(), Op::Var(name) if !self.ranged.contains(name)).then_some(at)
        };
        let Some(at) = named(is_pointer).or_else(first) else {
            return Refusal::new("no term of this address is the name of a pointer", span)
                .help("write `ptr + offset`")
                .err();
        };
        // rebuild the sums around the pointer, from the inside out
        let mut rest: Option<Expr> = None;
        let mut place = terms[at].1;
        while let Some((parent, operand)) = place {
            let (e, up) = &terms[parent];
            let other = &e.args()[1 - operand];
            rest = Some(match (rest, e.op()) {
                (Some(rest), op) => {
                    let args = if operand == 0 { [rest, other.clone()] } else { [other.clone(), rest] };
                    self.apply(op, &args, span)
                }
                (None, Op::Sub) => self.apply(&Op::Neg, std::slice::from_ref(other), span),
                (None, _) => other.clone(),
            });
            place = *up;
        }
        Ok(rest.unwrap_or_else(|| self.nodes.one(int(0), span)))
    }
}

/// The parts of a sum, from left to right. For a difference, only the added part is listed.
fn terms(sum: Expr) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut todo: Vec<Term> = vec![(sum, None)];
    while let Some((e, parent)) = todo.pop() {
        if !seen.insert(e.address()) {
            continue;
        }
        let operands = match e.op() {
            Op::Add => 2,
            Op::Sub => 1,
            _ => 0,
        };
        let at = terms.len();
        todo.extend((0..operands).rev().map(|i| (e.args()[i].clone(), Some((at, i)))));
        terms.push((e, parent));
    }
    terms
}

/// Whether a variable with this name is an address: `a_ptr`, `in_ptr0`, `ptrs`.
fn is_pointer(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('s');
    ["ptr", "pointer"].iter().any(|word| name.starts_with(word) || name.ends_with(word))
}
