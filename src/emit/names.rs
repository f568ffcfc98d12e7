//! Identifiers: variables keep their names where they can, temporaries get free ones.

use super::reserved::Language;
use crate::lower::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names taken so far.
pub(super) struct Names {
    language: Language,
    taken: FxHashSet<String>,
    /// The number that the next name with a stem gets.
    numbers: FxHashMap<String, usize>,
    temporaries: usize,
}

impl Names {
    pub(super) fn new(language: Language) -> Names {
        Names { language, taken: FxHashSet::default(), numbers: FxHashMap::default(), temporaries: 0 }
    }

    /// Keeps other names away from this one.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// The type of `name` where it is a variable that the language itself defines, and nothing else has the name.
    pub(super) fn builtin(&self, name: &str) -> Option<Type> {
        self.language.builtin(name).filter(|_| !self.taken.contains(name))
    }

    pub(super) fn free(&self, name: &str) -> bool {
        !self.taken.contains(name) && !self.language.reserves(name)
    }

    /// Takes names for variables, all at once: those that can stay themselves come first.
    pub(super) fn variables<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Vec<String> {
        let names: Vec<&str> = names.collect();
        let mut keeps = |n: &&str| is_identifier(n) && self.free(n) && self.taken.insert(n.to_string());
        let kept: Vec<bool> = names.iter().map(&mut keeps).collect();
        let name = |(n, kept): (&&str, &bool)| if *kept { n.to_string() } else { self.similar(n) };
        names.iter().zip(&kept).map(name).collect()
    }

    /// Takes a free name that looks like `wanted`.
    ///
    /// The stem begins with a letter and with no reserved prefix, so that only the words of the table and the names taken
    /// can be in the way of the stem with a number: both are finite, and no number is tried twice for one stem.
    pub(super) fn similar(&mut self, wanted: &str) -> String {
        let mut stem: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
            stem.insert(0, 'v');
        } else if self.language.reserves_prefix(&stem) {
            stem.insert_str(0, "v_");
        }
        if self.free(&stem) {
            self.taken.insert(stem.clone());
            return stem;
        }
        let mut number = self.numbers.get(&stem).copied().unwrap_or(2);
        let name = loop {
            let name = format!("{stem}_{number}");
            number += 1;
            if self.free(&name) {
                break name;
            }
        };
        self.numbers.insert(stem, number);
        self.taken.insert(name.clone());
        name
    }

    /// Takes the next free name of `t0, t1, ...`.
    pub(super) fn temporary(&mut self) -> String {
        loop {
            let name = format!("t{}", self.temporaries);
            self.temporaries += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

pub(super) fn is_identifier(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// Whether `text` can be the name of a variable or a buffer in C and CUDA text: an identifier that neither language reserves,
/// and none that texts use, such as `min`, `threadIdx` and all that begin with `quaff_`.
///
/// ```
/// use quaff::emit::is_name;
///
/// assert!(is_name("in_ptr0") && is_name("log") && !is_name("float") && !is_name("min"));
/// assert!(!is_name("a b; system()") && !is_name(""));
/// ```
pub fn is_name(text: &str) -> bool {
    is_identifier(text) && !Language::C.reserves(text) && !Language::Cuda.reserves(text)
}

/// Whether `text` can be the type of a variable in C and CUDA: words, such as `unsigned long long` or `at::Half`, and `*`
/// behind them.
///
/// ```
/// use quaff::emit::is_type;
///
/// assert!(is_type("__half") && is_type("unsigned long long") && is_type("at::Half *") && !is_type("float x; int"));
/// ```
pub fn is_type(text: &str) -> bool {
    let words = text.trim_end_matches([' ', '*']);
    let mut all = words.split(' ').flat_map(|word| word.split("::"));
    words.starts_with(|c: char| c != ' ') && all.all(is_identifier)
}

/// The identifiers in code, those of members left out.
///
/// ```
/// assert_eq!(quaff::emit::identifiers("a[i] + b.x").collect::<Vec<_>>(), ["a", "i", "b"]);
/// ```
pub fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = code.split(move |c: char| !is_word(c) && c != '.').filter_map(|w| w.split('.').next());
    words.filter(|w| w.bytes().next().is_some_and(|b| !b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: [Language; 5] = [Language::C, Language::Cuda, Language::Python, Language::Rust, Language::Triton];

    #[test]
    fn members_are_no_identifiers() {
        assert_eq!(identifiers("t0 = 1e5f*a_b(x2.y);").collect::<Vec<_>>(), ["t0", "a_b", "x2"]);
    }

    /// Names that are reserved by their beginning are many; none of them may keep a printer from ending.
    #[test]
    fn every_name_has_a_similar_one() {
        let hostile =
            ["quaff_x", "quaff_", "__", "___x", "_X", "_", "", "9", "a b", "a.b", "{}", "\u{e9}", "v", "v_quaff_x"];
        for language in LANGUAGES {
            let mut names = Names::new(language);
            let words = hostile.iter().copied().chain(language.lists().iter().flat_map(|l| l.split_whitespace()));
            let words: Vec<&str> = words.chain(hostile).collect();
            let given = names.variables(words.iter().copied());
            let distinct: FxHashSet<&String> = given.iter().collect();
            assert_eq!(distinct.len(), words.len());
            for name in &given {
                assert!(is_identifier(name) && !language.reserves(name), "{language:?}: {name}");
            }
        }
    }

    #[test]
    fn many_names_with_one_stem_take_linear_time() {
        let mut names = Names::new(Language::C);
        let all: Vec<String> = (0..20_000).map(|i| char::from_u32(0x4e00 + i).map(String::from).unwrap()).collect();
        let given = names.variables(all.iter().map(String::as_str));
        assert_eq!(given[19_999], "v__20000");
    }
}
