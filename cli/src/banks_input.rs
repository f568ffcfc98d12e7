//! Reads the shapes of arrays and the descriptions of machines in the arguments of `quaff banks`.

use crate::input;
use crate::report::{Failure, Given, Problem};
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff_fronts::banks::{Machine, Memory};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, thiserror::Error, Diagnostic)]
enum BadInput {
    #[error("`{text}` is no shape")]
    #[diagnostic(code(quaff::banks::shape), help("write a positive size for each dimension, such as `--shape 32x33`"))]
    Shape { text: String },
    #[error("{indices} indices, but {sizes} sizes")]
    #[diagnostic(
        code(quaff::banks::dimensions),
        help("write an index for each size, such as `--index 'r, c' --shape 32x33`")
    )]
    Dimensions { indices: usize, sizes: usize },
    #[error("this index is not known to lie in 0..{}: its range is {range}", size - 1)]
    #[diagnostic(
        code(quaff::banks::outside),
        help("give its variables shorter ranges, or the dimension more elements")
    )]
    Outside { size: i64, range: String },
    #[error("`{text}` has no lanes that are served together")]
    #[diagnostic(code(quaff::banks::lanes), help("write numbers and ranges, such as `\"0..3, 20..23\"`"))]
    Lanes { text: String },
    #[error("`{text}` is no width in bytes")]
    #[diagnostic(code(quaff::banks::width), help("1, 2, 4, 8 or 16"))]
    Width { text: String },
    #[error("{message}")]
    #[diagnostic(
        code(quaff::banks::machine),
        help("a machine is {}, or a file with `banks`, `bank_bytes` and `[phases]`", Machine::NAMES.join(", "))
    )]
    File { message: String },
}

/// The linear index of the array element with the indices `given`. Elements along the last dimension are neighbours.
pub(crate) fn in_shape(given: &[Given], shape: &str, domain: &Domain) -> Result<Expr, Failure> {
    let sizes = shape.split('x').map(|n| n.trim().parse::<i64>().ok().filter(|n| *n > 0)).collect::<Option<Vec<i64>>>();
    let no_shape = || Problem::at_value(&BadInput::Shape { text: shape.into() }, "--shape", shape);
    let sizes = sizes.ok_or_else(no_shape)?;
    if sizes.len() != given.len() {
        return Err(Problem::new(&BadInput::Dimensions { indices: given.len(), sizes: sizes.len() }).into());
    }
    let simplifier = Simplifier::default();
    let mut facts = simplifier.facts(domain);
    let mut element: Option<Expr> = None;
    for (index, size) in given.iter().zip(sizes) {
        let expr = index.parsed.expr();
        let range = facts.bounds(expr).map_err(|e| Problem::refused(&e, index.file, &index.parsed))?;
        if !range.within(0, i128::from(size) - 1) {
            let error = BadInput::Outside { size, range: range.to_string() };
            return Err(Problem::at_whole(&error, index).into());
        }
        element = Some(match element {
            None => expr.clone(),
            Some(outer) => outer * int(size) + expr,
        });
    }
    Ok(element.unwrap_or_else(|| int(0)))
}

/// The description of a machine in a TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    banks: u32,
    bank_bytes: u32,
    /// For each width in bytes, the lanes that the machine serves together.
    #[serde(default)]
    phases: BTreeMap<String, Vec<String>>,
}

/// The machine called `name`, or else the machine that the file `name` describes.
pub(crate) fn machine(name: &str) -> Result<Machine, Failure> {
    if let Some(machine) = Machine::named(name) {
        return Ok(machine);
    }
    let text = match Path::new(name).exists() {
        true => input::read(Path::new(name))?,
        false => {
            let message = format!("there is no machine and no file `{name}`");
            return Err(Problem::at_value(&BadInput::File { message }, "--machine", name).into());
        }
    };
    let wrong = |e: toml::de::Error| Problem::new(&BadInput::File { message: format!("{name}: {}", e.message()) });
    let file: MachineFile = toml::from_str(&text).map_err(wrong)?;
    let memory = Memory::new(file.banks, file.bank_bytes).map_err(|e| Problem::new(&e))?;
    let mut machine = Machine::from(memory);
    for (width, groups) in &file.phases {
        let no_width = |_| Problem::new(&BadInput::Width { text: width.clone() });
        let bytes = width.trim().parse().map_err(no_width)?;
        let groups = groups.iter().map(|group| lanes(group)).collect::<Result<Vec<Vec<u32>>, Failure>>()?;
        machine = machine.with_phases(bytes, groups).map_err(|e| Problem::new(&e))?;
    }
    Ok(machine)
}

/// The lanes in a text such as `0..3, 20..23`. Both ends of each range are included.
fn lanes(text: &str) -> Result<Vec<u32>, Failure> {
    const LANES: u32 = 1024;
    let part = |part: &str| {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let number = |t: &str| t.trim().parse::<u32>().ok().filter(|n| *n < LANES);
        Some(number(first)?..=number(last)?)
    };
    let ranges = text.split(',').map(part).collect::<Option<Vec<_>>>();
    let no_lanes = || Problem::new(&BadInput::Lanes { text: text.into() });
    Ok(ranges.ok_or_else(no_lanes)?.into_iter().flatten().collect())
}
