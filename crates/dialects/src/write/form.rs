//! Forms: what a text is made of, each once, with what is known of its value.

use quaff_expr::domain::{Interval, error_of_op};
use quaff_expr::expr::Op;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The place of a form among all.
pub(super) type Id = u32;

/// What a form says, in the meaning of its language: `//` of one that truncates is its own division.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Say {
    /// An operation, a number, or a variable under the name that the text has for it.
    Op(Op),
    /// The operand as a number of 64 bits.
    Widen,
    /// The operand, which is unsigned, as a number with a sign.
    Sign,
    /// The least integer that is not below the quotient.
    CeilDiv,
    /// `a // b % c` as one operation.
    Modular,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of 32 bits, or of any number where the language has no widths.
    Int,
    /// Of 32 bits without a sign.
    Unsigned,
    /// Of 64 bits.
    Wide,
    /// True or false.
    Truth,
}

/// A part of a text.
pub(super) struct Form {
    pub(super) say: Say,
    args: [Id; 3],
    pub(super) kind: Kind,
    /// Holds every value.
    pub(super) range: Interval,
    /// Whether it has no value for some values of its operands, or one of its parts has none.
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

    /// How many of the first operands are computed whatever the values are.
    pub(super) fn strict(&self) -> usize {
        if matches!(&self.say, Say::Op(op) if op.is_lazy()) { 1 } else { 3 }
    }
}

/// All forms, operands before those that use them.
#[derive(Default)]
pub(super) struct Forms {
    forms: Vec<Form>,
    ids: FxHashMap<(Say, [Id; 3]), Id>,
}

impl Forms {
    /// The form of this meaning; what it is said to be counts where it is new.
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
    /// A form, in parentheses where it binds less tightly than this.
    Part(Id, u8),
}

/// The text of a form and how tightly it binds.
pub(super) type Spelled = (Vec<Piece>, u8);

/// `left sign right`
pub(super) fn between(left: (Id, u8), sign: &'static str, right: (Id, u8), own: u8) -> Spelled {
    (vec![Piece::Part(left.0, left.1), Piece::Text(sign), Piece::Part(right.0, right.1)], own)
}

/// `name(a, b, ...)`, which binds like `own`.
pub(super) fn call(open: &'static str, args: &[Id], own: u8) -> Spelled {
    let mut pieces = vec![Piece::Text(open)];
    for (i, &a) in args.iter().enumerate() {
        pieces.extend((i > 0).then_some(Piece::Text(", ")));
        pieces.push(Piece::Part(a, 0));
    }
    pieces.push(Piece::Text(")"));
    (pieces, own)
}

/// `receiver.name(a, b, ...)`, which binds like `own`.
pub(super) fn method(receiver: Id, open: &'static str, args: &[Id], own: u8) -> Spelled {
    let (mut pieces, _) = call(open, args, own);
    pieces.insert(0, Piece::Part(receiver, own));
    (pieces, own)
}

/// A sign before an operand that binds more tightly.
pub(super) fn before(sign: &'static str, a: Id, least: u8, own: u8) -> Spelled {
    (vec![Piece::Text(sign), Piece::Part(a, least)], own)
}

/// A text that is one word.
pub(super) fn word(text: impl Into<Arc<str>>, own: u8) -> Spelled {
    (vec![Piece::Owned(text.into())], own)
}

/// The text of an operation that the language has no sign for: no program takes it for another one.
pub(super) fn other(say: &Say, args: &[Id], own: u8) -> Spelled {
    let name = if let Say::Op(op) = say { op.symbol() } else { "" };
    let (mut pieces, own) = call("(", args, own);
    pieces.insert(0, Piece::Text(name));
    (pieces, own)
}
