//! Properties of the dims solver on random programs.
//!
//! The sizes are compared with the true sizes of the program, and with an independent test of uniqueness. For indices,
//! every equation holds at random points, and the order of settings does not matter. Frames (the insides of loops and
//! scopes) and failed calls have no lasting effect.

use num_bigint::BigInt;
use proptest::prelude::*;
use quaff::expr::{Expr, Program, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, Frame, Indices, Options, Scope, Term, Unroll};

// ---- sizes ----

/// Dimensions with their true sizes, equations between products that hold for these sizes, and the dimensions whose
/// size is stated.
#[derive(Clone, Debug)]
struct Sizing {
    sizes: Vec<i64>,
    stated: Vec<bool>,
    /// For each equation, the positions of the dimensions on both sides. An integer on each side makes the equation
    /// hold.
    equations: Vec<(Vec<usize>, Vec<usize>)>,
}

fn sizing() -> impl Strategy<Value = Sizing> {
    (1usize..8).prop_flat_map(|n| {
        let side = || prop::collection::vec(0..n, 0..4);
        let size = prop::sample::select(vec![1i64, 2, 3, 4, 5, 6, 8, 9, 12, 16, 35, 36, 1_000_003]);
        let sizes = prop::collection::vec(size, n);
        let stated = prop::collection::vec(prop::bool::weighted(0.25), n);
        (sizes, stated, prop::collection::vec((side(), side()), 0..8)).prop_map(|(sizes, stated, equations)| Sizing {
            sizes,
            stated,
            equations,
        })
    })
}

impl Sizing {
    /// Both sides of an equation, with the integers that make the equation hold.
    fn sides(&self, equation: usize, dims: &[Dim]) -> [Vec<Term>; 2] {
        let (left, right) = &self.equations[equation];
        let product = |side: &[usize]| side.iter().map(|&d| self.sizes[d] as i128).product::<i128>();
        let (mut l, mut r) = (product(left), product(right));
        let common = quaff::domain::gcd(l, r);
        (l, r) = (quaff::domain::floor_div(l, common), quaff::domain::floor_div(r, common));
        let terms = |side: &[usize], factor: i128| {
            let dims = side.iter().map(|&d| Term::Dim(dims[d]));
            let factor = (factor > 1 || side.is_empty()).then_some(Term::Int(factor as i64));
            dims.chain(factor).collect()
        };
        [terms(left, r), terms(right, l)]
    }

    /// The sizes that the solver finds if the equations are added in the given order. `extra` is a further factor of
    /// the left side of the first equation.
    fn solve(&self, order: &[usize], log_linear: bool, extra: Option<i64>) -> Result<Vec<Option<i64>>, DimsError> {
        let mut dims = Dims::with_options(Options { log_linear, ..Options::default() });
        let handles: Vec<Dim> = (0..self.sizes.len())
            .map(|d| dims.dim(&format!("d{d}"), self.stated[d].then_some(self.sizes[d])))
            .collect::<Result<_, _>>()?;
        for (i, &equation) in order.iter().enumerate() {
            let [mut left, right] = self.sides(equation, &handles);
            if let (0, Some(extra)) = (i, extra) {
                left.push(Term::Int(extra));
            }
            dims.eq(left, right)?;
        }
        handles.iter().map(|&d| dims.known_size(d)).collect()
    }

    /// Whether the equations determine each dimension. They do if its unit vector is in the row space of the exponents.
    fn determined(&self) -> Vec<bool> {
        let n = self.sizes.len();
        let row = |(left, right): &(Vec<usize>, Vec<usize>)| {
            let mut row = vec![0i128; n];
            left.iter().for_each(|&d| row[d] += 1);
            right.iter().for_each(|&d| row[d] -= 1);
            row
        };
        let unit = |d: usize| (0..n).map(|i| (i == d) as i128).collect::<Vec<_>>();
        let stated = (0..n).filter(|&d| self.stated[d]).map(unit);
        let rows: Vec<_> = self.equations.iter().map(row).chain(stated).collect();
        let rank_with = |d: usize| rank(rows.iter().cloned().chain([unit(d)]).collect());
        let alone = rank(rows.clone());
        (0..n).map(|d| rank_with(d) == alone).collect()
    }
}

/// The rank of a matrix, by fraction-free elimination.
fn rank(mut rows: Vec<Vec<i128>>) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|&i| rows[i][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let lead = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column];
            row.iter_mut().zip(&lead).for_each(|(x, &l)| *x = *x * lead[column] - factor * l);
            let divisor = row.iter().fold(0, |g, &x| quaff::domain::gcd(g, x)).max(1);
            row.iter_mut().for_each(|x| *x = quaff::domain::floor_div(*x, divisor));
        }
        rank += 1;
    }
    rank
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn sizes_are_found_exactly_where_they_are_unique(sizing in sizing()) {
        let order: Vec<usize> = (0..sizing.equations.len()).collect();
        let known = sizing.solve(&order, true, None).unwrap();
        for (d, unique) in sizing.determined().into_iter().enumerate() {
            prop_assert_eq!(known[d], unique.then_some(sizing.sizes[d]), "d{} of {:?}", d, &sizing);
        }
        // without log-linear solving, the solver finds some of these sizes, and no other value
        let basic = sizing.solve(&order, false, None).unwrap();
        for (basic, known) in basic.iter().zip(&known) {
            prop_assert!(basic.is_none() || basic == known);
        }
    }

    #[test]
    fn order_of_equations_does_not_matter(sizing in sizing(), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..sizing.equations.len()).collect();
        let known = sizing.solve(&order, true, None).unwrap();
        shuffle(&mut order, seed);
        prop_assert_eq!(sizing.solve(&order, true, None).unwrap(), known);
    }

    #[test]
    fn wrong_equations_never_give_wrong_sizes(sizing in sizing(), extra in 2i64..40) {
        prop_assume!(!sizing.equations.is_empty());
        let order: Vec<usize> = (0..sizing.equations.len()).collect();
        let Ok(known) = sizing.solve(&order, true, Some(extra)) else { return Ok(()) };
        for (i, (left, right)) in sizing.equations.iter().enumerate() {
            let product = |side: &[usize], sizes: &[i64]| side.iter().map(|&d| BigInt::from(sizes[d])).product::<BigInt>();
            let Some(found) = known.iter().copied().collect::<Option<Vec<i64>>>() else { return Ok(()) };
            let factor = if i == 0 { extra } else { 1 };
            // with the wrong factor, left / right is smaller by this factor than for the true sizes
            let (l, r) = (product(left, &found), product(right, &found));
            let (true_l, true_r) = (product(left, &sizing.sizes), product(right, &sizing.sizes));
            prop_assert_eq!(l * factor * true_r, r * true_l);
        }
    }
}

fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        items.swap(i, ((seed >> 33) % (i as u64 + 1)) as usize);
    }
}

// ---- indices ----

/// Sizes of atoms (dimensions that are no products), and composites, each a product of earlier dimensions. A composite
/// may also be a product of the same parts in another order.
#[derive(Clone, Debug)]
struct Shape {
    atoms: Vec<i64>,
    /// For each composite, its parts (modulo the number of earlier dimensions) and its scope.
    composites: Vec<(Vec<usize>, usize)>,
    /// For each further equation, the composite, the seed of the order of its parts, and the scope.
    reordered: Vec<(usize, u64, usize)>,
    /// The parent of each scope except the root, modulo the number of earlier scopes.
    parents: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Action {
    Set(usize),
    SetConstant(usize),
    Enter(usize),
    Frame,
    Loop(usize),
    Vectorize(usize),
    Leave,
}

fn shape() -> impl Strategy<Value = Shape> {
    let composite = (prop::collection::vec(0usize..64, 1..4), 0usize..8);
    let reordered = (0usize..8, any::<u64>(), 0usize..8);
    (
        prop::collection::vec(1i64..6, 2..6),
        prop::collection::vec(composite, 1..5),
        prop::collection::vec(reordered, 0..3),
        prop::collection::vec(0usize..8, 0..4),
    )
        .prop_map(|(atoms, composites, reordered, parents)| Shape { atoms, composites, reordered, parents })
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        4 => (0usize..64).prop_map(Action::Set),
        1 => (0usize..64).prop_map(Action::SetConstant),
        2 => (0usize..8).prop_map(Action::Enter),
        1 => Just(Action::Frame),
        2 => (0usize..64).prop_map(Action::Loop),
        1 => (0usize..64).prop_map(Action::Vectorize),
        2 => Just(Action::Leave),
    ];
    prop::collection::vec(action, 1..16)
}

struct Built {
    dims: Vec<Dim>,
    scopes: Vec<Scope>,
    /// Both sides of each equation, and the scope in which the equation holds.
    equations: Vec<([Vec<Dim>; 2], Scope)>,
    root: Scope,
}

impl Shape {
    fn build(&self, options: Options) -> Result<(Built, Indices), DimsError> {
        let mut dims = Dims::with_options(options);
        let root = dims.root();
        let mut scopes = vec![root];
        for (i, parent) in self.parents.iter().enumerate() {
            let parent = scopes[parent % scopes.len()];
            scopes.push(dims.scope(parent)?.new_scope(&format!("s{i}"))?);
        }
        let mut built = Built { dims: vec![], scopes, equations: vec![], root };
        for (i, &size) in self.atoms.iter().enumerate() {
            built.dims.push(dims.dim(&format!("a{i}"), size)?);
        }
        let mut parts_of = vec![];
        for (i, (parts, scope)) in self.composites.iter().enumerate() {
            let parts: Vec<Dim> = parts.iter().map(|p| built.dims[p % built.dims.len()]).collect();
            let whole = dims.dim(&format!("c{i}"), None)?;
            built.add(&mut dims, [vec![whole], parts.clone()], *scope)?;
            built.dims.push(whole);
            parts_of.push(parts);
        }
        for &(composite, seed, scope) in &self.reordered {
            let at = composite % parts_of.len();
            let mut parts = parts_of[at].clone();
            shuffle(&mut parts, seed);
            // half of these equations relate two orders of the parts. The other half give the composite a second order
            // of its parts
            let left = if seed & 1 == 0 { parts_of[at].clone() } else { vec![built.dims[self.atoms.len() + at]] };
            built.add(&mut dims, [left, parts], scope)?;
        }
        let ix = dims.init()?;
        Ok((built, ix))
    }
}

impl Built {
    fn add(&mut self, dims: &mut Dims, sides: [Vec<Dim>; 2], scope: usize) -> Result<(), DimsError> {
        let scope = self.scopes[scope % self.scopes.len()];
        let terms = |side: &[Dim]| side.iter().map(|&d| Term::Dim(d)).collect::<Vec<_>>();
        dims.scope(scope)?.eq(terms(&sides[0]), terms(&sides[1]))?;
        self.equations.push((sides, scope));
        Ok(())
    }

    fn dim(&self, at: usize) -> Dim {
        self.dims[at % self.dims.len()]
    }

    /// All observable state, as text.
    fn snapshot(&self, ix: &Indices) -> String {
        let dims: Vec<String> = self.dims.iter().map(|&d| self.describe(ix, d)).collect();
        format!("{dims:?} {:?} {:?} {:?}", ix.facts(), ix.loops(), ix.active_scopes())
    }

    fn describe(&self, ix: &Indices, d: Dim) -> String {
        let value = ix.get_raw(d).map_or_else(|e| e.to_string(), |v| v.to_string());
        let why = ix.why_solved(d).map_or_else(|e| e.name().to_string(), |o| o.to_string());
        format!("{value} {why} {:?} {}", ix.why_partial(d).unwrap(), ix.is_solved(d).unwrap())
    }

    /// Checks each active equation whose dimensions are all solved, at points at which each index is in its range.
    fn check(&self, ix: &Indices) -> Result<(), TestCaseError> {
        let active = |scope: &Scope| *scope == self.root || ix.active_scopes().iter().any(|s| s.scope == *scope);
        let mut roots = vec![];
        for (sides, _) in self.equations.iter().filter(|(_, scope)| active(scope)) {
            let moving = |d: &Dim| ix.size(*d).unwrap() > 1;
            let solved = |d: &Dim| ix.is_solved(*d).unwrap();
            if sides.iter().all(|side| side.iter().any(moving)) && sides.iter().flatten().all(solved) {
                roots.extend(sides.iter().map(|side| {
                    side.iter().fold(Expr::from(0), |sum, &d| sum * ix.size(d).unwrap() + ix.get_raw(d).unwrap())
                }));
            }
        }
        let facts = ix.facts();
        let names: Vec<&str> = facts.vars().collect();
        let ranges: Vec<(i64, i64)> =
            facts.resolve().unwrap().iter().map(|v| v.interval.bounded().unwrap_or((0, 0))).collect();
        let program = Program::new(&roots, &names).unwrap();
        let mut seed = 1u64;
        for _ in 0..12 {
            let mut coordinate = |&(lo, hi): &(i64, i64)| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                lo as i128 + ((seed >> 33) % (hi - lo + 1) as u64) as i128
            };
            let point: Vec<i128> = ranges.iter().map(&mut coordinate).collect();
            for pair in program.eval(&point).chunks(2) {
                prop_assert!(pair[0].is_ok());
                prop_assert_eq!(&pair[0], &pair[1]);
            }
        }
        Ok(())
    }

    fn open<'a>(&self, ix: &'a mut Indices, action: &Action, variable: &str) -> Result<Frame<'a>, DimsError> {
        match *action {
            Action::Enter(s) => ix.scope(self.scopes[s % self.scopes.len()]),
            Action::Loop(d) => ix.loop_over(self.dim(d), variable, Unroll::Auto),
            Action::Vectorize(d) => {
                let lanes = ix.size(self.dim(d))?;
                ix.vectorize(self.dim(d), lanes)
            }
            _ => Ok(ix.frame()),
        }
    }

    /// Executes actions up to the matching `Leave`.
    fn play(&self, ix: &mut Indices, actions: &mut std::slice::Iter<Action>) -> Result<(), TestCaseError> {
        while let Some(action) = actions.next() {
            let before = self.snapshot(ix);
            let variable = format!("v{}", actions.len());
            match *action {
                Action::Leave => return Ok(()),
                Action::Set(d) => {
                    let set = ix.set(self.dim(d), var(variable.as_str()));
                    if set.is_err() {
                        prop_assert_eq!(self.snapshot(ix), before, "after {:?}", set);
                    }
                    self.check(ix)?;
                    continue;
                }
                Action::SetConstant(d) => {
                    let last = ix.size(self.dim(d)).unwrap() - 1;
                    if ix.set(self.dim(d), last).is_err() {
                        prop_assert_eq!(self.snapshot(ix), before);
                    }
                    prop_assert!(ix.set(self.dim(d), last + 1).is_err());
                    self.check(ix)?;
                    continue;
                }
                _ => {}
            }
            if let Ok(mut frame) = self.open(ix, action, &variable) {
                self.check(&frame)?;
                self.play(&mut frame, actions)?;
            }
            prop_assert_eq!(self.snapshot(ix), before);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn equations_hold_and_frames_leave_no_trace(shape in shape(), actions in actions(), align in any::<bool>()) {
        let (built, mut ix) = shape.build(Options { digit_alignment: align, ..Options::default() }).unwrap();
        built.play(&mut ix, &mut actions.iter())?;
    }

    #[test]
    fn order_of_settings_does_not_matter(shape in shape(), picks in prop::collection::vec(0usize..64, 1..8), seed in any::<u64>()) {
        let (built, ix) = shape.build(Options::default()).unwrap();
        let mut accepted = vec![];
        let mut forward = ix.clone();
        for pick in picks {
            let d = built.dim(pick);
            if forward.size(d).unwrap() > 1 && forward.set(d, var(format!("v{}", d.index()))).is_ok() {
                accepted.push(d);
            }
        }
        shuffle(&mut accepted, seed);
        let mut shuffled = ix.clone();
        for &d in &accepted {
            let set = shuffled.set(d, var(format!("v{}", d.index())));
            prop_assert!(set.is_ok());
        }
        for &d in &built.dims {
            prop_assert_eq!(built.describe(&forward, d), built.describe(&shuffled, d));
        }
    }

    #[test]
    fn settings_and_scopes_commute(shape in shape(), picks in prop::collection::vec(0usize..64, 1..6)) {
        let (built, ix) = shape.build(Options::default()).unwrap();
        let name = |d: Dim| var(format!("v{}", d.index()));
        let set_all = |ix: &mut Indices| {
            for &pick in &picks {
                ix.set(built.dim(pick), name(built.dim(pick)))?;
            }
            Ok::<_, DimsError>(())
        };
        for &scope in &built.scopes[1..] {
            let (mut inside, mut outside) = (ix.clone(), ix.clone());
            // if all settings succeed before the scope is entered, they give the same indices after the scope is
            // entered
            if set_all(&mut outside).is_err() { continue }
            let Ok(outside) = outside.scope(scope) else { continue };
            let mut inside = inside.scope(scope).unwrap();
            prop_assert!(set_all(&mut inside).is_ok());
            for &d in &built.dims {
                prop_assert_eq!(built.describe(&inside, d), built.describe(&outside, d));
            }
        }
    }
}
