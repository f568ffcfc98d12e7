//! Evaluates expressions for consecutive values of one variable, block by block.

use super::lanes::{LANES, LaneProgram, Registers};
use quaff_expr::expr::{Expr, UnknownVariable, Value};

/// Expressions over one variable, compiled for evaluation along that variable.
pub struct Along {
    program: LaneProgram,
    roots: usize,
}

impl Along {
    /// Compiles `roots` as functions of `variable`. The time is linear in the number of shared nodes of `roots`.
    ///
    /// # Errors
    /// [`UnknownVariable`] if a root uses another variable.
    pub fn new(roots: &[Expr], variable: &str) -> Result<Along, UnknownVariable> {
        Ok(Along { program: LaneProgram::new(roots, &[variable])?, roots: roots.len() })
    }

    /// Calls `see` with the values of the roots at each of the `count` numbers from `first` on, in order, until `see`
    /// fails.
    ///
    /// The time is linear in `count` times the number of shared nodes. Blocks of 256 numbers whose values all fit 64
    /// bits take a fraction of the time of other blocks.
    ///
    /// # Errors
    /// The first error that `see` returns.
    pub fn each<E>(
        &self,
        first: i64,
        count: u64,
        mut see: impl FnMut(i64, &[Value]) -> Result<(), E>,
    ) -> Result<(), E> {
        let at = |number: u64| first.saturating_add_unsigned(number);
        let mut values: Vec<Value> = Vec::with_capacity(self.roots);
        // evaluating a block for a few numbers takes longer than evaluating these numbers one by one
        let blockwise = count >= LANES as u64;
        let mut registers = if blockwise { self.program.registers() } else { Registers::default() };
        for start in (0..count).step_by(LANES) {
            let clean = blockwise
                && self.program.run(&mut registers, |_, lanes| {
                    lanes.iter_mut().zip(start..).for_each(|(slot, number)| *slot = at(number));
                });
            for number in start..count.min(start.saturating_add(LANES as u64)) {
                values.clear();
                if clean {
                    let lane = (number - start) as usize;
                    values.extend((0..self.roots).map(|root| Ok(self.program.root(&registers, root)[lane].into())));
                } else {
                    values.extend(self.program.exact(&mut registers, &[at(number).into()]));
                }
                see(at(number), &values)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Along;
    use quaff_expr::expr::{EvalFailure, Expr};
    use std::convert::Infallible;

    fn of(text: &str) -> (Expr, Along) {
        let e: Expr = text.parse().expect(text);
        let along = Along::new(std::slice::from_ref(&e), "x").expect("one variable");
        (e, along)
    }

    #[test]
    fn values_are_those_of_the_evaluator() {
        // these expressions have blocks with values that are missing or exceed 64 bits
        for text in ["x//3*5 - x%7", "100//(x - 300)", "where(x == 300, 1, 100//(x - 300))", "x*x*(1 << 55)"] {
            let (e, along) = of(text);
            for count in [0, 1, 255, 256, 700] {
                let mut next = -20;
                let all = along.each(-20, count, |x, values| {
                    let expected = e.eval(|_| Some(x)).map_err(|why| match why {
                        EvalFailure::Undefined(why) => why,
                        EvalFailure::Unknown(unknown) => panic!("{unknown}"),
                    });
                    assert_eq!((x, values), (next, &[expected][..]), "{text} at {x}");
                    next += 1;
                    Ok::<(), Infallible>(())
                });
                assert_eq!((all, next), (Ok(()), count as i64 - 20), "{text}");
            }
        }
    }

    #[test]
    fn it_ends_where_it_is_told_to() {
        let (_, along) = of("x*3");
        let stopped = along.each(0, 1000, |x, values| if x < 321 { Ok(()) } else { Err(values[0]) });
        assert_eq!(stopped, Err(Ok(963)));
        let two: Expr = "x + y".parse().expect("valid");
        assert_eq!(Along::new(&[two], "x").err().map(|u| u.name.to_string()), Some("y".into()));
    }
}
