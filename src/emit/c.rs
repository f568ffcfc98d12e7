//! Prints lowered operations in CUDA and C.

use super::contract::HostDivisor;
use super::language::Language;
use super::names::identifiers;
use super::prelude;
use super::program::Statement;
use super::text::{Input, Output, Text};
use super::variables::Variables;
use crate::expr::{Dag, DagNode, Op};
use crate::lower::{FastDivisor, Instr, Lowered, Param, Type, Value};
use quaff_expr::names::Names;
use std::fmt::Write;

/// The CUDA C++ text. Device code needs no helper functions. If there are prepared divisors, the prelude defines their
/// type, and [`Text::host`] defines the functions that make them.
///
/// The time is linear in the number of operations.
pub fn cuda(lowered: &Lowered) -> Text {
    Printer::new(lowered, Language::Cuda).print()
}

/// Portable C99 text. The prelude has `static inline` definitions of all functions that the text calls.
///
/// The text relies on properties of all common compilers: `int` has 32 bits, and right shifts of negative numbers are
/// arithmetic. Conversions between integer types are modular. There is no signed overflow.
pub fn c(lowered: &Lowered) -> Text {
    Printer::new(lowered, Language::C).print()
}

/// All definitions that [`c()`] text may need, including those for prepared divisors. A file with many functions
/// includes them once, in place of the preludes.
pub fn c_library() -> String {
    let mut library = [prelude::UMULHI, prelude::UMUL64HI].concat();
    for ty in [Type::Int, Type::Unsigned, Type::Long, Type::UnsignedLong] {
        for instr in [Instr::Min, Instr::Max] {
            library.push_str(&min_max_definition(instr, ty));
        }
    }
    library + prelude::FAST_DIVMOD + prelude::FAST_DIVMOD_SETUP + prelude::FAST_DIVMOD_ANY_SETUP
}

/// The precedences of C's operators. A greater number binds more tightly.
mod prec {
    pub(super) const CONDITIONAL: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const BIT_OR: u8 = 4;
    pub(super) const BIT_XOR: u8 = 5;
    pub(super) const BIT_AND: u8 = 6;
    pub(super) const EQUAL: u8 = 7;
    pub(super) const LESS: u8 = 8;
    pub(super) const SHIFT: u8 = 9;
    pub(super) const ADD: u8 = 10;
    pub(super) const MUL: u8 = 11;
    pub(super) const UNARY: u8 = 12;
    pub(super) const ATOM: u8 = 13;
}

/// A part that is still to be printed. The last task of the stack is printed first.
enum Task {
    Text(&'static str),
    Owned(String),
    /// A value, and the least precedence that needs no parentheses around it.
    Value(u32, u8),
}

pub(super) struct Printer<'l> {
    lowered: &'l Lowered,
    pub(super) language: Language,
    pub(super) names: Names,
    pub(super) inputs: Vec<Input>,
    /// The type that CUDA gives each input, if the input is a variable of CUDA itself.
    builtins: Vec<Option<Type>>,
    host_inputs: Vec<Input>,
    divisors: Vec<HostDivisor>,
    /// The name of each value that has a name.
    pub(super) named: Vec<Option<String>>,
}

impl<'l> Printer<'l> {
    fn new(lowered: &'l Lowered, language: Language) -> Printer<'l> {
        let mut names = Names::new(language.words());
        if lowered.roots().len() != 1 {
            // `Display` of a text assigns several results to `out`
            names.reserve("out");
        }
        Printer::with_names(lowered, language, names)
    }

    /// A printer with `names`, of which some are taken already.
    pub(super) fn with_names(lowered: &'l Lowered, language: Language, mut names: Names) -> Printer<'l> {
        lowered.params().iter().filter_map(|p| p.text.as_deref()).flat_map(identifiers).for_each(|n| names.reserve(n));
        let variables = Variables::new(lowered, language, &mut names);
        let divisors = lowered.divisors().iter().map(|d| host_divisor(d, &variables, &mut names)).collect();
        let builtins: Vec<Option<Type>> = lowered.params().iter().map(|p| variables.builtin(&p.name)).collect();
        let input = |(p, builtin): (&Param, &Option<Type>)| {
            let (name, ty) = (variables.name(&p.name).to_string(), p.ty.c_name());
            Input { variable: p.name.clone(), name, ty, defined: p.text.is_some() || builtin.is_some() }
        };
        let inputs = lowered.params().iter().zip(&builtins).map(input).collect();
        let named = vec![None; lowered.values().len()];
        Printer { lowered, language, names, inputs, builtins, host_inputs: variables.host_inputs(), divisors, named }
    }

    fn print(mut self) -> Text {
        let mut text = Text::new(self.language);
        let mut statements = self.opaque_values();
        let uses = self.lowered.use_counts();
        for (id, value) in self.lowered.values().iter().enumerate() {
            if uses[id] > 1 && !self.is_trivial(value) {
                let name = self.names.temporary();
                statements.push(self.define(id as u32, name));
            }
        }
        text.add(&statements);
        for &root in self.lowered.roots() {
            let ty = self.lowered.values()[root as usize].ty.c_name();
            text.results.push(Output { text: self.value(root), ty });
        }
        self.preludes(&uses, &mut text);
        text.inputs = self.inputs;
        text
    }

    /// The definitions of the opaque variables, each of which has a text.
    pub(super) fn opaque_values(&self) -> Vec<Statement> {
        let define = |(input, param): (&Input, &Param)| {
            // the type of the text is not known
            let value = format!("({})({})", input.ty, param.text.as_ref()?);
            Some(Statement::Define { ty: input.ty.into(), name: input.name.clone(), value })
        };
        self.inputs.iter().zip(self.lowered.params()).filter_map(define).collect()
    }

    /// Names a value and returns the definition. Later text refers to the value by this name.
    pub(super) fn define(&mut self, id: u32, name: String) -> Statement {
        let (ty, value) = (self.lowered.values()[id as usize].ty, self.value(id));
        let ty = if ty == Type::Bool && self.language != Language::C { "bool" } else { ty.c_name() };
        self.named[id as usize] = Some(name.clone());
        Statement::Define { ty: ty.into(), name, value }
    }

    /// Whether a name would save nothing. The result is true for leaves, and for conversions of leaves.
    pub(super) fn is_trivial(&self, value: &Value) -> bool {
        match value.instr {
            Instr::Cast => self.lowered.values()[value.args[0] as usize].instr.arity() == 0,
            instr => instr.arity() == 0,
        }
    }

    pub(super) fn preludes(&self, uses: &[u32], text: &mut Text) {
        let live = || self.lowered.values().iter().zip(uses).filter(|(_, u)| **u > 0).map(|(v, _)| v);
        if self.language == Language::C {
            let high = |ty| live().any(|v| v.instr == Instr::MulHi && v.ty == ty);
            if high(Type::Unsigned) {
                text.prelude.push_str(prelude::UMULHI);
            }
            if high(Type::UnsignedLong) {
                text.prelude.push_str(prelude::UMUL64HI);
            }
            for ty in [Type::Int, Type::Unsigned, Type::Long, Type::UnsignedLong] {
                for instr in [Instr::Min, Instr::Max] {
                    if live().any(|v| v.instr == instr && v.ty == ty) {
                        text.prelude.push_str(&min_max_definition(instr, ty));
                    }
                }
            }
        }
        if self.lowered.divisors().is_empty() {
            return;
        }
        text.divisors = self.divisors.clone();
        text.host_inputs = self.host_inputs.clone();
        text.prelude.push_str(prelude::FAST_DIVMOD);
        for (any, setup) in [(false, prelude::FAST_DIVMOD_SETUP), (true, prelude::FAST_DIVMOD_ANY_SETUP)] {
            if self.lowered.divisors().iter().any(|d| d.may_be_one == any) {
                text.host.push_str(setup);
            }
        }
    }

    /// The text of a value. Values with names are printed by their names.
    pub(super) fn value(&self, id: u32) -> String {
        self.value_at(id, 0)
    }

    /// The text of a value as the first term of a sum.
    pub(super) fn summand(&self, id: u32) -> String {
        self.value_at(id, prec::ADD)
    }

    fn value_at(&self, id: u32, least: u8) -> String {
        let mut out = String::new();
        let mut tasks = Vec::new();
        self.operation(id, least, &mut out, &mut tasks);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(t) => out.push_str(t),
                Task::Owned(t) => out.push_str(&t),
                Task::Value(id, least) => match &self.named[id as usize] {
                    Some(name) => out.push_str(name),
                    None => self.operation(id, least, &mut out, &mut tasks),
                },
            }
        }
        out
    }

    fn operation(&self, id: u32, least: u8, out: &mut String, tasks: &mut Vec<Task>) {
        if let Some(name) = &self.named[id as usize] {
            return out.push_str(name);
        }
        let mut value = &self.lowered.values()[id as usize];
        if value.instr == Instr::Cast {
            let inner = self.without_round_trip(value.args[0], value.ty);
            if self.lowered.values()[inner as usize].ty == value.ty {
                if let Some(name) = &self.named[inner as usize] {
                    return out.push_str(name);
                }
                value = &self.lowered.values()[inner as usize];
            } else if let Some(name) = self.builtin_of(inner, value.ty) {
                return out.push_str(name);
            }
        }
        if self.is_idle(value) {
            return tasks.push(Task::Value(value.args[0], least));
        }
        let own = self.precedence(value);
        if own < least {
            out.push('(');
            tasks.push(Task::Text(")"));
        }
        let [a, b, c] = value.args;
        let mut call = |name: String| {
            out.push_str(&name);
            let open = if name.ends_with(' ') { "" } else { "(" };
            let parts = [Task::Text(open), Task::Value(a, 0), Task::Text(", "), Task::Value(b, 0), Task::Text(")")];
            tasks.extend(parts.into_iter().rev());
        };
        match value.instr {
            Instr::Const(value_of) => constant(value_of, value.ty, out),
            Instr::Param(i) => self.parameter(value, i, out),
            Instr::FastMultiplier(i) => drop(write!(out, "{}.m", self.divisors[i as usize].name)),
            Instr::FastShift(i) => drop(write!(out, "{}.s", self.divisors[i as usize].name)),
            Instr::Cast => {
                let _ = write!(out, "({})", value.ty.c_name());
                tasks.push(Task::Value(self.without_round_trip(a, value.ty), prec::UNARY));
            }
            Instr::Neg => {
                out.push('-');
                // two minus signs in a row would be a decrement
                let signed = matches!(self.lowered.values()[a as usize].instr, Instr::Neg | Instr::Const(_));
                tasks.push(Task::Value(a, if signed { prec::ATOM } else { prec::UNARY }));
            }
            Instr::LogicalNot => {
                out.push('!');
                tasks.push(Task::Value(a, prec::ATOM));
            }
            Instr::MulHi => call(if value.ty.is_wide() { "__umul64hi" } else { "__umulhi" }.into()),
            Instr::FunnelShl if self.language == Language::Cuda => call("__funnelshift_l(0u, ".into()),
            Instr::Min | Instr::Max if self.language == Language::C => call(min_max(value.instr, value.ty)),
            Instr::Min | Instr::Max => self.extremum(value, out, tasks),
            Instr::SignedMulHi(m) => {
                out.push_str("(int)(((long long)");
                let addend = if m.addend == 0 { String::new() } else { format!(" + {}", m.addend) };
                let rest = format!(" * {}{addend}) >> {})", m.multiplier, m.bits);
                tasks.push(Task::Owned(rest));
                tasks.push(Task::Value(a, prec::UNARY));
            }
            Instr::Select => {
                tasks.push(Task::Value(c, prec::OR));
                tasks.push(Task::Text(" : "));
                tasks.push(Task::Value(b, prec::OR));
                tasks.push(Task::Text(" ? "));
                tasks.push(Task::Value(a, prec::OR));
            }
            instr => {
                let (left, right) = operand_precedences(instr, own);
                tasks.push(Task::Value(b, right));
                tasks.push(Task::Text(symbol(instr)));
                tasks.push(Task::Value(a, left));
            }
        }
    }

    /// Prints `min(a, b)` or `max(a, b)`. Both functions are templates in CUDA, so their operands must have the same
    /// type.
    fn extremum(&self, value: &Value, out: &mut String, tasks: &mut Vec<Task>) {
        out.push_str(if value.instr == Instr::Min { "min(" } else { "max(" });
        tasks.push(Task::Text(")"));
        for (operand, separator) in [(value.args[1], ", "), (value.args[0], "")] {
            let is_truth = self.lowered.values()[operand as usize].ty == Type::Bool;
            tasks.push(Task::Value(operand, if is_truth { prec::UNARY } else { 0 }));
            tasks.extend(is_truth.then_some(Task::Text("(int)")));
            tasks.push(Task::Text(separator));
        }
    }

    /// Whether a value only hides its operand from the optimiser of the CUDA compiler. In a text for another language,
    /// it is printed as its operand.
    fn is_idle(&self, value: &Value) -> bool {
        let by = &self.lowered.values()[value.args[1] as usize];
        self.language != Language::Cuda && value.instr == Instr::FunnelShl && by.instr == Instr::Const(0)
    }

    /// The name of a value that is a variable of CUDA itself and has type `ty`.
    fn builtin_of(&self, value: u32, ty: Type) -> Option<&str> {
        let Instr::Param(i) = self.lowered.values()[value as usize].instr else { return None };
        (self.builtins[i as usize] == Some(ty)).then_some(&*self.inputs[i as usize].name)
    }

    fn parameter(&self, value: &Value, i: u32, out: &mut String) {
        if self.is_converted(value) {
            let _ = write!(out, "({})", value.ty.c_name());
        }
        out.push_str(&self.inputs[i as usize].name);
    }

    /// Whether a value is a variable to which CUDA gives another type than the text.
    fn is_converted(&self, value: &Value) -> bool {
        matches!(value.instr, Instr::Param(i) if self.builtins[i as usize].is_some_and(|ty| ty != value.ty))
    }

    /// The operand of a conversion to the type `to`. If the operand is itself an unnamed conversion and both have 32
    /// bits, the inner conversion is skipped, because it changes no bits.
    fn without_round_trip(&self, operand: u32, to: Type) -> u32 {
        let inner = &self.lowered.values()[operand as usize];
        let narrow = inner.instr == Instr::Cast && !inner.ty.is_wide() && !to.is_wide();
        if narrow && self.named[operand as usize].is_none() { inner.args[0] } else { operand }
    }

    fn precedence(&self, value: &Value) -> u8 {
        use crate::lower::Compare::{Eq, Ne};
        match value.instr {
            // a negative constant is printed with a unary minus
            Instr::Const(c) if c < 0 && value.ty != Type::UnsignedLong => prec::UNARY,
            Instr::Param(_) if self.is_converted(value) => prec::UNARY,
            Instr::Cast | Instr::Neg | Instr::LogicalNot | Instr::SignedMulHi(_) => prec::UNARY,
            Instr::Mul | Instr::Div | Instr::Mod | Instr::TruncDiv | Instr::TruncMod => prec::MUL,
            Instr::Add | Instr::Sub => prec::ADD,
            Instr::FunnelShl if self.language == Language::Cuda => prec::ATOM,
            Instr::Shl | Instr::Shr | Instr::FunnelShl => prec::SHIFT,
            Instr::And => prec::BIT_AND,
            Instr::Xor => prec::BIT_XOR,
            Instr::Or => prec::BIT_OR,
            Instr::Compare(Eq | Ne) => prec::EQUAL,
            Instr::Compare(_) => prec::LESS,
            Instr::LogicalAnd => prec::AND,
            Instr::LogicalOr => prec::OR,
            Instr::Select => prec::CONDITIONAL,
            _ => prec::ATOM,
        }
    }
}

fn host_divisor(divisor: &FastDivisor, variables: &Variables<'_>, names: &mut Names) -> HostDivisor {
    let on_host = variables.on_host(&divisor.divisor);
    let code = match (on_host.op(), on_host.args()) {
        (Op::Max, [value, least]) => format!("{value} > {least} ? {value} : {least}"),
        _ => on_host.to_string(),
    };
    let dag = Dag::new(std::slice::from_ref(&on_host));
    let own = |n: &DagNode| if let Op::Var(name) = &n.op { Some(name.to_string()) } else { None };
    HostDivisor {
        name: names.similar(&format!("{}_div", divisor.name)),
        variables: dag.nodes().iter().filter_map(own).collect(),
        divisor: on_host.to_string(),
        code,
        helper: if divisor.may_be_one { "quaff_fastdivmod_any" } else { "quaff_fastdivmod" },
    }
}

/// The precedences below which the operands of a binary operator get parentheses. Some of them are required by C, and
/// some only avoid compiler warnings or help readers.
fn operand_precedences(instr: Instr, own: u8) -> (u8, u8) {
    match instr {
        Instr::And | Instr::Or | Instr::Xor => (prec::UNARY, prec::UNARY),
        Instr::Shl | Instr::Shr | Instr::FunnelShl => (prec::UNARY, prec::UNARY),
        Instr::Compare(_) => (prec::ADD, prec::ADD),
        Instr::LogicalOr => (prec::OR, prec::EQUAL),
        _ => (own, own + 1),
    }
}

fn symbol(instr: Instr) -> &'static str {
    match instr {
        Instr::Mul => " * ",
        Instr::Div | Instr::TruncDiv => " / ",
        Instr::Mod | Instr::TruncMod => " % ",
        Instr::LogicalAnd => " && ",
        Instr::LogicalOr => " || ",
        instr => instr.op().map_or("", |op| op.sign()),
    }
}

fn min_max(instr: Instr, ty: Type) -> String {
    let kind = match ty {
        Type::Bool | Type::Int => "int",
        Type::Unsigned => "unsigned",
        Type::Long => "long",
        Type::UnsignedLong => "ulong",
    };
    format!("quaff_{}_{kind}", if instr == Instr::Min { "min" } else { "max" })
}

fn min_max_definition(instr: Instr, ty: Type) -> String {
    let (t, name, sign) = (ty.c_name(), min_max(instr, ty), if instr == Instr::Min { '<' } else { '>' });
    format!("static inline {t} {name}({t} a, {t} b) {{ return a {sign} b ? a : b; }}\n")
}

fn constant(value: i64, ty: Type, out: &mut String) {
    // writing to a string cannot fail
    let _ = match ty {
        // C has no negative literals, and the digits of the least number alone have a larger type
        Type::Bool | Type::Int if value == i32::MIN as i64 => write!(out, "({} - 1)", value + 1),
        Type::Bool | Type::Int => write!(out, "{value}"),
        Type::Unsigned => write!(out, "{value}u"),
        Type::Long if value == i64::MIN => write!(out, "({}ll - 1)", value + 1),
        Type::Long => write!(out, "{value}ll"),
        Type::UnsignedLong => write!(out, "{}ull", value as u64),
    };
}
