//! How calls end, and which part of an input an error is about.

/// How a call ended. All but the first two are errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_status {
    /// The call did what it says.
    #[default]
    Ok = 0,
    /// The question has no proved answer, in either direction. This is no error: there is no `quaff_error`.
    NotProved = 1,
    /// A pointer is NULL that must not be.
    Null = 2,
    /// A text is not UTF-8.
    Utf8 = 3,
    /// A text is no expression.
    Parse = 4,
    /// What is said of variables cannot be read or cannot be true.
    Domain = 5,
    /// Nodes are no expression.
    Nodes = 6,
    /// An expression cannot be simplified: a variable is not declared, or a divisor can be 0.
    Simplify = 7,
    /// An answer has no text in a language.
    Lower = 8,
    /// A question has no answer: a name is not known, or is given twice.
    Ask = 9,
    /// An argument is outside of what the function takes.
    Argument = 10,
    /// An expression has no value at a point.
    Eval = 11,
    /// A bug in quaff, which was caught. All handles can still be used, and must still be freed.
    Internal = 12,
}

/// Whether something is so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_decision {
    /// It is not decided.
    #[default]
    Unknown = 0,
    /// It is so.
    Yes = 1,
    /// It is not.
    No = 2,
}

impl quaff_decision {
    pub(crate) fn of(found: Option<bool>) -> quaff_decision {
        match found {
            None => quaff_decision::Unknown,
            Some(true) => quaff_decision::Yes,
            Some(false) => quaff_decision::No,
        }
    }
}

/// What a `quaff_place` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_place_kind {
    /// No place is known.
    #[default]
    None = 0,
    /// Bytes of a text: of the argument of this call, or of the text from which an expression was parsed.
    Text = 1,
    /// Nodes of a span, given to this call or to the one that made an expression.
    Node = 2,
    /// Roots, numbers of nodes.
    Root = 3,
}

/// The part of an input that an error is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_place {
    /// What `begin` and `end` count.
    pub kind: quaff_place_kind,
    /// The number of the input, from 0 on, where a call takes several expressions or names. Otherwise 0.
    pub input: usize,
    /// The first byte, node or root.
    pub begin: usize,
    /// The one behind the last.
    pub end: usize,
}
