//! The text of errors: a headline, the movement, and a help text with the nearest alternative that would work.

use super::error::{ErrorKind, ViewError};
use quaff::expr::Expr;
use std::fmt::{self, Display};

impl std::error::Error for ViewError {}

impl miette::Diagnostic for ViewError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(format!("quaff::view::{}", self.name())))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(help(self.kind())))
    }
}

impl Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        headline(f, self.kind())?;
        match self.place() {
            Some(place) if place.position == 0 => write!(f, "\n  in the {} that the chain begins with", place.movement),
            Some(place) => write!(f, "\n  in movement {}, `{}`", place.position, place.movement),
            None => Ok(()),
        }
    }
}

fn headline(f: &mut fmt::Formatter<'_>, kind: &ErrorKind) -> fmt::Result {
    match kind {
        ErrorKind::Rank { what, axes, given } => {
            write!(f, "{} for {}", counted(*given, what.0, what.1), counted(*axes, "axis", "axes"))
        }
        ErrorKind::TooManyAxes { limit } => write!(f, "more than {limit} axes"),
        ErrorKind::TooManyViews { limit } => write!(f, "more than {limit} views that are not one view"),
        ErrorKind::Axis { axis, axes } => {
            write!(f, "there is no axis {axis}: there {} {}", are(*axes), counted(*axes, "axis", "axes"))
        }
        ErrorKind::RepeatedAxis { axis, .. } => write!(f, "axis {axis} is named twice"),
        ErrorKind::NegativeSize { axis, size } => write!(f, "axis {axis} has the size {size}, which is below 0"),
        ErrorKind::Reshape { from, elements, to, asked, .. } => {
            write!(f, "{} has {} and {} has {}", shape(from), number(elements), shape(to), number(asked))
        }
        ErrorKind::Expand { axis, size, asked } => {
            write!(f, "axis {axis} has the size {size} and cannot be expanded to {asked}")
        }
        ErrorKind::Bounds { axis, size, begin, end, .. } => {
            write!(f, "({begin}, {end}) is no part of axis {axis}, whose size is {size}")
        }
        ErrorKind::NegativePad { axis, before, after } => {
            write!(f, "axis {axis} cannot be padded by ({before}, {after})")
        }
        ErrorKind::Step { axis } => write!(f, "the step along axis {axis} is 0"),
        ErrorKind::Mask { axis, size, begin, end } => {
            write!(f, "the mask ({begin}, {end}) does not fit axis {axis}, whose size is {size}")
        }
        ErrorKind::Chained { view, reaches: (least, most), elements } => {
            write!(f, "view {view} reaches {least} to {most} of a view with {}", number(elements))
        }
        ErrorKind::ShapesDiffer { first, view, shape: other } => {
            write!(f, "view {view} has the shape {}, the first one {}", shape(other), shape(first))
        }
        ErrorKind::DomainsDiffer => write!(f, "the views know different things of the variables in their sizes"),
        ErrorKind::Undecided { what, condition, .. } => write!(f, "{what}: it is not known whether `{condition}`"),
        ErrorKind::Undeclared { name } => write!(f, "nothing is known of the variable `{name}`"),
        ErrorKind::NameTaken { name } => write!(f, "the name `{name}` is taken"),
        ErrorKind::Overflow { what } => write!(f, "{what} does not fit 64 bits"),
        ErrorKind::TooLarge { what } => write!(f, "{what} is too large an expression"),
        ErrorKind::NotDrawn { why } => write!(f, "there is no picture of the view: {why}"),
        ErrorKind::Domain(error) => write!(f, "what is known of the sizes contradicts itself: {error}"),
        ErrorKind::Simplify(error) => write!(f, "index and validity cannot be simplified: {error}"),
    }
}

fn help(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Rank { axes: 0, .. } => "a view of one element has no axes".into(),
        ErrorKind::Rank { axes, .. } => format!("there must be {axes}, one for each axis"),
        ErrorKind::TooManyAxes { .. } | ErrorKind::TooManyViews { .. } => "split the chain in parts".into(),
        ErrorKind::Axis { axes: 0, .. } => "a view of one element has no axes".into(),
        ErrorKind::Axis { axes, .. } => format!("axes are counted from 0; the last one is {}", axes - 1),
        ErrorKind::RepeatedAxis { missing, .. } if missing.is_empty() => "name it once".into(),
        ErrorKind::RepeatedAxis { missing, .. } => format!("not named: {}", list(missing)),
        ErrorKind::NegativeSize { .. } => "a size is 0 or more; `shrink` takes elements away".into(),
        ErrorKind::Reshape { elements, nearest, .. } => match nearest {
            Some(nearest) => format!("`reshape{}` has {}", shape(nearest), number(elements)),
            None => format!("a shape with {} is one of them all, `reshape({elements})`", number(elements)),
        },
        ErrorKind::Expand { axis, size, .. } => {
            format!(
                "only axes of size 1 are expanded; give {size} for axis {axis}, or reshape to an axis of size 1 before it"
            )
        }
        ErrorKind::Bounds { nearest: Some((begin, end)), .. } => {
            format!("the nearest bounds are ({begin}, {end}); `pad` adds elements")
        }
        ErrorKind::Bounds { .. } => "bounds are (begin, end) with 0 <= begin <= end <= size".into(),
        ErrorKind::NegativePad { .. } => "amounts are 0 or more; `shrink` takes elements away".into(),
        ErrorKind::Step { .. } => "1 keeps all elements, 2 every second one, -1 all in reverse order".into(),
        ErrorKind::Mask { .. } => "a mask is (begin, end) with 0 <= begin <= end <= size".into(),
        ErrorKind::Chained { .. } => "every valid index of a view must be an element of the view below".into(),
        ErrorKind::ShapesDiffer { .. } => "`expand` or `reshape` the views to one shape first".into(),
        ErrorKind::DomainsDiffer => "make all of them with the same domain of sizes".into(),
        ErrorKind::Undecided { nearest: Some(nearest), .. } => {
            format!("the shape {} needs no such condition", shape(nearest))
        }
        ErrorKind::Undecided { condition, .. } => {
            format!("say more of the variables: narrower ranges, a multiple, or assume `{condition}`")
        }
        ErrorKind::Undeclared { name } => format!("give it a range, such as `{name}=1..1024`"),
        ErrorKind::NameTaken { .. } => "indices have names of their own, other than the variables in sizes".into(),
        ErrorKind::Overflow { .. } => {
            "sizes, strides and offsets lie in -2^63..2^63-1, and so do their products".into()
        }
        ErrorKind::TooLarge { .. } => "name a part of it as a variable of its own".into(),
        ErrorKind::NotDrawn { .. } => "pictures show up to 3 axes and 4096 positions; sizes must be numbers".into(),
        ErrorKind::Domain(_) | ErrorKind::Simplify(_) => {
            "the ranges of the variables must leave a value for each".into()
        }
    }
}

/// The text of a shape, such as `(2, n, 4)`.
fn shape(sizes: &[Expr]) -> String {
    format!("({})", list(sizes))
}

fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn number(elements: &Expr) -> String {
    format!("{elements} element{}", if elements.as_const() == Some(1) { "" } else { "s" })
}

fn counted(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}
