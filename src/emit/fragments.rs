//! CUDA or C text of single values, for callers who decide which values get a name and where each is declared.

use super::c::Printer;
use super::language::Language;
use super::program::Statement;
use super::text::Text;
use crate::lower::{Lowered, Type};
use quaff_expr::names::{CUDA, Names};

/// Whether CUDA takes `name` as an identifier, the texts of this crate leave it free, and expressions can be over it.
pub fn is_free_name(name: &str) -> bool {
    CUDA.takes(name)
}

/// Prints values of a [`Lowered`], those that have a name by their name.
pub struct Fragments<'l> {
    lowered: &'l Lowered,
    printer: Printer<'l>,
}

impl<'l> Fragments<'l> {
    /// In CUDA or C. Temporaries avoid the names in `taken`.
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

    /// The spelling of a value's type.
    pub fn ty(&self, id: u32) -> &'static str {
        match self.lowered.values()[id as usize].ty {
            Type::Bool => "bool",
            ty => ty.c_name(),
        }
    }

    /// Gives a value a name, one like `wanted` when given, and returns the definition.
    pub fn define(&mut self, id: u32, wanted: Option<&str>) -> Statement {
        let name = match wanted {
            Some(name) => self.printer.names.similar(name),
            None => self.printer.names.temporary(),
        };
        self.printer.define(id, name)
    }

    /// Gives a value exactly this name, which the caller has kept free for it, and returns the definition.
    pub fn define_as(&mut self, id: u32, name: &str) -> Statement {
        self.printer.define(id, name.to_string())
    }

    /// Takes a name like `wanted` for something that the caller declares.
    pub fn similar(&mut self, wanted: &str) -> String {
        self.printer.names.similar(wanted)
    }

    /// Takes the name of a value back, whose scope has ended.
    pub fn forget(&mut self, id: u32) {
        self.printer.named[id as usize] = None;
    }

    /// Whether a name would not save anything.
    pub fn is_trivial(&self, id: u32) -> bool {
        self.printer.is_trivial(&self.lowered.values()[id as usize])
    }

    /// Definitions for the device and the host, the variables, the prepared divisors.
    pub fn surroundings(&self) -> Text {
        let mut text = Text::new(self.printer.language);
        text.inputs = self.printer.inputs.clone();
        text.add(&self.printer.opaque_values());
        self.printer.preludes(&self.lowered.use_counts(), &mut text);
        text
    }
}
