//! Sums: the canonical form of a linear form, and its class.
//!
//! The input is a linear form over any classes. The output is an equal linear form over atoms, or its class.

use crate::egraph::analysis::facts::Facts;
use crate::egraph::analysis::graph::current_facts;
use crate::egraph::language::linear_form::{LinearForm, Terms};
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;
use std::borrow::Cow;
use std::rc::Rc;

impl EGraph {
    fn is_expanded(&self, lin: &LinearForm) -> bool {
        lin.terms().iter().all(|&t| current_facts(&self.graph, t).is_some_and(|f| f.canon().is_none()))
    }

    /// `lin` with every class replaced by its linear form, if it has one. The result is the canonical form.
    pub(crate) fn canonical_deep<'a>(&self, lin: &'a LinearForm) -> Option<Cow<'a, LinearForm>> {
        self.replaced_where(lin, |f| f.canon().is_some())
    }

    /// Like [`canonical_deep`](Self::canonical_deep), but classes that have an operation of their own (`x % 8`) stay.
    pub(crate) fn canonical_shallow<'a>(&self, lin: &'a LinearForm) -> Option<Cow<'a, LinearForm>> {
        self.replaced_where(lin, |f| f.canon().is_some() && (!f.has_operation() || f.constant().is_some()))
    }

    /// `lin` with every class that satisfies `goes` replaced by its linear form. Returns `lin` itself, borrowed, if no
    /// class satisfies it. `goes` must hold only for classes that have a linear form.
    fn replaced_where<'a>(&self, lin: &'a LinearForm, goes: impl Fn(&Facts) -> bool) -> Option<Cow<'a, LinearForm>> {
        if lin.terms().iter().all(|&t| current_facts(&self.graph, t).is_some_and(|f| !goes(f))) {
            return Some(Cow::Borrowed(lin));
        }
        let mut constant = lin.constant as i128;
        let mut out = Terms::new();
        let mut todo: Terms = lin.iter().map(|(c, t)| (t, c as i128)).collect();
        while let Some((t, c)) = todo.pop() {
            let t = self.graph.find(t);
            match self.facts(t).canon() {
                Some(l) if goes(self.facts(t)) => {
                    constant = constant.checked_add(c.checked_mul(l.constant as i128)?)?;
                    for (d, u) in l.iter() {
                        todo.push((u, c.checked_mul(d as i128)?));
                    }
                }
                _ => out.push((t, c)),
            }
        }
        LinearForm::from_terms(i64::try_from(constant).ok()?, out).map(Cow::Owned)
    }

    /// The class of `lin`. If `lin` is not the canonical form, it is added as a spelling of the class.
    pub(crate) fn class_of(&mut self, lin: &LinearForm) -> Option<Id> {
        if self.is_expanded(lin) {
            return Some(self.class_of_canonical(lin));
        }
        let lin = self.canonical_shallow(lin)?;
        if let Some(id) = lin.as_atom() {
            return Some(id);
        }
        match self.canonical_deep(&lin)? {
            Cow::Borrowed(_) => Some(self.class_of_canonical(&lin)),
            Cow::Owned(canonical) => {
                let id = self.class_of_canonical(&canonical);
                if canonical != *lin {
                    self.add_spelling(id, lin.into_owned());
                }
                Some(id)
            }
        }
    }

    pub(crate) fn class_of_canonical(&mut self, lin: &LinearForm) -> Id {
        if lin.is_constant() {
            return self.graph.add(Node::Const(lin.constant));
        }
        match lin.as_atom() {
            Some(id) => id,
            None => self.graph.add(Node::Sum(Rc::new(lin.clone()))),
        }
    }

    /// The canonical form of a class.
    pub(crate) fn canonical(&self, id: Id) -> Rc<LinearForm> {
        let id = self.graph.find(id);
        match self.facts(id).canon() {
            None => Rc::new(LinearForm::atom(id)),
            Some(l) => match self.canonical_deep(l) {
                Some(Cow::Owned(e)) => Rc::new(e),
                Some(Cow::Borrowed(_)) | None => l.clone(),
            },
        }
    }

    /// Makes `id` equal to `lin`. Returns whether the equality was new.
    pub(crate) fn equate(&mut self, id: Id, lin: &LinearForm) -> bool {
        let id = self.graph.find(id);
        let Some(lin) = self.canonical_shallow(lin) else { return false };
        let Some(canonical) = self.canonical_deep(&lin) else { return false };
        let mut news = false;
        if *self.canonical(id) != *canonical {
            let other = self.class_of_canonical(&canonical);
            news = self.union(id, other);
        }
        if matches!(&canonical, Cow::Owned(c) if *c != *lin) {
            drop(canonical);
            news |= self.add_spelling(id, lin.into_owned());
        }
        news
    }
}
