//! Sums of indices: an index that follows from the other indices is right exactly where its condition holds.

use proptest::prelude::*;
use quaff::expr::{Expr, int, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, Direction, affine_terms};
use quaff_fronts::kernel::{Element, Kernel};

/// The relation `d0 = d1*c1 + d2*c2 + ... + constant`. `open` is the dimension whose index is unknown.
#[derive(Clone, Debug)]
struct Relation {
    sizes: Vec<i64>,
    coefficients: Vec<i64>,
    constant: i64,
    open: usize,
    /// Whether the first coefficient is the variable `s`. Its value is then `coefficients[0]`.
    symbolic: bool,
}

fn relation() -> impl Strategy<Value = Relation> {
    (2usize..5, any::<bool>()).prop_flat_map(|(n, symbolic)| {
        let coefficient = (1i64..5, any::<bool>()).prop_map(|(c, negative)| if negative { -c } else { c });
        let coefficients = prop::collection::vec(coefficient, n - 1);
        (prop::collection::vec(1i64..6, n), coefficients, -6i64..7, 0..n).prop_map(
            move |(sizes, mut coefficients, constant, open)| {
                coefficients[0] = if symbolic { coefficients[0].abs() } else { coefficients[0] };
                Relation { sizes, coefficients, constant, open, symbolic }
            },
        )
    })
}

impl Relation {
    fn dims(&self) -> Result<(Dims, Vec<Dim>), DimsError> {
        let mut dims = Dims::new();
        let all: Vec<Dim> = self
            .sizes
            .iter()
            .enumerate()
            .map(|(d, &size)| dims.dim(&format!("d{d}"), size))
            .collect::<Result<_, _>>()?;
        let coefficient = |(at, &c): (usize, &i64)| if self.symbolic && at == 0 { var("s") } else { int(c) };
        let terms = all[1..].iter().copied().zip(self.coefficients.iter().enumerate().map(coefficient));
        dims.affine(all[0], terms, self.constant)?;
        Ok((dims, all))
    }

    /// Whether the equation holds at these indices.
    fn holds(&self, at: &[i64]) -> bool {
        at[0] == self.constant + self.coefficients.iter().zip(&at[1..]).map(|(c, i)| c * i).sum::<i64>()
    }

    fn value(&self, e: &Expr, at: &[i64]) -> i64 {
        let named = |name: &str| match name.strip_prefix('i') {
            Some(d) => at.get(d.parse::<usize>().ok()?).copied(),
            None => Some(self.coefficients[0]),
        };
        i64::try_from(e.eval(named).expect("a value")).expect("a small one")
    }

    /// All combinations of indices in their ranges.
    fn points(&self) -> Vec<Vec<i64>> {
        let mut points = vec![vec![]];
        for &size in &self.sizes {
            let longer = |point: &Vec<i64>| (0..size).map(|i| [&point[..], &[i]].concat()).collect::<Vec<_>>();
            points = points.iter().flat_map(longer).collect();
        }
        points
    }
}

proptest! {
    #[test]
    fn an_open_index_is_right_where_its_condition_holds(relation in relation()) {
        let (mut dims, all) = relation.dims().unwrap();
        let mut ix = dims.init().unwrap();
        ix.assume("s", 1..=5);
        for (d, &dim) in all.iter().enumerate().filter(|&(d, _)| d != relation.open) {
            ix.set(dim, var(format!("i{d}"))).unwrap();
        }
        let open = all[relation.open];
        let (raw, answer) = (ix.get_raw(open).unwrap(), ix.simplified_inside(&[open]).unwrap());
        let inside = ix.inside(&[open]).unwrap();
        prop_assert_eq!(answer.exprs().len(), 1 + usize::from(inside.is_some()));
        for at in relation.points() {
            // finds the value of the open index by trying all values
            let mut tried = (0..relation.sizes[relation.open]).map(|i| {
                let mut at = at.clone();
                at[relation.open] = i;
                at
            });
            let found = tried.find(|at| relation.holds(at)).map(|at| at[relation.open]);
            let is_inside = inside.as_ref().is_none_or(|condition| relation.value(condition, &at) != 0);
            prop_assert_eq!(is_inside, found.is_some(), "{} at {:?}", &raw, &at);
            let simplified = answer.exprs().get(1).is_none_or(|condition| relation.value(condition, &at) != 0);
            prop_assert_eq!(simplified, is_inside);
            if let Some(found) = found {
                prop_assert_eq!(relation.value(&raw, &at), found);
                prop_assert_eq!(relation.value(&answer.exprs()[0], &at), found);
            }
        }
    }
}

#[test]
fn conditions_come_through_other_equations() {
    let mut dims = Dims::new();
    let (pixel, ih, iw) = (dims.dim("pixel", None).unwrap(), dims.dim("ih", 8).unwrap(), dims.dim("iw", 8).unwrap());
    let (oh, k) = (dims.dim("oh", 8).unwrap(), dims.dim("k", 3).unwrap());
    dims.eq(pixel, (ih, iw)).unwrap();
    let scope = dims.new_scope("window").unwrap();
    let sum = dims.scope(scope).unwrap().affine(ih, [(oh, 1), (k, 1)], -1).unwrap();
    let mut ix = dims.init().unwrap();
    ix.set(oh, var("y")).unwrap();
    ix.set(iw, var("x")).unwrap();
    ix.set(k, var("k")).unwrap();
    assert_eq!(ix.get_raw(pixel).unwrap_err().name(), "unsolved");
    assert_eq!(ix.why_partial(ih).unwrap().len(), 1);
    {
        let ix = ix.scope(scope).unwrap();
        assert_eq!(ix.get(pixel).unwrap().to_string(), "y*8 + x + k*8 - 8");
        assert_eq!(ix.inside(&[pixel]).unwrap().unwrap().to_string(), "0 <= y + k - 1 and y + k - 1 < 8");
        assert_eq!(ix.why_solved(ih).unwrap().to_string(), "solved by `ih = oh + k - 1` (<-)");
        assert_eq!(ix.directions(sum).unwrap(), [Some(Direction::Backward)]);
        // indices that are set need no condition
        assert_eq!(ix.inside(&[oh, k]).unwrap(), None);
    }
    assert_eq!(ix.inside(&[pixel]).unwrap(), None);
    assert_eq!(ix.directions(sum).unwrap(), [None]);
}

#[test]
fn sums_that_cannot_be_are_refused() {
    let mut dims = Dims::new();
    let (a, b) = (dims.dim("a", 4).unwrap(), dims.dim("b", 4).unwrap());
    let none: [(Dim, i64); 0] = [];
    for (error, reason) in [
        (dims.affine(a, none, 1), "no dimension on the right"),
        (dims.affine(a, [(a, 1)], 1), "`a = a + 1` is no sum of indices: a dimension stands in it twice"),
        (dims.affine(a, [(b, 1), (b, 2)], 0), "stands in it twice"),
        (dims.affine(a, [(b, 0)], 0), "a coefficient is 0"),
    ] {
        let error = error.unwrap_err();
        assert!(error.name() == "not_affine" && error.to_string().contains(reason), "{error}");
    }
    dims.affine(a, [(b, var("s"))], 0).unwrap();
    let mut ix = dims.init().unwrap();
    // without a fact about the sign of `s`, `b` has no quotient
    let error = ix.clone().set(a, var("i")).unwrap_err();
    assert!(error.name() == "sign" && error.to_string().contains("`s` is not known to be positive"), "{error}");
    {
        let mut ix = ix.clone();
        ix.assume_that(var("s").ge(2));
        ix.set(a, var("i")).unwrap();
        assert_eq!(ix.get_raw(b).unwrap().to_string(), "i//s");
    }
    ix.assume("s", -3..=-2);
    {
        let mut ix = ix.clone();
        ix.set(a, var("i")).unwrap();
        assert_eq!(ix.get_raw(b).unwrap().to_string(), "-i//-s");
    }
    ix.set(b, var("j")).unwrap();
    assert_eq!(ix.set(a, var("i")).unwrap_err().name(), "already_solved");

    // all indices of the equation are set
    let mut dims = Dims::new();
    let (a, b, c) = (dims.dim("a", 4).unwrap(), dims.dim("b", 4).unwrap(), dims.dim("c", 4).unwrap());
    let scope = dims.new_scope("sum").unwrap();
    dims.scope(scope).unwrap().affine(a, [(b, 1), (c, 2)], 0).unwrap();
    let mut ix = dims.init().unwrap();
    [(a, "i"), (b, "j"), (c, "k")].iter().for_each(|&(dim, name)| ix.set(dim, var(name)).unwrap());
    let error = ix.scope(scope).unwrap_err();
    assert_eq!(error.name(), "conflict");
    assert!(error.to_string().contains("`a = b + c*2`"), "{error}");
}

#[test]
fn sums_are_read() {
    let mut dims = Dims::new();
    let (a, b) = (dims.dim("a", 4).unwrap(), dims.dim("b", 4).unwrap());
    let named = |name: &str| match name {
        "a" => Some(a),
        "b" => Some(b),
        _ => None,
    };
    let read = |text: &str| affine_terms(&text.parse().unwrap(), named);
    for (text, wanted) in [
        ("a*2 + b - 1", "a 2, b 1, -1"),
        ("s*a*t - (b - p)*3 + a", "a 1 + s*t, b -3, p*3"),
        ("p//2 + 7", "p//2 + 7"),
        ("a - a + b", "b 1, 0"),
    ] {
        let (terms, constant) = read(text).unwrap();
        let name = |dim: Dim| if dim == a { "a" } else { "b" };
        let mut parts: Vec<String> = terms.iter().map(|(dim, c)| format!("{} {c}", name(*dim))).collect();
        parts.push(constant.to_string());
        assert_eq!(parts.join(", "), wanted, "{text}");
    }
    for text in ["a*b + 1", "a//2 + b", "a*a", "9223372036854775807*(a*2)"] {
        assert_eq!(read(text).unwrap_err().name(), "not_affine", "{text}");
    }
}

/// If the border is a multiple of the vector, no vector crosses the border.
#[test]
fn borders_of_vectors() {
    for (border, wanted) in [(8, "0 <= t*4 + 0 - 8"), (3, "0 <= t*4 + 0 - 3")] {
        let mut dims = Dims::new();
        let (n, t, v) = (dims.dim("n", None).unwrap(), dims.dim("t", 16).unwrap(), dims.dim("v", 4).unwrap());
        let i = dims.dim("i", 64).unwrap();
        dims.eq(n, (t, v)).unwrap();
        dims.affine(i, [(n, 1)], -border).unwrap();
        let mut kernel = Kernel::new("border", dims.init().unwrap());
        kernel.output("x", Element::F32).unwrap().aligned(16);
        let recorded = kernel.body(|b| {
            b.bind(t, "t", "threadIdx.x")?;
            b.vectorize(v, 4, |b| {
                assert_eq!(b.indices().inside(&[i])?.unwrap().to_string(), wanted);
                b.inside(&[i], |b| b.code("use();"))
            })
        });
        // with a border of 3 elements, the vector that begins at index -3 crosses the border
        assert_eq!(recorded.is_ok(), border == 8, "{recorded:?}");
    }
}
