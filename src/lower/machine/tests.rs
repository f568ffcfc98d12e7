//! Tests of all faults and of wrapping, with operations made by hand. Lowering never makes most of them.

use super::*;
use crate::expr::var;
use crate::lower::magic::MulAdd;
use crate::lower::{Compare, Param};

/// The last of `values`, with parameters of the given types.
fn run(types: &[Type], values: &[(Instr, Type, &[u32])], point: &[i64]) -> Result<i128, Fault> {
    let names = ["a", "b", "c"];
    let mut lowered = Lowered::default();
    for (i, ty) in types.iter().enumerate() {
        lowered.params.push(Param { name: names[i].into(), ty: *ty, text: None });
        lowered.values.push(Value { instr: Instr::Param(i as u32), ty: *ty, args: [0; 3] });
    }
    for (instr, ty, args) in values {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        lowered.values.push(Value { instr: *instr, ty: *ty, args: all });
    }
    lowered.roots.push(lowered.values.len() as u32 - 1);
    Machine::new(&lowered, &names[..types.len()]).expect("all variables").run(point).map(|v| v[0])
}

const INT: i64 = i32::MAX as i64;
const LEAST: i64 = i32::MIN as i64;

#[test]
fn signed_types_overflow() {
    use Instr::{Add, Mul, Neg, Sub};
    let overflow = |ty, value| Err(Fault::Overflow { ty, value });
    let two = |instr, ty, point: [i64; 2]| run(&[ty, ty], &[(instr, ty, &[0, 1])], &point);
    assert_eq!(two(Add, Type::Int, [INT, 1]), overflow(Type::Int, 1 << 31));
    assert_eq!(two(Add, Type::Int, [INT, 0]), Ok(INT.into()));
    assert_eq!(two(Sub, Type::Int, [LEAST, 1]), overflow(Type::Int, i128::from(LEAST) - 1));
    assert_eq!(two(Mul, Type::Int, [1 << 16, 1 << 15]), overflow(Type::Int, 1 << 31));
    assert_eq!(two(Add, Type::Long, [i64::MAX, 1]), overflow(Type::Long, 1 << 63));
    assert_eq!(two(Mul, Type::Long, [i64::MIN, -1]), overflow(Type::Long, 1 << 63));
    assert_eq!(run(&[Type::Int], &[(Neg, Type::Int, &[0])], &[LEAST]), overflow(Type::Int, 1 << 31));
    assert_eq!(run(&[Type::Long], &[(Neg, Type::Long, &[0])], &[i64::MIN]), overflow(Type::Long, 1 << 63));
}

#[test]
fn unsigned_types_wrap_around() {
    use Instr::{Add, Mul, MulHi, Neg, Shl, Sub};
    let two = |instr, ty, point: [i64; 2]| run(&[ty, ty], &[(instr, ty, &[0, 1])], &point);
    let (top, word) = (i128::from(u32::MAX), Type::Unsigned);
    assert_eq!(two(Add, word, [u32::MAX.into(), 2]), Ok(1));
    assert_eq!(two(Sub, word, [0, 1]), Ok(top));
    assert_eq!(two(Mul, word, [1 << 31, 2]), Ok(0));
    assert_eq!(two(Shl, word, [3, 31]), Ok(1 << 31));
    assert_eq!(two(MulHi, word, [u32::MAX.into(), u32::MAX.into()]), Ok(top - 1));
    assert_eq!(run(&[word], &[(Neg, word, &[0])], &[1]), Ok(top));
    // 64-bit values are made by casts, because the parameters of kernels are signed
    let wide = Type::UnsignedLong;
    let cast = |instr, point: [i64; 2]| {
        let steps = [(Instr::Cast, wide, &[0][..]), (Instr::Cast, wide, &[1]), (instr, wide, &[2, 3])];
        run(&[Type::Long, Type::Long], &steps, &point)
    };
    let top = i128::from(u64::MAX);
    assert_eq!(cast(Mul, [-1, -1]), Ok(1));
    assert_eq!(cast(MulHi, [-1, -1]), Ok(top - 1));
    assert_eq!(cast(Sub, [0, 1]), Ok(top));
    assert_eq!(cast(Add, [-1, 1]), Ok(0));
}

#[test]
fn shifts_stay_below_the_width() {
    let shift = |instr, ty, point: [i64; 2]| run(&[ty, Type::Int], &[(instr, ty, &[0, 1])], &point);
    for (ty, bits) in [(Type::Int, 32), (Type::Unsigned, 32), (Type::Long, 64)] {
        for amount in [-1, bits, INT] {
            let fault = Fault::Shift { ty, amount: amount.into() };
            assert_eq!(shift(Instr::Shr, ty, [1, amount]), Err(fault));
        }
        assert_eq!(shift(Instr::Shr, ty, [5, bits - 1]), Ok(0));
    }
    assert_eq!(shift(Instr::Shr, Type::Int, [-5, 1]), Ok(-3), "arithmetic");
    assert_eq!(shift(Instr::Shr, Type::Unsigned, [u32::MAX.into(), 31]), Ok(1), "logical");
    assert!(matches!(shift(Instr::Shl, Type::Int, [1, 1]), Err(Fault::Types { .. })), "of unsigned types only");
}

#[test]
fn divisions_by_zero_and_of_signed_types_are_faults() {
    let two = |instr, ty, point: [i64; 2]| run(&[ty, ty], &[(instr, ty, &[0, 1])], &point);
    for instr in [Instr::Div, Instr::Mod] {
        assert_eq!(two(instr, Type::Unsigned, [7, 0]), Err(Fault::DivisionByZero));
        // INT_MIN / -1 does not exist without a sign
        assert!(matches!(two(instr, Type::Int, [LEAST, -1]), Err(Fault::Types { .. })));
    }
    assert_eq!(two(Instr::Div, Type::Unsigned, [u32::MAX.into(), 2]), Ok(i128::from(INT)));
}

#[test]
fn operands_have_the_type_of_the_operation() {
    let mixed = |instr, ty, types: [Type; 2]| run(&types, &[(instr, ty, &[0, 1])], &[1, 1]);
    let bad = Err(Fault::Types { at: 2 });
    assert_eq!(mixed(Instr::Add, Type::Int, [Type::Int, Type::Unsigned]), bad);
    assert_eq!(mixed(Instr::Add, Type::Long, [Type::Int, Type::Long]), bad);
    assert_eq!(mixed(Instr::Compare(Compare::Lt), Type::Bool, [Type::Int, Type::Unsigned]), bad);
    assert_eq!(mixed(Instr::LogicalAnd, Type::Bool, [Type::Int, Type::Int]), bad);
    assert_eq!(mixed(Instr::Compare(Compare::Lt), Type::Bool, [Type::Unsigned, Type::Unsigned]), Ok(0));
    // the result of a comparison is an `int`
    let less: (Instr, Type, &[u32]) = (Instr::Compare(Compare::Le), Type::Bool, &[0, 1]);
    assert_eq!(run(&[Type::Int, Type::Int], &[less, (Instr::Add, Type::Int, &[2, 0])], &[3, 3]), Ok(4));
    // a constant that does not fit its type would be printed as another constant
    assert_eq!(run(&[], &[(Instr::Const(-1), Type::Unsigned, &[])], &[]), Err(Fault::Types { at: 0 }));
    assert_eq!(run(&[], &[(Instr::Const(-1), Type::UnsignedLong, &[])], &[]), Ok(i128::from(u64::MAX)));
}

#[test]
fn signed_high_products_overflow_too() {
    let m = |addend, bits| Instr::SignedMulHi(MulAdd { multiplier: INT as i32, addend, bits });
    let of = |instr, x: i64| run(&[Type::Int], &[(instr, Type::Int, &[0])], &[x]);
    assert_eq!(of(m(0, 32), LEAST), Ok((i128::from(LEAST) * i128::from(INT)) >> 32));
    assert!(matches!(of(m(i64::MAX, 32), INT), Err(Fault::Overflow { ty: Type::Long, .. })));
    assert!(matches!(of(m(0, 64), INT), Err(Fault::Shift { .. })));
}

#[test]
fn values_that_nobody_needs_are_not_computed() {
    // an overflow in a value that no root needs is not in the text either
    let steps: [(Instr, Type, &[u32]); 2] = [(Instr::Neg, Type::Int, &[0]), (Instr::Cast, Type::Long, &[0])];
    assert_eq!(run(&[Type::Int], &steps, &[LEAST]), Ok(i128::from(LEAST)));
}

#[test]
fn prepared_divisors_are_right_for_all_31_bit_dividends() {
    for d in [1, 2, 3, 7, 10, 641, 1 << 20, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, INT] {
        for any in [true, false] {
            let divisor = FastDivisor { divisor: var("n"), name: "n".into(), may_be_one: any };
            let program = parts(&divisor, &["n"]).expect("known");
            let prepared = match Prepared::new(&program, &[d], any) {
                Ok(p) => p,
                Err(fault) => {
                    assert_eq!((fault, d, any), (Fault::Divisor { value: 1 }, 1, false));
                    continue;
                }
            };
            for x in [0, 1, d - 1, d, d + 1, INT - 1, INT].into_iter().filter(|x| *x <= INT) {
                let high = (x as u64 * u64::from(prepared.multiplier)) >> 32;
                let quotient = (high + if any { x as u64 } else { 0 }) >> prepared.shift;
                assert_eq!(quotient, (x as u64).div_euclid(d as u64), "{x} // {d}");
            }
        }
    }
    let divisor = FastDivisor { divisor: var("n") * 2, name: "n".into(), may_be_one: true };
    let program = parts(&divisor, &["n"]).expect("known");
    for n in [0, -4, 1 << 30, 1 << 40] {
        let fault = Prepared::new(&program, &[n], true).err();
        assert!(matches!(fault, Some(Fault::Divisor { .. })), "{n}: {fault:?}");
    }
}
