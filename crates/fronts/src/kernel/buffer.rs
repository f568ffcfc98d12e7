//! Memory that a kernel reads and writes.

use quaff::emit::Element;
use std::sync::Arc;

/// A pointer parameter, a shared array or an array of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub(super) name: Arc<str>,
    pub(super) element: Element,
    /// A number of bytes that divides the address of the first element.
    pub(super) alignment: i64,
}

impl Buffer {
    /// The same buffer with the fact that it starts at a multiple of `bytes`. Memory from `cudaMalloc` starts at a
    /// multiple of 256. Without this call, a pointer parameter is only aligned to its element, which excludes vector
    /// accesses.
    pub fn aligned(mut self, bytes: i64) -> Buffer {
        self.alignment = self.alignment.max(bytes);
        self
    }

    /// The name of the buffer in the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the elements.
    pub fn element(&self) -> Element {
        self.element
    }
}
