//! Runs the executable dims programs of `tests/data/dims_scenarios.jsonl`.
//!
//! A program is a list of steps (`dim`, `eq`, `size`, `init`, `set`, `get`, `enter`, `exit`, ..., and their `_error`
//! forms). Each `get` compares values with an expected expression. After every step, each active equation whose
//! dimensions are all solved is checked, without the derivation of the solver.

use quaff::expr::{Expr, Program, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, ErrorKind, Indices, Options, Origin, Scope, Term, Unroll};
use serde_json::Value;
use std::collections::HashMap;

const POINTS: usize = 60;

type Check = Result<(), String>;

struct Run<'a> {
    steps: &'a [Value],
    next: usize,
    dims: HashMap<String, Dim>,
    scopes: HashMap<String, Scope>,
    /// The sides and the scope of every equation.
    equations: Vec<([Vec<Term>; 2], String)>,
    vars: Vec<(String, i64, i64)>,
    points: Vec<Vec<i128>>,
}

fn scenarios() -> Vec<Value> {
    let text = include_str!("../data/dims_scenarios.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn run_all(options: impl Fn(&Value) -> Option<Options>) -> usize {
    let mut failures = vec![];
    let mut count = 0;
    for scenario in scenarios() {
        let Some(options) = options(&scenario) else { continue };
        count += 1;
        if let Err(why) = run(&scenario, options) {
            failures.push(format!("{}: {why}", scenario["id"].as_str().unwrap()));
        }
    }
    assert!(failures.is_empty(), "{} of {count} failed\n{}", failures.len(), failures.join("\n"));
    count
}

fn options(log_linear: bool, digit_alignment: bool) -> Options {
    Options { log_linear, digit_alignment }
}

#[test]
fn all_scenarios() {
    let count = run_all(|scenario| Some(options(scenario["extension"] == "loglinear", false)));
    assert_eq!(count, 75);
}

#[test]
fn log_linear_solving_changes_nothing_else() {
    // scenario 021 expects the result without log-linear solving
    run_all(|scenario| (scenario["id"] != "dims/021").then(Options::default));
}

#[test]
fn digit_alignment_changes_no_answer() {
    run_all(|scenario| (scenario["id"] != "dims/021").then(|| options(true, true)));
}

fn run(scenario: &Value, options: Options) -> Check {
    let vars: Vec<_> = scenario["vars"].as_object().unwrap().iter().collect();
    let vars: Vec<_> =
        vars.iter().map(|(n, r)| (n.to_string(), r[0].as_i64().unwrap(), r[1].as_i64().unwrap())).collect();
    let mut run = Run {
        steps: scenario["program"].as_array().unwrap(),
        next: 0,
        dims: HashMap::new(),
        scopes: HashMap::new(),
        equations: vec![],
        points: points(&vars),
        vars,
    };
    let mut dims = Dims::with_options(options);
    let Some(mut ix) = run.declare(&mut dims, "")? else { return Ok(()) };
    run.execute(&mut dims, &mut ix, &mut vec![String::new()])
}

/// Corners and pseudo-random points of the ranges of the variables.
fn points(vars: &[(String, i64, i64)]) -> Vec<Vec<i128>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut point = |i: usize| {
        let coordinate = |&(_, lo, hi): &(String, i64, i64)| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let span = (hi - lo + 1) as u64;
            match i {
                0 => lo as i128,
                1 => hi as i128,
                _ => lo as i128 + ((seed >> 33) % span) as i128,
            }
        };
        vars.iter().map(coordinate).collect()
    };
    (0..POINTS).map(&mut point).collect()
}

fn expect<T>(result: Result<T, DimsError>) -> Result<T, String> {
    result.map_err(|e| format!("unexpected error: {e}"))
}

fn expect_error<T>(result: Result<T, DimsError>, step: &[Value], at: usize) -> Check {
    let kind = step[at].as_str().unwrap();
    match result {
        Ok(_) => Err(format!("expected the error {kind}")),
        Err(e) if e.name() != kind => Err(format!("expected the error {kind}, got {e}")),
        Err(e) => step.get(at + 1).map_or(Ok(()), |details| check_details(&e, details)),
    }
}

fn check_details(error: &DimsError, details: &Value) -> Check {
    let mut facts: HashMap<&str, Value> = HashMap::new();
    match error.kind() {
        ErrorKind::Underdetermined { dims, reduced } => {
            facts.insert("dims", dims.iter().map(|d| d.to_string()).collect());
            facts.insert("reduced", reduced.iter().map(|r| r.to_string()).collect());
        }
        ErrorKind::Conflict { left, right, .. } => {
            facts.insert("left", left.iter().map(|s| s.dim.to_string()).collect());
            facts.insert("right", right.iter().map(|s| s.dim.to_string()).collect());
        }
        ErrorKind::Unsolved { active, inactive, .. } => {
            let others = active.iter().flat_map(|e| &e.others);
            facts.insert("vars", others.map(|(d, solved)| (d.to_string(), Value::from(*solved))).collect());
            facts.insert("inactive", inactive.iter().map(|e| e.text.to_string()).collect());
        }
        _ => {}
    }
    for (key, wanted) in details.as_object().unwrap() {
        if facts.get(key.as_str()) != Some(wanted) {
            return Err(format!("{key} is {:?}, expected {wanted}", facts.get(key.as_str())));
        }
    }
    Ok(())
}

impl<'a> Run<'a> {
    fn step(&mut self) -> Option<&'a [Value]> {
        let step = self.steps.get(self.next)?;
        self.next += 1;
        Some(step.as_array().unwrap())
    }

    fn dim(&self, name: &Value) -> Dim {
        self.dims[name.as_str().unwrap()]
    }

    fn side(&self, side: &Value) -> Vec<Term> {
        match side {
            Value::Array(terms) => terms.iter().flat_map(|t| self.side(t)).collect(),
            Value::Number(n) => vec![Term::Int(n.as_i64().unwrap())],
            name => vec![Term::Dim(self.dim(name))],
        }
    }

    fn eq(&mut self, dims: &mut Dims, step: &[Value], scope: &str) -> Result<(), DimsError> {
        let sides = [self.side(&step[1]), self.side(&step[2])];
        dims.eq(sides[0].clone(), sides[1].clone())?;
        self.equations.push((sides, scope.to_string()));
        Ok(())
    }

    /// Executes steps until `init`, which returns `Some`. Returns `None` after a failed `init`, at the end of the
    /// program, or at the matching `out`.
    fn declare(&mut self, dims: &mut Dims, scope: &str) -> Result<Option<Indices>, String> {
        while let Some(step) = self.step() {
            let text = |i: usize| step[i].as_str().unwrap();
            match text(0) {
                "dim" => {
                    // `thread#2` is the second dimension named `thread`
                    let name = text(1).split('#').next().unwrap();
                    self.dims.insert(text(1).to_string(), expect(dims.dim(name, step[2].as_i64()))?);
                }
                "foreign" => {
                    let foreign = expect(Dims::new().dim(text(1), 1))?;
                    self.dims.insert(text(1).to_string(), foreign);
                }
                "dim_error" => expect_error(dims.dim(text(1), step[2].as_i64()), step, 3)?,
                "eq" => expect(self.eq(dims, step, scope))?,
                "eq_error" => expect_error(self.eq(dims, step, scope), step, 3)?,
                "scope" => {
                    self.scopes.insert(text(1).to_string(), expect(dims.new_scope(text(1)))?);
                }
                "in" => {
                    let mut dims = expect(dims.scope(self.scopes[text(1)]))?;
                    self.declare(&mut dims, text(1))?;
                }
                "out" => return Ok(None),
                "size" => {
                    let size = expect(dims.size(self.dim(&step[1])))?;
                    if Some(size) != step[2].as_i64() {
                        return Err(format!("|{}| is {size}, expected {}", step[1], step[2]));
                    }
                }
                "size_error" => expect_error(dims.size(self.dim(&step[1])), step, 2)?,
                "size_or_none" => {
                    let size = expect(dims.known_size(self.dim(&step[1])))?;
                    if size != step[2].as_i64() {
                        return Err(format!("|{}| is {size:?}, expected {}", step[1], step[2]));
                    }
                }
                "init" => return expect(dims.init()).map(Some),
                "init_error" => expect_error(dims.init(), step, 1)?,
                other => return Err(format!("unknown step {other}")),
            }
        }
        Ok(None)
    }

    /// Executes steps up to the matching `exit` or the end of the program.
    fn execute(&mut self, dims: &mut Dims, ix: &mut Indices, entered: &mut Vec<String>) -> Check {
        while let Some(step) = self.step() {
            let text = |i: usize| step[i].as_str().unwrap();
            let value = |i: usize| text(i).parse::<Expr>().unwrap();
            match text(0) {
                "dim_error" => expect_error(dims.dim(text(1), step[2].as_i64()), step, 3)?,
                "eq_error" => expect_error(self.eq(dims, step, ""), step, 3)?,
                "set" => {
                    // the scenario states the ranges of its variables. They are added as assumptions, as guards of a
                    // kernel would do
                    let is_used = |name: &str| {
                        let others: Vec<&str> = self.vars.iter().map(|v| v.0.as_str()).filter(|v| *v != name).collect();
                        Program::new(&[value(2)], &others).is_err()
                    };
                    for (name, lo, hi) in self.vars.iter().filter(|v| is_used(&v.0)) {
                        ix.assume_that(var(name.as_str()).ge(*lo).and(var(name.as_str()).le(*hi)));
                    }
                    expect(ix.set(self.dim(&step[1]), value(2)))?
                }
                "set_error" => expect_error(ix.set(self.dim(&step[1]), value(2)), step, 3)?,
                "get" => {
                    let got = expect(ix.get_raw(self.dim(&step[1])))?;
                    self.same(&got, &value(2)).map_err(|e| format!("{}: {e}", step[1]))?;
                }
                "get_error" => expect_error(ix.get_raw(self.dim(&step[1])), step, 2)?,
                "why_solved" => {
                    let origin = expect(ix.why_solved(self.dim(&step[1])))?;
                    let name = match origin {
                        Origin::SizeOne => "size_one",
                        Origin::External(_) => "external",
                        Origin::Loop(_) => "loop",
                        Origin::Vectorize => "vectorize",
                        Origin::Equation { .. } => "eq",
                    };
                    if name != text(2) {
                        return Err(format!("{} is solved by {name}, expected {}", step[1], step[2]));
                    }
                }
                "why_solved_error" => expect_error(ix.why_solved(self.dim(&step[1])), step, 2)?,
                "partial" => {
                    let partial = expect(ix.why_partial(self.dim(&step[1])))?;
                    let partial: Value = partial.iter().map(|e| e.text.to_string()).collect();
                    if partial != step[2] {
                        return Err(format!("{} is partial by {partial}, expected {}", step[1], step[2]));
                    }
                }
                "enter" => {
                    let name = step[1].as_str().unwrap_or("").to_string();
                    let mut frame = match step[1].as_str() {
                        Some(scope) => expect(ix.scope(self.scopes[scope]))?,
                        None => ix.frame(),
                    };
                    entered.push(name);
                    self.check_equations(&frame, entered)?;
                    self.execute(dims, &mut frame, entered)?;
                    entered.pop();
                }
                "enter_error" => expect_error(ix.scope(self.scopes[text(1)]).map(|_| ()), step, 2)?,
                "loop" => {
                    let mut frame = expect(ix.loop_over(self.dim(&step[1]), text(2), Unroll::Auto))?;
                    let trips = frame.opened_loop().and_then(|l| l.trips.as_const());
                    if trips != step[3].as_i64() {
                        return Err(format!("{trips:?} trips, expected {}", step[3]));
                    }
                    self.execute(dims, &mut frame, entered)?;
                }
                "loop_error" => {
                    expect_error(ix.loop_over(self.dim(&step[1]), "unused", Unroll::Auto).map(|_| ()), step, 2)?;
                }
                "vectorize" => {
                    let mut frame = expect(ix.vectorize(self.dim(&step[1]), step[2].as_i64().unwrap()))?;
                    self.execute(dims, &mut frame, entered)?;
                }
                "vectorize_error" => {
                    let result = ix.vectorize(self.dim(&step[1]), step[2].as_i64().unwrap());
                    expect_error(result.map(|_| ()), step, 3)?;
                }
                "exit" => return Ok(()),
                other => return Err(format!("unknown step {other}")),
            }
            self.check_equations(ix, entered)?;
        }
        Ok(())
    }

    fn same(&self, got: &Expr, wanted: &Expr) -> Check {
        let names: Vec<&str> = self.vars.iter().map(|(name, ..)| name.as_str()).collect();
        let program = Program::new(&[got.clone(), wanted.clone()], &names).map_err(|e| e.to_string())?;
        for point in &self.points {
            let values = program.eval(point);
            if values[0] != values[1] || values[0].is_err() {
                return Err(format!("{got} != {wanted} at {names:?} = {point:?}: {values:?}"));
            }
        }
        Ok(())
    }

    /// Checks every active equation whose dimensions are all solved.
    ///
    /// Two kinds of equations are left out. In an equation with integer factors (strides), a quotient may lose a
    /// remainder. A side of size 1 does not determine the indices of the other side.
    fn check_equations(&self, ix: &Indices, entered: &[String]) -> Check {
        for (sides, scope) in &self.equations {
            let moving = |t: &Term| matches!(t, Term::Dim(d) if ix.size(*d).unwrap() > 1);
            let strides = sides.iter().flatten().any(|t| matches!(t, Term::Int(_)));
            if !entered.contains(scope) || strides || !sides.iter().all(|side| side.iter().any(moving)) {
                continue;
            }
            let linear = |side: &[Term]| {
                side.iter().try_fold(Expr::from(0), |sum, &term| {
                    let Term::Dim(d) = term else { return None };
                    let index = ix.is_solved(d).unwrap().then(|| ix.get_raw(d).unwrap())?;
                    Some(sum * ix.size(d).unwrap() + index)
                })
            };
            if let (Some(left), Some(right)) = (linear(&sides[0]), linear(&sides[1])) {
                self.same(&left, &right)?;
            }
        }
        Ok(())
    }
}
