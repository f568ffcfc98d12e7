//! The prices of instructions as data, with one table for each kind of machine.

/// The prices of instructions, in tenths of a simple 32-bit instruction. Constants are already in registers.
///
/// This table decides three things: the instructions that divide by a constant ([`forms`](super::forms)), the cost of
/// an expression, and hence the form that extraction chooses. The table is a [`CostModel`](crate::cost::CostModel), and
/// [`Simplifier::for_target`](crate::Simplifier::for_target) takes it from a [`Target`](super::Target). A new machine
/// is described by a new value of this type.
///
/// ```
/// use quaff::lower::{Prices, Target};
/// use quaff::{Simplifier, domain::Domain, expr::Expr};
///
/// let input: Expr = "x//7".parse()?;
/// let domain = Domain::new().with("x", -1000..=1000);
/// let text = |target: Target| -> Result<_, Box<dyn std::error::Error>> {
///     let answer = Simplifier::default().for_target(target).simplify(&input, &domain)?;
///     Ok((answer.cost().to_string(), answer.cuda()?.results[0].text.clone()))
/// };
/// let signed = "(int)(((long long)(x * 2 + 1) * 306783378) >> 32)";
/// assert_eq!(text(Target::SM_90)?, ("2".to_string(), signed.to_string()));
/// // a machine with a slow signed multiply-high
/// let slow = Prices { signed_mulhi: 60, ..Prices::NVIDIA };
/// let moved = "(int)__umulhi((unsigned)x + 1001u, 613566757u) - 143";
/// assert_eq!(text(Target { prices: slow, ..Target::PLAIN })?, ("3.1".to_string(), moved.to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Prices {
    /// An addition, subtraction, low product, multiply-add, shift, mask, comparison, selection or minimum.
    pub simple: u32,
    /// The upper half of an unsigned product.
    pub mulhi: u32,
    /// The upper half of a signed product with a 64-bit addend.
    pub signed_mulhi: u32,
    /// The unsigned minimum of a number and its sum with a constant. This minimum is the remainder of a numerator below
    /// twice the divisor.
    pub minimum_of_sum: u32,
    /// The sign of a number as a word, -1 or 0.
    pub sign: u32,
    /// The price of a comparison with a constant that replaces a quotient with two possible values. It takes a
    /// comparison and a selection.
    pub two_values: u32,
    /// The conversion of a truth value to a number. The compiler makes it a selection, or a condition of the addition.
    pub number: u32,
    /// An unsigned division by a variable. The remainder takes one simple instruction less.
    pub variable_division: u32,
    /// An addition, shift, mask or selection on 64 bits.
    pub simple64: u32,
    /// A comparison, minimum or maximum on 64 bits.
    pub compare64: u32,
    /// [`two_values`](Self::two_values) on 64 bits.
    pub two_values64: u32,
    /// A low product or multiply-add on 64 bits.
    pub mul_add64: u32,
    /// The upper half of an unsigned 64-bit product.
    pub mulhi64: u32,
}

impl Prices {
    /// The prices of sm_90 and sm_100, in instructions. A multiply-high is one instruction that takes two issue slots.
    /// For index code, the number of instructions matters more than the slots. So the second slot is priced low: it
    /// only decides between forms with the same number of instructions.
    pub const NVIDIA: Prices = Prices {
        simple: 10,
        mulhi: 11,
        signed_mulhi: 20,
        minimum_of_sum: 10,
        // slightly above the price of a comparison as a number, which can replace the sign word
        sign: 13,
        two_values: 20,
        number: 2,
        variable_division: 180,
        simple64: 20,
        compare64: 40,
        two_values64: 30,
        mul_add64: 40,
        mulhi64: 130,
    };
    /// The prices of sm_80, which has no instruction that adds and takes the minimum.
    pub const AMPERE: Prices = Prices { minimum_of_sum: 20, ..Prices::NVIDIA };

    /// The field for the price with this name. The caller may change it.
    pub(super) fn by_name(&mut self, name: &str) -> Option<&mut u32> {
        Some(match name {
            "simple" => &mut self.simple,
            "mulhi" => &mut self.mulhi,
            "signed_mulhi" => &mut self.signed_mulhi,
            "minimum_of_sum" => &mut self.minimum_of_sum,
            "sign" => &mut self.sign,
            "two_values" => &mut self.two_values,
            "number" => &mut self.number,
            "variable_division" => &mut self.variable_division,
            "simple64" => &mut self.simple64,
            "compare64" => &mut self.compare64,
            "two_values64" => &mut self.two_values64,
            "mul_add64" => &mut self.mul_add64,
            "mulhi64" => &mut self.mulhi64,
            _ => return None,
        })
    }
}

impl Default for Prices {
    /// The default is [`Prices::NVIDIA`].
    fn default() -> Prices {
        Prices::NVIDIA
    }
}
