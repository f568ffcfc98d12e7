//! The text of operations on linear layouts.

use super::Evaluator;
use super::error::LayoutTextError;
use super::read::{Kind, Part};
use crate::layout::error::LayoutError;
use crate::layout::linear::LinearLayout;
use std::ops::Range;

type Made = Result<LinearLayout, LayoutError>;

/// The operands and the effect of an operation.
enum Operation {
    One(fn(&LinearLayout) -> Made),
    Two(fn(&LinearLayout, &LinearLayout) -> Made),
    Names(fn(&LinearLayout, &[&str]) -> Made),
    Sizes(fn(&LinearLayout, &[(&str, i64)]) -> Made),
    Flatten(fn(&LinearLayout, &str) -> Made),
    Identity,
    Strided,
    Zeros,
    Sublayout,
    Linear,
}

/// The operations with names that also exist for layouts. They apply if an operand is a linear layout.
const SHARED: [(&str, Operation); 4] = [
    ("compose", Operation::Two(LinearLayout::compose)),
    ("composition", Operation::Two(LinearLayout::compose)),
    ("left_inverse", Operation::One(LinearLayout::left_inverse)),
    ("right_inverse", Operation::One(LinearLayout::right_inverse)),
];
const OWN: [(&str, Operation); 15] = [
    ("invert", Operation::One(LinearLayout::invert)),
    ("invert_and_compose", Operation::Two(LinearLayout::invert_and_compose)),
    ("divide_left", Operation::Two(|a, b| a.divide_left(b).ok_or_else(no_quotient))),
    ("divide_right", Operation::Two(|a, b| a.divide_right(b).ok_or_else(no_quotient))),
    ("sublayout", Operation::Sublayout),
    ("transpose_ins", Operation::Names(LinearLayout::transpose_ins)),
    ("transpose_outs", Operation::Names(LinearLayout::transpose_outs)),
    ("reshape_ins", Operation::Sizes(LinearLayout::reshape_ins)),
    ("reshape_outs", Operation::Sizes(LinearLayout::reshape_outs)),
    ("flatten_ins", Operation::Flatten(LinearLayout::flatten_ins)),
    ("flatten_outs", Operation::Flatten(LinearLayout::flatten_outs)),
    ("identity", Operation::Identity),
    ("strided", Operation::Strided),
    ("zeros", Operation::Zeros),
    ("linear", Operation::Linear),
];

fn no_quotient() -> LayoutError {
    LayoutError::Bits { why: "the left one is no product with the right one".into() }
}

/// The names of the operations that exist only for linear layouts.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OWN.iter().map(|(name, _)| *name).chain(["layout"])
}

impl Evaluator<'_> {
    /// Whether the value of the text is a linear layout.
    pub(super) fn is_linear(&self, part: &Part) -> bool {
        match &part.kind {
            Kind::Table(_) | Kind::Map(_) => true,
            Kind::Tuple(parts) if parts.len() == 1 => self.is_linear(&parts[0]),
            Kind::After(parts) | Kind::Product(parts) => parts.iter().any(|part| self.is_linear(part)),
            Kind::Call(name, operands) => match &self.text[name.clone()] {
                "layout" => false,
                name if SHARED.iter().any(|(known, _)| *known == name) => {
                    operands.iter().any(|part| self.is_linear(part))
                }
                name => OWN.iter().any(|(known, _)| *known == name),
            },
            _ => false,
        }
    }

    pub(super) fn linear(&mut self, part: &Part) -> Result<LinearLayout, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.linear(&parts[0]),
            Kind::Table(rows) => self.bases(part, rows, None),
            Kind::Map(both) => match (&both[0].kind, &both[1].kind) {
                (Kind::Table(rows), Kind::Table(outs)) => {
                    let outs = self.table_sizes(outs)?;
                    self.bases(part, rows, Some(&outs))
                }
                _ => self.expected("the sizes of the outputs: `{y: 4}`", &both[1]),
            },
            Kind::Product(parts) if self.is_linear(part) => {
                let mut product = LinearLayout::default();
                for factor in parts {
                    let factor = self.linear(factor)?;
                    product = self.at(&part.span, product.product(&factor))?;
                }
                Ok(product)
            }
            Kind::After(parts) => self.linear_after(parts),
            Kind::Call(name, operands) if self.is_linear(part) => self.linear_call(part, name.clone(), operands),
            _ => self.expected("a function of bits; `linear(L, [x], y)` makes one of a layout", part),
        }
    }

    /// Evaluates a composition `a o b o c`.
    fn linear_after(&mut self, parts: &[Part]) -> Result<LinearLayout, LayoutTextError> {
        let Some((last, firsts)) = parts.split_last() else { return Ok(LinearLayout::default()) };
        let mut right = self.linear(last)?;
        for part in firsts.iter().rev() {
            let left = self.linear(part)?;
            right = self.at(&(part.span.start..last.span.end), left.compose(&right))?;
        }
        Ok(right)
    }

    /// The function with these bases. If no sizes are given, the outputs are called `dim0` and so on.
    fn bases(
        &self,
        whole: &Part,
        rows: &[(Range<usize>, Part)],
        outs: Option<&[(&str, i64)]>,
    ) -> Result<LinearLayout, LayoutTextError> {
        let mut ins = Vec::new();
        for (name, bases) in rows {
            let Kind::List(bases) = &bases.kind else { return self.expected("bases in brackets: `[1, 2]`", bases) };
            let bases = bases.iter().map(|basis| self.basis(basis)).collect::<Result<Vec<_>, _>>()?;
            ins.push((&self.text[name.clone()], bases));
        }
        if let Some(outs) = outs {
            return self.at(&whole.span, LinearLayout::new(&ins, outs));
        }
        let rank = ins.iter().flat_map(|(_, bases)| bases).map(Vec::len).next().unwrap_or(0);
        let names: Vec<String> = (0..rank).map(|at| format!("dim{at}")).collect();
        self.at(&whole.span, LinearLayout::of_bases(&ins, &names.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// A basis: a single number, or one number for each output.
    fn basis(&self, part: &Part) -> Result<Vec<i64>, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) | Kind::List(parts) => parts.iter().map(|part| self.number(part)).collect(),
            _ => Ok(vec![self.number(part)?]),
        }
    }

    fn name_of(&self, part: &Part) -> Result<&str, LayoutTextError> {
        match part.kind {
            Kind::Name => Ok(&self.text[part.span.clone()]),
            _ => self.expected("a name", part),
        }
    }

    fn name_list(&self, part: &Part) -> Result<Vec<&str>, LayoutTextError> {
        match &part.kind {
            Kind::List(parts) => parts.iter().map(|part| self.name_of(part)).collect(),
            _ => self.expected("names in brackets: `[x, y]`", part),
        }
    }

    fn table_sizes(&self, rows: &[(Range<usize>, Part)]) -> Result<Vec<(&str, i64)>, LayoutTextError> {
        rows.iter().map(|(name, size)| Ok((&self.text[name.clone()], self.number(size)?))).collect()
    }

    fn linear_call(
        &mut self,
        whole: &Part,
        name: Range<usize>,
        operands: &[Part],
    ) -> Result<LinearLayout, LayoutTextError> {
        let written = &self.text[name.clone()];
        let Some((name, operation)) = SHARED.iter().chain(&OWN).find(|(known, _)| *known == written) else {
            return Err(self.unknown(name));
        };
        let found = match (operation, operands) {
            (Operation::One(f), [a]) => f(&self.linear(a)?),
            (Operation::Two(f), [a, b]) => f(&self.linear(a)?, &self.linear(b)?),
            (Operation::Names(f), [a, names]) => f(&self.linear(a)?, &self.name_list(names)?),
            (Operation::Sizes(f), [a, sizes]) => match &sizes.kind {
                Kind::Table(rows) => f(&self.linear(a)?, &self.table_sizes(rows)?),
                _ => return self.expected("sizes: `{x: 4, y: 8}`", sizes),
            },
            (Operation::Flatten(f), [a, name]) => f(&self.linear(a)?, self.name_of(name)?),
            (Operation::Identity, [size, input, out]) => {
                LinearLayout::identity(self.number(size)?, self.name_of(input)?, self.name_of(out)?)
            }
            (Operation::Strided, [size, stride, input, out]) => LinearLayout::strided(
                self.number(size)?,
                self.number(stride)?,
                self.name_of(input)?,
                self.name_of(out)?,
            ),
            (Operation::Zeros, [size, input, out, out_size]) => LinearLayout::zeros(
                self.number(size)?,
                self.name_of(input)?,
                self.name_of(out)?,
                self.number(out_size)?,
            ),
            (Operation::Sublayout, [a, ins, outs]) => {
                let layout = self.linear(a)?;
                layout.sublayout(&self.name_list(ins)?, &self.name_list(outs)?)
            }
            (Operation::Linear, [a, ins, out]) => {
                let layout = self.numbers(a)?;
                LinearLayout::of_layout(&layout, &self.name_list(ins)?, self.name_of(out)?)
            }
            (operation, _) => return Err(self.operands(name, wanted(operation), operands, whole)),
        };
        self.at(&whole.span, found)
    }
}

/// The operands that an operation takes, as text.
fn wanted(operation: &Operation) -> &'static str {
    match operation {
        Operation::One(_) => "one operand",
        Operation::Two(_) => "two operands",
        Operation::Names(_) => "a function of bits, and names in brackets",
        Operation::Sizes(_) => "a function of bits, and sizes in braces",
        Operation::Flatten(_) => "a function of bits, and a name",
        Operation::Identity => "a size and two names",
        Operation::Strided => "a size, a stride and two names: `strided(SIZE, STRIDE, x, y)`",
        Operation::Zeros => "a size, two names and a size: `zeros(SIZE, x, y, OUT_SIZE)`",
        Operation::Sublayout => "a function of bits, and two lists of names",
        Operation::Linear => "a layout, names in brackets, and a name",
    }
}
