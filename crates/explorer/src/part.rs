//! [`Part`]: single views of the explorer as separate pages, and as fragments for notebooks.

use crate::views::{accesses, answered, banks, printed_kernel, schedules, steps, view};
use maud::{Markup, html};
use quaff::access::{Access, NestedAccesses, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::expr::Expr;
use quaff::{Explanation, Simplified};
use quaff_draw::page::{PARTS_STYLE, Static};
use quaff_fronts::banks::{Decided, Memory};
use quaff_fronts::coalesce::Found;
use quaff_fronts::kernel::KernelText;
use quaff_fronts::view::{ViewError, ViewStack};

/// A view of the explorer that was computed in advance and needs no engine, with a title and its content.
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

    /// The answers to `asked`, each with its changes, and their text for CUDA. If `asked` is empty, the part has only
    /// the answers.
    pub fn answer(asked: &[Expr], answer: &Simplified) -> Part {
        Part::new("Answer", answered(asked, answer))
    }

    /// A printed kernel: its indices, its copies and its text.
    pub fn printed_kernel(text: &KernelText) -> Part {
        Part::new("Kernel", printed_kernel(text))
    }

    /// The lanes that each bank serves at the worst point of an access. A table lists the conflicts.
    pub fn banks(index: &str, decided: &Decided, memory: Memory) -> Part {
        Part::new(format!("Banks of {index}"), banks(decided, memory))
    }

    /// The addresses of a view as a grid, with its shape, its strides and its mask.
    ///
    /// # Errors
    /// The errors of [`ViewStack::at`], if an address of the view is too large.
    pub fn view(title: &str, stack: &ViewStack) -> Result<Part, ViewError> {
        Ok(Part::new(title, view(title, stack)?))
    }

    /// The accesses of a kernel, as they are in `asked`, in their cheapest form, and within their loops. `price` gives
    /// the cost of a single access.
    pub fn kernel(
        asked: &[Access],
        answer: &SimplifiedAccesses,
        nested: &NestedAccesses,
        price: impl Fn(&Access) -> Option<Cost>,
    ) -> Part {
        Part::new("Accesses of a kernel", accesses(asked, answer, nested, &price))
    }

    /// The schedules of a search. `picture` is an SVG of the sectors of the first schedule.
    pub fn schedules(index: &str, found: &Found, picture: &str) -> Part {
        Part::new(format!("Schedules of {index}"), schedules(found, picture))
    }

    /// A page that needs no other file.
    pub fn page(&self) -> String {
        let head = html! { h1 { (self.title) } };
        Static { title: &self.title, body: &(head.into_string() + &self.html) }.html()
    }

    /// An element for a notebook, with its style sheet and without scripts.
    pub fn fragment(&self) -> String {
        format!("<div class=\"quaff notebook\"><style>{PARTS_STYLE}</style>{}</div>", self.html)
    }
}
