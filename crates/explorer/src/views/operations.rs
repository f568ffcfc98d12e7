//! Shows the machine operations of expressions.

use super::parts::shortened;
use maud::{Markup, html};
use quaff::domain::{Domain, Interval};
use quaff::expr::{Compare, Dag, Expr};
use quaff::lower::{Instr, Lowered, Target, Value, lower_with};
use quaff_draw::page::counted;

/// The most operations that are listed.
const LISTED: usize = 64;

/// A table of the machine operations that compute `exprs`, operands first. `range_of` has further ranges of their parts.
pub(super) fn operations(
    exprs: &[Expr],
    domain: &Domain,
    target: &Target,
    range_of: &dyn Fn(&Expr) -> Option<Interval>,
) -> Markup {
    let dag = Dag::with_origins(exprs);
    let range = |id: u32| dag.expr(id).and_then(range_of).unwrap_or(Interval::ALL);
    let facts = domain.resolve().unwrap_or_default();
    let lowered = match lower_with(&dag, &facts, range, target) {
        Ok(lowered) => lowered,
        Err(e) => return html! { p class="muted" { "There are no machine operations: " (e) "." } },
    };
    let uses = lowered.use_counts();
    let is_listed = |at: usize, value: &Value| uses[at] > 0 && !is_given(value.instr);
    let all: Vec<(usize, &Value)> = lowered.values().iter().enumerate().filter(|(at, v)| is_listed(*at, v)).collect();
    html! {
        p class="muted" {
            (counted(all.len(), "operation")) " without divisions. A machine fuses some of them, such as a multiplication and an addition."
        }
        @if !all.is_empty() {
            table { thead { tr { th {} th { "operation" } th { "type" } th class="number" { "uses" } } }
                tbody { @for &(at, value) in all.iter().take(LISTED) { tr {
                    td { code { (name(&lowered, at as u32)) } }
                    td { code { (shortened(&operation(&lowered, value))) } }
                    td { (value.ty.c_name()) }
                    td class="number" { (uses[at]) }
                } } } }
            @if all.len() > LISTED { p class="muted" { (all.len() - LISTED) " more are not listed." } }
        }
    }
}

/// Whether a value needs no operation: a number, a variable, or a part of a prepared divisor.
fn is_given(instr: Instr) -> bool {
    matches!(instr, Instr::Const(_) | Instr::Param(_) | Instr::FastMultiplier(_) | Instr::FastShift(_))
}

/// The text of an operand: a number, the name of a variable, or the number of an operation.
fn name(lowered: &Lowered, at: u32) -> String {
    let divisor = |at: u32| lowered.divisors().get(at as usize).map(|d| d.name.to_string()).unwrap_or_default();
    match lowered.values()[at as usize].instr {
        Instr::Const(value) => value.to_string(),
        Instr::Param(param) => {
            let param = lowered.params().get(param as usize);
            param.map(|p| p.text.as_ref().unwrap_or(&p.name).to_string()).unwrap_or_default()
        }
        Instr::FastMultiplier(at) => format!("multiplier of {}", divisor(at)),
        Instr::FastShift(at) => format!("shift of {}", divisor(at)),
        _ => format!("%{at}"),
    }
}

/// The operation and its operands, with the operators of C.
fn operation(lowered: &Lowered, value: &Value) -> String {
    let args: Vec<String> = value.args().iter().map(|&at| name(lowered, at)).collect();
    let sign = match value.instr {
        Instr::Add => "+",
        Instr::Sub => "-",
        Instr::Mul => "*",
        Instr::And => "&",
        Instr::Or => "|",
        Instr::Xor => "^",
        Instr::Shl | Instr::FunnelShl => "<<",
        Instr::Shr => ">>",
        Instr::Div | Instr::TruncDiv => "/",
        Instr::Mod | Instr::TruncMod => "%",
        Instr::LogicalAnd => "&&",
        Instr::LogicalOr => "||",
        Instr::Compare(compare) => sign(compare),
        _ => "",
    };
    match (value.instr, &args[..]) {
        (_, [a, b]) if !sign.is_empty() => format!("{a} {sign} {b}"),
        (Instr::Cast, [a]) => format!("({}){a}", value.ty.c_name()),
        (Instr::Neg, [a]) => format!("-{a}"),
        (Instr::LogicalNot, [a]) => format!("!{a}"),
        (Instr::SignedMulHi(m), [a]) if m.addend == 0 => format!("({a} * {}) >> {}", m.multiplier, m.bits),
        (Instr::SignedMulHi(m), [a]) => format!("({a} * {} + {}) >> {}", m.multiplier, m.addend, m.bits),
        (Instr::MulHi, [a, b]) => format!("mulhi({a}, {b})"),
        (Instr::Min, [a, b]) => format!("min({a}, {b})"),
        (Instr::Max, [a, b]) => format!("max({a}, {b})"),
        (Instr::Select, [a, b, c]) => format!("{a} ? {b} : {c}"),
        _ => args.join(", "),
    }
}

fn sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Lt => "<",
        Compare::Le => "<=",
        Compare::Gt => ">",
        Compare::Ge => ">=",
        Compare::Eq => "==",
        Compare::Ne => "!=",
    }
}
