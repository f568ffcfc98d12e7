//! Writes blanks around operators in the style of the file.

use crate::language::Language;

/// The spacing of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The spacing that quaff uses for the language.
    Plain,
    /// Blanks also around the signs of products, quotients and remainders, where quaff's Python text has none.
    Spaced,
}

/// The operators that the standard Python text writes without blanks.
const TIGHT: [&str; 4] = ["//", "*", "%", "/"];

impl Style {
    /// The spacing of the text of a kernel.
    pub(crate) fn of_kernel(text: &str, language: Language) -> Style {
        let has_blanks = TIGHT.iter().any(|sign| text.contains(&format!(" {sign} ")));
        if language == Language::Triton && has_blanks { Style::Spaced } else { Style::Plain }
    }

    /// `text` in this style. The text contains no strings.
    pub(crate) fn of(self, text: String) -> String {
        if self == Style::Plain {
            return text;
        }
        let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
        while let Some(c) = rest.chars().next() {
            match TIGHT.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    out.truncate(out.trim_end().len());
                    out += &format!(" {sign} ");
                    rest = rest[sign.len()..].trim_start();
                }
                None => {
                    out.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Style;
    use crate::language::Language;

    #[test]
    fn products_are_spaced_where_the_kernel_has_them_so() {
        let style = Style::of_kernel("x = a // 4", Language::Triton);
        assert_eq!(style.of("a//4*(b%3) + c * 2".into()), "a // 4 * (b % 3) + c * 2");
        let style = Style::of_kernel("x = a//4", Language::Triton);
        assert_eq!(style.of("a//4*2".into()), "a//4*2");
    }
}
