//! Machines that text is for, as data: what instructions cost there, and what its compiler makes of the same value in different spellings.

use super::Prices;

/// A machine: what instructions cost there, and the spellings that pay. All are exact; a wrong choice costs instructions, never values.
///
/// What each spelling is worth on which machine is in `docs/design/lower.md`, with the command that measures it. Another machine is
/// another value of this type.
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
    /// What instructions cost.
    pub prices: Prices,
    /// Multiples of powers of two are not subtracted, but added with a negative factor.
    pub negative_factors: bool,
    /// Shifts that follow a mask or another shift, and remainders beside a multiple of a quotient, are funnel shifts, into which the
    /// compiler does not look. No target has this by itself: half a percent of all instructions is too little for text that nobody
    /// reads with ease.
    pub fences: bool,
    /// A truth value times a constant is added to a sum by selecting one of two sums.
    pub conditional_sums: bool,
    /// Of the conditions of a selection, one stands apart from the others: `a && (b && c)`.
    pub split_conditions: bool,
    /// A factor and a constant of a numerator, and the sign of a numerator, go into the multiplier and an addend of a shift.
    pub scaled_quotients: bool,
    /// A sum is added up of other sums, remainders and numerators that are computed anyway, where that saves an instruction.
    pub shared_sums: bool,
    /// A constant beside a quotient is added to the numerator.
    pub quotient_offsets: bool,
    /// A sum that is only tested for being 0, or subtracted from ones before a mask, is an operation on bits.
    pub bits_for_sums: bool,
    /// Values that are shifted down are the last ones that a sum adds.
    pub shifts_last: bool,
}

impl Target {
    /// Ampere.
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
    /// Hopper.
    pub const SM_90: Target = Target { prices: Prices::NVIDIA, ..Target::SM_80 };
    /// Blackwell.
    pub const SM_100: Target = Target { split_conditions: true, ..Target::SM_90 };
    /// Text as it is written: no spelling is preferred.
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

    /// The target of that name, as compilers call it: `sm_80`, `sm_90`, `sm_100`, or `plain`. Any number of changes may follow it:
    /// `sm_90-conditional_sums` is one without a spelling of it, `sm_90+fences` one with a spelling more, and `sm_90+mulhi=20` one
    /// with another price, in tenths of a simple instruction.
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

    /// The spelling of that name, to be changed.
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
    /// [`Target::SM_90`].
    fn default() -> Target {
        Target::SM_90
    }
}
