//! Reorders, renames and resizes inputs and outputs.

use super::{Input, LinearLayout, Output, joined, names_of, outputs, parts, refused};
use crate::layout::error::LayoutError;
use std::sync::Arc;

impl LinearLayout {
    /// The function from the named inputs to the named outputs, with 0 for all other inputs. Inputs and outputs keep
    /// their order and their sizes.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] for a name that does not exist.
    pub fn sublayout(&self, ins: &[&str], outs: &[&str]) -> Result<LinearLayout, LayoutError> {
        ins.iter().try_for_each(|name| known(name, &names_of(&self.ins, |i| &i.name), "input"))?;
        outs.iter().try_for_each(|name| known(name, &names_of(&self.outs, |o| &o.name), "output"))?;
        let kept: Vec<usize> = (0..self.outs.len()).filter(|at| outs.contains(&&*self.outs[*at].name)).collect();
        let all = self.ins.iter().filter(|input| ins.contains(&&*input.name)).cloned().collect();
        LinearLayout { ins: all, outs: self.outs.clone() }.of_outs(&kept)
    }

    /// The same function with its inputs in the order of `names`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if these are not the names of all inputs.
    pub fn transpose_ins(&self, names: &[&str]) -> Result<LinearLayout, LayoutError> {
        let order = order(&names_of(&self.ins, |i| &i.name), names, "inputs")?;
        let ins = order.iter().map(|at| self.ins[*at].clone()).collect();
        LinearLayout::checked(ins, self.outs.clone())
    }

    /// The same function with its outputs in the order of `names`.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if these are not the names of all outputs.
    pub fn transpose_outs(&self, names: &[&str]) -> Result<LinearLayout, LayoutError> {
        self.of_outs(&order(&names_of(&self.outs, |o| &o.name), names, "outputs")?)
    }

    /// The function to the outputs at these positions.
    fn of_outs(&self, places: &[usize]) -> Result<LinearLayout, LayoutError> {
        let outs: Vec<Output> = places.iter().map(|at| self.outs[*at].clone()).collect();
        let mut ins = Vec::new();
        for input in &self.ins {
            let moved = input.bases.iter().map(|basis| {
                let old = parts(*basis, &self.outs);
                joined(&places.iter().map(|at| old[*at]).collect::<Vec<_>>(), &outs)
            });
            ins.push(Input { name: input.name.clone(), bases: moved.collect::<Result<_, _>>()? });
        }
        LinearLayout::checked(ins, outs)
    }

    /// The same function with other inputs. The concatenated bits of all inputs do not change, with the first input in
    /// the lowest bits.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if the product of the sizes differs.
    pub fn reshape_ins(&self, ins: &[(&str, i64)]) -> Result<LinearLayout, LayoutError> {
        let (mut all, sizes) = (self.all(), outputs(ins)?);
        same_bits(all.len(), &sizes, "inputs")?;
        let mut found = Vec::new();
        for size in sizes {
            let rest = all.split_off(size.bits);
            found.push(Input { name: size.name, bases: std::mem::replace(&mut all, rest) });
        }
        LinearLayout::checked(found, self.outs.clone())
    }

    /// The same function with other outputs. The concatenated bits of all outputs do not change, with the first output
    /// in the lowest bits.
    ///
    /// # Errors
    /// [`LayoutError::Bits`] if the product of the sizes differs.
    pub fn reshape_outs(&self, outs: &[(&str, i64)]) -> Result<LinearLayout, LayoutError> {
        let outs = outputs(outs)?;
        same_bits(self.out_bits(), &outs, "outputs")?;
        LinearLayout::checked(self.ins.clone(), outs)
    }

    /// The same function with a single input, which has the bits of all inputs.
    ///
    /// # Errors
    /// None for valid functions. The error type is the type of the other operations.
    pub fn flatten_ins(&self, name: &str) -> Result<LinearLayout, LayoutError> {
        let input = Input { name: name.into(), bases: self.all() };
        LinearLayout::checked(vec![input], self.outs.clone())
    }

    /// The same function with a single output, which has the bits of all outputs.
    ///
    /// # Errors
    /// None for valid functions. The error type is the type of the other operations.
    pub fn flatten_outs(&self, name: &str) -> Result<LinearLayout, LayoutError> {
        let out = Output { name: name.into(), bits: self.out_bits() };
        LinearLayout::checked(self.ins.clone(), vec![out])
    }
}

fn known(name: &str, names: &[&str], what: &str) -> Result<(), LayoutError> {
    match names.contains(&name) {
        true => Ok(()),
        false => Err(refused(format!("there is no {what} `{name}`; there are {}", listed(names)))),
    }
}

/// The positions of `wanted` in `names`. Both must have the same names.
pub(super) fn order(names: &[&str], wanted: &[&str], what: &str) -> Result<Vec<usize>, LayoutError> {
    let places = wanted.iter().map(|name| names.iter().position(|n| n == name)).collect::<Option<Vec<_>>>();
    let mut sorted = places.clone().unwrap_or_default();
    sorted.sort_unstable();
    match places {
        Some(places) if sorted.iter().copied().eq(0..names.len()) => Ok(places),
        _ => Err(refused(format!("the {what} are {}, and not {}", listed(names), listed(wanted)))),
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn same_bits(bits: usize, sizes: &[Output], what: &str) -> Result<(), LayoutError> {
    let wanted: usize = sizes.iter().map(|size| size.bits).sum();
    match wanted == bits {
        true => Ok(()),
        false => Err(refused(format!("the {what} have {bits} bits, and the sizes given {wanted}"))),
    }
}

/// The union of both lists in an order that agrees with both. If there are several such orders, names of the first list
/// come first. `None` if there is no such order.
pub(super) fn united(first: &[&str], second: &[&str]) -> Option<Vec<Arc<str>>> {
    let (mut all, mut next): (Vec<Arc<str>>, usize) = (Vec::new(), 0);
    let push = |name: &str, all: &mut Vec<Arc<str>>| {
        let is_new = !all.iter().any(|known| **known == *name);
        is_new.then(|| all.push(name.into()))
    };
    for name in first {
        if let Some(at) = second.iter().position(|n| n == name) {
            // `None` if two common names are in opposite orders
            for before in second.get(next..at)? {
                push(before, &mut all)?;
            }
            next = at + 1;
        }
        push(name, &mut all)?;
    }
    second[next..].iter().try_for_each(|name| push(name, &mut all))?;
    Some(all)
}
