//! Random programs of dims and kernels. The indices as the solver builds them, the simplified indices, and the compiled
//! text must have the values that an interpreter of the program computes.

use super::Checked;
use super::host::{DEVICE, Host, Random};
use arbitrary::{Result, Unstructured};
use quaff::expr::{Expr, Op, Program, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, ErrorKind, Unroll};
use quaff_fronts::kernel::{Block, Element, Kernel, KernelError, KernelText, Recorded};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Names for variables and indices. Some of them collide with other names, and some are refused.
const NAMES: [&str; 18] =
    ["i", "j", "x", "t0", "t1", "N", "n", "at", "row", "t", "i_2", "I", "value", "lane", "d0", "for", "a b", "quaff_x"];
/// The most blocks inside one another, and the most statements of a program.
const DEPTH: usize = 4;
const STATEMENTS: usize = 40;
/// The most values that a program records for one thread. More values would take too long.
const RECORDS: usize = 4000;
/// The entries of the table that programs load from.
const TABLE: [i64; 16] = [3, 99, 0, 7, 12, 55, 1, 98, 64, 32, 31, 8, 5, 77, 21, 40];

/// A statement of a program, as the interpreter executes it.
enum Step {
    Record(Expr),
    Loop { variable: Option<String>, trips: i64, body: Vec<Step> },
    If(Expr, Vec<Step>),
    Load { name: String, at: Expr },
}

/// A kernel with its statements for the interpreter.
pub(crate) struct Case {
    kernel: Kernel,
    text: KernelText,
    steps: Vec<Step>,
    /// Each variable with its number of values. The values begin at 0.
    variables: Vec<(String, i64)>,
    /// The name of the scalar parameter of the kernel.
    scalar: String,
    threads: i64,
    seed: u64,
}

/// The reason why there is no program.
pub(crate) enum Refused {
    /// There are too few bytes.
    Bytes,
    /// The kernel refused a name, which is no error of quaff.
    Name,
    /// Any other error, which is an error of quaff.
    Wrong(String),
}

/// The state while a random kernel is recorded.
struct Writer<'u, 'a> {
    u: &'u mut Unstructured<'a>,
    /// The dimensions that no loop around the current block runs over.
    free: Vec<Dim>,
    /// The dimensions of the equations `tile = outer * thread` and `thread = high * low`.
    tile: Dim,
    outer: Dim,
    high: Dim,
    low: Dim,
    low_size: i64,
    threads: i64,
    variables: Vec<(String, i64)>,
    statements: usize,
    numbers: usize,
    ended: bool,
}

fn chosen<T: Clone>(u: &mut Unstructured<'_>, from: &[T]) -> Option<T> {
    u.choose(from).ok().cloned()
}

impl Writer<'_, '_> {
    fn below(&mut self, n: usize) -> usize {
        match self.u.int_in_range(0..=n - 1) {
            Ok(v) if !self.u.is_empty() => v,
            _ => {
                self.ended = true;
                0
            }
        }
    }

    /// A random name. Most of the names are unique.
    fn name(&mut self) -> String {
        let word = chosen(self.u, &NAMES).unwrap_or("x");
        self.numbers += 1;
        match self.below(16) {
            0 => word.into(),
            _ if word.contains(' ') || matches!(word, "for" | "quaff_x") => format!("x{}", self.numbers),
            _ => format!("{word}{}", self.numbers),
        }
    }

    /// A random expression over `known` that is never negative.
    fn expression(&mut self, known: &[Expr]) -> Expr {
        let one = |w: &mut Self| known[w.below(known.len())].clone();
        let mut e = one(self) * (1 + self.below(9) as i64);
        for _ in 0..1 + self.below(4) {
            let (other, c) = (one(self), 1 + self.below(12) as i64);
            e = match self.below(6) {
                0 => e + other,
                1 => e + other * c,
                2 => e.floor_div(1 + c),
                3 => e.floor_mod(1 + c),
                4 => (e.floor_mod(1000)).floor_div(var(self.variables[1].0.as_str()) + 1),
                _ => (e + other + c) * (1 + self.below(6) as i64),
            };
        }
        e
    }

    fn fill(&mut self, b: &mut Block<'_>, known: &[Expr], depth: usize, out: &mut Vec<Step>) -> Recorded {
        let mut known = known.to_vec();
        for _ in 0..2 + self.below(3) {
            self.statements += 1;
            if self.ended || self.statements > STATEMENTS {
                break;
            }
            match self.below(if depth < DEPTH { 10 } else { 5 }) {
                0 | 1 => {
                    let (name, e) = (self.name(), self.expression(&known));
                    b.expr(&name, e.clone());
                    b.code(&format!("record(${{{name}}});"))?;
                    out.push(Step::Record(e.clone()));
                    if self.below(2) == 0 {
                        b.code(&format!("record(${{{name}}} + 1);"))?;
                        out.push(Step::Record(e + 1));
                    }
                }
                // a requested expression. The text declares it as a variable, and code may mention the name
                2 => {
                    let (name, e) = (self.name(), self.expression(&known));
                    b.expr(&name, e.clone());
                    if self.below(2) == 0 {
                        b.code(&format!("record({name});"))?;
                        out.push(Step::Record(e));
                    }
                }
                3 => {
                    let name = self.name();
                    let (dim, meaning) = self.index(b, &known)?;
                    b.index(&name, dim)?;
                    b.code(&format!("record(${{{name}}});"))?;
                    out.push(Step::Record(meaning));
                }
                4 => drop(b.registers(&self.name(), Element::I32, 4)?),
                5 | 6 => {
                    let condition = self.expression(&known).floor_mod(7).lt(1 + self.below(7) as i64);
                    let mut body = vec![];
                    b.guard(condition.clone(), |b| self.fill(b, &known, depth + 1, &mut body))?;
                    out.push(Step::If(condition, body));
                }
                7 if depth < 2 => {
                    let (name, at) = (self.name(), self.expression(&known).floor_mod(16));
                    let entry = format!("entry{}", self.numbers);
                    b.expr(&entry, at.clone());
                    let value = b.value(&name, &format!("table[${entry}]"), 0..=99)?;
                    self.variables.push((name.clone(), 100));
                    known.push(value);
                    out.push(Step::Load { name, at });
                }
                _ => self.looped(b, &known, depth, out)?,
            }
        }
        Ok(())
    }

    fn looped(&mut self, b: &mut Block<'_>, known: &[Expr], depth: usize, out: &mut Vec<Step>) -> Recorded {
        if self.free.is_empty() {
            return Ok(());
        }
        let at = self.below(self.free.len());
        let dim = self.free.swap_remove(at);
        let (name, trips) = (self.name(), b.indices().size(dim)?);
        let unroll = chosen(self.u, &[Unroll::Auto, Unroll::Full, Unroll::By(2)]).unwrap_or_default();
        let (mut variable, mut body) = (None, vec![]);
        b.loop_over(dim, &name, unroll, |b| {
            let index = b.indices().get_raw(dim)?;
            let mut known = known.to_vec();
            if let Op::Var(unique) = index.op() {
                variable = Some(unique.to_string());
                self.variables.push((unique.to_string(), trips));
                b.code(&format!("record(${{{name}}});"))?;
                body.push(Step::Record(index.clone()));
            }
            known.push(index);
            self.fill(b, &known, depth + 1, &mut body)
        })?;
        self.free.push(dim);
        out.push(Step::Loop { variable, trips, body });
        Ok(())
    }

    /// A dimension whose index is solved at this place, and its index as the equations define it.
    fn index(&mut self, b: &Block<'_>, known: &[Expr]) -> Recorded<(Dim, Expr)> {
        let t = known[0].clone();
        let outer = b.indices().get_raw(self.outer).ok();
        Ok(match (self.below(3), outer) {
            (0, Some(outer)) => (self.tile, outer * self.threads + t),
            (0 | 1, _) => (self.high, t.floor_div(self.low_size)),
            (_, _) => (self.low, t.floor_mod(self.low_size)),
        })
    }
}

impl Case {
    /// The program that is built from `bytes`, with its printed text.
    ///
    /// # Errors
    /// [`Refused`] with the reason.
    pub(crate) fn from_bytes(bytes: &[u8], number: usize) -> std::result::Result<Case, Refused> {
        let mut u = Unstructured::new(bytes);
        Case::recorded(&mut u, number).map_err(|_| Refused::Bytes)?
    }

    fn recorded(u: &mut Unstructured<'_>, number: usize) -> Result<std::result::Result<Case, Refused>> {
        let seed = u.arbitrary()?;
        let (low_size, high_size) = (u.int_in_range(1..=8i64)?, u.int_in_range(1..=8i64)?);
        let sizes = [u.int_in_range(1..=5i64)?, u.int_in_range(1..=5i64)?, u.int_in_range(1..=6i64)?];
        let scalar = *u.choose(&["n", "N", "t0", "x", "thread"])?;
        let refused = |e: KernelError| match &e {
            KernelError::Name { .. } => Refused::Name,
            KernelError::Dims(d) if matches!(d.kind(), ErrorKind::BadName { .. }) => Refused::Name,
            _ => Refused::Wrong(format!("refused: {e}")),
        };
        Ok(Case::built(u, seed, [low_size, high_size], sizes, scalar, number).map_err(refused))
    }

    fn built(
        u: &mut Unstructured<'_>,
        seed: u64,
        [low_size, high_size]: [i64; 2],
        sizes: [i64; 3],
        scalar: &str,
        number: usize,
    ) -> std::result::Result<Case, KernelError> {
        let mut dims = Dims::new();
        let threads = low_size * high_size;
        let (thread, high) = (dims.dim("thread", threads)?, dims.dim("high", None)?);
        let low = dims.dim("low", low_size)?;
        dims.eq(thread, (high, low))?;
        let free = sizes.iter().enumerate().map(|(i, &s)| dims.dim(&format!("d{i}"), s));
        let free: Vec<Dim> = free.collect::<std::result::Result<_, DimsError>>()?;
        let tile = dims.dim_eq("tile", (free[0], thread))?;
        let mut kernel = Kernel::new(&format!("k{number}"), dims.init()?);
        kernel.scalar(scalar, 0..=50)?;
        let variables = vec![("bound".to_string(), threads), (scalar.to_string(), 51)];
        let mut writer = Writer {
            u,
            outer: free[0],
            free,
            tile,
            high,
            low,
            low_size,
            threads,
            variables,
            statements: 0,
            numbers: 0,
            ended: false,
        };
        let mut steps = vec![];
        kernel.body(|b| {
            // a dimension of size 1 has the index 0, and accepts any value that is proved to be 0
            let bound = b.bind(thread, "bound", "threadIdx.x")?;
            writer.fill(b, &[bound, var(scalar)], 0, &mut steps)
        })?;
        let text = kernel.emit()?;
        let variables = writer.variables;
        Ok(Case { kernel, text, steps, variables, scalar: scalar.into(), threads, seed })
    }

    /// Compares each index before and after simplification, at `count` points of the ranges of all variables.
    ///
    /// # Errors
    /// A complete description of the first wrong result.
    pub(crate) fn check(&self, count: u32) -> std::result::Result<Checked, String> {
        let source = &self.text.source;
        if self.text.cost > self.text.input_cost {
            return Err(format!("costlier: {} -> {}\n{source}", self.text.input_cost, self.text.cost));
        }
        if let Err(e) = self.kernel.emit_raw() {
            return Err(format!("no raw text: {e}\n{source}"));
        }
        let names: Vec<&str> = self.variables.iter().map(|(n, _)| n.as_str()).collect();
        let indices = self.text.indices.iter();
        let roots: Vec<Expr> = indices.flat_map(|i| [i.raw.clone(), i.simplified.clone()]).collect();
        let program = Program::new(&roots, &names).map_err(|e| format!("{e}\n{source}"))?;
        let (mut random, mut buffer) = (Random(self.seed), vec![]);
        let mut checked = Checked { answers: self.text.indices.len() as u64, ..Checked::default() };
        for _ in 0..count {
            let point: Vec<i128> = self.variables.iter().map(|(_, n)| random.within(0, n - 1).into()).collect();
            let values: Vec<_> = program.eval_into(&point, &mut buffer).collect();
            for (i, pair) in values.chunks(2).enumerate() {
                if pair[0] != pair[1] {
                    let index = &self.text.indices[i];
                    return Err(format!("{} and {} at {names:?} = {point:?}: {pair:?}", index.raw, index.simplified));
                }
                checked.evaluations += 1;
            }
        }
        Ok(checked)
    }

    /// The values that the program records for one thread. `None` if there are more than [`RECORDS`].
    fn run(&self, thread: i64, scalar: i64) -> Option<Vec<i128>> {
        let mut values: HashMap<String, i64> = [("bound".to_string(), thread), (self.scalar.clone(), scalar)].into();
        let mut out = vec![];
        run(&self.steps, &mut values, &mut out).then_some(out)
    }
}

/// Runs `steps` and adds the recorded values to `out`. Returns `false` if there are too many. Programs are at most
/// [`DEPTH`] blocks deep.
fn run(steps: &[Step], values: &mut HashMap<String, i64>, out: &mut Vec<i128>) -> bool {
    let value = |e: &Expr, values: &HashMap<String, i64>| e.eval(|name| values.get(name).copied()).unwrap_or(i128::MIN);
    steps.iter().all(|step| match step {
        Step::Record(e) => {
            out.push(value(e, values));
            out.len() < RECORDS
        }
        Step::If(condition, body) => value(condition, values) == 0 || run(body, values, out),
        Step::Load { name, at } => {
            let at = usize::try_from(value(at, values)).unwrap_or(0);
            values.insert(name.clone(), TABLE[at]);
            true
        }
        Step::Loop { variable, trips, body } => (0..*trips).all(|i| {
            if let Some(variable) = variable {
                values.insert(variable.clone(), i);
            }
            run(body, values, out)
        }),
    })
}

fn digest(values: &[i128]) -> u64 {
    values.iter().fold(0, |h, v| (h ^ *v as u64).wrapping_mul(0x100_0000_01b3).wrapping_add(1))
}

/// Compiles many kernels, simplified and as built, and compares the values that they record. Returns the number of
/// compared values.
///
/// # Errors
/// A complete description of the first wrong result.
pub(crate) fn compiled(cases: &[Case]) -> std::result::Result<u64, String> {
    let table = TABLE.map(|v| v.to_string()).join(", ");
    let mut source = format!(
        "{DEVICE}static const int table[16] = {{{table}}};\nstatic unsigned long long state;\n\
         static void record(long long x) {{ state = (state ^ (unsigned long long)x) * 0x100000001b3ull + 1; }}\n\
         static int wrong = 0;\nstatic void check(int i, int thread, int scalar, unsigned long long wanted) {{\n  \
         if (state != wanted) {{ printf(\"case %d: thread %d, scalar %d\\n\", i, thread, scalar); wrong = 1; }}\n}}\n"
    );
    let (mut main, mut count) = (String::new(), 0);
    for (i, case) in cases.iter().enumerate() {
        let raw = case.kernel.emit_raw().map_err(|e| e.to_string())?;
        let _ = writeln!(source, "namespace simplified{i} {{\n{}\n{}", case.text.source, case.text.host);
        let name = &case.scalar;
        let divisors: String = case.text.contract.divisors.iter().map(|d| format!(", {}", d.setup())).collect();
        let function = case.text.source.split("void ").nth(1).and_then(|t| t.split('(').next()).unwrap_or_default();
        let _ = writeln!(source, "static void run(int {name}) {{ {function}({name}{divisors}); }}\n}}");
        let raw = raw.replace(&format!("void {function}("), &format!("void raw_{function}("));
        let _ = writeln!(source, "namespace raw{i} {{\n{raw}\nstatic void run(int n) {{ raw_{function}(n); }}\n}}");
        let mut random = Random(case.seed ^ 1);
        for _ in 0..6 {
            let (thread, scalar) = (random.within(0, case.threads - 1), random.within(0, 50));
            let Some(values) = case.run(thread, scalar) else { continue };
            count += values.len() as u64;
            let wanted = digest(&values);
            for part in ["simplified", "raw"] {
                let _ = writeln!(
                    main,
                    "  threadIdx.x = {thread}; state = 0; {part}{i}::run({scalar}); check({i}, {thread}, {scalar}, {wanted}ull);"
                );
            }
        }
    }
    let _ = writeln!(source, "int main() {{\n{main}  return wrong;\n}}");
    let named = |e: String| {
        let number = e.split("case ").nth(1).and_then(|t| t.split(':').next()?.parse::<usize>().ok());
        let text = number.and_then(|n| cases.get(n)).map(|c| c.text.source.clone()).unwrap_or_default();
        format!("{e}\n{text}")
    };
    Host::Cpp.run(&source).map_err(named)?;
    Ok(count)
}
