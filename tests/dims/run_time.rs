//! Sizes that are known at run time: their solutions, and undecided sizes with the missing facts. The tests also
//! replace the parameters by numbers, and compare the resulting sizes and indices.

use proptest::prelude::*;
use quaff::domain::floor_div;
use quaff::expr::{Expr, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, ErrorKind, Options, Term, Unroll};

type Outcome = Result<(), DimsError>;

fn size(dims: &Dims, dim: Dim) -> String {
    dims.size_expr(dim).map_or_else(|e| e.name().to_string(), |e| e.to_string())
}

#[test]
fn sizes_are_expressions_over_the_parameters() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, 8)?;
    let m = dims.run_time("M", 1..=4096, 1)?;
    let [eighth, plane, rest, square] = ["eighth", "plane", "rest", "square"].map(|name| dims.dim(name, None));
    let (eighth, plane, rest, square) = (eighth?, plane?, rest?, square?);
    dims.eq(n, (eighth, 8))?;
    dims.eq(plane, (m, eighth, 3))?;
    // the parameters cancel, so the size is a number
    dims.eq((plane, 16), (rest, m, n))?;
    dims.eq((square, square), (m, m, 9))?;
    assert_eq!(size(&dims, n), "N");
    assert_eq!(size(&dims, eighth), "N//8");
    assert_eq!(size(&dims, plane), "N*M//8*3");
    assert_eq!(dims.size(rest)?, 6);
    assert_eq!(size(&dims, square), "M*3");
    let ix = dims.init()?;
    assert_eq!((ix.size(rest)?, ix.size_expr(eighth)?.to_string()), (6, "N//8".to_string()));
    assert_eq!(ix.size(n).unwrap_err().name(), "run_time");
    let facts = ix.facts().resolve().unwrap();
    assert_eq!(facts[0].interval.to_string(), "8..1048576");
    assert!(facts.iter().all(|v| v.launch_invariant));
    Ok(())
}

#[test]
fn tied_sizes_are_solved_with_parameters() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1000, 1)?;
    let (a, b) = (dims.dim("A", None)?, dims.dim("B", None)?);
    dims.eq(a, (b, 2, n))?;
    dims.eq((a, b), (n, n, n, 32))?;
    assert_eq!((size(&dims, a), size(&dims, b)), ("N*N*8".to_string(), "N*4".to_string()));
    let mut basic = Dims::with_options(Options { log_linear: false, ..Options::default() });
    let n = basic.run_time("N", 1..=1000, 1)?;
    let (a, b) = (basic.dim("A", None)?, basic.dim("B", None)?);
    basic.eq(a, (b, 2, n))?;
    basic.eq((a, b), (n, 32))?;
    assert_eq!(basic.size_expr(a).unwrap_err().name(), "underdetermined");
    Ok(())
}

#[test]
fn quotients_are_exact_where_that_is_known() -> Outcome {
    let quotient = |step: i64, by: i64| {
        let mut dims = Dims::new();
        let (n, b) = (dims.run_time("N", 1..=1 << 20, step)?, dims.dim("B", None)?);
        dims.eq(n, (b, by))?;
        dims.size_expr(b)
    };
    assert_eq!(quotient(8, 8)?.to_string(), "N//8");
    assert_eq!(quotient(24, 8)?.to_string(), "N//8");
    let error = quotient(8, 256).unwrap_err();
    let ErrorKind::Undecided { missing, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(missing.to_string(), "N%256 == 0");
    // a quotient of sizes is proved exact by the steps of two sizes together, by a range with a single value, or by an
    // assumption
    let mut dims = Dims::new();
    let (n, m) = (dims.run_time("N", 1..=1 << 20, 8)?, dims.run_time("M", 1..=1 << 20, 4)?);
    let only = dims.run_time("only", 60..=70, 64)?;
    let (a, b, c) = (dims.dim("a", None)?, dims.dim("b", None)?, dims.dim("c", None)?);
    dims.eq((n, m), (a, 32))?;
    dims.eq(only, (b, 4))?;
    dims.assume("M % N == 0".parse::<Expr>().unwrap())?;
    dims.eq(m, (n, c))?;
    assert_eq!([a, b, c].map(|d| size(&dims, d)), ["N*M//32", "only//4", "M//N"]);
    assert!(dims.assume(var("K").equals(3)).is_err());
    Ok(())
}

#[test]
fn equations_between_parameters_hold_or_name_what_is_missing() -> Outcome {
    let build = |fact: Option<&str>| {
        let mut dims = Dims::new();
        let (n, m) = (dims.run_time("N", 1..=64, 1)?, dims.run_time("M", 1..=64, 1)?);
        dims.eq((n, 2), (m, 2))?;
        if let Some(fact) = fact {
            dims.assume(fact.parse::<Expr>().unwrap())?;
        }
        dims.init().map(|_| ())
    };
    let error = build(None).unwrap_err();
    let ErrorKind::Undecided { missing, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(missing.to_string(), "N == M");
    build(Some("N == M"))?;
    let mut dims = Dims::new();
    let (n, k) = (dims.run_time("N", 1..=64, 8)?, dims.dim("K", 100)?);
    dims.eq(n, k)?;
    assert_eq!(dims.init().unwrap_err().name(), "contradiction");
    Ok(())
}

#[test]
fn a_product_covers_with_a_guard_at_the_tail() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, 8)?;
    let (b, t) = (dims.dim("B", None)?, dims.dim("T", 256)?);
    let bytes = dims.dim_eq("bytes", (n, 4))?;
    dims.covered(n, (b, t))?;
    assert_eq!(size(&dims, b), "(N + 255)//256");
    let mut ix = dims.init()?;
    assert_eq!(ix.inside(&[n])?, None);
    ix.set(b, var("b"))?;
    ix.set(t, var("t"))?;
    assert_eq!(ix.get(n)?.to_string(), "b*256 + t");
    for dim in [n, bytes] {
        assert_eq!(ix.inside(&[dim])?.unwrap().to_string(), "b*256 + t < N");
    }
    assert_eq!(ix.inside(&[b, t])?, None);
    // if the index of `n` is set instead, the indices of all dimensions are in their ranges
    let mut back = dims.init()?;
    back.set(n, var("x"))?;
    assert_eq!((back.get(b)?.to_string(), back.get(t)?.to_string()), ("x//256".to_string(), "x%256".to_string()));
    assert_eq!(back.inside(&[n, b, t])?, None);
    Ok(())
}

#[test]
fn what_covers_exactly_needs_no_guard() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, 256)?;
    let (b, t) = (dims.dim("B", None)?, dims.dim("T", 256)?);
    dims.covered(n, (b, t))?;
    assert_eq!(size(&dims, b), "N//256");
    let mut ix = dims.init()?;
    ix.set(b, var("b"))?;
    ix.set(t, var("t"))?;
    assert_eq!(ix.inside(&[n])?, None);
    Ok(())
}

#[test]
fn numbers_are_covered_too() -> Outcome {
    let mut dims = Dims::new();
    let (n, b, t) = (dims.dim("N", 1000)?, dims.dim("B", None)?, dims.dim("T", 256)?);
    dims.covered(n, (b, t))?;
    // a covered dimension of size 1 has only the index 0, but the threads that cover it still have different indices
    let (one, u) = (dims.dim("one", 1)?, dims.dim("u", 32)?);
    dims.covered(one, u)?;
    assert_eq!(dims.size(b)?, 4);
    let mut ix = dims.init()?;
    ix.set(b, var("b"))?;
    ix.set(t, var("t"))?;
    assert_eq!(ix.inside(&[n])?.unwrap().to_string(), "b*256 + t < 1000");
    assert!(ix.get_raw(u).is_err());
    ix.set(u, var("u"))?;
    assert_eq!(ix.inside(&[one])?.unwrap().to_string(), "u < 1");
    let mut short = Dims::new();
    let (n, b) = (short.dim("N", 1000)?, short.dim("B", 3)?);
    short.covered(n, (b, 256))?;
    assert_eq!(short.init().unwrap_err().name(), "uncovered");
    let mut open = Dims::new();
    let (n, b, c) = (open.run_time("N", 1..=1000, 1)?, open.dim("B", None)?, open.dim("C", None)?);
    open.covered(n, (b, c))?;
    assert!(open.init().unwrap_err().to_string().contains("B * C >= N"));
    Ok(())
}

#[test]
fn chains_of_sizes_that_are_rounded_up() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, 1)?;
    let (warps, blocks, threads) = (dims.dim("warps", None)?, dims.dim("blocks", None)?, dims.dim("threads", None)?);
    dims.covered(warps, (blocks, 4))?;
    dims.covered(n, (warps, 32))?;
    dims.eq(threads, (blocks, 128))?;
    assert_eq!(size(&dims, blocks), "((N + 31)//32 + 3)//4");
    assert_eq!(size(&dims, threads), "((N + 31)//32 + 3)//4*128");
    Ok(())
}

#[test]
fn loops_run_as_often_as_their_size_says() -> Outcome {
    let mut dims = Dims::new();
    let k = dims.run_time("K", 1..=4096, 1)?;
    let (steps, tile) = (dims.dim("steps", None)?, dims.dim("tile", 32)?);
    dims.covered(k, (steps, tile))?;
    let mut ix = dims.init()?;
    assert_eq!(ix.loop_over(steps, "s", Unroll::Full).unwrap_err().name(), "run_time");
    assert_eq!(ix.vectorize(steps, 4).unwrap_err().name(), "run_time");
    // the name of the loop variable is the name of a parameter
    assert_eq!(ix.loop_over(steps, "K", Unroll::Auto).unwrap_err().name(), "name_taken");
    let ix = ix.loop_over(steps, "s", Unroll::Auto)?;
    assert_eq!(ix.opened_loop().unwrap().trips.to_string(), "(K + 31)//32");
    let facts = ix.facts();
    assert_eq!(facts.resolve().unwrap()[facts.position("s").unwrap()].interval.to_string(), "0..127");
    Ok(())
}

#[test]
fn equal_digits_are_matched() -> Outcome {
    let mut dims = Dims::with_options(Options { digit_alignment: true, ..Options::default() });
    let n = dims.run_time("N", 1..=1000, 1)?;
    let (a, b, c) = (dims.dim("a", 6)?, dims.dim("b", None)?, dims.dim("c", None)?);
    dims.eq(b, (n, 2))?;
    dims.eq((a, n, 2), (c, b))?;
    let mut ix = dims.init()?;
    ix.set(a, var("i"))?;
    assert_eq!(ix.get(c)?.to_string(), "i");
    Ok(())
}

#[test]
fn huge_products_are_refused() -> Outcome {
    let mut dims = Dims::new();
    let mut last = dims.run_time("N", 1..=1 << 31, 1)?;
    for i in 0..70 {
        last = dims.dim_eq(&format!("d{i}"), (last, last))?;
    }
    assert_eq!(dims.init().unwrap_err().name(), "overflow");
    let mut wide = Dims::new();
    let (n, m) = (wide.run_time("N", 1..=1 << 40, 1)?, wide.run_time("M", 1..=1 << 40, 1)?);
    let whole = wide.dim("whole", None)?;
    wide.eq(whole, (n, m))?;
    assert_eq!(wide.size_expr(whole).unwrap_err().name(), "overflow");
    Ok(())
}

// ---- numbers instead of the parameters ----

/// The size `factor * N^a * M^b`, with the exponents `powers`. It is an integer even for eighths, because the
/// parameters are multiples of 8.
#[derive(Clone, Debug)]
struct Shape {
    factor: i64,
    powers: [u32; 2],
    /// Whether the size has `N/8` and `M/8` instead of `N` and `M`.
    eighths: bool,
}

impl Shape {
    fn value(&self, parameters: [i64; 2]) -> i128 {
        let powers = parameters.iter().zip(self.powers).map(|(&p, e)| {
            let p = if self.eighths { floor_div(p.into(), 8) } else { p.into() };
            p.pow(e)
        });
        powers.product::<i128>() * i128::from(self.factor)
    }
}

#[derive(Clone, Debug)]
struct Sizing {
    shapes: Vec<Shape>,
    stated: Vec<bool>,
    equations: Vec<(Vec<usize>, Vec<usize>)>,
    /// A covered dimension, and the number by which its size is divided and rounded up.
    covered: Vec<(usize, i64)>,
}

fn sizing() -> impl Strategy<Value = Sizing> {
    (1usize..6).prop_flat_map(|n| {
        let side = || prop::collection::vec(0..n, 0..3);
        let shape = (1i64..13, prop::array::uniform2(0u32..2), any::<bool>());
        let shape = shape.prop_map(|(factor, powers, eighths)| Shape { factor, powers, eighths });
        let shapes = prop::collection::vec(shape, n);
        let stated = prop::collection::vec(prop::bool::weighted(0.4), n);
        let equations = prop::collection::vec((side(), side()), 0..7);
        let covered = prop::collection::vec((0..n, 1i64..20), 0..3);
        (shapes, stated, equations, covered).prop_map(|(shapes, stated, equations, covered)| Sizing {
            shapes,
            stated,
            equations,
            covered,
        })
    })
}

impl Sizing {
    /// The sizes of all dimensions, as expressions over the parameters or for the given numbers.
    fn solve(&self, numbers: Option<[i64; 2]>) -> Result<Vec<Option<Expr>>, DimsError> {
        let mut dims = Dims::new();
        let parameters = match numbers {
            None => [dims.run_time("N", 8..=800, 8)?, dims.run_time("M", 8..=800, 8)?],
            Some([n, m]) => [dims.dim("N", n)?, dims.dim("M", m)?],
        };
        let all: Vec<Dim> =
            (0..self.shapes.len()).map(|i| dims.dim(&format!("d{i}"), None)).collect::<Result<_, _>>()?;
        // for a positive sign, the factors of `factor * N^a * M^b`. For a negative sign, the number by which eighths
        // divide them
        let terms = |shape: &Shape, sign: i64| {
            let eighths = if shape.eighths { 8i64.pow(shape.powers.iter().sum()) } else { 1 };
            let mut terms = vec![Term::Int(if sign > 0 { shape.factor } else { eighths })];
            for (&p, e) in parameters.iter().zip(shape.powers) {
                terms.extend((0..if sign > 0 { e } else { 0 }).map(|_| Term::Dim(p)));
            }
            terms
        };
        for (i, shape) in self.shapes.iter().enumerate().filter(|(i, _)| self.stated[*i]) {
            let mut left = terms(shape, -1);
            left.push(all[i].into());
            dims.eq(left, terms(shape, 1))?;
        }
        for (left, right) in &self.equations {
            // each side also gets the factors of the other side, so the equation holds
            let terms_of = |side: &Vec<usize>| side.iter().map(|&d| Term::Dim(all[d])).chain([Term::Int(1)]).collect();
            let mut sides: [Vec<Term>; 2] = [left, right].map(terms_of);
            for (s, side) in [left, right].into_iter().enumerate() {
                for &d in side {
                    sides[1 - s].extend(terms(&self.shapes[d], 1));
                    sides[s].extend(terms(&self.shapes[d], -1));
                }
            }
            let [left, right] = sides;
            dims.eq(left, right)?;
        }
        let mut wanted = all.clone();
        for (i, &(d, by)) in self.covered.iter().enumerate() {
            wanted.push(dims.dim(&format!("up{i}"), None)?);
            dims.covered(all[d], (wanted[wanted.len() - 1], by))?;
        }
        let size = |&d: &Dim| match dims.size_expr(d) {
            Ok(size) => Ok(Some(size)),
            Err(e) if e.name() == "underdetermined" => Ok(None),
            Err(e) => Err(e),
        };
        wanted.iter().map(size).collect()
    }
}

fn value(e: &Expr, [n, m]: [i64; 2]) -> i128 {
    e.eval(|name| Some(if name == "N" { n } else { m })).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn numbers_for_parameters_give_the_same_sizes(sizing in sizing(), eighths in prop::array::uniform2(1i64..100)) {
        let run_time = sizing.solve(None).unwrap();
        for parameters in [eighths.map(|e| e * 8), [8, 8], [800, 8]] {
            let numbers = sizing.solve(Some(parameters)).unwrap();
            for (i, (size, number)) in run_time.iter().zip(&numbers).enumerate() {
                prop_assert_eq!(size.is_some(), number.is_some(), "{} of {:?}", i, &sizing);
                let (Some(size), Some(number)) = (size, number) else { continue };
                prop_assert_eq!(Some(value(size, parameters)), number.as_const().map(i128::from), "{}", size);
                if let Some(shape) = sizing.shapes.get(i) {
                    prop_assert_eq!(value(size, parameters), shape.value(parameters));
                }
            }
        }
    }
}

/// Dimensions and a whole. The whole equals their product in two different orders. Each size is a number or a
/// parameter.
#[derive(Clone, Debug)]
struct Layout {
    sizes: Vec<Option<i64>>,
    order: Vec<usize>,
    /// The number of elements of a block. Blocks cover the whole, so the last block may reach beyond its end.
    tile: i64,
}

fn layout() -> impl Strategy<Value = Layout> {
    let size = prop_oneof![(1i64..7).prop_map(Some), Just(None)];
    prop::collection::vec(size, 2..4).prop_flat_map(|sizes| {
        let order = Just((0..sizes.len()).collect::<Vec<_>>()).prop_shuffle();
        (Just(sizes), order, 2i64..40).prop_map(|(sizes, order, tile)| Layout { sizes, order, tile })
    })
}

impl Layout {
    /// The indices as built, the simplified indices, and the condition that they are inside. `numbers` replaces the
    /// parameters.
    fn indices(&self, numbers: Option<&[i64]>) -> Result<(Vec<Expr>, Vec<Expr>, Expr), DimsError> {
        let mut dims = Dims::new();
        let mut all = vec![];
        for (i, size) in self.sizes.iter().enumerate() {
            all.push(match (size, numbers) {
                (Some(size), _) => dims.dim(&format!("d{i}"), *size)?,
                (None, None) => dims.run_time(&format!("P{i}"), 1..=12, 1)?,
                (None, Some(values)) => dims.dim(&format!("P{i}"), values[i])?,
            });
        }
        let whole = dims.dim_eq("whole", &all[..])?;
        let other: Vec<Dim> = self.order.iter().map(|&i| all[i]).collect();
        let other = dims.dim_eq("other", &other[..])?;
        let (block, thread) = (dims.dim("block", None)?, dims.dim("thread", self.tile)?);
        dims.covered(whole, (block, thread))?;
        let mut ix = dims.init()?;
        ix.set(block, var("b"))?;
        ix.set(thread, var("t"))?;
        let wanted: Vec<Dim> = all.into_iter().chain([whole, other]).collect();
        let raw = wanted.iter().map(|&d| ix.get_raw(d)).collect::<Result<_, _>>()?;
        Ok((raw, ix.get_all(&wanted)?, ix.inside(&[other])?.unwrap_or_else(|| 1.into())))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn numbers_for_parameters_give_the_same_indices(
        layout in layout(),
        values in prop::array::uniform3(1i64..13),
        points in prop::array::uniform8((0i64..1 << 20, 0i64..1 << 20)),
    ) {
        let run_time = layout.indices(None).unwrap();
        let numbers = layout.indices(Some(&values)).unwrap();
        let elements: i64 = layout.sizes.iter().zip(values).map(|(size, value)| size.unwrap_or(value)).product();
        let blocks = (elements + layout.tile - 1).div_euclid(layout.tile);
        for (b, t) in points {
            let (b, t) = (b.rem_euclid(blocks), t.rem_euclid(layout.tile));
            let at = |e: &Expr| e.eval(|name| Some(match name {
                "b" => b,
                "t" => t,
                other => values[other[1..].parse::<usize>().unwrap()],
            })).unwrap();
            let inside = at(&run_time.2) != 0;
            prop_assert_eq!(inside, b * layout.tile + t < elements);
            for (i, raw) in run_time.0.iter().enumerate() {
                // outside of the range, the indices may differ, because a dimension whose size is a number may have
                // size 1
                if inside {
                    prop_assert_eq!(at(raw), at(&numbers.0[i]), "{} and {}", raw, &numbers.0[i]);
                }
                prop_assert_eq!(at(raw), at(&run_time.1[i]), "{} is {}", raw, &run_time.1[i]);
            }
        }
    }
}
