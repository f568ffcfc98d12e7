//! Arguments that no caller would pass on purpose.

use proptest::prelude::*;
use quaff::cost::{Cost, CostModel, Operation};
use quaff::domain::{Congruence, Domain, Interval};
use quaff::egraph::Limits;
use quaff::expr::{Expr, Op, int, select, var};

/// Ends of types, neighbours of powers of two, and small numbers.
pub(crate) fn number() -> impl Strategy<Value = i64> {
    let edge = (0u32..64, -1i64..=1).prop_map(|(bit, by)| (1i64 << bit).wrapping_add(by));
    prop_oneof![
        2 => edge.clone(),
        2 => edge.prop_map(i64::wrapping_neg),
        3 => -9i64..=9,
        1 => prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, i32::MIN as i64, u32::MAX as i64]),
        1 => any::<i64>(),
    ]
}

pub(crate) fn wide() -> impl Strategy<Value = i128> {
    prop_oneof![
        2 => number().prop_map(i128::from),
        1 => (0u32..128, -1i128..=1).prop_map(|(bit, by)| (1i128 << bit).wrapping_add(by)),
        1 => prop::sample::select(vec![i128::MIN, i128::MIN + 1, i128::MAX, 0]),
        1 => any::<i128>(),
    ]
}

pub(crate) fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        2 => (number(), number()).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b)).expect("in order")),
        1 => number().prop_map(Interval::point),
        1 => (wide(), wide()).prop_map(|(a, b)| Interval::from_wide(a, b)),
    ]
}

pub(crate) fn congruence() -> impl Strategy<Value = Congruence> {
    prop_oneof![2 => (number(), number()).prop_map(|(m, r)| Congruence::new(m, r)), 1 => number().prop_map(Congruence::point)]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    use Op::*;
    let plain = vec![
        Neg, Add, Sub, Mul, FloorDiv, FloorMod, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, Not, Select, BitAnd, BitOr,
        BitXor, Shl, Shr, TruncDiv, TruncMod,
    ];
    prop_oneof![
        8 => prop::sample::select(plain),
        1 => number().prop_map(Const),
        1 => name().prop_map(|n| Var(n.into())),
    ]
}

/// Declared names, undeclared names, invalid names and keywords.
pub(crate) fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["x", "y", "n", "int", "lambda", "fn", "", " ", "a b", "x\0", "é{}$", "0", "t0", "out"])
}

/// Texts that are almost in the languages that the library reads.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "x",
        "y",
        "n",
        " ",
        "+",
        "-",
        "*",
        "//",
        "%",
        "(",
        ")",
        "<",
        "==",
        " and ",
        " not ",
        "where(",
        ",",
        "1",
        "0",
        "..",
        "=",
        "%0",
        "9223372036854775807",
        "99999999999999999999",
        "if",
        " else ",
        "<<",
        ">>",
        "&",
        "|",
        "~",
        "min(",
        "abs(",
        "(rule a \"b\" (match ",
        "(// ",
        "?x",
        "#n",
        "?r...",
        "(yield ",
        "(when ",
        "(> #n 0)",
        "$",
        "{",
        "}",
        "|N|",
        "\n",
        "\"",
        "\u{feff}",
        "é",
        "\0",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Expressions over the variables `x`, `y` and `n`, with shifts, divisors and constants of any size.
pub(crate) fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![3 => prop::sample::select(vec!["x", "y", "n"]).prop_map(var), 2 => number().prop_map(int)];
    leaf.prop_recursive(5, 24, 3, |inner| {
        (op(), prop::collection::vec(inner, 3)).prop_map(|(op, args)| match op.arity() {
            0 => args[0].clone(),
            arity => Expr::try_new(op, args.into_iter().take(arity)).expect("arity"),
        })
    })
}

/// An expression whose text would have `2^levels` characters because of sharing, and expressions with `deep` levels of
/// nesting. With 50,000 levels, a recursive function would overflow its stack.
pub(crate) fn monsters(levels: u32, deep: i64) -> [Expr; 4] {
    let doubled = (0..levels).fold(var("x"), |e, _| &e + &e);
    let chain = (0..deep).fold(var("x"), |e, i| (e + i) / 3);
    let nested = (0..deep).fold(var("x"), |e, _| e.not());
    let selected = (0..deep).fold(var("x"), |e, i| select(var("y").lt(i), e, i));
    [doubled, chain, nested, selected]
}

/// A domain with `x`, `y` and `n`, which may contain contradictions.
pub(crate) fn domain() -> impl Strategy<Value = Domain> {
    let stride = prop::option::weighted(0.2, (number(), number()));
    let assumption = prop::option::weighted(0.3, expression());
    (interval(), interval(), interval(), stride, assumption, any::<bool>(), name()).prop_map(
        |(x, y, n, stride, assumption, symbolic, other)| {
            let mut domain = Domain::new().with("x", x).with("y", y).with("n", n);
            if symbolic {
                domain = Domain::with(domain, "x", (int(0), var("n") - 1));
            }
            if let Some((modulus, residue)) = stride {
                domain = Domain::stride(domain, "y", modulus, residue);
            }
            let assumption_given = assumption.is_some();
            if let Some(condition) = assumption {
                domain = Domain::assume(domain, condition);
            }
            let domain = Domain::launch_invariant(domain, "n").with(other, ..);
            let domain = Domain::and(domain, &Domain::new().with("n", ..));
            let domain = if symbolic && assumption_given { Domain::nonempty(domain, "x") } else { domain };
            let domain = match stride {
                Some((0, _)) => Domain::loop_variable(domain, "x"),
                Some((_, 0)) => Domain::unrolled(domain, "y"),
                Some((modulus, _)) if modulus > 3 => {
                    Domain::computed_in(Domain::loop_variable(domain, "y"), "x", ["y"])
                }
                Some(_) => Domain::loop_nest(domain, ["n", "x", "y"]),
                None => domain,
            };
            let vouched = assumption_given && Domain::is_defined(&Domain::defined(domain.clone()));
            if vouched { Domain::defined(domain) } else { domain }
        },
    )
}

pub(crate) fn limits() -> impl Strategy<Value = Limits> {
    let rounds = prop::sample::select(vec![0, 1, 5, u32::MAX]);
    let nodes = prop::sample::select(vec![0, 1, 150]);
    let visits = prop::sample::select(vec![0, 1, 2_000]);
    let work = prop::sample::select(vec![0, 1, 10_000, u64::MAX]);
    (rounds, nodes, visits, work, 0u32..9).prop_map(|(rounds, nodes, visits, work, passes)| Limits {
        rounds,
        nodes,
        visits,
        work,
        passes,
    })
}

/// Prices that no machine has: the greatest price for all operations, or random prices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    pub(crate) greatest: bool,
    pub(crate) seed: u32,
}

impl CostModel for Prices {
    fn price(&self, operation: &Operation) -> Cost {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (format!("{operation:?}"), self.seed).hash(&mut hasher);
        let random = hasher.finish();
        if self.greatest { Cost::MAX } else { Cost::from_tenths(random >> (random & 63)) }
    }
}

pub(crate) fn prices() -> impl Strategy<Value = Prices> {
    (any::<bool>(), any::<u32>()).prop_map(|(greatest, seed)| Prices { greatest, seed })
}
