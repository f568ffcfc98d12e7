//! Turns the new expressions of a kernel into edits of its text.

use crate::alike::alike;
use crate::answer::Answer;
use crate::language::Language;
use crate::model::{Kernel, Role, Site};
use crate::question::{Question, form_of_text};
use crate::reuse::{Known, Temporary, Use, shared};
use crate::spell::Speller;
use crate::style::Style;
use quaff::Simplifier;
use quaff::expr::{Expr, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// A range of a text, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

/// The edits of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    /// The edits in the order of the text. No edit is inside another edit.
    pub(crate) all: Vec<Edit>,
    /// The sites (places that compute integers) with their new texts, without definitions.
    pub(crate) sites: Vec<(usize, String)>,
    /// The byte ranges of the values of removed definitions.
    pub(crate) removed: Vec<Range<usize>>,
}

/// The edits that write the new expressions in `answer` into the source file. A site (a place that computes an integer)
/// stays unchanged if the language cannot express its new value.
pub(crate) fn edits(
    source: &str,
    kernel: &Kernel,
    question: &Question,
    answer: &Answer,
    simplifier: &Simplifier,
    language: Language,
) -> Edits {
    let known = Known::new(kernel, question, answer, simplifier);
    let style = Style::of_kernel(&source[kernel.span.clone()], language);
    // a site with a comment inside keeps its text, because the comment would lose its place
    let is_commented = |site: &usize| {
        let site = &kernel.sites[*site];
        let span = match site.role {
            Role::Definition(number) => &kernel.definitions[number].removal.statement,
            _ => &site.span,
        };
        language.has_comment(&source[span.clone()])
    };
    // keep a site that is only a variable whose value changes, because the text of another variable may contain it
    let is_operand = |site: &usize| match kernel.sites[*site].expr.op() {
        Op::Var(name) => kernel.variables.get(name).is_some_and(|v| v.changes && v.source.is_none()),
        _ => false,
    };
    let sites = (0..kernel.sites.len()).filter(|site| is_commented(site) || is_operand(site));
    let mut refused = Refused { sites: sites.collect(), values: FxHashSet::default() };
    loop {
        let draft = Draft::new(kernel, question, answer, &known, &refused, simplifier);
        let speller = Speller::new(kernel, question, simplifier, language.dialect());
        let mut writing = Writing { source, kernel, question, language, style, speller };
        match draft.edits(&mut writing) {
            Ok(edits) => return edits,
            Err(more) if more.sites.is_empty() && more.values.is_empty() => return Edits::default(),
            Err(more) => {
                refused.sites.extend(more.sites);
                refused.values.extend(more.values);
            }
        }
    }
}

/// The sites and values that must keep their text, for example because the language cannot express the new form.
#[derive(Debug, Default)]
struct Refused {
    sites: FxHashSet<usize>,
    /// Values that must not get a name.
    values: FxHashSet<Expr>,
}

/// The data that is needed to write texts.
struct Writing<'k> {
    source: &'k str,
    kernel: &'k Kernel,
    question: &'k Question,
    language: Language,
    style: Style,
    speller: Speller<'k>,
}

/// The new expressions of sites. They contain variables of the file and new variables.
struct Draft {
    uses: Vec<Use>,
    temporaries: Vec<Temporary>,
    /// The definitions that are no longer used.
    dead: Vec<usize>,
}

impl Draft {
    fn new(
        kernel: &Kernel,
        question: &Question,
        answer: &Answer,
        known: &Known,
        refused: &Refused,
        simplifier: &Simplifier,
    ) -> Draft {
        let mut live: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut uses = Vec::new();
        let is_definition = |site: usize| matches!(kernel.sites[site].role, Role::Definition(_));
        let new_of = |site: usize| answer[site].as_ref().filter(|_| !refused.sites.contains(&site));
        // the new expression with names of the file. `None` if the text already has this form, apart from the order of
        // operands
        let named = |site: usize, new: &Expr, own: Option<&str>| {
            let read = &kernel.sites[site];
            let expr = known.named(kernel, new, read.place, own);
            // a name for a number is not replaced by the number if its definition stays in the text
            let stays = |name: &str| kernel.definition(name).is_some_and(|d| d.is_used_elsewhere);
            if matches!(read.expr.op(), Op::Var(name) if new.as_const().is_some() && stays(name)) {
                return None;
            }
            // the new values must vary along the same axes of the tensor, because otherwise the shape would change
            let is_number = read.role == Role::Condition && expr.as_const().is_some();
            let is_fit = || is_number || kernel.axes(&expr) == kernel.axes(&read.expr);
            let is_same = alike(&form_of_text(&expr), &form_of_text(&read.expr));
            (!is_same && is_fit()).then_some(expr)
        };
        for (site, read) in kernel.sites.iter().enumerate().filter(|(site, _)| !is_definition(*site)) {
            let new = new_of(site).and_then(|new| named(site, new, None));
            live.extend(new.as_ref().unwrap_or(&read.expr).variables());
            uses.extend(new.map(|expr| Use { site, expr }));
        }
        let mut dead = Vec::new();
        let cost = |e: &Expr| question.price([e], simplifier);
        for (number, definition) in kernel.definitions.iter().enumerate().rev() {
            let site = definition.site;
            let is_unused = !definition.is_used_elsewhere && !live.contains(&definition.variable);
            if is_unused && !refused.sites.contains(&site) {
                dead.push(number);
                continue;
            }
            let written = &kernel.sites[site].expr;
            let cheaper = known.cheaper.get(&definition.variable).filter(|_| !refused.sites.contains(&site));
            let new = new_of(site).or(cheaper).and_then(|new| named(site, new, Some(&definition.variable)));
            // if the text still computes all operands of the old form, the new form must cost less. Otherwise it is
            // taken in any case
            let is_live = |name: &Arc<str>| live.contains(name) || kernel.definition(name).is_none();
            let new = new.filter(|new| !written.variables().iter().all(is_live) || cost(new) < cost(written));
            // if the value is a number and the name is used elsewhere, the definition keeps its old text
            let new = new.filter(|new| !definition.is_used_elsewhere || new.as_const().is_none());
            live.extend(new.as_ref().unwrap_or(written).variables());
            uses.extend(new.map(|expr| Use { site, expr }));
        }
        uses.sort_by_key(|u| u.site);
        let temporaries = shared(kernel, &mut uses, &refused.values);
        Draft { uses, temporaries, dead }
    }

    /// Builds the edits. The error has the sites and values that the language cannot express.
    fn edits(&self, writing: &mut Writing) -> Result<Edits, Refused> {
        let mut all = self.definitions(writing)?;
        let texts = self.texts(writing)?;
        let (source, kernel) = (writing.source, writing.kernel);
        let mut sites: Vec<(usize, String)> = texts.into_iter().collect();
        sites.retain(|(site, text)| source[kernel.sites[*site].span.clone()] != **text);
        sites.sort();
        let is_dead = |site: usize| matches!(kernel.sites[site].role, Role::Definition(n) if self.dead.contains(&n));
        let live = sites.iter().filter(|(site, _)| !is_dead(*site));
        all.extend(live.map(|(site, text)| Edit { span: kernel.sites[*site].span.clone(), text: text.clone() }));
        all.extend(removals(source, kernel, &self.dead, &all));
        let dead = self.dead.iter().map(|n| kernel.sites[kernel.definitions[*n].site].span.clone());
        let removed = dead.chain(self.uses.iter().flat_map(|used| elements_removed(kernel, used))).collect();
        Ok(Edits { all: in_order(all), sites, removed })
    }

    /// The definitions of new variables.
    fn definitions(&self, writing: &mut Writing) -> Result<Vec<Edit>, Refused> {
        let Writing { source, kernel, question, language, style, speller } = writing;
        let (mut all, mut refused) = (Vec::new(), Refused::default());
        for Temporary { variable, expr, value, place, context } in &self.temporaries {
            let condition = question.condition(kernel, *context);
            speller.at = (*place, *context);
            match speller.text(expr, condition.as_ref(), true, &FxHashMap::default()) {
                Some(spelt) => {
                    let line = language.definition(variable, &style.of(spelt));
                    let at = place.start;
                    let text = format!("{line}{}{}", line_end(source), indentation(source, at));
                    all.push(Edit { span: at..at, text });
                }
                None => drop(refused.values.insert(value.clone())),
            }
            speller.define(variable, expr);
        }
        if refused.values.is_empty() { Ok(all) } else { Err(refused) }
    }

    /// The new texts of sites.
    fn texts(&self, writing: &mut Writing) -> Result<FxHashMap<usize, String>, Refused> {
        let Writing { source, kernel, question, language, style, speller } = writing;
        let (mut texts, mut refused): (FxHashMap<usize, String>, _) = (FxHashMap::default(), Refused::default());
        for used in &self.uses {
            let site = &kernel.sites[used.site];
            // write an element such as `lens[b]` with the new text of its index
            let elements = used.expr.variables().into_iter().filter_map(|name| {
                let span = kernel.variables.get(&name)?.source.as_ref()?;
                Some((name, within(source, span, kernel, &texts)))
            });
            speller.sources = elements.collect();
            let gate = question.gate(used.site);
            speller.at = (site.place, site.context);
            let spelt = match (site.role, speller.variable(&used.expr)) {
                // an index may have any integer type, so a single variable needs no conversion
                (Role::Address, Some(name)) => Some(name),
                _ if site.is_wide => speller.text(&used.expr, gate, false, &kernel.numbers(used.site)),
                _ => speller
                    .text(&used.expr, gate, true, &kernel.numbers(used.site))
                    .or_else(|| speller.unsigned(&used.expr, gate)),
            };
            match spelt.filter(|_| elements_once(kernel, used, &site.span)) {
                Some(spelt) => {
                    let value = question.accesses[used.site].index();
                    texts.insert(used.site, in_place(site, value, used, style.of(spelt), *language));
                }
                None => drop(refused.sites.insert(used.site)),
            }
        }
        if refused.sites.is_empty() { Ok(texts) } else { Err(refused) }
    }
}

/// The new text of a site, in a form that can replace the old text: with parentheses or a conversion if necessary.
/// `value` is the old value of the site, and `text` is the text of its new form.
fn in_place(site: &Site, value: &Expr, used: &Use, text: String, language: Language) -> String {
    let truth = used.expr.as_const().filter(|_| site.role == Role::Condition && value.op().is_truth());
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    // the operators next to a condition bind less tightly than arithmetic, so arithmetic needs no parentheses
    let is_tight =
        site.role == Role::Condition && is_arithmetic(&used.expr) && !text.contains(['&', '|', '^', '?', '<', '>']);
    match (truth, site.is_free || is_word || is_tight, site.conversion) {
        (Some(truth), ..) => language.truth(truth != 0).into(),
        (None, true, "") => text,
        (None, _, conversion) => format!("{conversion}({text})"),
    }
}

/// Whether the outermost operation of `e` is one of arithmetic.
fn is_arithmetic(e: &Expr) -> bool {
    matches!(e.op(), Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::FloorDiv | Op::FloorMod | Op::TruncDiv | Op::TruncMod)
}

/// Whether each element in `used`, such as `lens[b]`, occurs only once, and also occurs in the old text of the site.
fn elements_once(kernel: &Kernel, used: &Use, span: &Range<usize>) -> bool {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    let mut stack = vec![&used.expr];
    while let Some(e) = stack.pop() {
        if let Op::Var(name) = e.op() {
            let Some(source) = kernel.variables.get(name).and_then(|v| v.source.as_ref()) else { continue };
            let count = counts.entry(name).or_default();
            *count += 1;
            if *count > 1 || source.start < span.start || source.end > span.end {
                return false;
            }
        }
        stack.extend(e.args());
    }
    true
}

/// The byte ranges of elements such as `lens[b]` that are in the old text of a site and not in `used`.
fn elements_removed(kernel: &Kernel, used: &Use) -> Vec<Range<usize>> {
    let new = used.expr.variables();
    let old = kernel.sites[used.site].expr.variables().into_iter().filter(|name| !new.contains(name));
    old.filter_map(|name| kernel.variables.get(&name)?.source.clone()).collect()
}

/// The text of a range of the source, with the new texts of the sites in that range.
fn within(source: &str, span: &Range<usize>, kernel: &Kernel, texts: &FxHashMap<usize, String>) -> String {
    let inside = |site: &Range<usize>| site.start >= span.start && site.end <= span.end;
    let edits = texts.iter().filter(|(site, _)| inside(&kernel.sites[**site].span));
    let edits = edits.map(|(site, text)| Edit { span: kernel.sites[*site].span.clone(), text: text.clone() });
    apply(source, span.clone(), &in_order(edits.collect()))
}

/// The edits in the order of the text. An edit inside another edit is dropped.
fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, !edit.span.is_empty(), std::cmp::Reverse(edit.span.end)));
    let mut kept: Vec<Edit> = Vec::new();
    for edit in edits {
        if kept.last().is_none_or(|last| last.span.end <= edit.span.start) {
            kept.push(edit);
        }
    }
    kept
}

/// The range `span` of `source` with `edits` applied. The edits must be in order.
pub(crate) fn apply(source: &str, span: Range<usize>, edits: &[Edit]) -> String {
    let (mut text, mut at) = (String::new(), span.start);
    for edit in edits {
        text += &source[at..edit.span.start];
        text += &edit.text;
        at = edit.span.end;
    }
    text + &source[at..span.end]
}

/// The edits that remove unused definitions.
fn removals(source: &str, kernel: &Kernel, dead: &[usize], others: &[Edit]) -> Vec<Edit> {
    let mut statements: FxHashMap<Range<usize>, Vec<usize>> = FxHashMap::default();
    for &number in dead {
        statements.entry(kernel.definitions[number].removal.statement.clone()).or_default().push(number);
    }
    let mut found = Vec::new();
    for (statement, numbers) in statements {
        let removals: Vec<_> = numbers.iter().map(|n| &kernel.definitions[*n].removal).collect();
        let declarators = &removals[0].declarators;
        let goes = |position: usize| removals.iter().any(|r| r.position == position);
        if (0..declarators.len()).all(goes) {
            found.push(Edit { span: whole_lines(source, statement), text: String::new() });
            continue;
        }
        // the remaining declarators, with the edits inside them
        let left: Vec<String> = (0..declarators.len())
            .filter(|position| !goes(*position))
            .map(|position| {
                let span = declarators[position].clone();
                let inside = others.iter().filter(|e| e.span.start >= span.start && e.span.end <= span.end);
                apply(source, span.clone(), &in_order(inside.cloned().collect()))
            })
            .collect();
        let span = declarators[0].start..declarators[declarators.len() - 1].end;
        found.push(Edit { span, text: left.join(", ") });
    }
    found
}

/// The range of the whole lines of the statement, if nothing else is on these lines.
fn whole_lines(source: &str, statement: Range<usize>) -> Range<usize> {
    let begin = source[..statement.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[statement.end..].find('\n').map_or(source.len(), |at| statement.end + at + 1);
    let is_blank = |text: &str| text.trim().is_empty();
    match is_blank(&source[begin..statement.start]) && is_blank(&source[statement.end..end]) {
        true => begin..end,
        false => statement,
    }
}

/// The blanks before the statement at `at`.
fn indentation(source: &str, at: usize) -> &str {
    let begin = source[..at].rfind('\n').map_or(0, |line| line + 1);
    let before = &source[begin..at];
    &before[..before.len() - before.trim_start().len()]
}

/// The line ending of `source`.
fn line_end(source: &str) -> &'static str {
    if source.contains("\r\n") { "\r\n" } else { "\n" }
}
