//! Identifiers: variables keep their names where they can, temporaries get free ones.

use rustc_hash::FxHashSet;

/// Words that C, C++ and CUDA reserve or that the texts of this crate use.
const C_WORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept \
    const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict \
    return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try \
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq min max threadIdx blockIdx \
    blockDim gridDim warpSize";
const PYTHON_WORDS: &str = "False None True and as assert async await break class continue def del elif else except finally \
    for from global if import in is lambda nonlocal not or pass raise return try while with yield min max";
const RUST_WORDS: &str = "Self abstract as async await become box break const continue crate do dyn else enum extern false \
    final fn for gen i64 if impl in let loop macro match mod move mut override priv pub ref return self static struct super \
    trait true try type typeof unsafe unsized use virtual where while yield _";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Language {
    #[default]
    C,
    Python,
    Rust,
}

/// The names taken so far.
pub(super) struct Names {
    reserved: FxHashSet<&'static str>,
    taken: FxHashSet<String>,
    next: usize,
}

impl Names {
    pub(super) fn new(language: Language) -> Names {
        let words = match language {
            Language::C => C_WORDS,
            Language::Python => PYTHON_WORDS,
            Language::Rust => RUST_WORDS,
        };
        Names { reserved: words.split_whitespace().collect(), taken: FxHashSet::default(), next: 0 }
    }

    /// Keeps temporaries away from a name.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_string());
    }

    pub(super) fn free(&self, name: &str) -> bool {
        !self.reserved.contains(name)
            && !self.taken.contains(name)
            && !name.starts_with("quaff_")
            && !name.starts_with("__")
    }

    /// Takes names for variables, all at once: those that can stay themselves come first.
    pub(super) fn variables<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Vec<String> {
        let names: Vec<&str> = names.collect();
        let kept: Vec<bool> = names.iter().map(|n| is_identifier(n) && self.free(n)).collect();
        self.taken.extend(names.iter().zip(&kept).filter(|(_, k)| **k).map(|(n, _)| n.to_string()));
        let name = |(n, kept): (&&str, &bool)| if *kept { n.to_string() } else { self.similar(n) };
        names.iter().zip(&kept).map(name).collect()
    }

    /// Takes a free name that looks like `wanted`.
    pub(super) fn similar(&mut self, wanted: &str) -> String {
        let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '_') || name.is_empty() {
            name.insert(0, 'v');
        }
        let stem = name.clone();
        let mut tries = 1;
        while !self.free(&name) {
            tries += 1;
            name = format!("{stem}_{tries}");
        }
        self.taken.insert(name.clone());
        name
    }

    /// Takes the next free name of `t0, t1, ...`.
    pub(super) fn temporary(&mut self) -> String {
        loop {
            let name = format!("t{}", self.next);
            self.next += 1;
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
