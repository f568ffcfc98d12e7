//! The statuses of calls, and the part of an input that an error is about.

/// The status of a call. All but the first two are errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_status {
    /// The call succeeded.
    #[default]
    Ok = 0,
    /// Neither a claim nor its negation is proved. This is no error, so there is no `quaff_error`.
    NotProved = 1,
    /// An argument that must not be NULL is NULL.
    Null = 2,
    /// A text is not UTF-8.
    Utf8 = 3,
    /// A text is no expression.
    Parse = 4,
    /// Declarations of variables cannot be read, or contradict each other.
    Domain = 5,
    /// Nodes form no expression.
    Nodes = 6,
    /// An expression cannot be simplified: a variable is not declared, or a divisor can be 0.
    Simplify = 7,
    /// An answer has no text in a language.
    Lower = 8,
    /// A question has no answer, because a name is unknown or is given twice.
    Ask = 9,
    /// An argument is outside of the accepted range.
    Argument = 10,
    /// An expression has no value at a point.
    Eval = 11,
    /// A bug in quaff, which was caught. All handles remain usable, and must still be freed.
    Internal = 12,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_decision {
    /// The claim is not decided.
    #[default]
    Unknown = 0,
    /// The claim holds.
    Yes = 1,
    /// The claim does not hold.
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

/// The unit of the numbers in a `quaff_place`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_place_kind {
    /// No place is known.
    #[default]
    None = 0,
    /// Bytes of a text. The text is an argument of this call, or the text from which an expression was parsed.
    Text = 1,
    /// Nodes of a span that was given to this call, or to the call that made an expression.
    Node = 2,
    /// Entries of the span of roots.
    Root = 3,
}

/// The part of an input that an error is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_place {
    /// The unit of `begin` and `end`.
    pub kind: quaff_place_kind,
    /// The number of the input, counted from 0, if a call takes several expressions or names. Otherwise 0.
    pub input: usize,
    /// The first byte, node or root.
    pub begin: usize,
    /// The position after the last byte, node or root.
    pub end: usize,
}
