//! Prints a recorded kernel as CUDA text.

use super::KernelError;
use super::choose::{Chosen, chosen};
use super::names::{Asked, check};
use super::order::by_rank;
use super::place::Places;
use super::record::{self, Place, Recorder, Root};
use super::report::{KernelIndex, KernelText};
use super::template::{Piece, Template, stands_alone};
use crate::dims::Unroll;
use quaff::domain::{Interval, VarFacts};
use quaff::emit::{Contract, Parameter, Text};
use quaff::expr::{Dag, Expr, Op, var};
use quaff::internals::{Fragments, Language, Statement, lines, natural, operand};
use quaff::lower::{LowerError, lower_with};
use quaff::{Simplified, Simplifier, SimplifyError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The maximal length of the raw text of one index.
const RAW_LIMIT: usize = 1 << 16;

/// The texts of all roots, and the declarations at each place.
#[derive(Default)]
struct Texts {
    roots: Vec<(String, &'static str)>,
    declarations: FxHashMap<Place, Vec<Statement>>,
    /// The definitions of helper functions, and the prepared divisors.
    surroundings: Text,
}

/// The kernel with simplified indices.
pub(super) fn simplified(name: &str, rec: &Recorder, simplifier: &Simplifier) -> Result<KernelText, KernelError> {
    check_visible(rec)?;
    let mentioned = mentioned(rec);
    let asked = Asked::new(rec, &mentioned)?;
    let Chosen { answer, domain, vars, input_cost, executed, input_executed, trace } = chosen(rec, simplifier)?;
    let texts = placed(rec, (&answer, &vars), &asked)?;
    let indices = (rec.roots.iter().zip(answer.exprs()))
        .map(|(r, e)| {
            let (name, raw, known) = (r.name.clone(), r.raw.clone(), r.value.clone());
            KernelIndex { name, raw, known, simplified: e.clone() }
        })
        .collect();
    let printer = Printer::new(rec, &texts, answer.vars(), &asked);
    let contract = printer.contract()?;
    Ok(KernelText {
        source: printer.kernel(name, &contract)?,
        host: texts.surroundings.host.clone(),
        contract,
        indices,
        accesses: rec.reports.clone(),
        cost: answer.cost(),
        input_cost,
        executed,
        input_executed,
        stop: answer.stop(),
        domain,
        trace,
    })
}

/// The kernel with the indices as the solver built them.
pub(super) fn raw(name: &str, rec: &Recorder) -> Result<String, KernelError> {
    check_visible(rec)?;
    let mentioned = mentioned(rec);
    let asked = Asked::new(rec, &mentioned)?;
    let facts = rec.domain().resolve().map_err(SimplifyError::from)?;
    let known: FxHashSet<&str> = facts.iter().map(|v| &*v.name).collect();
    let text = |r: &Root| Ok((plain(&r.raw, &known)?, "long long"));
    let roots = rec.roots.iter().map(text).collect::<Result<Vec<_>, KernelError>>()?;
    let texts = Texts { roots, ..Texts::default() };
    let printer = Printer::new(rec, &texts, &facts, &asked);
    let contract = printer.contract()?;
    printer.kernel(name, &contract)
}

/// The places where the text uses each root (a requested index or condition).
fn uses(rec: &Recorder) -> Vec<Vec<Place>> {
    let mut uses = vec![vec![]; rec.roots.len()];
    let mut asked = vec![None; rec.roots.len()];
    for (b, block) in rec.blocks.iter().enumerate() {
        for (at, statement) in block.statements.iter().enumerate() {
            let place = Place { block: b as u32, at: at as u32 };
            let mut mention = |template: &Template| {
                for piece in template {
                    if let Piece::Root(root) = piece {
                        uses[*root as usize].push(place);
                    }
                }
            };
            match statement {
                record::Statement::Code(template) => mention(template),
                record::Statement::Define(v) => rec.variables[*v as usize].text.iter().for_each(mention),
                record::Statement::If { condition, .. } => uses[*condition as usize].push(place),
                record::Statement::Ask(root) => asked[*root as usize] = Some(place),
                record::Statement::Loop(inner) => {
                    let end = rec.blocks[*inner as usize].looped.as_ref().and_then(|head| head.end);
                    end.into_iter().for_each(|root| uses[root as usize].push(place));
                }
            }
        }
    }
    for (uses, asked) in uses.iter_mut().zip(asked) {
        if uses.is_empty() {
            uses.extend(asked);
        }
    }
    uses
}

/// Returns an error if a root is used outside of the block of one of its variables.
fn check_visible(rec: &Recorder) -> Result<(), KernelError> {
    let places = Places::new(rec);
    for (root, uses) in rec.roots.iter().zip(uses(rec)) {
        for variable in root.raw.variables() {
            let Some(known) = rec.named(&variable).map(|v| v.place) else { continue };
            if !uses.iter().all(|&wanted| places.is_visible(known, wanted)) {
                return Err(KernelError::Hidden { name: root.name.clone(), variable });
            }
        }
    }
    Ok(())
}

fn placed(rec: &Recorder, (answer, vars): (&Simplified, &[VarFacts]), asked: &Asked<'_>) -> Result<Texts, KernelError> {
    let places = Places::new(rec);
    let known: FxHashMap<&str, u64> = rec.variables.iter().map(|v| (&*v.name, places.rank(v.place))).collect();
    let rank = |name: &str| known.get(name).copied().unwrap_or(0);
    let ordered = by_rank(answer.exprs(), rank, |e| answer.range_of(e));
    let dag = Dag::new(&ordered.exprs);
    let range = |id: u32| ordered.ranges.get(&dag.origin(id).address()).copied().unwrap_or(Interval::ALL);
    let lowered = lower_with(&dag, vars, range, answer.target())?;
    // a variable that the text uses keeps its name. The other names are reserved, so that no temporary gets them
    let divisors: Vec<Expr> = lowered.divisors().iter().map(|d| d.divisor.clone()).collect();
    let of_host = Dag::new(&divisors);
    let of_host = of_host.variables().map(|name| &**name);
    let used: FxHashSet<&str> = lowered.params().iter().map(|p| &*p.name).chain(of_host).collect();
    let names = rec.reserved().chain(asked.names());
    let reserved = names.filter(|n| !used.contains(n));
    let mut fragments = Fragments::new(&lowered, Language::Cuda, reserved);
    let decisions = places.decide(&lowered, &uses(rec), |id| fragments.is_trivial(id));
    // the requested name of each value, and whether it is declared as a variable
    let mut names: FxHashMap<u32, (&str, bool)> = FxHashMap::default();
    for ((&value, root), id) in lowered.roots().iter().zip(&rec.roots).zip(0..) {
        let own = asked.is_only(id, &root.name) && !rec.mentioned.contains(&*root.name);
        let wanted = names.entry(value).or_insert((&*root.name, own));
        if own && !wanted.1 {
            *wanted = (&*root.name, true);
        }
    }
    let mut texts = Texts::default();
    for (id, decision) in decisions.iter().enumerate() {
        if let Some(decision) = decision.filter(|d| d.named) {
            let id = id as u32;
            let definition = match names.get(&id) {
                Some((name, true)) => fragments.define_as(id, name),
                Some((name, false)) => fragments.define(id, Some(name)),
                None => fragments.define(id, None),
            };
            texts.declarations.entry(decision.place).or_default().push(definition);
        }
    }
    texts.roots = lowered.roots().iter().map(|&id| (fragments.text(id), fragments.ty(id))).collect();
    texts.surroundings = fragments.surroundings();
    Ok(texts)
}

/// C text of an expression without simplification. Its values must not be negative.
fn plain(e: &Expr, known: &FxHashSet<&str>) -> Result<String, KernelError> {
    let dag = Dag::new(std::slice::from_ref(e));
    let refused = || KernelError::Raw { expr: e.to_infix(200).unwrap_or_else(|_| "a long expression".into()) };
    let mut texts: Vec<String> = vec![];
    for node in dag.nodes() {
        let arg = |i: usize| texts[node.args[i] as usize].as_str();
        let symbol = match &node.op {
            Op::Const(c) => {
                texts.push(c.to_string());
                continue;
            }
            Op::Var(name) if !known.contains(&**name) => {
                return Err(SimplifyError::UnknownVariable(var(name.clone())).into());
            }
            Op::Var(name) => {
                texts.push(name.to_string());
                continue;
            }
            Op::FloorDiv => "/",
            Op::And => "&&",
            Op::Or => "||",
            Op::Add | Op::Sub | Op::Mul | Op::FloorMod => node.op.symbol(),
            op if op.is_comparison() || op.is_bitwise() || op.is_shift() => op.symbol(),
            _ => return Err(refused()),
        };
        let text = format!("({} {symbol} {})", arg(0), arg(1));
        if text.len() > RAW_LIMIT {
            return Err(refused());
        }
        texts.push(text);
    }
    Ok(texts.swap_remove(dag.roots()[0] as usize))
}

struct Printer<'a> {
    rec: &'a Recorder,
    texts: &'a Texts,
    /// The range of each variable.
    ranges: FxHashMap<&'a str, Interval>,
    asked: &'a Asked<'a>,
}

impl<'a> Printer<'a> {
    fn new(rec: &'a Recorder, texts: &'a Texts, facts: &'a [VarFacts], asked: &'a Asked<'a>) -> Printer<'a> {
        let ranges = facts.iter().map(|v| (&*v.name, v.interval)).collect();
        Printer { rec, texts, ranges, asked }
    }

    /// The parameters: buffers and scalars, then sizes, then prepared divisors.
    fn contract(&self) -> Result<Contract, KernelError> {
        let sizes = self.rec.sizes.iter().map(|name| (None, name));
        let all = self.rec.parameters.iter().map(|p| (p.ty.clone(), &p.name)).chain(sizes);
        let parameter = |(ty, name): (Option<String>, &Arc<str>)| {
            let ty = ty.map_or_else(|| Ok(format!("const {}", self.type_of(name)?)), Ok::<String, KernelError>)?;
            Ok(Parameter { name: name.to_string(), ty: ty.trim_end().into() })
        };
        let mut contract = self.texts.surroundings.contract();
        contract.params = all.map(parameter).collect::<Result<_, KernelError>>()?;
        // the host has all parameters of the kernel, so the contract lists no separate host parameters
        contract.host_params.clear();
        Ok(contract)
    }

    fn kernel(&self, name: &str, contract: &Contract) -> Result<String, KernelError> {
        check(&name.into())?;
        let headers: String = self.rec.headers.iter().map(|header| format!("#include <{header}>\n")).collect();
        let mut program = Vec::new();
        if !self.rec.launch.is_empty() {
            let known = self.ranges.keys().copied().collect();
            let mut sizes = vec![];
            for (text, size) in &self.rec.launch {
                let size = plain(size, &known)?;
                let size = size.strip_prefix('(').and_then(|s| s.strip_suffix(')')).unwrap_or(&size);
                sizes.push(format!("{} < {size}", one_line(text)));
            }
            program.push(Statement::Code(format!("// {}", sizes.join(", "))));
        }
        // a comment for each prepared divisor says how the host computes it
        let made = contract.divisors.iter().map(|divisor| format!("// {} = {}", divisor.name, divisor.setup()));
        program.extend(made.map(Statement::Code));
        let divisors = contract.divisors.iter().map(|d| format!("const quaff_fastdivmod_t {}", d.name));
        let parameters: Vec<String> = contract.params.iter().map(ToString::to_string).chain(divisors).collect();
        let head = format!("extern \"C\" __global__ void {name}({})", parameters.join(", "));
        program.push(Statement::Function { head, body: self.block(0)? });
        let program: String = lines(&program, Language::Cuda).into_iter().map(|line| line + "\n").collect();
        Ok(headers + &self.texts.surroundings.prelude + &program)
    }

    /// The C type of a variable: the first type that can represent its range.
    fn type_of(&self, name: &str) -> Result<&'static str, KernelError> {
        let range = self.ranges.get(name).copied().filter(|range| range.bounded().is_some());
        range.map(|range| natural(range).c_name()).ok_or_else(|| LowerError::TooWide { expr: name.to_string() }.into())
    }

    fn fill(&self, template: &Template) -> String {
        let mut out = String::new();
        for (i, piece) in template.iter().enumerate() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Root(root) => {
                    let text = &self.texts.roots[*root as usize].0;
                    let after = match template.get(i + 1) {
                        Some(Piece::Text(text)) => text.as_str(),
                        _ => "",
                    };
                    out += &if stands_alone(&out, after) { text.clone() } else { operand(text) };
                }
            }
        }
        out
    }

    /// The statements of a block. The recursion is as deep as the nesting of the blocks.
    fn block(&self, id: u32) -> Result<Vec<Statement>, KernelError> {
        let statements = &self.rec.blocks[id as usize].statements;
        let mut out = Vec::new();
        for at in 0..=statements.len() as u32 {
            out.extend(self.texts.declarations.get(&Place { block: id, at }).into_iter().flatten().cloned());
            let Some(statement) = statements.get(at as usize) else { continue };
            match statement {
                record::Statement::Code(template) => {
                    let code = self.fill(template);
                    // a label or a preprocessor directive is not indented
                    let is_directive = code.starts_with('#');
                    out.push(if is_directive { Statement::Directive(code) } else { Statement::Code(code) });
                }
                record::Statement::Ask(root) => out.extend(self.asked(*root)),
                record::Statement::Define(v) => {
                    let variable = &self.rec.variables[*v as usize];
                    let (ty, name) = (self.type_of(&variable.name)?.into(), variable.name.to_string());
                    let value = variable.text.as_ref().map(|t| self.fill(t)).unwrap_or_default();
                    out.push(Statement::Define { ty, name, value });
                }
                record::Statement::Loop(inner) => self.looped(*inner, &mut out)?,
                record::Statement::If { condition, then, otherwise } => {
                    let condition = self.texts.roots[*condition as usize].0.clone();
                    let otherwise = otherwise.map(|block| self.block(block)).transpose()?;
                    out.push(Statement::If { condition, then: self.block(*then)?, otherwise });
                }
            }
        }
        Ok(out)
    }

    /// The declaration of a requested index that no code mentions. `None` if it is not declared, or if a temporary of
    /// this name already has the value.
    fn asked(&self, root: u32) -> Option<Statement> {
        let ((value, ty), name) = (&self.texts.roots[root as usize], &self.rec.roots[root as usize].name);
        let is_new = self.asked.is_declared(root) && **value != **name;
        is_new.then(|| Statement::Define { ty: (*ty).into(), name: name.to_string(), value: value.clone() })
    }

    fn looped(&self, id: u32, out: &mut Vec<Statement>) -> Result<(), KernelError> {
        let Some(head) = &self.rec.blocks[id as usize].looped else { return Ok(()) };
        match head.unroll {
            Unroll::Auto => {}
            Unroll::Full => out.push(Statement::Directive("#pragma unroll".into())),
            Unroll::By(n) => out.push(Statement::Directive(format!("#pragma unroll {n}"))),
        }
        let (counter, ty) = (head.variable.to_string(), self.type_of(&head.variable)?);
        let end = match head.end {
            Some(root) => format!("< {}", operand(&self.texts.roots[root as usize].0)),
            None => format!("< {}", head.trips),
        };
        out.push(Statement::For { ty, counter, first: 0, end, step: 1, body: self.block(id)? });
        Ok(())
    }
}

/// `code` on one line, for a comment.
fn one_line(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether code mentions each root.
fn mentioned(rec: &Recorder) -> Vec<bool> {
    let mut mentioned = vec![false; rec.roots.len()];
    let codes = rec.blocks.iter().flat_map(|b| &b.statements).filter_map(|s| match s {
        record::Statement::Code(template) => Some(template),
        record::Statement::Define(v) => rec.variables[*v as usize].text.as_ref(),
        _ => None,
    });
    for piece in codes.flatten() {
        if let Piece::Root(root) = piece {
            mentioned[*root as usize] = true;
        }
    }
    mentioned
}
