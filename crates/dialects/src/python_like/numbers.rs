//! Number types, by their names in the dialects.

use quaff_expr::domain::Interval;

/// The effect of a cast of an integer to a number type.
pub(super) enum Number {
    /// The cast has no effect: its type has 32 or 64 bits, and indices are assumed to fit their type.
    Wide,
    /// The result is 0 for 0, and 1 for any other value.
    Truth,
    /// The cast has no effect on a value in this range. Other values wrap around, as the given sentence describes.
    Narrow(Interval, &'static str),
}

/// The least value, the greatest value, and the effect on other values.
type Range = (i64, i64, &'static str);

const INT8: Range = (-128, 127, "wraps around as `int8` outside of -128..127");
const INT16: Range = (-32_768, 32_767, "wraps around as `int16` outside of -32768..32767");
const UINT8: Range = (0, 255, "wraps around as `uint8` outside of 0..255");
const UINT16: Range = (0, 65_535, "wraps around as `uint16` outside of 0..65535");
const UINT32: Range = (0, 4_294_967_295, "wraps around as `uint32` outside of 0..4294967295");
const UINT64: Range = (0, i64::MAX, "wraps around as `uint64` where it is negative");

/// The type `name`, which has no module prefix.
pub(super) fn number(name: &str) -> Option<Number> {
    let (lo, hi, reason) = match name {
        "int32" | "int64" | "int" | "long" | "index" | "weakint" | "intp" | "i32" | "i64" => return Some(Number::Wide),
        "bool" | "bool_" | "int1" | "Bool" | "boolean" => return Some(Number::Truth),
        "int8" | "char" | "i8" => INT8,
        "int16" | "short" | "i16" => INT16,
        "uint8" | "uchar" => UINT8,
        "uint16" | "ushort" => UINT16,
        "uint32" | "uint" => UINT32,
        "uint64" | "ulong" => UINT64,
        _ => return None,
    };
    Interval::new(lo, hi).map(|range| Number::Narrow(range, reason))
}
