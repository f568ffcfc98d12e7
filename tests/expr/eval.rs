//! The evaluator is compared with a second, recursive evaluator. Equality and hashes are compared with the texts of the
//! trees.

use proptest::prelude::*;
use quaff::expr::{EvalError, EvalFailure, Expr, Op, Program, int, select, var};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The value of an expression, by a second implementation. It is recursive and lazy, and has its own division.
fn reference(e: &Expr, point: &[i128; 3]) -> Result<i128, EvalError> {
    use EvalError::*;
    let at = |i: usize| reference(&e.args()[i], point);
    let bool_of = |b: bool| Ok(i128::from(b));
    match e.op() {
        Op::Const(c) => Ok((*c).into()),
        Op::Var(name) => Ok(point[usize::from(name.as_bytes()[0] - b'a')]),
        Op::Neg => at(0)?.checked_neg().ok_or(Overflow),
        Op::Add => at(0)?.checked_add(at(1)?).ok_or(Overflow),
        Op::Sub => at(0)?.checked_sub(at(1)?).ok_or(Overflow),
        Op::Mul => at(0)?.checked_mul(at(1)?).ok_or(Overflow),
        Op::FloorDiv | Op::FloorMod => {
            let (a, b) = (at(0)?, at(1)?);
            if b == 0 {
                return Err(DivisionByZero);
            }
            let r = a.checked_rem_euclid(b).unwrap_or(0);
            // Euclid's remainder is never negative, but the floor remainder has the sign of the divisor
            let r = if r != 0 && b < 0 { r + b } else { r };
            if *e.op() == Op::FloorMod {
                Ok(r)
            } else {
                a.checked_sub(r).and_then(|m| m.checked_div(b)).ok_or(Overflow)
            }
        }
        Op::TruncDiv | Op::TruncMod => {
            let (a, b) = (at(0)?, at(1)?);
            if b == 0 {
                return Err(DivisionByZero);
            }
            if *e.op() == Op::TruncMod { Ok(a.checked_rem(b).unwrap_or(0)) } else { a.checked_div(b).ok_or(Overflow) }
        }
        Op::Min => Ok(at(0)?.min(at(1)?)),
        Op::Max => Ok(at(0)?.max(at(1)?)),
        Op::Lt => bool_of(at(0)? < at(1)?),
        Op::Le => bool_of(at(0)? <= at(1)?),
        Op::Gt => bool_of(at(0)? > at(1)?),
        Op::Ge => bool_of(at(0)? >= at(1)?),
        Op::Eq => bool_of(at(0)? == at(1)?),
        Op::Ne => bool_of(at(0)? != at(1)?),
        Op::And => {
            if at(0)? == 0 {
                Ok(0)
            } else {
                bool_of(at(1)? != 0)
            }
        }
        Op::Or => {
            if at(0)? != 0 {
                Ok(1)
            } else {
                bool_of(at(1)? != 0)
            }
        }
        Op::Not => bool_of(at(0)? == 0),
        Op::Select => {
            if at(0)? != 0 {
                at(1)
            } else {
                at(2)
            }
        }
        Op::BitAnd => Ok(at(0)? & at(1)?),
        Op::BitOr => Ok(at(0)? | at(1)?),
        Op::BitXor => Ok(at(0)? ^ at(1)?),
        Op::Shl | Op::Shr => {
            let (mut a, b) = (at(0)?, at(1)?);
            if !(0..=126).contains(&b) {
                return Err(Shift);
            }
            for _ in 0..b {
                a = if *e.op() == Op::Shl { a.checked_mul(2).ok_or(Overflow)? } else { a.div_euclid(2) };
            }
            Ok(a)
        }
    }
}

fn random_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["a", "b", "c"]).prop_map(var),
        (-9i64..20).prop_map(int),
        prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 40]).prop_map(int),
    ];
    leaf.prop_recursive(7, 48, 3, |inner| {
        use Op::*;
        let binary = vec![
            Add, Sub, Mul, FloorDiv, FloorMod, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor, Shl,
            Shr, TruncDiv, TruncMod,
        ];
        prop_oneof![
            8 => (prop::sample::select(binary), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

fn hash_of(e: &Expr) -> u64 {
    let mut h = DefaultHasher::new();
    e.hash(&mut h);
    h.finish()
}

/// A copy of the tree with new nodes, in which no node is shared.
fn unshared(e: &Expr) -> Expr {
    Expr::try_new(e.op().clone(), e.args().iter().map(unshared).collect::<Vec<_>>()).expect("arity")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn programs_mean_what_the_reference_means(
        roots in prop::collection::vec(random_expr(), 1..4),
        points in prop::collection::vec(prop::array::uniform3(-40i64..40), 4),
    ) {
        let program = Program::new(&roots, &["a", "b", "c"]).expect("all known");
        let mut buffer = Vec::new();
        for p in points {
            let wide = p.map(i128::from);
            let expected: Vec<_> = roots.iter().map(|e| reference(e, &wide)).collect();
            prop_assert_eq!(&program.eval(&wide), &expected);
            prop_assert!(program.eval_into(&wide, &mut buffer).eq(expected.iter().copied()));
            let alone = roots[0].eval(|name| Some(p[usize::from(name.as_bytes()[0] - b'a')]));
            prop_assert_eq!(alone, expected[0].map_err(EvalFailure::from));
        }
    }

    #[test]
    fn equality_is_that_of_the_s_expressions(a in random_expr(), b in random_expr()) {
        let text = |e: &Expr| e.to_sexp(1 << 20).expect("small");
        prop_assert_eq!(a == b, text(&a) == text(&b));
        let copy = unshared(&a);
        prop_assert_eq!(&copy, &a);
        prop_assert_eq!(hash_of(&copy), hash_of(&a));
        prop_assert_eq!(a.tree_size(), copy.tree_size());
        // large trees that differ only in one leaf
        let big = |x: &Expr| (0..400).fold(x.clone(), |e, i| e + int(i));
        prop_assert_eq!(big(&a) == big(&b), a == b);
    }
}
