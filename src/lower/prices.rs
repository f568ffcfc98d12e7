//! What instructions cost, as data: a table for each kind of machine.

/// Prices of instructions, in tenths of a simple 32-bit instruction, with constants in registers already.
///
/// Which instructions divide by a constant ([`forms`](super::forms)), what an expression costs and which form of it is extracted follow
/// from this table: it is a [`CostModel`](crate::cost::CostModel), and [`Simplifier::for_target`](crate::Simplifier::for_target) takes it
/// from a [`Target`](super::Target). Another machine is another value of this type.
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
    /// Add, subtract, low multiply, multiply-add, shift, mask, comparison, selection, minimum.
    pub simple: u32,
    /// Upper half of an unsigned product.
    pub mulhi: u32,
    /// Upper half of a signed product, with an addend of 64 bits.
    pub signed_mulhi: u32,
    /// The unsigned minimum of a number and its sum with a constant, which is the remainder of less than twice the divisor.
    pub minimum_of_sum: u32,
    /// -1 or 0: the sign of a number, spread over a word.
    pub sign: u32,
    /// A comparison with a constant in the place of a quotient of two values: compare and select.
    pub two_values: u32,
    /// A truth as a number: a predicate becomes a selection, or a condition of the addition.
    pub number: u32,
    /// Unsigned division by what is no constant; the remainder takes a simple instruction less.
    pub variable_division: u32,
    /// Add, shift, mask or selection on 64 bits.
    pub simple64: u32,
    /// Comparison, minimum or maximum on 64 bits.
    pub compare64: u32,
    /// [`two_values`](Self::two_values) on 64 bits.
    pub two_values64: u32,
    /// Low product, or multiply-add, on 64 bits.
    pub mul_add64: u32,
    /// Upper half of an unsigned product on 64 bits.
    pub mulhi64: u32,
}

impl Prices {
    /// Of sm_90 and sm_100, by instructions. A multiply-high is one instruction in two issue slots; index code is bound by the number
    /// of instructions more than by that pipe, so that its second slot only decides between forms that take equally many.
    pub const NVIDIA: Prices = Prices {
        simple: 10,
        mulhi: 11,
        signed_mulhi: 20,
        minimum_of_sum: 10,
        // a little more than a comparison as a number, which says the same
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
    /// Of sm_80, which has no instruction that adds and takes the minimum.
    pub const AMPERE: Prices = Prices { minimum_of_sum: 20, ..Prices::NVIDIA };

    /// The price of that name, to be changed.
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
    /// [`Prices::NVIDIA`].
    fn default() -> Prices {
        Prices::NVIDIA
    }
}
