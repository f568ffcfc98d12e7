//! Finds the definitions that are used outside of sites (parts that compute integers). These definitions stay in the
//! text.

use super::file::File;
use super::walker::Walker;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// Marks the definitions of `function` that are used outside of sites. This must be called after all statements of
    /// the function were read.
    ///
    /// The time is n log n for n identifiers, plus, for each identifier, the number of definitions with its name.
    pub(super) fn find_other_uses(&mut self, function: Node<'t>) {
        let mut by_name: FxHashMap<&'t str, Vec<usize>> = FxHashMap::default();
        for (number, (name, _)) in self.visible.iter().enumerate() {
            by_name.entry(name).or_default().push(number);
        }
        let mut sites: Vec<usize> = (0..self.kernel.sites.len()).collect();
        let span = |site: usize| self.kernel.sites[site].span.clone();
        sites.sort_by_key(|&site| (span(site).start, std::cmp::Reverse(span(site).end)));
        let (mut sites, mut around) = (sites.into_iter().peekable(), Vec::<usize>::new());
        let mut used: Vec<usize> = Vec::new();
        for (at, text) in words(self.file, function) {
            while let Some(site) = sites.next_if(|&site| span(site).start <= at) {
                around.push(site);
            }
            while around.pop_if(|site| span(*site).end <= at).is_some() {}
            for word in self.file.with_macros(text) {
                let is_read = || {
                    let Some(&site) = around.last() else { return false };
                    let of_word = |name: &std::sync::Arc<str>| {
                        self.kernel.variables.get(name).is_some_and(|v| v.spelling == word)
                    };
                    word == text && self.kernel.sites[site].expr.variables().iter().any(of_word)
                };
                let Some(numbers) = by_name.get(word).filter(|_| !is_read()) else { continue };
                let is_visible = |number: &&usize| {
                    let definition = &self.kernel.definitions[**number];
                    definition.removal.statement.start <= at && at < self.visible[**number].1
                };
                used.extend(numbers.iter().filter(is_visible));
            }
        }
        used.into_iter().for_each(|number| self.kernel.definitions[number].is_used_elsewhere = true);
    }
}

/// The identifiers in `node`, in the order of the text, each with the position of its first byte. A name in its own
/// declaration is left out.
fn words<'t>(file: &File<'t>, node: Node<'t>) -> Vec<(usize, &'t str)> {
    let (mut cursor, mut found) = (node.walk(), Vec::new());
    loop {
        let node = cursor.node();
        let is_none = matches!(node.kind(), "comment" | "string_content" | "raw_string_content" | "field_identifier")
            || node.kind() == "identifier" && cursor.field_name() == Some("declarator");
        if !is_none && cursor.goto_first_child() {
            continue;
        }
        if !is_none {
            let (text, mut at) = (file.of(node), node.start_byte());
            for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    found.push((at, word));
                }
                at += word.len() + text[at - node.start_byte() + word.len()..].chars().next().map_or(0, char::len_utf8);
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

impl<'t> File<'t> {
    /// `word`, and all identifiers that it may expand to if it is a macro.
    pub(super) fn with_macros(&self, word: &'t str) -> Vec<&'t str> {
        let (mut found, mut seen) = (vec![word], FxHashSet::default());
        let mut at = 0;
        while let Some(&word) = found.get(at) {
            at += 1;
            if seen.insert(word) {
                let names = self.macros.get(word).into_iter().flatten().flat_map(|known| &known.names);
                found.extend(names.filter(|word| !seen.contains(*word)));
            }
        }
        found
    }
}
