//! Target machines as data: the prices of their instructions, and the *spellings* that their compilers translate best.
//! A spelling is one of several ways to write a value in C, such as `y + x * -8` and `y - x * 8`.

use super::Prices;

/// A machine, with the prices of its instructions and the best spellings. All spellings are exact. A wrong choice costs
/// instructions, but never changes values.
///
/// `docs/design/lower.md` lists the gain of each spelling on each machine, with the command that measures it. A new
/// machine is described by a new value of this type.
///
/// ```
/// use quaff::domain::Domain;
/// use quaff::expr::{Dag, Expr};
/// use quaff::{emit, lower::{Target, lower_for}};
///
/// let vars = Domain::new().with("x", 0..=100).with("y", 0..=100).resolve()?;
/// let dag = Dag::new(&["y - x*8".parse::<Expr>()?]);
/// let text = |target: &Target| Ok::<_, quaff::lower::LowerError>(emit::cuda(&lower_for(&dag, &vars, target)?).results[0].text.clone());
/// assert_eq!(text(&Target::SM_90)?, "y + x * -8");
/// assert_eq!(text(&Target { negative_factors: false, ..Target::SM_90 })?, "y - x * 8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    /// The prices of the instructions.
    pub prices: Prices,
    /// Writes `y + x * -8` and not `y - x * 8`, for factors that are powers of two.
    pub negative_factors: bool,
    /// Uses funnel shifts for shifts that follow a mask or another shift, and for a remainder that is added to a
    /// multiple of a quotient. The compiler does not analyse funnel shifts. No target enables this by default, because
    /// it saves half a percent of all instructions and makes the text hard to read.
    pub fences: bool,
    /// Adds a truth value times a constant to a sum by selecting one of two sums.
    pub conditional_sums: bool,
    /// Separates one condition of a selection from the others, as in `a && (b && c)`.
    pub split_conditions: bool,
    /// For a quotient of a sum, moves the factor of the numerator, with its sign, into the multiplier, and its constant
    /// into the addend of a shift.
    pub scaled_quotients: bool,
    /// Computes a sum from other sums, remainders and numerators that are computed in any case, if this saves an
    /// instruction.
    pub shared_sums: bool,
    /// Writes `x//d + k` as `(x + k*d)//d`.
    pub quotient_offsets: bool,
    /// Uses bit operations for a sum that is only compared with 0, or that is subtracted from all ones before a mask.
    pub bits_for_sums: bool,
    /// Adds right-shifted values, such as `x >> 3`, after the other terms of a sum.
    pub shifts_last: bool,
}

impl Target {
    /// The NVIDIA architecture Ampere.
    pub const SM_80: Target = Target {
        prices: Prices::AMPERE,
        negative_factors: true,
        conditional_sums: true,
        scaled_quotients: true,
        shared_sums: true,
        quotient_offsets: true,
        bits_for_sums: true,
        shifts_last: true,
        ..Target::PLAIN
    };
    /// The NVIDIA architecture Hopper.
    pub const SM_90: Target = Target { prices: Prices::NVIDIA, ..Target::SM_80 };
    /// The NVIDIA architecture Blackwell.
    pub const SM_100: Target = Target { split_conditions: true, ..Target::SM_90 };
    /// A target without preferred spellings, for text with the same structure as the expression.
    pub const PLAIN: Target = Target {
        prices: Prices::NVIDIA,
        negative_factors: false,
        fences: false,
        conditional_sums: false,
        split_conditions: false,
        scaled_quotients: false,
        shared_sums: false,
        quotient_offsets: false,
        bits_for_sums: false,
        shifts_last: false,
    };

    /// The target with the given name, as compilers write it: `sm_80`, `sm_90`, `sm_100`, or `plain`. Any number of
    /// changes may follow the name. `sm_90-conditional_sums` disables a spelling, and `sm_90+fences` enables one.
    /// `sm_90+mulhi=20` changes a price, in tenths of a simple instruction.
    ///
    /// ```
    /// use quaff::lower::{Prices, Target};
    ///
    /// assert_eq!(Target::by_name("sm_90+fences"), Some(Target { fences: true, ..Target::SM_90 }));
    /// let prices = Prices { mulhi: 20, ..Prices::NVIDIA };
    /// assert_eq!(Target::by_name("sm_100+mulhi=20"), Some(Target { prices, ..Target::SM_100 }));
    /// assert_eq!(Target::by_name("sm_20"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<Target> {
        let (base, mut changes) = name.split_at(name.find(['-', '+']).unwrap_or(name.len()));
        let mut target = match base {
            "sm_80" => Target::SM_80,
            "sm_90" => Target::SM_90,
            "sm_100" => Target::SM_100,
            "plain" => Target::PLAIN,
            _ => return None,
        };
        while let Some(rest) = changes.strip_prefix(['-', '+']) {
            let is_more = changes.starts_with('+');
            let (change, others) = rest.split_at(rest.find(['-', '+']).unwrap_or(rest.len()));
            match change.split_once('=') {
                Some((price, tenths)) if is_more => *target.prices.by_name(price)? = tenths.parse().ok()?,
                Some(_) => return None,
                None => *target.spelling(change)? = is_more,
            }
            changes = others;
        }
        Some(target)
    }

    /// The field for the spelling with this name. The caller may change it.
    fn spelling(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "negative_factors" => &mut self.negative_factors,
            "fences" => &mut self.fences,
            "conditional_sums" => &mut self.conditional_sums,
            "split_conditions" => &mut self.split_conditions,
            "scaled_quotients" => &mut self.scaled_quotients,
            "shared_sums" => &mut self.shared_sums,
            "bits_for_sums" => &mut self.bits_for_sums,
            "quotient_offsets" => &mut self.quotient_offsets,
            "shifts_last" => &mut self.shifts_last,
            _ => return None,
        })
    }
}

impl Default for Target {
    /// The default is [`Target::SM_90`].
    fn default() -> Target {
        Target::SM_90
    }
}
