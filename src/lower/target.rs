//! What a compiler makes of the same value in different spellings, as data: a table for each kind of machine.

/// Spellings that pay on a machine. All are exact; a wrong choice costs instructions, never values.
///
/// What each is worth on which machine is in `docs/design/lower.md`, with the command that measures it. Another machine is another
/// value of this type.
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
pub struct Target {
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
    /// Values that are shifted down are the last ones that a sum adds.
    pub shifts_last: bool,
}

impl Target {
    /// Ampere.
    pub const SM_80: Target = Target {
        negative_factors: true,
        conditional_sums: true,
        scaled_quotients: true,
        shared_sums: true,
        quotient_offsets: true,
        shifts_last: true,
        ..Target::PLAIN
    };
    /// Hopper.
    pub const SM_90: Target = Target::SM_80;
    /// Blackwell.
    pub const SM_100: Target = Target { split_conditions: true, ..Target::SM_90 };
    /// Text as it is written: no spelling is preferred.
    pub const PLAIN: Target = Target {
        negative_factors: false,
        fences: false,
        conditional_sums: false,
        split_conditions: false,
        scaled_quotients: false,
        shared_sums: false,
        quotient_offsets: false,
        shifts_last: false,
    };

    /// The target of that name, as compilers call it: `sm_80`, `sm_90`, `sm_100`, or `plain`; `sm_90-conditional_sums` is one without a
    /// spelling of it, `sm_90+fences` one with a spelling more.
    ///
    /// ```
    /// use quaff::lower::Target;
    ///
    /// assert_eq!(Target::by_name("sm_90+fences"), Some(Target { fences: true, ..Target::SM_90 }));
    /// assert_eq!(Target::by_name("sm_20"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<Target> {
        let (base, mut spellings) = name.split_at(name.find(['-', '+']).unwrap_or(name.len()));
        let mut target = match base {
            "sm_80" => Target::SM_80,
            "sm_90" => Target::SM_90,
            "sm_100" => Target::SM_100,
            "plain" => Target::PLAIN,
            _ => return None,
        };
        while let Some(rest) = spellings.strip_prefix(['-', '+']) {
            let is_more = spellings.starts_with('+');
            let (spelling, others) = rest.split_at(rest.find(['-', '+']).unwrap_or(rest.len()));
            let spelling = match spelling {
                "negative_factors" => &mut target.negative_factors,
                "fences" => &mut target.fences,
                "conditional_sums" => &mut target.conditional_sums,
                "split_conditions" => &mut target.split_conditions,
                "scaled_quotients" => &mut target.scaled_quotients,
                "shared_sums" => &mut target.shared_sums,
                "quotient_offsets" => &mut target.quotient_offsets,
                "shifts_last" => &mut target.shifts_last,
                _ => return None,
            };
            *spelling = is_more;
            spellings = others;
        }
        Some(target)
    }
}

impl Default for Target {
    /// [`Target::SM_90`].
    fn default() -> Target {
        Target::SM_90
    }
}
