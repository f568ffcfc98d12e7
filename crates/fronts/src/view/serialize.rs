//! Serialisation of stacks of views by serde: constants as numbers, all other expressions as text.

use super::error::ViewError;
use super::facts::Facts;
use super::stack::ViewStack;
use super::strided::View;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A size, stride, offset or bound.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Constant(i64),
    Expression(Expr),
}

impl From<&Expr> for Number {
    fn from(e: &Expr) -> Number {
        e.as_const().map_or_else(|| Number::Expression(e.clone()), Number::Constant)
    }
}

impl From<Number> for Expr {
    fn from(number: Number) -> Expr {
        match number {
            Number::Constant(c) => int(c),
            Number::Expression(e) => e,
        }
    }
}

/// A [`View`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "View", deny_unknown_fields)]
struct Window {
    shape: Vec<Number>,
    strides: Vec<Number>,
    offset: Number,
    mask: Option<Vec<(Number, Number)>>,
}

impl From<&View> for Window {
    fn from(view: &View) -> Window {
        let all = |es: &[Expr]| es.iter().map(Number::from).collect();
        let pairs = |mask: &[(Expr, Expr)]| mask.iter().map(|(b, e)| (b.into(), e.into())).collect();
        Window {
            shape: all(view.shape()),
            strides: all(view.strides()),
            offset: view.offset().into(),
            mask: view.mask().map(pairs),
        }
    }
}

/// A [`ViewStack`]: the facts about the variables in sizes, and the views. The view that addresses memory comes first.
#[derive(Serialize, Deserialize)]
#[serde(rename = "ViewStack", deny_unknown_fields)]
struct Stack {
    sizes: Domain,
    views: Vec<Window>,
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Window::from(self).serialize(to)
    }
}

impl Serialize for ViewStack {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let views = self.views().iter().map(Window::from).collect();
        Stack { sizes: self.domain().clone(), views }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for ViewStack {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ViewStack, D::Error> {
        let Stack { sizes, views } = Stack::deserialize(from)?;
        read(sizes, views).map_err(D::Error::custom)
    }
}

fn read(sizes: Domain, windows: Vec<Window>) -> Result<ViewStack, ViewError> {
    let facts = Facts::new(sizes)?;
    let all = |numbers: Vec<Number>| numbers.into_iter().map(Expr::from).collect::<Vec<_>>();
    let views = windows.into_iter().map(|window| {
        let mask = window.mask.map(|m| m.into_iter().map(|(b, e)| (b.into(), e.into())).collect::<Vec<_>>());
        facts.view(&all(window.shape), &all(window.strides), &window.offset.into(), mask.as_deref())
    });
    let views = views.collect::<Result<Vec<_>, _>>()?;
    ViewStack::from_views(facts, views)
}
