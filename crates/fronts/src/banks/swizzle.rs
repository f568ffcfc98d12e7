//! [`Swizzle`]: an exclusive or of some bits of an index with higher bits of the index.

use super::error::BankError;
use quaff::expr::{Expr, int};
use std::fmt;
use std::str::FromStr;

/// `Swizzle<B, M, S>` of CuTe. It changes the `B` bits of an index from bit `M` on. Each of these bits is combined by
/// exclusive or with the bit that is `S` positions higher. For a negative `S`, the bits from bit `M` on are read, and
/// the bits `-S` positions higher change.
///
/// A swizzle is a permutation of indices and its own inverse, because no bit is both read and changed (`|S| >= B`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// The swizzle `Swizzle<bits, base, shift>`.
    ///
    /// # Errors
    /// [`BankError::Swizzle`] when `|shift| < bits`, or the bits reach beyond bit 62.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<Swizzle, BankError> {
        let reach = u64::from(bits) + u64::from(base) + u64::from(shift.unsigned_abs());
        if shift.unsigned_abs() >= bits && reach <= 62 {
            Ok(Swizzle { bits, base, shift })
        } else {
            Err(BankError::Swizzle { text: format!("Swizzle<{bits}, {base}, {shift}>") })
        }
    }

    /// `B`: the number of bits that change.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// `M`: the lowest bit that changes. For a negative shift, it is the lowest bit that is read.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// `S`: the distance from the bits that change to the bits that are read.
    pub fn shift(&self) -> i32 {
        self.shift
    }

    /// The place at which the swizzle puts element `index`.
    ///
    /// ```
    /// use quaff_fronts::banks::Swizzle;
    ///
    /// let swizzle: Swizzle = "Swizzle<3, 3, 3>".parse()?;
    /// // row 1 of 64 elements: its groups of 8 change places in pairs
    /// assert_eq!([64, 72, 80].map(|x| swizzle.apply(x)), [72, 64, 88]);
    /// # Ok::<(), quaff_fronts::banks::BankError>(())
    /// ```
    pub fn apply(&self, index: i64) -> i64 {
        let mask = ((1_i64 << self.bits) - 1) << self.base;
        match self.shift {
            0.. => index ^ ((index >> self.shift) & mask),
            ..0 => index ^ ((index & mask) << self.shift.unsigned_abs()),
        }
    }

    /// The result of [`Swizzle::apply`] as an expression. The index must not be negative.
    pub fn index(&self, index: &Expr) -> Expr {
        let ends = [self.base, self.base + self.shift.unsigned_abs()];
        let [to, from] = if self.shift >= 0 { ends } else { [ends[1], ends[0]] };
        let read = index.floor_div(int(1 << from)).floor_mod(int(1 << self.bits)) * int(1 << to);
        index ^ read
    }
}

impl fmt::Display for Swizzle {
    /// Writes the notation of CuTe, such as `Swizzle<3, 4, 3>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Swizzle<{}, {}, {}>", self.bits, self.base, self.shift)
    }
}

impl FromStr for Swizzle {
    type Err = BankError;

    /// Parses the output of [`Display`](fmt::Display) with any blanks, and the short form `Sw<3,4,3>` of CuTe.
    fn from_str(text: &str) -> Result<Swizzle, BankError> {
        let wrong = || BankError::Swizzle { text: text.chars().take(80).collect() };
        let inner = text.trim();
        let inner = inner.strip_prefix("cute::").unwrap_or(inner);
        let inner = inner.strip_prefix("Swizzle").or_else(|| inner.strip_prefix("Sw")).ok_or_else(wrong)?;
        let inner = inner.trim().strip_prefix('<').and_then(|i| i.strip_suffix('>')).ok_or_else(wrong)?;
        let numbers: Vec<&str> = inner.split(',').map(str::trim).collect();
        let [bits, base, shift] = numbers[..] else { return Err(wrong()) };
        match (bits.parse(), base.parse(), shift.parse()) {
            (Ok(bits), Ok(base), Ok(shift)) => Swizzle::new(bits, base, shift).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}
