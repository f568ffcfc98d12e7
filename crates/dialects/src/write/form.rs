//! The forms that a text is built from. Each form is stored once, with the range of its value.

use quaff_expr::domain::{Interval, error_of_op};
use quaff_expr::expr::Op;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The index of a form.
pub(super) type Id = u32;

/// The operation of a form, in the meaning of its language. In a language whose division truncates, `//` is that
/// division.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Say {
    /// An operation, a number, or a variable with its name in the text.
    Op(Op),
    /// Converts the operand to a number of 64 bits.
    Widen,
    /// Converts the operand, which is unsigned, to a signed number.
    Sign,
    /// The quotient, rounded up.
    CeilDiv,
    /// The digit `a // b % c` as one operation.
    Modular,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number of 32 bits, or an integer of any size if the language has no widths.
    Int,
    /// An unsigned number of 32 bits.
    Unsigned,
    /// A number of 64 bits.
    Wide,
    /// A truth value.
    Truth,
}

/// A part of a text.
pub(super) struct Form {
    pub(super) say: Say,
    args: [Id; 3],
    pub(super) kind: Kind,
    /// An interval that contains every value.
    pub(super) range: Interval,
    /// Whether the form or one of its parts has no value for some operands.
    pub(super) is_partial: bool,
}

impl Form {
    /// The operands.
    pub(super) fn args(&self) -> &[Id] {
        let count = match &self.say {
            Say::Op(op) => op.arity(),
            Say::Widen | Say::Sign => 1,
            Say::CeilDiv => 2,
            Say::Modular => 3,
        };
        &self.args[..count]
    }

    pub(super) fn constant(&self) -> Option<i64> {
        if let Say::Op(Op::Const(c)) = self.say { Some(c) } else { None }
    }

    /// The number of operands, counted from the first, that are always evaluated.
    pub(super) fn strict(&self) -> usize {
        if matches!(&self.say, Say::Op(op) if op.is_lazy()) { 1 } else { 3 }
    }
}

/// All forms. Operands come before the forms that use them.
#[derive(Default)]
pub(super) struct Forms {
    forms: Vec<Form>,
    ids: FxHashMap<(Say, [Id; 3]), Id>,
}

impl Forms {
    /// Returns the form for this operation. The kind and the range are used only if the form is new.
    pub(super) fn put(&mut self, say: Say, args: &[Id], kind: Kind, range: Interval) -> Id {
        let mut all = [0; 3];
        all.iter_mut().zip(args).for_each(|(to, from)| *to = *from);
        if let Some(&known) = self.ids.get(&(say.clone(), all)) {
            return known;
        }
        let id = self.forms.len() as Id;
        self.ids.insert((say.clone(), all), id);
        let is_partial = self.is_partial(&say, args);
        self.forms.push(Form { say, args: all, kind, range, is_partial });
        id
    }

    fn is_partial(&self, say: &Say, args: &[Id]) -> bool {
        let ranges: Vec<Interval> = args.iter().map(|&a| self.get(a).range).collect();
        let own = match say {
            Say::Op(op) => error_of_op(op, &ranges).is_some(),
            Say::CeilDiv | Say::Modular => ranges[1..].iter().any(|r| r.contains(0)),
            Say::Widen | Say::Sign => false,
        };
        own || args.iter().any(|&a| self.get(a).is_partial)
    }

    pub(super) fn get(&self, id: Id) -> &Form {
        &self.forms[id as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.forms.len()
    }
}

/// A part of the text of a form.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(&'static str),
    Owned(Arc<str>),
    /// A form, which is in parentheses if its precedence is lower than this.
    Part(Id, u8),
}

/// The text of a form, and its precedence.
pub(super) type Spelled = (Vec<Piece>, u8);

/// Writes `left sign right`.
pub(super) fn between(left: (Id, u8), sign: &'static str, right: (Id, u8), own: u8) -> Spelled {
    (vec![Piece::Part(left.0, left.1), Piece::Text(sign), Piece::Part(right.0, right.1)], own)
}

/// Writes `name(a, b, ...)` with the precedence `own`.
pub(super) fn call(open: &'static str, args: &[Id], own: u8) -> Spelled {
    let mut pieces = vec![Piece::Text(open)];
    for (i, &a) in args.iter().enumerate() {
        pieces.extend((i > 0).then_some(Piece::Text(", ")));
        pieces.push(Piece::Part(a, 0));
    }
    pieces.push(Piece::Text(")"));
    (pieces, own)
}

/// Writes `receiver.name(a, b, ...)` with the precedence `own`.
pub(super) fn method(receiver: Id, open: &'static str, args: &[Id], own: u8) -> Spelled {
    let (mut pieces, _) = call(open, args, own);
    pieces.insert(0, Piece::Part(receiver, own));
    (pieces, own)
}

/// Writes a sign before an operand, whose precedence must be at least `least`.
pub(super) fn before(sign: &'static str, a: Id, least: u8, own: u8) -> Spelled {
    (vec![Piece::Text(sign), Piece::Part(a, least)], own)
}

/// Writes a text that is one word.
pub(super) fn word(text: impl Into<Arc<str>>, own: u8) -> Spelled {
    (vec![Piece::Owned(text.into())], own)
}

/// The text of an operation that the language does not have. No program reads it as another operation.
pub(super) fn other(say: &Say, args: &[Id], own: u8) -> Spelled {
    let name = if let Say::Op(op) = say { op.symbol() } else { "" };
    let (mut pieces, own) = call("(", args, own);
    pieces.insert(0, Piece::Text(name));
    (pieces, own)
}
