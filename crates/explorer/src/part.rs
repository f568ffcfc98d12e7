//! [`Part`]: parts of the explorer as pages of their own, and as fragments for notebooks.

use crate::views::{accesses, banks, schedules, steps, view};
use maud::{Markup, html};
use quaff::Explanation;
use quaff::access::{Access, NestedAccesses, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff_draw::page::{PARTS_STYLE, Static};
use quaff_fronts::banks::{Decided, Memory};
use quaff_fronts::coalesce::Found;
use quaff_fronts::view::{ViewError, ViewStack};

/// A part of the explorer that needs no engine: a title, and what it shows.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, quasi::Options};
/// use quaff_explorer::Part;
///
/// let domain = Domain::new().with("x", 0..=9999);
/// let explanation = Simplifier::default().explain(&"x//7//8".parse()?, &domain, &Options::default())?;
/// let page = Part::explanation(&explanation).page();
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("x//56"));
/// # Ok::<(), quaff::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Part {
    title: String,
    html: String,
}

impl Part {
    fn new(title: impl Into<String>, markup: Markup) -> Part {
        Part { title: title.into(), html: markup.into_string() }
    }

    /// The steps from an input to its answer, each with its reason and its check.
    pub fn explanation(explanation: &Explanation) -> Part {
        Part::new(format!("How {} is simplified", explanation.input()), steps(explanation))
    }

    /// The lanes that each bank serves at the worst point of an access, with conflicts as a table.
    pub fn banks(index: &str, decided: &Decided, memory: Memory) -> Part {
        Part::new(format!("Banks of {index}"), banks(decided, memory))
    }

    /// The addresses of a view as a grid, with its shape, its strides and its mask.
    ///
    /// # Errors
    /// Those of [`ViewStack::at`], for a view whose address is too large.
    pub fn view(title: &str, stack: &ViewStack) -> Result<Part, ViewError> {
        Ok(Part::new(title, view(title, stack)?))
    }

    /// The accesses of a kernel: as `asked`, in their cheapest form, and in their loops. `price` gives the cost of one access by itself.
    pub fn kernel(
        asked: &[Access],
        answer: &SimplifiedAccesses,
        nested: &NestedAccesses,
        price: impl Fn(&Access) -> Option<Cost>,
    ) -> Part {
        Part::new("Accesses of a kernel", accesses(asked, answer, nested, &price))
    }

    /// The schedules of a search, with `picture`, which shows the sectors of the first one as SVG.
    pub fn schedules(index: &str, found: &Found, picture: &str) -> Part {
        Part::new(format!("Schedules of {index}"), schedules(found, picture))
    }

    /// A page that needs no other file.
    pub fn page(&self) -> String {
        let head = html! { h1 { (self.title) } };
        Static { title: &self.title, body: &(head.into_string() + &self.html) }.html()
    }

    /// An element for a notebook, with its style sheet.
    pub fn fragment(&self) -> String {
        format!("<div class=\"quaff\"><style>{PARTS_STYLE}</style>{}</div>", self.html)
    }
}
