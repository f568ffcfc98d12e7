//! Memory that a kernel reads and writes.

use quaff::emit::Element;
use std::sync::Arc;

/// A pointer parameter, a shared array or an array of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub(super) name: Arc<str>,
    pub(super) element: Element,
    /// Bytes that divide the address of the first element.
    pub(super) alignment: i64,
}

impl Buffer {
    /// The same buffer, known to start at a multiple of `bytes`, as what `cudaMalloc` returns does for 256. Without
    /// this, a pointer parameter is only known to be aligned like an element, which rules vector accesses out.
    pub fn aligned(mut self, bytes: i64) -> Buffer {
        self.alignment = self.alignment.max(bytes);
        self
    }

    /// Its name in the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }
}
