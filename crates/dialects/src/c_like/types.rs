//! The types of C: their names, sizes and ranges, and the result types of operations.

use crate::cuda;
use quaff_expr::domain::Interval;

/// An integer type of C of up to 64 bits.
///
/// ```
/// use quaff_dialects::IntegerType;
///
/// let size = IntegerType::named("const std::size_t").unwrap();
/// assert_eq!((size.bits(), size.is_unsigned()), (64, true));
/// assert_eq!(IntegerType::named("unsigned").unwrap().common(IntegerType::INT), IntegerType::UNSIGNED);
/// assert_eq!(IntegerType::named("float"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    pub(super) bits: u32,
    pub(super) is_unsigned: bool,
}

pub(super) use IntegerType as Type;

const fn signed(bits: u32) -> Type {
    IntegerType { bits, is_unsigned: false }
}

const fn unsigned(bits: u32) -> Type {
    IntegerType { bits, is_unsigned: true }
}

impl IntegerType {
    /// The type `bool`.
    pub const BOOL: Type = unsigned(1);
    /// The type `int`.
    pub const INT: Type = signed(32);
    /// The type `unsigned`.
    pub const UNSIGNED: Type = unsigned(32);
    /// The type `int64_t`.
    pub const LONG: Type = signed(64);
    /// The type `size_t`.
    pub const SIZE: Type = unsigned(64);

    /// The integer type that `words` name, such as `const unsigned long`. `None` if they name another type, or `auto`.
    pub fn named(words: &str) -> Option<Type> {
        match named(words.split_ascii_whitespace())? {
            Named::Integer(ty) => Some(ty),
            Named::Auto | Named::Other(_) => None,
        }
    }

    /// The type of an integer literal, with its suffix. `None` if `text` is not an integer literal.
    pub fn of_literal(text: &str) -> Option<Type> {
        literal(text).ok().map(|(_, ty)| ty)
    }

    /// The type and the range of a variable that CUDA declares, such as `threadIdx.x`.
    pub fn of_builtin(name: &str) -> Option<(Type, Interval)> {
        let (is_unsigned, range) = cuda::builtin(name)?;
        Some((if is_unsigned { Type::UNSIGNED } else { Type::INT }, range))
    }

    /// The number of bits of the type: 1, 8, 16, 32 or 64.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Whether the type is unsigned.
    pub fn is_unsigned(self) -> bool {
        self.is_unsigned
    }

    /// The range of the type. An end that does not fit `i64` is open.
    pub fn range(self) -> Interval {
        let (lo, hi) = match self.is_unsigned {
            true => (0, (1i128 << self.bits) - 1),
            false => (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1),
        };
        Interval::from_wide(lo, hi)
    }

    /// The modulus of sums and products. `None` if nothing wraps around, and for 2^64, which does not fit `i64`.
    pub(super) fn modulus(self) -> Option<i64> {
        (self.is_unsigned && self.bits < 64).then(|| 1 << self.bits)
    }

    /// The type after the integer promotions of C.
    pub fn promoted(self) -> Type {
        if self.bits < 32 { Type::INT } else { self }
    }

    /// The common type of two operands, by the usual arithmetic conversions of C.
    pub fn common(self, other: Type) -> Type {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => Type { bits: a.bits, is_unsigned: a.is_unsigned || b.is_unsigned },
        }
    }

    /// The type that Halide gives to each of two operands: the wider type, which is signed if one of them is.
    pub(super) fn matched(self, other: Type) -> Type {
        Type { bits: self.bits.max(other.bits), is_unsigned: self.is_unsigned && other.is_unsigned }
    }
}

/// The type that words name, before a name or inside the parentheses of a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Integer(Type),
    /// The word `auto`, or `const` alone.
    Auto,
    /// A type whose values are not integers, such as `float`, with its size in bytes. The size of `void` is 0.
    Other(i64),
}

/// Words of a type that do not affect its values.
const QUALIFIERS: &[&str] = &["const", "constexpr", "static", "volatile", "register", "mutable", "inline"];

/// Words that may be combined, such as `unsigned long long`.
const JOINED: &[&str] = &["signed", "unsigned", "long", "short", "int", "char"];

/// Integer types with a single word as their name.
const INTEGERS: &[(&str, Type)] = &[
    ("bool", Type::BOOL),
    ("_Bool", Type::BOOL),
    ("int8_t", signed(8)),
    ("int16_t", signed(16)),
    ("int32_t", Type::INT),
    ("int64_t", Type::LONG),
    ("intptr_t", Type::LONG),
    ("ptrdiff_t", Type::LONG),
    ("ssize_t", Type::LONG),
    ("uint8_t", unsigned(8)),
    ("uint16_t", unsigned(16)),
    ("uint32_t", Type::UNSIGNED),
    ("uint64_t", Type::SIZE),
    ("uintptr_t", Type::SIZE),
    ("size_t", Type::SIZE),
    ("uchar", unsigned(8)),
    ("ushort", unsigned(16)),
    ("uint", Type::UNSIGNED),
    ("ulong", Type::SIZE),
];

/// Other types with a single word as their name, with their sizes in bytes.
const OTHERS: &[(&str, i64)] = &[
    ("void", 0),
    ("float", 4),
    ("double", 8),
    ("half", 2),
    ("half2", 4),
    ("__half", 2),
    ("__half2", 4),
    ("nv_bfloat16", 2),
    ("nv_bfloat162", 4),
    ("__nv_bfloat16", 2),
    ("__nv_bfloat162", 4),
    ("__nv_fp8_e4m3", 1),
    ("__nv_fp8_e5m2", 1),
    ("dim3", 12),
];

/// The elements of the vector types of CUDA, whose names are like `float4`.
const ELEMENTS: &[(&str, i64)] = &[
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("float", 4),
    ("long", 8),
    ("ulong", 8),
    ("longlong", 8),
    ("ulonglong", 8),
    ("double", 8),
];

/// The name without the namespace of the standard library.
fn plain(word: &str) -> &str {
    let word = word.strip_prefix("::").unwrap_or(word);
    let word = word.strip_prefix("cuda::").unwrap_or(word);
    word.strip_prefix("std::").unwrap_or(word)
}

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == word).map(|(_, found)| *found)
}

fn other(word: &str) -> Option<i64> {
    let vector = || {
        let count = word.bytes().last().filter(|b| (b'1'..=b'4').contains(b))?;
        Some(find(ELEMENTS, &word[..word.len() - 1])? * i64::from(count - b'0'))
    };
    find(OTHERS, word).or_else(vector)
}

/// Whether `word` is part of the name of a type.
pub(super) fn is_type_word(word: &str) -> bool {
    let name = plain(word);
    is_keyword(word) || find(INTEGERS, name).is_some() || other(name).is_some()
}

/// Whether `word` may be combined with others to the name of a type.
pub(super) fn is_keyword(word: &str) -> bool {
    word == "auto" || QUALIFIERS.contains(&word) || JOINED.contains(&word)
}

/// The type that `words` name. `None` if they name no known type.
pub(super) fn named<'t>(words: impl Iterator<Item = &'t str>) -> Option<Named> {
    let words: Vec<&str> = words.filter(|w| !QUALIFIERS.contains(w)).collect();
    match words[..] {
        [] | ["auto"] => return Some(Named::Auto),
        [word] if !JOINED.contains(&word) => {
            let integer = find(INTEGERS, plain(word)).map(Named::Integer);
            return integer.or_else(|| other(plain(word)).map(Named::Other));
        }
        ["long", "double"] => return Some(Named::Other(16)),
        _ => {}
    }
    let count = |wanted: &str| words.iter().filter(|w| **w == wanted).count();
    let is_unsigned = match (count("unsigned"), count("signed")) {
        (unsigned, signed) if unsigned + signed > 1 => return None,
        (unsigned, _) => unsigned == 1,
    };
    let bits = match (count("long"), count("short"), count("char"), count("int")) {
        (0, 0, 0, 0 | 1) => 32,
        (1 | 2, 0, 0, 0 | 1) => 64,
        (0, 1, 0, 0 | 1) => 16,
        (0, 0, 1, 0) => 8,
        _ => return None,
    };
    words.iter().all(|w| JOINED.contains(w)).then_some(Named::Integer(Type { bits, is_unsigned }))
}

/// The size of a type in bytes. `None` if the type has none.
pub(super) fn size(named: Named) -> Option<i64> {
    match named {
        Named::Integer(Type::BOOL) => Some(1),
        Named::Integer(ty) => Some(i64::from(ty.bits.div_ceil(8))),
        Named::Other(size) => Some(size).filter(|s| *s > 0),
        Named::Auto => None,
    }
}

/// The reason why a number cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Float,
    Malformed,
    TooLarge,
}

/// The value and the type of a literal, with its suffix.
pub(super) fn literal(text: &str) -> Result<(i64, Type), Problem> {
    let lower: String = text.chars().filter(|c| *c != '\'').map(|c| c.to_ascii_lowercase()).collect();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    let is_suffix = |c: char| c == 'u' || c == 'l' || c == 'z';
    let (digits, suffix) = digits.split_at(digits.find(is_suffix).unwrap_or(digits.len()));
    let is_exponent = |c: char| if radix == 16 { c == 'p' } else { radix != 2 && (c == 'e' || c == 'f') };
    if digits.contains('.') || digits.contains(is_exponent) {
        return Err(Problem::Float);
    }
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" | "z" => (false, true),
        "ul" | "ull" | "uz" | "lu" | "llu" | "zu" => (true, true),
        _ => return Err(Problem::Malformed),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(Problem::Malformed);
    }
    let value = i64::from_str_radix(digits, radix).map_err(|_| Problem::TooLarge)?;
    // the type is the first of the list that holds the value; a decimal number without `u` is signed
    let types = [Type::INT, Type::UNSIGNED, Type::LONG, Type::SIZE].into_iter();
    let mut allowed = types.filter(|t| {
        (!is_long || t.bits == 64) && (!is_unsigned || t.is_unsigned) && (is_unsigned || radix != 10 || !t.is_unsigned)
    });
    allowed.find(|t| t.range().contains(value)).map(|t| (value, t)).ok_or(Problem::TooLarge)
}
