//! The dialects: what their operators mean, and which functions they have.

use super::functions::{BUILTIN, Function, Group, HELPERS, MATH, NUMPY, SYMPY, TINYGRAD, TIR, TL, TORCH, TRITON};
use crate::dialect::Dialect;

/// A dialect of Python's grammar.
pub(super) struct Language {
    pub(super) dialect: Dialect,
    /// `//` and `%` of values that are no literals; of literals they are Python's, floor.
    pub(super) division: Division,
    /// `/` of integers.
    pub(super) slash: Slash,
    /// A fraction that is used as an integer.
    pub(super) whole: Whole,
    /// `and` and `or`.
    pub(super) logic: Logic,
    /// `~`
    pub(super) complement: Complement,
    groups: &'static [&'static Group],
    methods: &'static [(&'static str, Function)],
    /// What `A[i, j]` is.
    pub(super) elements: Elements,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// Rounds down, as Python does.
    Floor,
    /// Rounds towards zero, as machines do.
    Truncated,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    /// A fraction, which has to be rounded.
    Exact,
    /// Rounds towards zero.
    Truncated,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// Is a number with a point, which is no index.
    Refused,
    /// Is an integer where that is proved.
    Proved,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Logic {
    /// One of the operands, as in Python: `a and b` is `b if a else a`.
    Operand,
    /// 0 or 1.
    Truth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Complement {
    /// The other truth value, of whatever it is.
    Not,
    /// The other truth value; of an integer, all bits.
    NotOfTruths,
    /// Of a truth value it depends on types that a text does not have: refused.
    OfType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elements {
    /// An access whose indices are the results.
    Indices,
    /// No index: refused.
    Data,
}

const PYTHON: Language = Language {
    dialect: Dialect::Python,
    division: Division::Floor,
    slash: Slash::Exact,
    whole: Whole::Proved,
    logic: Logic::Operand,
    complement: Complement::OfType,
    groups: &[&BUILTIN, &MATH, &NUMPY],
    methods: &[("astype", Function::Cast { value: 0, number: 1 }), ("clip", Function::Clip)],
    elements: Elements::Data,
};

static LANGUAGES: [Language; 6] = [
    PYTHON,
    Language {
        dialect: Dialect::Triton,
        division: Division::Truncated,
        whole: Whole::Refused,
        logic: Logic::Truth,
        complement: Complement::NotOfTruths,
        groups: &[&TL, &TRITON, &BUILTIN],
        methods: &[("to", Function::Cast { value: 0, number: 1 })],
        ..PYTHON
    },
    Language {
        dialect: Dialect::Inductor,
        whole: Whole::Refused,
        logic: Logic::Truth,
        complement: Complement::NotOfTruths,
        groups: &[&TORCH, &HELPERS, &TL, &SYMPY, &BUILTIN, &MATH],
        methods: &[("to", Function::Cast { value: 0, number: 1 })],
        ..PYTHON
    },
    Language {
        dialect: Dialect::Sympy,
        logic: Logic::Truth,
        complement: Complement::Not,
        groups: &[&SYMPY, &TORCH, &BUILTIN],
        methods: &[],
        ..PYTHON
    },
    Language {
        dialect: Dialect::Tvm,
        slash: Slash::Truncated,
        logic: Logic::Truth,
        complement: Complement::NotOfTruths,
        groups: &[&TIR, &BUILTIN],
        methods: &[("astype", Function::Cast { value: 0, number: 1 })],
        elements: Elements::Indices,
        ..PYTHON
    },
    Language {
        dialect: Dialect::Tinygrad,
        whole: Whole::Refused,
        logic: Logic::Truth,
        complement: Complement::NotOfTruths,
        groups: &[&TINYGRAD, &BUILTIN],
        methods: super::functions::OF_UOPS,
        ..PYTHON
    },
];

/// How many functions a message lists.
const SHOWN: usize = 12;

impl Language {
    /// Of a dialect that has Python's grammar; of another one, Python.
    pub(super) fn of(dialect: Dialect) -> &'static Language {
        LANGUAGES.iter().find(|l| l.dialect == dialect).unwrap_or(&LANGUAGES[0])
    }

    /// The function that is called `name`, with the module before it.
    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.groups.iter().find_map(|group| group.function(name))
    }

    pub(super) fn method(&self, name: &str) -> Option<Function> {
        self.methods.iter().find(|m| m.0 == name).map(|m| m.1)
    }

    /// What to write in the place of `name`, which is no function here.
    pub(super) fn hint(&self, name: &str) -> String {
        let others = LANGUAGES.iter().filter(|l| l.function(name).is_some());
        let others: Vec<String> = others.map(|l| format!("`--from {}`", l.dialect)).collect();
        if !others.is_empty() {
            return format!("{} reads it", others.join(" or "));
        }
        let names = || self.groups.iter().flat_map(|g| g.names()).chain(self.methods.iter().map(|m| m.0.into()));
        let nearness = |known: &String| strsim::jaro_winkler(name, known);
        // names that are alike in most letters
        let nearest = names().max_by(|a, b| nearness(a).total_cmp(&nearness(b))).filter(|n| nearness(n) > 0.85);
        match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => {
                let some: Vec<String> = names().take(SHOWN).collect();
                format!("functions of `{}` are {} and others", self.dialect, some.join(", "))
            }
        }
    }
}
