//! Guesses the language of a text that has an error as an infix text.

use crate::dialect::Dialect;
use crate::error::ReadError;
use crate::read::read;
use std::cmp::Reverse;

/// The most bytes of a text for which a language is guessed, because each language reads the whole text.
const LONGEST: usize = 4096;

/// The languages whose texts are often mistaken for infix texts, the most common language first.
const USUAL: [Dialect; 12] = [
    Dialect::C,
    Dialect::Cuda,
    Dialect::Python,
    Dialect::Triton,
    Dialect::Sympy,
    Dialect::Inductor,
    Dialect::Tvm,
    Dialect::Mlir,
    Dialect::Xla,
    Dialect::Halide,
    Dialect::Tinygrad,
    Dialect::Sexp,
];

/// The dialect that reads `text`. If several dialects read it, the result is the dialect that gives ranges for the most
/// variables, and of several such dialects the most common one.
fn likely(text: &str) -> Option<Dialect> {
    if text.len() > LONGEST {
        return None;
    }
    let ranges = |dialect| Some((dialect, read(text, dialect).ok()?.domain.vars().count()));
    let readers = USUAL.into_iter().filter_map(ranges);
    readers.min_by_key(|(_, known)| Reverse(*known)).map(|(dialect, _)| dialect)
}

impl ReadError {
    /// The dialect that reads this text. If several dialects read it, the result is the dialect that gives ranges for
    /// the most variables, and of several such dialects the most common one.
    ///
    /// `None` for a text of more than 4096 bytes. The time is linear in the length of the text.
    ///
    /// ```
    /// use quaff_dialects::{Dialect, read};
    ///
    /// let error = read("a / 4", Dialect::Infix).unwrap_err();
    /// assert_eq!(error.likely_dialect(), Some(Dialect::C));
    /// ```
    pub fn likely_dialect(&self) -> Option<Dialect> {
        likely(self.source_text())
    }

    /// This error of an infix text. If another dialect reads the text, the help names that dialect in the form that
    /// `named` gives: `--from c`.
    ///
    /// The help names no dialect for a text of more than 4096 bytes. The time is linear in the length of the text.
    ///
    /// ```
    /// use quaff_dialects::{Dialect, read};
    ///
    /// let error = read("x > 3 && y", Dialect::Infix).unwrap_err().naming_dialect(|d| format!("--from {d}"));
    /// assert_eq!(error.help_text(), Some("`--from c` reads this text"));
    /// ```
    pub fn naming_dialect(self, named: impl FnOnce(Dialect) -> String) -> ReadError {
        let Some(dialect) = self.likely_dialect() else { return self };
        let reads = format!("`{}` reads this text", named(dialect));
        let help = self.help_text().map_or_else(|| reads.clone(), |help| format!("{help}\n{reads}"));
        self.with_help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_of_the_most_usual_language_that_reads_them() {
        for (text, language) in [
            ("x / 4", Some(Dialect::C)),
            ("x > 3 && y", Some(Dialect::C)),
            ("c ? a : b", Some(Dialect::C)),
            ("int row = i / 96; row*96", Some(Dialect::C)),
            ("threadIdx.x / 4", Some(Dialect::Cuda)),
            ("q, r = divmod(x, 4); q", Some(Dialect::Python)),
            ("x**2", Some(Dialect::Python)),
            ("tl.program_id(0)*128 + tl.arange(0, 128)", Some(Dialect::Triton)),
            ("Mod(x, 4) + floor(x/4)", Some(Dialect::Sympy)),
            ("T.floordiv(x, 4)", Some(Dialect::Tvm)),
            ("d0 floordiv 8 + d1 mod 4", Some(Dialect::Mlir)),
            ("affine_map<(d0) -> (d0 mod 4)>", Some(Dialect::Mlir)),
            ("(d0) -> (d0 mod 4), domain: d0 in [0, 7]", Some(Dialect::Xla)),
            ("select(x < 4, x, 4)", Some(Dialect::Halide)),
            ("(x<4).where(x, 4)", Some(Dialect::Tinygrad)),
            ("(+ (* i 16) j)", Some(Dialect::Sexp)),
            ("x + 0.5", None),
            ("(i + 1", None),
            ("i +* 2", None),
            ("i <", None),
            ("x y", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert!(read(text, Dialect::Infix).is_err(), "{text}");
            assert_eq!(likely(text), language, "{text}");
        }
    }

    #[test]
    fn long_texts_are_of_no_language() {
        let text = format!("{} / 4", "x+".repeat(2046) + "x");
        assert_eq!((text.len(), likely(&text)), (4097, None));
        assert_eq!(likely(&text[2..]), Some(Dialect::C));
    }
}
