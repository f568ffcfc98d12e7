//! The dialects with the grammar of Python: the meanings of their operators, and their functions.

use super::functions::{BUILTIN, Function, Group, HELPERS, MATH, NUMPY, SYMPY, TINYGRAD, TIR, TL, TORCH, TRITON};
use crate::dialect::Dialect;

/// A dialect with the grammar of Python.
pub(super) struct Language {
    pub(super) dialect: Dialect,
    /// The rounding of `//` and `%` on values that are not literals. On literals, `//` and `%` round down, as in
    /// Python.
    pub(super) division: Division,
    /// The meaning of `/` on integers.
    pub(super) slash: Slash,
    /// The meaning of a fraction that is used as an integer.
    pub(super) whole: Whole,
    /// The meaning of `and` and `or`.
    pub(super) logic: Logic,
    /// The meaning of `~`.
    pub(super) complement: Complement,
    groups: &'static [&'static Group],
    methods: &'static [(&'static str, Function)],
    /// The meaning of `A[i, j]`.
    pub(super) elements: Elements,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// The quotient is rounded down, as in Python.
    Floor,
    /// The quotient is rounded towards zero, as on machines.
    Truncated,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    /// The result is a fraction, which must be rounded.
    Exact,
    /// The result is rounded towards zero.
    Truncated,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// The fraction is a floating-point number, which is not an index.
    Refused,
    /// The fraction counts as an integer. The user of the result must prove that it is one.
    Proved,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Logic {
    /// The result is one of the operands, as in Python: `a and b` means `b if a else a`.
    Operand,
    /// The result is 0 or 1.
    Truth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Complement {
    /// The result is the opposite truth value of any operand.
    Not,
    /// The result is the opposite truth value of a truth value. On an integer, all bits are inverted.
    NotOfTruths,
    /// `~` of a truth value is refused, because its result depends on types that the text does not show.
    OfType,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elements {
    /// `A[i, j]` is a memory access, and its indices are the results.
    Indices,
    /// `A[i, j]` is refused, because it is data and not an index.
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

/// The most functions that a message lists.
const SHOWN: usize = 12;

impl Language {
    /// The language of a dialect with the grammar of Python. For any other dialect, the result is Python itself.
    pub(super) fn of(dialect: Dialect) -> &'static Language {
        LANGUAGES.iter().find(|l| l.dialect == dialect).unwrap_or(&LANGUAGES[0])
    }

    /// The function `name`, which includes the module prefix.
    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.groups.iter().find_map(|group| group.function(name))
    }

    pub(super) fn method(&self, name: &str) -> Option<Function> {
        self.methods.iter().find(|m| m.0 == name).map(|m| m.1)
    }

    /// A suggestion for `name`, which is not a function of this language.
    pub(super) fn hint(&self, name: &str) -> String {
        let others = LANGUAGES.iter().filter(|l| l.function(name).is_some());
        let others: Vec<String> = others.map(|l| format!("`--from {}`", l.dialect)).collect();
        if !others.is_empty() {
            return format!("{} reads it", others.join(" or "));
        }
        let names = || self.groups.iter().flat_map(|g| g.names()).chain(self.methods.iter().map(|m| m.0.into()));
        let nearness = |known: &String| strsim::jaro_winkler(name, known);
        // the known name that is most similar to `name`
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
