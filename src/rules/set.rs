//! Sets of rules, indexed by the operation that they match.

use super::compile::compile;
use super::error::{RuleError, RuleErrors};
use super::phase::Phase;
use super::program::{Instr, Rule, RuleTrie, SlotCounts};
use super::read::read;
use crate::rules::operator::Operator;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::OnceLock;

/// Rules in the order of their files. Names are unique, and a later rule replaces an earlier one of the same name in
/// its place.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// All rules.
    all: RuleTrees,
    /// The rules except those that can match only a product of unknowns, or a divisor that is no known number.
    of_numbers: RuleTrees,
    slots: SlotCounts,
}

/// Rules, indexed by the operator and the phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleTrees {
    /// For each operator except that of sums, its rules as a tree of instructions.
    by_operator: Vec<Vec<RuleTrie>>,
    sums: SumRules,
    /// The rules for sums that are no operand of any node: `sums` without the rules of the phase `operand`.
    outer_sums: SumRules,
    /// The rules of the phase `share`, in groups. The groups are run one after the other, in the order of their first
    /// rules.
    share: Vec<ShareRules>,
    /// The rules that are run on the sums of an answer.
    late: SumRules,
    /// The rules of `late`, and the rules that are useful only when several expressions share a value.
    late_of_several: SumRules,
}

/// Rules of the phase `share` about one operator. All rules of a group search the e-graph for the same operators.
#[derive(Clone, Debug)]
pub(crate) struct ShareRules {
    pub(crate) operator: Operator,
    /// Sets of operators, as bits. If the e-graph has no operator of one of these sets, no rule of the group can match.
    needs: Vec<u32>,
    /// The rules as a tree of instructions.
    pub(crate) tree: Vec<RuleTrie>,
    /// For rules about sums, a bit set of operators. A sum must have a term with one of these operators for any of the
    /// rules to match.
    pub(crate) term_operators: u32,
}

/// Rules about sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct SumRules {
    /// The rules as a tree of instructions.
    pub(crate) tree: Vec<RuleTrie>,
    /// A bit set of operators. A sum must have a term with one of these operators for any of the rules to match.
    pub(crate) term_operators: u32,
}

/// The largest number of rules in a set.
const MAX_RULES: usize = 4096;

macro_rules! embedded {
    ($($file:literal),* $(,)?) => {
        /// The default files, compiled into the library.
        const EMBEDDED: &[(&str, &str)] = &[$(($file, include_str!(concat!("../../rules/", $file)))),*];
    };
}

// the files are in the order of their names, as when a folder is loaded. The order of rules decides which form is found
// first
embedded![
    "bits.rules",
    "compare.rules",
    "div.rules",
    "minmax.rules",
    "mod.rules",
    "select.rules",
    "share.rules",
    "sum.rules",
    "symbolic.rules",
    "trunc.rules"
];

impl RuleSet {
    /// A set without rules. A search then uses only normal forms and facts.
    pub fn empty() -> RuleSet {
        RuleSet::default()
    }

    /// The rules of the folder `rules/`, which are read and compiled once per process.
    pub fn shipped() -> &'static RuleSet {
        static SET: OnceLock<RuleSet> = OnceLock::new();
        SET.get_or_init(|| {
            // a test compiles the same text, so the shipped rules have no errors
            RuleSet::parse_all(EMBEDDED.iter().map(|(f, t)| (f.to_string(), t.to_string())))
                .unwrap_or_else(|e| panic!("the shipped rules do not compile:\n{e}"))
        })
    }

    /// The rules in `text`. `file` is the name in error messages.
    ///
    /// # Errors
    /// [`RuleErrors`] with all errors in the text.
    pub fn parse(file: &str, text: &str) -> Result<RuleSet, RuleErrors> {
        RuleSet::parse_all([(file.to_string(), text.to_string())])
    }

    /// The rules of several files, which are given as pairs of name and text.
    ///
    /// # Errors
    /// [`RuleErrors`] with all errors in all files. A name that is used twice is an error.
    pub fn parse_all(files: impl IntoIterator<Item = (String, String)>) -> Result<RuleSet, RuleErrors> {
        let mut set = RuleSet::empty();
        let mut errors = Vec::new();
        let mut names: FxHashMap<String, String> = FxHashMap::default();
        for (file, text) in files {
            let mut error = |position, message| errors.push(RuleError { file: file.clone(), position, message });
            let (data, fails) = read(&text);
            fails.into_iter().for_each(|(p, m)| error(p, m));
            for d in &data {
                match compile(d, &file) {
                    Err(fails) => fails.into_iter().for_each(|(p, m)| error(p, m)),
                    Ok(rule) => {
                        let at = format!("{file}:{}", rule.position);
                        if let Some(first) = names.insert(rule.name.clone(), at) {
                            error(rule.position, format!("`{}` is already a rule, at {first}", rule.name));
                        } else if set.rules.len() >= MAX_RULES {
                            error(rule.position, format!("more than {MAX_RULES} rules"));
                        } else {
                            set.rules.push(rule);
                        }
                    }
                }
            }
        }
        if errors.is_empty() { Ok(set.grow()) } else { Err(RuleErrors::new(errors)) }
    }

    /// The rules of all `*.rules` files of a folder, in the order of the file names.
    ///
    /// # Errors
    /// [`RuleErrors`] with all errors in all files. A folder or file that cannot be read gives an error at position 1:1.
    pub fn load(folder: &Path) -> Result<RuleSet, RuleErrors> {
        let unreadable = |path: &Path, e: std::io::Error| {
            let position = super::Position { line: 1, column: 1 };
            RuleErrors::new(vec![RuleError { file: path.display().to_string(), position, message: e.to_string() }])
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

    /// The rules of both sets. The rules of `other` come last, or replace a rule of the same name. Only the first
    /// 65,536 rules are applied.
    pub fn and(mut self, other: RuleSet) -> RuleSet {
        for rule in other.rules {
            match self.rules.iter().position(|r| r.name == rule.name) {
                Some(i) => self.rules[i] = rule,
                None => self.rules.push(rule),
            }
        }
        self.grow()
    }

    /// The rules whose names `keep` accepts.
    pub fn retain(&self, keep: impl Fn(&str) -> bool) -> RuleSet {
        let rules = self.rules.iter().filter(|r| keep(r.name())).cloned().collect();
        RuleSet { rules, ..RuleSet::empty() }.grow()
    }

    /// Builds the trees from the rules.
    fn grow(mut self) -> RuleSet {
        let rules = std::mem::take(&mut self.rules);
        self = RuleSet { rules, ..RuleSet::empty() };
        let numbered = || (0..=u16::MAX).zip(&self.rules);
        self.all = RuleTrees::grow(numbered());
        self.of_numbers = RuleTrees::grow(numbered().filter(|(_, rule)| !rule.needs_unknowns()));
        self.slots = self.rules.iter().map(|r| r.slots).fold(SlotCounts::default(), SlotCounts::max);
        self
    }

    /// The rules, in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules that are not shipped. Such rules have another name than all shipped rules, or another text than the
    /// shipped rule of the same name. Layout, comments and the order of rules do not matter.
    pub fn own(&self) -> impl Iterator<Item = &Rule> {
        static TEXTS: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
        let shipped = TEXTS.get_or_init(|| RuleSet::shipped().rules.iter().map(|r| (r.name(), r.text())).collect());
        self.rules.iter().filter(|r| shipped.get(r.name()) != Some(&r.text()))
    }

    /// The rule with this name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|r| r.name == name)
    }

    /// The rules that may match. `unknowns` says whether there are products of unknowns or divisors that are no known
    /// numbers.
    pub(crate) fn trees(&self, unknowns: bool) -> &RuleTrees {
        if unknowns { &self.all } else { &self.of_numbers }
    }

    pub(crate) fn slots(&self) -> SlotCounts {
        self.slots
    }
}

impl RuleTrees {
    fn grow<'a>(rules: impl Iterator<Item = (u16, &'a Rule)>) -> RuleTrees {
        let mut trees = RuleTrees { by_operator: vec![Vec::new(); Operator::COUNT], ..RuleTrees::default() };
        for (i, rule) in rules {
            let RuleTrees { by_operator, sums, outer_sums, share, late, late_of_several } = &mut trees;
            let insert = |tree: &mut Vec<RuleTrie>| RuleTrie::insert(tree, i, rule.code.clone());
            match (rule.phase, rule.operator) {
                (Phase::Search, Operator::Sum) => {
                    [sums, outer_sums].into_iter().for_each(|sums| insert(&mut sums.tree))
                }
                (Phase::Search, operator) => insert(&mut by_operator[operator as usize]),
                (Phase::Operand, _) => insert(&mut sums.tree),
                (Phase::Share, _) => insert(ShareRules::group_of(share, rule)),
                (Phase::Late, _) => [late, late_of_several].into_iter().for_each(|sums| insert(&mut sums.tree)),
                (Phase::Several, _) => insert(&mut late_of_several.tree),
            }
        }
        for group in &mut trees.share {
            group.term_operators = RuleTrie::term_operators(&group.tree);
        }
        for tree in trees.by_operator.iter_mut().chain(trees.share.iter_mut().map(|group| &mut group.tree)) {
            RuleTrie::note_operators(tree);
        }
        for sums in [&mut trees.sums, &mut trees.outer_sums, &mut trees.late, &mut trees.late_of_several] {
            RuleTrie::note_operators(&mut sums.tree);
            sums.term_operators = RuleTrie::term_operators(&sums.tree);
        }
        trees
    }

    /// The rules about nodes with this operator, which is not the operator of sums.
    pub(crate) fn about(&self, operator: Operator) -> &[RuleTrie] {
        self.by_operator.get(operator as usize).map_or(&[], |t| t)
    }

    /// The rules about sums that are operands of a node, or about all other sums.
    pub(crate) fn sums(&self, operands: bool) -> &SumRules {
        if operands { &self.sums } else { &self.outer_sums }
    }

    /// The rules of the phase `share`.
    pub(crate) fn share(&self) -> &[ShareRules] {
        &self.share
    }

    /// The late rules, for one expression or for several together.
    pub(crate) fn late(&self, several: bool) -> &SumRules {
        if several { &self.late_of_several } else { &self.late }
    }
}

impl ShareRules {
    /// The tree of the group to which `rule` belongs.
    fn group_of<'g>(groups: &'g mut Vec<ShareRules>, rule: &Rule) -> &'g mut Vec<RuleTrie> {
        let needs: Vec<u32> = rule.code.iter().filter_map(Instr::operators_asked_for).collect();
        let known = groups.iter().position(|g| g.operator == rule.operator && g.needs == needs);
        let at = known.unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(ShareRules { operator: rule.operator, needs, tree: Vec::new(), term_operators: 0 });
        }
        &mut groups[at].tree
    }

    /// Whether the rules may match in an e-graph that has these operators, given as bits.
    pub(crate) fn may_match(&self, operators: u32) -> bool {
        operators & Operator::bits(&[self.operator]) != 0 && self.needs.iter().all(|needed| operators & needed != 0)
    }
}
