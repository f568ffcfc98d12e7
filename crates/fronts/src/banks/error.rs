//! Errors of questions about banks.

use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::domain::DomainError;
use quaff::expr::UnknownVariable;
use std::sync::Arc;

/// The reason why a question about banks has no answer.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum BankError {
    /// A number of banks outside of 1 to 1,024, or a word size that is no power of two up to 64 bytes.
    #[error("there is no memory of {count} banks of {bytes} bytes")]
    #[diagnostic(code(quaff::banks::memory), help("1 to 1024 banks, of 1, 2, 4, 8, 16, 32 or 64 bytes"))]
    Memory {
        /// The number of banks.
        count: u32,
        /// The number of bytes of a word.
        bytes: u32,
    },
    /// A number of bytes for one lane other than 1, 2, 4, 8 or 16.
    #[error("{what} of {bytes} bytes: it must be 1, 2, 4, 8 or 16")]
    #[diagnostic(code(quaff::banks::width))]
    Width {
        /// The item that has this width, `an access` or `an element`.
        what: &'static str,
        /// The width in bytes.
        bytes: u32,
    },
    /// Groups of lanes (phases) that together do not contain each lane from 0 on exactly once.
    #[error("phases of accesses of {width} bytes are not the lanes from 0 on, each once")]
    #[diagnostic(
        code(quaff::banks::phases),
        help("write the lanes that are served together, such as `\"0..3, 20..23\"`; 1024 lanes at most")
    )]
    Phases {
        /// The width of the access in bytes.
        width: u32,
    },
    /// An access narrower than an element of the tile.
    #[error("an access of {width} bytes is narrower than an element of {bytes}")]
    #[diagnostic(code(quaff::banks::narrow))]
    Narrow {
        /// The number of the access in a search, from 0 on. It is 0 if there is only one access.
        access: usize,
        /// The width of the access in bytes.
        width: u32,
        /// The number of bytes of an element.
        bytes: u32,
    },
    /// An address that is no multiple of the width of the access. A GPU refuses such an access.
    #[error("lane {lane} accesses {width} bytes at byte {address}, which is no multiple of {width}{at}")]
    #[diagnostic(
        code(quaff::banks::misaligned),
        help("align the base, and let the pitch of rows be a multiple of the width")
    )]
    Misaligned {
        /// The number of the access in a search, from 0 on. It is 0 if there is only one access.
        access: usize,
        /// The lane.
        lane: i64,
        /// The byte address of the lane.
        address: i128,
        /// The width of the access in bytes.
        width: u32,
        /// The point of the domain, as text such as ` at x = 3`. Empty without variables.
        at: String,
    },
    /// The variable of the lanes has no range, or its range is too long.
    #[error("`{name}` counts lanes: it needs a range of 1 to {limit} numbers")]
    #[diagnostic(code(quaff::banks::lanes), help("declare it, such as `--lane {name}=0..31`"))]
    Lanes {
        /// The variable.
        name: Arc<str>,
        /// The largest number of lanes.
        limit: u64,
    },
    /// A variable without a range.
    #[error("`{name}` needs a range with two ends")]
    #[diagnostic(code(quaff::banks::open))]
    Open {
        /// The variable.
        name: Arc<str>,
    },
    /// More addresses than the search evaluates.
    #[error("{addresses} addresses are more than the {limit} that are looked at")]
    #[diagnostic(
        code(quaff::banks::points),
        help("give the variables shorter ranges: what is added to all addresses alike does not matter")
    )]
    TooMany {
        /// The number of addresses.
        addresses: u128,
        /// The largest number of addresses.
        limit: u128,
    },
    /// An index that has no value for some lane.
    #[error("the index has no value for lane {lane}{at}: {why}")]
    #[diagnostic(code(quaff::banks::value))]
    NoValue {
        /// The number of the access in a search, from 0 on. It is 0 if there is only one access.
        access: usize,
        /// The lane.
        lane: i64,
        /// The point of the domain, as text such as ` at x = 3`. Empty without variables.
        at: String,
        /// The error of the evaluation.
        why: quaff::expr::EvalError,
    },
    /// An access outside of the tile.
    #[error("lane {lane} accesses row {row}, column {col}{at}: outside of the tile")]
    #[diagnostic(code(quaff::banks::outside))]
    Outside {
        /// The number of the access in a search, from 0 on. It is 0 if there is only one access.
        access: usize,
        /// The lane.
        lane: i64,
        /// The row of the access.
        row: i128,
        /// The first column of the access.
        col: i128,
        /// The point of the domain, as text such as ` at x = 3`. Empty without variables.
        at: String,
    },
    /// A tile without elements, or with more elements than any memory has.
    #[error("there is no tile of {rows} rows and {cols} columns")]
    #[diagnostic(code(quaff::banks::tile), help("1 to 65536 rows and columns"))]
    Tile {
        /// The number of rows.
        rows: u32,
        /// The number of columns.
        cols: u32,
    },
    /// A search without accesses.
    #[error("there is no access to search a layout for")]
    #[diagnostic(code(quaff::banks::no_access))]
    NoAccess,
    /// Text or numbers that are not a valid swizzle.
    #[error("`{text}` is no swizzle")]
    #[diagnostic(
        code(quaff::banks::swizzle),
        help(
            "write `Swizzle<3, 4, 3>`: bits, lowest bit and distance, the distance not below the bits, together 62 at most"
        )
    )]
    Swizzle {
        /// The text.
        text: String,
    },
    /// Facts about variables that cannot all be true.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// A variable that is not declared.
    #[error("the variable `{}` is not declared", .0.name)]
    #[diagnostic(code(quaff::banks::unknown), help("declare its range"))]
    Unknown(#[from] UnknownVariable),
    /// An index that the engine rejects.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
}

impl BankError {
    /// The number of the access that caused the error, from 0 on. `None` if the error does not come from a single
    /// access.
    pub fn access(&self) -> Option<usize> {
        match self {
            BankError::Narrow { access, .. }
            | BankError::Misaligned { access, .. }
            | BankError::NoValue { access, .. }
            | BankError::Outside { access, .. } => Some(*access),
            _ => None,
        }
    }

    /// The same error for access `number`.
    pub(super) fn at_access(mut self, number: usize) -> BankError {
        match &mut self {
            BankError::Narrow { access, .. }
            | BankError::Misaligned { access, .. }
            | BankError::NoValue { access, .. }
            | BankError::Outside { access, .. } => *access = number,
            _ => {}
        }
        self
    }
}
