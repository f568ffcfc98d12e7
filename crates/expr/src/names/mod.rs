//! Names of variables in texts of other languages. A variable keeps its name if the language allows it. All other
//! values get names that are not used yet.
//!
//! [`Words`] are the reserved words of a language, such as [`CUDA`]. [`Names`] assigns the names of one text.
//!
//! ```
//! use quaff_expr::names::{C, Names};
//!
//! let mut names = Names::new(&C);
//! assert_eq!(names.variables(["i", "threadIdx.x", "float"].into_iter()), ["i", "threadIdx_x", "float_2"]);
//! assert_eq!(names.temporary(), "t0");
//! ```

mod sympy;
mod words;

pub use words::{C, CUDA, HALIDE, INDUCTOR, INFIX, MLIR, PYTHON, RUST, SYMPY, TRITON, Words, XLA, is_identifier};

use rustc_hash::{FxHashMap, FxHashSet};

/// The names that are taken so far in a text.
#[derive(Debug)]
pub struct Names {
    words: &'static Words,
    taken: FxHashSet<String>,
    /// The number to try next for each stem. For the stem `t`, the names are `t_2`, `t_3`, and so on.
    numbers: FxHashMap<String, usize>,
    temporaries: usize,
}

impl Names {
    /// Creates an empty set of taken names.
    pub fn new(words: &'static Words) -> Names {
        Names { words, taken: FxHashSet::default(), numbers: FxHashMap::default(), temporaries: 0 }
    }

    /// Marks `name` as taken.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    /// Whether `name` is taken.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    fn is_free(&self, name: &str) -> bool {
        !self.is_taken(name) && self.words.takes(name)
    }

    /// Takes names for variables, all in one call. The variables that can keep their names take them first. The time is
    /// linear in the names.
    pub fn variables<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Vec<String> {
        let names: Vec<&str> = names.collect();
        let mut keeps = |n: &&str| self.is_free(n) && self.taken.insert(n.to_string());
        let kept: Vec<bool> = names.iter().map(&mut keeps).collect();
        let name = |(n, kept): (&&str, &bool)| if *kept { n.to_string() } else { self.similar(n) };
        names.iter().zip(&kept).map(name).collect()
    }

    /// Takes a free name that resembles `wanted`.
    ///
    /// The stem begins with a letter and has no reserved beginning. So a stem with a number can only collide with a
    /// word of the tables or a taken name. Both sets are finite, and no number is tried twice for one stem, so the
    /// search ends.
    pub fn similar(&mut self, wanted: &str) -> String {
        let mut stem: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
            stem.insert(0, 'v');
        } else if self.words.reserves_beginning(&stem) {
            stem.insert_str(0, "v_");
        }
        if self.is_free(&stem) {
            self.taken.insert(stem.clone());
            return stem;
        }
        let mut number = self.numbers.get(&stem).copied().unwrap_or(2);
        let name = loop {
            let name = format!("{stem}_{number}");
            number += 1;
            if self.is_free(&name) {
                break name;
            }
        };
        self.numbers.insert(stem, number);
        self.taken.insert(name.clone());
        name
    }

    /// Takes the next free name of the sequence `t0, t1, ...`.
    pub fn temporary(&mut self) -> String {
        loop {
            let name = format!("t{}", self.temporaries);
            self.temporaries += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&Words; 11] = [&INFIX, &C, &CUDA, &HALIDE, &PYTHON, &TRITON, &INDUCTOR, &SYMPY, &RUST, &MLIR, &XLA];

    /// A reserved beginning, such as two underscores, reserves infinitely many names. A printer must still find a free
    /// name similar to each of them.
    #[test]
    fn every_name_has_a_similar_one() {
        let hostile =
            ["quaff_x", "quaff_", "__", "___x", "_X", "_", "", "9", "a b", "a.b", "{}", "\u{e9}", "v", "v_quaff_x"];
        for language in ALL {
            let mut names = Names::new(language);
            let words: Vec<&str> = hostile.into_iter().chain(language.iter()).chain(hostile).collect();
            let given = names.variables(words.iter().copied());
            let distinct: FxHashSet<&String> = given.iter().collect();
            assert_eq!(distinct.len(), words.len());
            for name in &given {
                assert!(language.takes(name), "{name}");
            }
        }
    }

    #[test]
    fn many_names_with_one_stem_take_linear_time() {
        let mut names = Names::new(&C);
        let all: Vec<String> = (0..20_000).map(|i| char::from_u32(0x4e00 + i).map(String::from).unwrap()).collect();
        let given = names.variables(all.iter().map(String::as_str));
        assert_eq!(given[19_999], "v__20000");
    }
}
