//! Sets of rules, indexed by the operation they match.

use super::compile::compile;
use super::error::{RuleError, RuleErrors};
use super::hoist::sunk;
use super::program::{AT_ONCE, AtOnce, Rule, SlotCounts, Tree};
use super::read::read;
use crate::egraph::node::Head;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::OnceLock;

/// Rules in the order of their files. Names are unique: a later rule replaces an earlier one of the same name in its
/// place.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// For each head but that of sums, its rules as a tree of instructions.
    trees: Vec<Vec<Tree>>,
    sums: SumRules,
    /// Those of `sums` that are not for operands alone.
    outer_sums: SumRules,
    late: SumRules,
    at_once: AtOnce,
    slots: SlotCounts,
}

/// Rules about sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct SumRules {
    /// As a tree of instructions.
    pub(crate) tree: Vec<Tree>,
    /// A sum none of whose terms has one of these heads matches none of them.
    pub(crate) term_heads: u32,
}

/// Rules a set may hold.
const MAX_RULES: usize = 4096;

macro_rules! embedded {
    ($($file:literal),* $(,)?) => {
        /// The default files, compiled into the library.
        const EMBEDDED: &[(&str, &str)] = &[$(($file, include_str!(concat!("../../rules/", $file)))),*];
    };
}

embedded![
    "div.rules",
    "mod.rules",
    "sum.rules",
    "symbolic.rules",
    "bits.rules",
    "compare.rules",
    "minmax.rules",
    "select.rules"
];

impl RuleSet {
    /// A set without rules: what is left are the normal forms and the facts.
    pub fn empty() -> RuleSet {
        RuleSet { trees: vec![Vec::new(); Head::COUNT], ..RuleSet::default() }
    }

    /// The rules of the folder `rules/`, read and compiled once per process.
    pub fn shipped() -> &'static RuleSet {
        static SET: OnceLock<RuleSet> = OnceLock::new();
        SET.get_or_init(|| {
            // a test compiles the same text: an error here cannot be shipped
            RuleSet::parse_all(EMBEDDED.iter().map(|(f, t)| (f.to_string(), t.to_string())))
                .unwrap_or_else(|e| panic!("the shipped rules do not compile:\n{e}"))
        })
    }

    /// The rules in `text`; `file` is for error messages.
    ///
    /// # Errors
    /// Every error of the text.
    pub fn parse(file: &str, text: &str) -> Result<RuleSet, RuleErrors> {
        RuleSet::parse_all([(file.to_string(), text.to_string())])
    }

    /// The rules of several files, given as pairs of name and text.
    ///
    /// # Errors
    /// Every error of every file, a name used twice among them.
    pub fn parse_all(files: impl IntoIterator<Item = (String, String)>) -> Result<RuleSet, RuleErrors> {
        let mut set = RuleSet::empty();
        let mut errors = Vec::new();
        let mut names: FxHashMap<String, String> = FxHashMap::default();
        for (file, text) in files {
            let mut error = |place, message| errors.push(RuleError { file: file.clone(), place, message });
            let (data, fails) = read(&text);
            fails.into_iter().for_each(|(p, m)| error(p, m));
            for d in &data {
                match compile(d, &file) {
                    Err(fails) => fails.into_iter().for_each(|(p, m)| error(p, m)),
                    Ok(rule) => {
                        let at = format!("{file}:{}", rule.place);
                        if let Some(first) = names.insert(rule.name.clone(), at) {
                            error(rule.place, format!("`{}` is already a rule, at {first}", rule.name));
                        } else if set.rules.len() >= MAX_RULES {
                            error(rule.place, format!("more than {MAX_RULES} rules"));
                        } else {
                            set.rules.push(rule);
                        }
                    }
                }
            }
        }
        if errors.is_empty() { Ok(set.grow()) } else { Err(RuleErrors::new(errors)) }
    }

    /// All `*.rules` files of a folder, in order of their names.
    ///
    /// # Errors
    /// Every error of every file; a folder or file that cannot be read is one at place 1:1.
    pub fn load(folder: &Path) -> Result<RuleSet, RuleErrors> {
        let unreadable = |path: &Path, e: std::io::Error| {
            let place = super::Place { line: 1, column: 1 };
            RuleErrors::new(vec![RuleError { file: path.display().to_string(), place, message: e.to_string() }])
        };
        let entries = std::fs::read_dir(folder).map_err(|e| unreadable(folder, e))?;
        let mut paths: Vec<_> = entries
            .filter_map(|e| e.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|x| x == "rules"))
            .collect();
        paths.sort();
        if paths.is_empty() {
            let none = std::io::Error::new(std::io::ErrorKind::NotFound, "no *.rules files in this folder");
            return Err(unreadable(folder, none));
        }
        let mut files = Vec::new();
        for p in paths {
            let text = std::fs::read_to_string(&p).map_err(|e| unreadable(&p, e))?;
            files.push((p.display().to_string(), text));
        }
        RuleSet::parse_all(files)
    }

    /// The rules of both sets, those of `other` after; one of the same name is replaced. Only the first 65,536 are applied.
    pub fn and(mut self, other: RuleSet) -> RuleSet {
        for rule in other.rules {
            match self.rules.iter().position(|r| r.name == rule.name) {
                Some(i) => self.rules[i] = rule,
                None => self.rules.push(rule),
            }
        }
        self.grow()
    }

    /// Only the rules whose name `keep` accepts.
    pub fn retain(&self, keep: impl Fn(&str) -> bool) -> RuleSet {
        let rules = self.rules.iter().filter(|r| keep(r.name())).cloned().collect();
        RuleSet { rules, ..RuleSet::empty() }.grow()
    }

    /// Grows the trees anew.
    fn grow(mut self) -> RuleSet {
        let rules = std::mem::take(&mut self.rules);
        self = RuleSet { rules, ..RuleSet::empty() };
        for (i, rule) in (0..=u16::MAX).zip(&self.rules) {
            let tree = match (rule.late, rule.head) {
                (true, _) => &mut self.late.tree,
                (false, Head::Sum) => &mut self.sums.tree,
                (false, head) => &mut self.trees[head as usize],
            };
            Tree::insert(tree, i, &rule.code);
            if rule.head == Head::Sum && !rule.late && !rule.operand {
                Tree::insert(&mut self.outer_sums.tree, i, &rule.code);
            }
            self.slots = self.slots.max(rule.slots);
        }
        for tree in &mut self.trees {
            *tree = sunk(std::mem::take(tree));
            Tree::note_heads(tree);
        }
        for sums in [&mut self.sums, &mut self.outer_sums, &mut self.late] {
            sums.tree = sunk(std::mem::take(&mut sums.tree));
            Tree::note_heads(&mut sums.tree);
            sums.term_heads = Tree::term_heads(&sums.tree);
        }
        let at_once = |name: &str| {
            self.rules.iter().position(|r| r.at_once && r.name == name).and_then(|i| u16::try_from(i).ok())
        };
        let [one_bucket, congruence, nested, compare_factor, equal_factor] = AT_ONCE.map(at_once);
        self.at_once = AtOnce { one_bucket, congruence, nested, compare_factor, equal_factor };
        self
    }

    /// The rules, in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of this name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|r| r.name == name)
    }

    pub(crate) fn tree(&self, head: Head) -> &[Tree] {
        self.trees.get(head as usize).map_or(&[], |t| t)
    }

    /// The rules about sums; of those that nothing else is made of, where not `operands`.
    pub(crate) fn sums(&self, operands: bool) -> &SumRules {
        if operands { &self.sums } else { &self.outer_sums }
    }

    pub(crate) fn at_once(&self) -> AtOnce {
        self.at_once
    }

    pub(crate) fn late(&self) -> &SumRules {
        &self.late
    }

    pub(crate) fn slots(&self) -> SlotCounts {
        self.slots
    }
}
