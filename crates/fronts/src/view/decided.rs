//! Decides whether a stack of several views equals a single view.

use super::exact::{OneView, one_view};
use super::facts::Facts;
use super::stack::ViewStack;
use super::strided::View;
use quaff::domain::{Domain, Points};
use quaff::expr::{Expr, int};

/// The number of samples of the variables in sizes. A stack is tested at each sample.
const SAMPLES: usize = 8;
/// The seed of the samples of variables.
const SEED: u64 = 0x5eed;

impl ViewStack {
    /// Whether a single view equals this stack: `true` when one view equals it, `false` when no view equals it, and
    /// `None` when neither is known. The valid indices of one view are a box, in which the address changes by a
    /// constant along each axis.
    ///
    /// For constant sizes, the answer is exact up to a limit on the number of enumerated points. For sizes with
    /// variables, samples of their values are tested. If no view equals the stack at one sample, the result is `false`.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let columns = ViewStack::row_major([8, 12])?.permute(&[1, 0])?;
    /// assert_eq!(columns.is_one_view(), Some(true));
    /// assert_eq!(columns.reshape([96])?.is_one_view(), Some(false));
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    pub fn is_one_view(&self) -> Option<bool> {
        if self.as_view().is_some() {
            return Some(true);
        }
        if self.views().iter().all(View::is_constant) {
            return known(&decided(self.views())?);
        }
        let names: Vec<String> = self.domain().vars().map(String::from).collect();
        let points = Points::new(self.domain(), SEED).ok()?.take(SAMPLES);
        let denied = points.into_iter().any(|point| {
            let value = |name: &str| names.iter().position(|n| n == name).map(|at| point[at]);
            let views = self.views().iter().map(|view| put_in(view, &value)).collect::<Option<Vec<_>>>();
            let decided = views.and_then(|views| decided(&views));
            matches!(decided, Some(OneView::No))
        });
        denied.then_some(false)
    }
}

fn known(found: &OneView) -> Option<bool> {
    match found {
        OneView::Yes(_) => Some(true),
        OneView::No => Some(false),
        OneView::Open => None,
    }
}

fn decided(views: &[View]) -> Option<OneView> {
    let facts = Facts::new(Domain::new()).ok()?;
    Some(one_view(&facts, views))
}

/// The view with values substituted for its variables.
fn put_in(view: &View, value: &dyn Fn(&str) -> Option<i64>) -> Option<View> {
    let number = |e: &Expr| e.eval(value).ok().and_then(|v| i64::try_from(v).ok()).map(int);
    let all = |es: &[Expr]| es.iter().map(number).collect::<Option<Vec<_>>>();
    let mask = view.mask.as_ref().map(|mask| {
        let pairs = mask.iter().map(|(begin, end)| Some((number(begin)?, number(end)?)));
        pairs.collect::<Option<Vec<_>>>()
    });
    let mask = match mask {
        Some(mask) => Some(mask?),
        None => None,
    };
    Some(View { shape: all(&view.shape)?, strides: all(&view.strides)?, offset: number(&view.offset)?, mask })
}
