//! Prints single values in CUDA or C. The caller decides which values get a name, and in which place each is declared.

use super::c::Printer;
use super::language::Language;
use super::program::Statement;
use super::text::Text;
use crate::lower::{Lowered, Type};
use quaff_expr::names::{CUDA, Names};

/// Whether a variable can have the name `name`. CUDA must accept it as an identifier, expressions must be able to read
/// it, and the texts of this crate must not use it.
pub fn is_free_name(name: &str) -> bool {
    CUDA.takes(name)
}

/// Prints values of a [`Lowered`]. A value that has a name is printed by this name.
pub struct Fragments<'l> {
    lowered: &'l Lowered,
    printer: Printer<'l>,
}

impl<'l> Fragments<'l> {
    /// A printer for CUDA or C. Temporaries get no name that is in `taken`.
    pub fn new<'n>(lowered: &'l Lowered, language: Language, taken: impl Iterator<Item = &'n str>) -> Fragments<'l> {
        let mut names = Names::new(language.words());
        taken.for_each(|n| names.reserve(n));
        Fragments { lowered, printer: Printer::with_names(lowered, language, names) }
    }

    /// The text of a value.
    pub fn text(&self, id: u32) -> String {
        match &self.printer.named[id as usize] {
            Some(name) => name.clone(),
            None => self.printer.value(id),
        }
    }

    /// The text of a value as the first term of a sum.
    pub fn summand(&self, id: u32) -> String {
        self.printer.summand(id)
    }

    /// The name of a value's type.
    pub fn ty(&self, id: u32) -> &'static str {
        match self.lowered.values()[id as usize].ty {
            Type::Bool => "bool",
            ty => ty.c_name(),
        }
    }

    /// Gives a value a name, similar to `wanted` if that is given. Returns the definition.
    pub fn define(&mut self, id: u32, wanted: Option<&str>) -> Statement {
        let name = match wanted {
            Some(name) => self.printer.names.similar(name),
            None => self.printer.names.temporary(),
        };
        self.printer.define(id, name)
    }

    /// Gives a value exactly this name, which the caller has reserved, and returns the definition.
    pub fn define_as(&mut self, id: u32, name: &str) -> Statement {
        self.printer.define(id, name.to_string())
    }

    /// Takes a name similar to `wanted` for a variable that the caller declares.
    pub fn similar(&mut self, wanted: &str) -> String {
        self.printer.names.similar(wanted)
    }

    /// Removes the name of a value whose scope has ended.
    pub fn forget(&mut self, id: u32) {
        self.printer.named[id as usize] = None;
    }

    /// Whether a name for the value would save nothing.
    pub fn is_trivial(&self, id: u32) -> bool {
        self.printer.is_trivial(&self.lowered.values()[id as usize])
    }

    /// The text around the statements: definitions for the device and the host, the variables, and the prepared
    /// divisors.
    pub fn surroundings(&self) -> Text {
        let mut text = Text::new(self.printer.language);
        text.inputs = self.printer.inputs.clone();
        text.add(&self.printer.opaque_values());
        self.printer.preludes(&self.lowered.use_counts(), &mut text);
        text
    }
}
