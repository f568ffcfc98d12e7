//! The text output of `quaff coalesce`: tables of schedules, and code of the first schedule.

use clap::ValueEnum;
use quaff::expr::Expr;
use quaff_fronts::coalesce::{Candidate, Found, Objective, Schedule, Steps, Traffic, Warp};
use std::fmt::Write as _;

/// A form of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// CUDA text of the element and of the loads
    Cuda,
    /// movements of a row of elements, as `quaff view` reads them
    View,
    /// equations of dimensions, as `quaff dims` reads them
    Dims,
}

/// The optional columns of a table.
pub(crate) struct Columns<'a> {
    objective: &'a Objective,
    /// Whether to show the value of the measure by which the schedules are ordered.
    value: bool,
    distance: bool,
    fetches: bool,
    vectors: bool,
}

impl<'a> Columns<'a> {
    /// The columns for the measure `by`, which was parsed as `objective`. `steps` says whether steps of a block are
    /// measured.
    pub(crate) fn new(by: &str, objective: &'a Objective, steps: bool, warp: Warp) -> Columns<'a> {
        Columns {
            objective,
            value: quaff_fronts::coalesce::Measure::named(by.trim()).is_none(),
            distance: by.contains("distance"),
            fetches: steps,
            vectors: warp.vector() > 1,
        }
    }
}

fn summary(name: &str, Traffic { gap, sectors, .. }: Traffic) -> String {
    format!("{name}: gap {gap}, {sectors} sectors\n")
}

pub(crate) fn listed(found: &Found, columns: &Columns<'_>) -> String {
    let mut out = summary("identity", found.identity()) + &summary("optimum", found.optimum());
    out += "\n";
    let rows = |candidates: &[Candidate]| candidates.iter().map(|c| (String::new(), c.clone())).collect::<Vec<_>>();
    out += &table(&rows(found.candidates()), columns, false);
    if !found.padded().is_empty() {
        out += "\nwith lanes that have nothing to do:\n";
        out += &table(&rows(found.padded()), columns, true);
    }
    out + &apart(found, columns)
}

/// The best schedule for each value of the uniform variables. The text is empty if these schedules are no better than
/// one schedule for all values.
fn apart(found: &Found, columns: &Columns<'_>) -> String {
    let (Some(together), Some(first)) = (found.traffic_apart(), found.candidates().first()) else {
        return String::new();
    };
    let lost = |of: fn(&Traffic) -> u128| of(&first.traffic()).saturating_sub(of(&together));
    let (gap, sectors) = (lost(|t| t.gap), lost(|t| t.sectors));
    if gap == 0 && sectors == 0 {
        return "\nthe first schedule takes no more than one for each value\n".into();
    }
    let mut out = summary("\none schedule for each value", together);
    out += &format!("the first schedule, for all values, loses gap {gap}, {sectors} sectors\n");
    let rows: Vec<(String, Candidate)> = found
        .apart()
        .iter()
        .map(|a| {
            let values: Vec<String> = a.residues().iter().map(|r| r.to_string()).collect();
            (values.join(", "), a.candidate().clone())
        })
        .collect();
    out += &table(&rows, columns, false);
    out
}

/// A table with one line for each candidate, which begins with the text that is given for the candidate.
fn table(candidates: &[(String, Candidate)], columns: &Columns<'_>, padded: bool) -> String {
    const NUMBERS: usize = 10;
    let (vectors, named) = (columns.vectors, candidates.iter().any(|(name, _)| !name.is_empty()));
    let shown = [
        columns.value,
        true,
        columns.distance,
        true,
        true,
        columns.fetches,
        vectors,
        true,
        vectors,
        padded,
        named,
        true,
        true,
    ];
    let names = [
        "value", "gap", "distance", "sectors", "lines", "fetches", "requests", "cost", "vector", "lanes", "values",
        "index", "schedule",
    ];
    let mut rows = vec![names.map(String::from)];
    for (name, c) in candidates {
        let Traffic { gap, sectors, lines, requests, distance, fetches } = c.traffic();
        let [gap, distance, sectors, lines, fetches, requests] =
            [gap, distance, sectors, lines, fetches, requests].map(|n| n.to_string());
        let value = columns.objective.of(&c.taken()).to_string();
        let indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let (cost, vector, lanes) = (c.cost().to_string(), c.vector().to_string(), c.schedule().extent().to_string());
        let (index, sigma) = (cell(&indices.join(", ")), cell(&c.sigma().to_string()));
        let name = name.clone();
        rows.push([value, gap, distance, sectors, lines, fetches, requests, cost, vector, lanes, name, index, sigma]);
    }
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let aligned = |(column, cell): (usize, &String)| {
        let width = widths[column];
        if column < NUMBERS { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    };
    let mut out = String::new();
    for row in &rows {
        let line: Vec<String> = row.iter().enumerate().filter(|(column, _)| shown[*column]).map(aligned).collect();
        // writing into a string cannot fail
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
    }
    out
}

/// The first schedule in the form `form`.
pub(crate) fn form(found: &Found, form: Form, steps: Option<&Steps>) -> String {
    let Some(first) = found.candidates().first() else { return String::new() };
    let text = match (form, steps) {
        (Form::Cuda, Some(steps)) => steps_cuda(steps),
        (Form::Cuda, None) => cuda(first),
        (Form::View, _) => view(first).map(|text| text + "\n"),
        (Form::Dims, _) => dims(first),
    };
    text.unwrap_or_else(|| "the first schedule has no such form\n".into())
}

/// CUDA functions for the element of lane `u`, and for its loads. If loads are vectors, they are a function of the lane
/// `t`.
pub(crate) fn cuda(candidate: &Candidate) -> Option<String> {
    let sigma = candidate.sigma_cuda().ok()?;
    let mut out = format!("// 0 <= u < {}\n", candidate.schedule().extent());
    if candidate.vector() > 1 {
        let (vector, last) = (candidate.vector(), candidate.vector().saturating_sub(1));
        out += &format!("// lane t takes the elements of u = {vector}*t .. {vector}*t + {last}\n");
    }
    out += "__device__ int element(int u) {\n";
    for line in sigma.whole().lines() {
        out += &format!("  {line}\n");
    }
    out += "}\n";
    out += &candidate.cuda().ok()?.whole();
    Some(out)
}

/// A CUDA function of thread `t` and step `s` for the element, and the loads in a loop over the steps.
pub(crate) fn steps_cuda(steps: &Steps) -> Option<String> {
    let mut out = format!("// 0 <= t < {}, 0 <= s < {}\n", steps.threads(), steps.steps());
    if steps.vector() > 1 {
        out += &format!("// a thread takes {} elements at each step, of which this is the first\n", steps.vector());
    }
    out += "__device__ int element(int t, int s) {\n";
    let sigma = steps.sigma_cuda().ok()?;
    for line in sigma.whole().lines() {
        out += &format!("  {line}\n");
    }
    out += "}\n";
    let loads = steps.cuda().ok()?;
    let mut contract = loads.contract();
    contract.params.retain(|p| p.name != "s");
    out += &loads.prelude;
    contract.to_string().lines().for_each(|line| out += &format!("// {line}\n"));
    out += &format!("for (int s = 0; s < {}; ++s) {{\n", steps.steps());
    for line in loads.statements.iter().flat_map(|s| s.lines()) {
        out += &format!("  {line}\n");
    }
    Some(out + "}\n")
}

/// The schedule as a chain of movements, if it has this form.
pub(crate) fn view(candidate: &Candidate) -> Option<String> {
    candidate.schedule().chain_text()
}

/// The schedule as a program of dimensions, if it has this form.
pub(crate) fn dims(candidate: &Candidate) -> Option<String> {
    match candidate.schedule() {
        Schedule::Digits(digits) => digits.dims_text(),
        _ => None,
    }
}

/// The beginning of `text` that fits a column.
fn cell(text: &str) -> String {
    const WIDTH: usize = 72;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.into(),
    }
}
