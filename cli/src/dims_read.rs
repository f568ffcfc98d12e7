//! Converts parts of a file of `quaff dims` to values of the library.

use crate::dims_error::{FileError, syntax, unknown, unread};
use crate::dims_text::{BufferEntry, Entries, Source, Text, Value, ValueEntry, table};
use quaff::domain::{Bounds, Domain};
use quaff::expr::Expr;
use quaff_dialects::read;
use quaff_fronts::dims::{Dim, Indices};
use quaff_fronts::kernel::Element;

/// A requested index.
pub(crate) struct Answer {
    /// The blocks around the index.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) raw: Expr,
    pub(crate) simplified: Expr,
    /// The condition under which the index is inside of its dimension. `None` when it is always inside.
    pub(crate) inside: Option<Expr>,
}

/// The explanation of the index of one dimension in one place of the kernel.
pub(crate) struct Why {
    pub(crate) place: String,
    pub(crate) text: String,
}

pub(crate) fn dim_named(ix: &Indices, name: &str) -> Result<Dim, FileError> {
    let known = || ix.dims().map(|dim| dim.name).collect::<Vec<_>>();
    ix.dim_named(name).ok_or_else(|| unknown("dimension", name, known().iter().map(|n| &**n)))
}

pub(crate) fn buffer_entry(name: &str, value: &Value) -> Result<BufferEntry, FileError> {
    if let Some(ty) = value.get_ref().as_str() {
        return Ok(BufferEntry { ty: ty.into(), align: None, shared: None, registers: None });
    }
    let expected =
        "a buffer is a type such as `const float`, or a table of `type` and `align`, `shared` or `registers`";
    table(value).map_err(|_| syntax(name, expected).at(value.span()))
}

/// The element type that the C type `ty` names, and whether `ty` is `const`.
pub(crate) fn element(ty: &str) -> Result<(Element, bool), FileError> {
    let (bare, is_const) = ty.trim().strip_prefix("const ").map_or((ty, false), |bare| (bare, true));
    let found = Element::ALL.into_iter().find(|e| e.c_name() == bare.trim());
    let names = || Element::ALL.map(Element::c_name).join("`, `");
    Ok((
        found.ok_or_else(|| syntax(ty, format!("one of `{}`, with `const` where it is only read", names())))?,
        is_const,
    ))
}

pub(crate) fn value_entry(name: &str, value: &Value) -> Result<ValueEntry, FileError> {
    if let Some(range) = value.get_ref().as_str() {
        return Ok(ValueEntry { range: range.into(), code: None });
    }
    let expected = "a value is a range, or `{ range = \"0..63\", code = \"table[i]\" }`";
    table(value).map_err(|_| syntax(name, expected).at(value.span()))
}

/// The ends of a range. `None` when an end is open.
pub(crate) fn interval(text: &str) -> Result<Option<(i64, i64)>, FileError> {
    let expected = "a range such as `0..63`, both ends inclusive";
    let mut domain = Domain::new();
    domain.declare(&format!("value = {text}")).map_err(|_| syntax(text, expected))?;
    let facts = domain.resolve().map_err(|_| syntax(text, expected))?;
    Ok(facts.first().and_then(|v| v.interval.bounded()))
}

pub(crate) fn range(text: &str) -> Result<Bounds, FileError> {
    Ok(interval(text)?.map_or(Bounds::default(), Bounds::from))
}

/// The text of the index to which a dimension is set.
pub(crate) fn quoted<'v>(name: &Text, value: &'v Value) -> Result<&'v str, FileError> {
    let expected = "set it to an expression, in quotes";
    value.get_ref().as_str().ok_or_else(|| syntax(name.get_ref(), expected).at(value.span()))
}

/// The expression in `text` after the first `start` bytes.
pub(crate) fn expression(source: Source<'_>, text: &Text, start: usize) -> Result<Expr, FileError> {
    let rest = &text.get_ref()[start..];
    let blanks = rest.len() - rest.trim_start().len();
    let mut found = read(rest.trim(), source.from).map_err(|e| unread(e, source, text, start + blanks))?;
    let reason = found.requirements.first().map(|r| format!("a value of it {}; write it in a signed type", r.reason));
    match (found.results.pop(), found.results.len(), reason) {
        (Some(one), 0, None) => Ok(one.into_expr()),
        (_, 0, Some(reason)) => Err(syntax(rest.trim(), reason).at(text.span())),
        _ => Err(syntax(rest.trim(), "an expression, which has one result").at(text.span())),
    }
}

/// The expression `text`, which is all of `value`.
pub(crate) fn expression_at(source: Source<'_>, value: &Value, text: &str) -> Result<Expr, FileError> {
    expression(source, &Text::new(value.span(), text.into()), 0)
}

/// The dimensions and their limits in the entries of a table. Errors have the place of the entry.
pub(crate) fn limits(ix: &Indices, source: Source<'_>, entries: &Entries<Text>) -> Result<Vec<(Dim, Expr)>, FileError> {
    let limit = |(dim, end): (&Text, &Text)| {
        Ok((dim_named(ix, dim.get_ref()).map_err(|e| e.at(dim.span()))?, expression(source, end, 0)?))
    };
    entries.iter().map(limit).collect()
}
