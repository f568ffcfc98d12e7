//! Spans: pairs of a pointer and a length, which pass texts and arrays in both directions. This module has all unsafe
//! blocks.

use crate::ended::Ended;
use crate::failure::{Failure, quaff_error};
use crate::handle::quaff_expr;
use crate::node::quaff_node;
use std::ffi::c_char;
use std::marker::PhantomData;

/// UTF-8 text that is borrowed from its owner. A text that is passed to quaff need not end with a 0. A text that quaff
/// returns has a 0 after it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_str<'a> {
    /// The first byte. It may be NULL if `size` is 0.
    data: *const c_char,
    /// The number of bytes.
    size: usize,
    owner: PhantomData<&'a [u8]>,
}

/// Texts, such as names of variables.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_str_span<'a> {
    /// The first text. It may be NULL if `size` is 0.
    data: *const quaff_str<'a>,
    /// The number of texts.
    size: usize,
    owner: PhantomData<&'a [u8]>,
}

/// Expressions.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_expr_span<'a> {
    /// The first pointer. It may be NULL if `size` is 0.
    data: *const Option<&'a quaff_expr>,
    /// The number of expressions.
    size: usize,
}

/// Nodes of expressions, operands before their users.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_node_span<'a> {
    /// The first node. It may be NULL if `size` is 0.
    data: *const quaff_node,
    /// The number of nodes.
    size: usize,
    owner: PhantomData<&'a [quaff_node]>,
}

/// Numbers of nodes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_id_span<'a> {
    /// The first number. It may be NULL if `size` is 0.
    data: *const u32,
    /// The number of numbers.
    size: usize,
    owner: PhantomData<&'a [u32]>,
}

/// Integers.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_int_span<'a> {
    /// The first integer. It may be NULL if `size` is 0.
    data: *const i64,
    /// The number of integers.
    size: usize,
    owner: PhantomData<&'a [i64]>,
}

/// The `size` elements from `data` on. The result is `None` for NULL with a size above 0, and for a size that exceeds
/// all memory. NULL with size 0 gives an empty slice.
///
/// # Safety
/// Unless `data` is NULL, it points to `size` elements, which do not change during the lifetime `'a`.
unsafe fn elements<'a, T>(data: *const T, size: usize) -> Option<&'a [T]> {
    if size == 0 {
        return Some(&[]);
    }
    let bytes = size.checked_mul(size_of::<T>())?;
    if data.is_null() || !data.is_aligned() || isize::try_from(bytes).is_err() {
        return None;
    }
    // SAFETY: `data` is not NULL, aligned, and has `size` elements by the contract; together they are no more than `isize::MAX` bytes.
    Some(unsafe { std::slice::from_raw_parts(data, size) })
}

impl Default for quaff_str<'_> {
    fn default() -> Self {
        quaff_str::empty()
    }
}

impl<'a> quaff_str<'a> {
    /// A span of a Rust text, without a 0 after it.
    pub fn new(text: &'a str) -> quaff_str<'a> {
        quaff_str::of_bytes(text.as_bytes())
    }

    /// A span of any bytes.
    pub fn of_bytes(bytes: &'a [u8]) -> quaff_str<'a> {
        quaff_str { data: bytes.as_ptr().cast(), size: bytes.len(), owner: PhantomData }
    }

    /// A span of a text that ends with a 0. The size excludes the 0.
    pub(crate) fn ended(text: &'a str) -> quaff_str<'a> {
        quaff_str { size: text.len().saturating_sub(1), ..quaff_str::new(text) }
    }

    /// An empty text.
    pub(crate) fn empty() -> quaff_str<'static> {
        quaff_str::ended("\0")
    }

    fn bytes(&self) -> Option<&'a [u8]> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by `owner` in Rust and by the header in
        // C.
        unsafe { elements(self.data.cast(), self.size) }
    }

    /// The text. `argument` is the name of the text in messages, and `number` is its position among texts of that name.
    pub(crate) fn text(&self, argument: &'static str, number: usize) -> Result<&'a str, quaff_error> {
        let bytes = self.bytes().ok_or(Failure::Null(argument))?;
        std::str::from_utf8(bytes).map_err(|e| {
            let (begin, length) = (e.valid_up_to(), e.error_len());
            Failure::Utf8 { argument, number, begin, end: length.map_or(bytes.len(), |length| begin + length) }.into()
        })
    }

    /// The text, or `None` if the bytes are no text. For callers in Rust.
    pub fn as_str(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

impl Ended {
    /// A span of the text without its 0.
    pub(crate) fn view(&self) -> quaff_str<'_> {
        quaff_str::ended(self.whole())
    }
}

impl<'a> quaff_str_span<'a> {
    /// A span of Rust texts.
    pub fn new(texts: &'a [quaff_str<'a>]) -> quaff_str_span<'a> {
        quaff_str_span { data: texts.as_ptr(), size: texts.len(), owner: PhantomData }
    }

    /// The texts. `argument` is their name in messages.
    pub(crate) fn texts(&self, argument: &'static str) -> Result<Vec<&'a str>, quaff_error> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by `owner` in Rust and by the header in
        // C.
        let texts = unsafe { elements(self.data, self.size) }.ok_or(Failure::Null(argument))?;
        texts.iter().enumerate().map(|(number, text)| text.text(argument, number)).collect()
    }
}

impl<'a> quaff_expr_span<'a> {
    /// A span of Rust expressions.
    pub fn new(exprs: &'a [Option<&'a quaff_expr>]) -> quaff_expr_span<'a> {
        quaff_expr_span { data: exprs.as_ptr(), size: exprs.len() }
    }

    /// The expressions. `argument` is their name in messages.
    pub(crate) fn handles(&self, argument: &'static str) -> Result<Vec<&'a quaff_expr>, quaff_error> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by its lifetime in Rust and by the
        // header in C.
        let exprs = unsafe { elements(self.data, self.size) }.ok_or(Failure::Null(argument))?;
        exprs.iter().map(|expr| expr.ok_or(Failure::Null(argument).into())).collect()
    }
}

impl<'a> quaff_node_span<'a> {
    /// A span of Rust nodes.
    pub fn new(nodes: &'a [quaff_node]) -> quaff_node_span<'a> {
        quaff_node_span { data: nodes.as_ptr(), size: nodes.len(), owner: PhantomData }
    }

    /// The nodes. `None` if the span is not readable.
    pub fn nodes(&self) -> Option<&'a [quaff_node]> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by `owner` in Rust and by the header in
        // C.
        unsafe { elements(self.data, self.size) }
    }
}

impl<'a> quaff_id_span<'a> {
    /// A span of Rust numbers.
    pub fn new(ids: &'a [u32]) -> quaff_id_span<'a> {
        quaff_id_span { data: ids.as_ptr(), size: ids.len(), owner: PhantomData }
    }

    /// The numbers. `None` if the span is not readable.
    pub fn ids(&self) -> Option<&'a [u32]> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by `owner` in Rust and by the header in
        // C.
        unsafe { elements(self.data, self.size) }
    }
}

impl<'a> quaff_int_span<'a> {
    /// A span of Rust integers.
    pub fn new(ints: &'a [i64]) -> quaff_int_span<'a> {
        quaff_int_span { data: ints.as_ptr(), size: ints.len(), owner: PhantomData }
    }

    /// The integers. `None` if the span is not readable.
    pub fn ints(&self) -> Option<&'a [i64]> {
        // SAFETY: the maker of the span guarantees the contract of `elements`, by `owner` in Rust and by the header in
        // C.
        unsafe { elements(self.data, self.size) }
    }
}
