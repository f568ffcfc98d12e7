//! Prints answers as program texts.

use super::answer::Simplified;
use crate::emit::{self, Text};
use crate::expr::Dag;
use crate::lower::{LowerError, Lowered, Wide};

impl Simplified {
    /// The answers as typed machine instructions without division, one list for all answers together.
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn lowered(&self) -> Result<Lowered, LowerError> {
        self.chosen.lowered(&self.target)
    }

    /// The sub-expressions that need 64 bits although their operands do not. Empty if 32 bits suffice. An answer needs
    /// 64 bits only if its input does.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("i", 0..1 << 20).with("j", 0..1 << 13);
    /// let index: Expr = "i*8192 + j".parse()?;
    /// let answer = Simplifier::default().simplify(&index, &domain)?;
    /// assert_eq!(answer.wide()?[0].to_string(), "`i*8192` needs 64 bits: its range is 0..8589926400");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn wide(&self) -> Result<Vec<Wide>, LowerError> {
        if self.chosen.is_certainly_narrow() {
            return Ok(Vec::new());
        }
        Ok(self.lowered()?.wide().to_vec())
    }

    /// CUDA text. It has temporaries for shared values and one result per expression. If a divisor is unknown until the
    /// program runs, it also has the host code that prepares the division.
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        Ok(emit::cuda(&self.lowered()?))
    }

    /// Portable C99 text.
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        Ok(emit::c(&self.lowered()?))
    }

    /// Python text.
    pub fn python(&self) -> Text {
        emit::python(&Dag::new(self.exprs()))
    }

    /// Triton text. [`Text::function`] makes a whole function of it.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("program_id_0", 0..64).with("arange_0_128", 0..128);
    /// let index: Expr = "(program_id_0*128 + arange_0_128)//256".parse()?;
    /// let answer = Simplifier::default().simplify(&index, &domain)?;
    /// assert_eq!(answer.triton()?.to_string(), "return tl.program_id(0) // 2\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn triton(&self) -> Result<Text, LowerError> {
        self.chosen.triton()
    }

    /// Rust text on `i64`.
    ///
    /// # Errors
    /// A [`LowerError`] if a value needs more than 64 bits.
    pub fn rust(&self) -> Result<Text, LowerError> {
        emit::rust(&Dag::new(self.exprs()), self.vars())
    }
}
