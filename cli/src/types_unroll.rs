//! The option `--unroll` of `quaff types`.

use crate::dialect::Reading;
use crate::report::{Failure, Problem};
use miette::Diagnostic;
use quaff_fronts::index_type::Idx;
use std::fmt;

/// A loop, or a part of it: the unrolled main part, or the remaining iterations (the rest).
pub(crate) struct Loop {
    pub(crate) name: String,
    pub(crate) ty: Idx,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{text}` is no unrolled loop")]
#[diagnostic(
    code(quaff::types::unroll),
    help("write a variable, its range with the end left out, and the copies, such as `--unroll i=0..64/8`")
)]
struct NoLoop {
    text: String,
}

/// The main part and the rest of the loop in `text`. One of them may be missing.
pub(crate) fn read_loop(text: &str, reading: &Reading) -> Result<Vec<Loop>, Failure> {
    let declared = reading.declaration(text);
    let read = || {
        let (name, rest) = declared.split_once('=')?;
        let (range, factor) = rest.split_once('/')?;
        let (low, end) = range.split_once("..")?;
        let number = |t: &str| t.trim().parse::<i128>().ok();
        let is_name = !name.trim().is_empty() && !name.trim().contains(char::is_whitespace);
        is_name.then(|| Some((name.trim(), number(low)?, number(end)?, number(factor)?)))?
    };
    let no_loop = || Problem::at_value(&NoLoop { text: text.into() }, "--unroll", text);
    let (name, low, end, factor) = read().ok_or_else(no_loop)?;
    let parts = Idx::unrolled_in_parts(low, end, factor).map_err(|e| Problem::at_value(&e, "--unroll", text))?;
    Ok(parts.into_iter().map(|ty| Loop { name: name.into(), ty }).collect())
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{count} loops with a rest have more than {PARTS} parts together")]
#[diagnostic(code(quaff::types::parts), help("let the copies divide the trips of most loops"))]
struct TooMany {
    count: usize,
}

/// The largest number of combinations of parts.
const PARTS: usize = 64;

/// All combinations that take one part of each loop.
pub(crate) fn combinations(loops: &[Vec<Loop>]) -> Result<Vec<Vec<&Loop>>, Failure> {
    let count = loops.iter().filter(|parts| parts.len() > 1).count();
    if count > PARTS.ilog2() as usize {
        return Err(Problem::new(&TooMany { count }).into());
    }
    let mut all: Vec<Vec<&Loop>> = vec![Vec::new()];
    for parts in loops {
        let with = |chosen: Vec<_>| parts.iter().map(move |part| chosen.iter().copied().chain([part]).collect());
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (values, copies) = (self.ty.values(), self.ty.copies());
        write!(f, "{} in {}..{} by {copies}", self.name, values.start, values.end)
    }
}
