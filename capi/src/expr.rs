//! `quaff_expr`: an expression.

use crate::call::{call, look, needed};
use crate::ended::Ended;
use crate::failure::{Failure, quaff_error};
use crate::handle::{Origin, quaff_expr};
use crate::node::quaff_nodes;
use crate::nodes;
use crate::place::quaff_status;
use crate::span::{quaff_int_span, quaff_node_span, quaff_str, quaff_str_span};
use quaff::expr::{DISPLAY_LIMIT, FlatNodes, parse};
use std::mem::MaybeUninit;
use std::slice::from_ref;

/// Reads an expression, such as `(i*16 + j)//4`. The grammar is the grammar of Python, and `//` and `%` round down.
///
/// The caller owns `*expr`, which is NULL after an error. A text that is no expression gives `QUAFF_STATUS_PARSE`, with
/// the place.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_parse(
    text: quaff_str<'_>,
    expr: Option<&mut MaybeUninit<Option<Box<quaff_expr>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(expr, error, || {
        let text = text.text("text", 0)?;
        let parsed = parse(text).map_err(|e| quaff_error::of(quaff_status::Parse, &e))?;
        Ok(Some(Box::new(quaff_expr::new(parsed.expr().clone(), Origin::Text(parsed)))))
    })
}

/// Makes an expression from nodes. `root` is the number of the node of the expression, and `names` are the names of
/// variables.
///
/// The caller owns `*expr`, which is NULL after an error. An invalid node gives `QUAFF_STATUS_NODES`, with the number
/// of the node. The time is proportional to the number of nodes.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_from_nodes(
    nodes: quaff_node_span<'_>,
    names: quaff_str_span<'_>,
    root: u32,
    expr: Option<&mut MaybeUninit<Option<Box<quaff_expr>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(expr, error, || {
        let all = nodes::read(nodes, names)?;
        let root = nodes::one_root(&all, 0, root)?;
        Ok(Some(Box::new(quaff_expr::of_nodes(root, all.into()))))
    })
}

/// Copies an expression, including a borrowed one. The caller owns the copy, which is NULL for NULL. The call takes
/// constant time.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_clone(expr: Option<&quaff_expr>) -> Option<Box<quaff_expr>> {
    let copied = |expr: &quaff_expr| Box::new(quaff_expr::new(expr.expr.clone(), expr.origin.clone()));
    expr.map(copied)
}

/// The text of an expression. `quaff_expr_parse` reads it back. The result is borrowed from `expr`.
///
/// The text repeats shared parts. A text of more than 16 million bytes gives `QUAFF_STATUS_ARGUMENT`. Use
/// `quaff_expr_nodes` for such an expression.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_text<'a>(
    expr: Option<&'a quaff_expr>,
    text: Option<&mut MaybeUninit<quaff_str<'a>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(text, error, || {
        let expr = needed(expr, "expr")?;
        let made = || expr.expr.to_infix(DISPLAY_LIMIT).map(Ended::new).map_err(|e| e.to_string());
        match expr.text.get_or_init(made) {
            Ok(text) => Ok(text.view()),
            Err(message) => Err(Failure::Argument(message.clone()).into()),
        }
    })
}

/// The nodes of an expression, with one root. The result is borrowed from `expr`, and NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_nodes(expr: Option<&quaff_expr>) -> Option<&quaff_nodes> {
    look(None, || {
        let expr = expr?;
        Some(expr.nodes.get_or_init(|| quaff_nodes::new(&FlatNodes::of(from_ref(&expr.expr)), vec![])))
    })
}

/// The value of an expression at a point. `values` has a value for each variable in `names`, in the same order.
///
/// The status is `QUAFF_STATUS_EVAL` for a division by 0, a variable without a value, and a result outside of 64 bits.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_eval(
    expr: Option<&quaff_expr>,
    names: quaff_str_span<'_>,
    values: quaff_int_span<'_>,
    value: Option<&mut MaybeUninit<i64>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(value, error, || {
        let (expr, names) = (needed(expr, "expr")?, names.texts("names")?);
        let values = values.ints().ok_or(Failure::Null("values"))?;
        if names.len() != values.len() {
            return Err(Failure::Argument(format!("{} names, but {} values", names.len(), values.len())).into());
        }
        let value_of = |name: &str| Some(*values.get(names.iter().position(|known| *known == name)?)?);
        let failed = |e: &dyn std::error::Error| quaff_error::plain(quaff_status::Eval, "quaff::eval", e);
        let value = expr.expr.eval(value_of).map_err(|e| failed(&e))?;
        i64::try_from(value).map_err(|e| failed(&e))
    })
}

/// Frees an expression that the caller owns. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_expr_free(expr: Option<Box<quaff_expr>>) {
    drop(expr);
}
