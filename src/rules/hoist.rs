//! Moves instructions that can fail before instructions that take long.

use super::program::{AnySlot, Guard, Instr, IntExpr, Slot};

/// Moves guards and computed integers up to the point at which all their operands are known. A match that cannot
/// succeed then fails once, before the instructions that try several choices. The rest of a sum (the sum without a
/// chosen term) is computed after the tests that do not read it.
pub(super) fn hoisted(code: Vec<Instr>) -> Vec<Instr> {
    let mut out: Vec<Instr> = Vec::with_capacity(code.len());
    for instr in code {
        let instr = of_whole_sums(instr, &out);
        let mut at = out.len();
        if let Instr::Without { .. } = instr {
            // the result does not depend on spellings and picked terms of other sums, so it is computed before these
            // are tried
            let reads = instr.reads();
            while at > 0
                && matches!(out[at - 1], Instr::Spelling { .. } | Instr::Pick { .. } | Instr::Without { .. })
                && !out[at - 1].writes().iter().any(|w| reads.contains(w))
            {
                at -= 1;
            }
        }
        if is_cheap(&instr) {
            let reads = instr.reads();
            let may_pass = |other: &Instr| match other {
                Instr::Yield(_) => false,
                // a number that no test reads is computed after the tests
                Instr::When(_) | Instr::SameInt { .. } => !matches!(instr, Instr::LetInt { .. }),
                _ => true,
            };
            while at > 0 && may_pass(&out[at - 1]) && !out[at - 1].writes().iter().any(|w| reads.contains(w)) {
                at -= 1;
            }
            // insert the instruction after the cheap instructions that are already at this place
            while out.get(at).is_some_and(is_cheap) {
                at += 1;
            }
        }
        out.insert(at, instr);
    }
    for position in (0..out.len()).rev() {
        sink(&mut out, position);
    }
    out
}

/// Whether `instr` has at most one result and reads only integers.
fn is_cheap(instr: &Instr) -> bool {
    match instr {
        Instr::When(g) => g.only_integers(),
        Instr::LetInt { value, .. } => value.only_integers(),
        other => other.is_test(),
    }
}

/// Replaces a test of the rest of a sum by a test of the whole sum, which is known before a term is chosen. The rest
/// has the same constant, and one term less.
fn of_whole_sums(mut instr: Instr, before: &[Instr]) -> Instr {
    let whole = |rest: Slot| {
        before.iter().find_map(|i| match i {
            Instr::Without { sum, to, .. } if *to == rest => Some(*sum),
            _ => None,
        })
    };
    let Instr::When(guard) = &mut instr else { return instr };
    match guard {
        Guard::IsConstant(rest) if let Some(sum) = whole(*rest) => {
            *guard = Guard::Equal(IntExpr::Terms(sum), IntExpr::Literal(1));
        }
        Guard::HasTerms(rest) if let Some(sum) = whole(*rest) => {
            *guard = Guard::Less(IntExpr::Literal(1), IntExpr::Terms(sum));
        }
        _ => {
            for operand in guard.operands_mut() {
                match operand {
                    IntExpr::ConstantOf(rest) if let Some(sum) = whole(*rest) => *rest = sum,
                    IntExpr::Terms(rest) if let Some(sum) = whole(*rest) => {
                        *operand = IntExpr::Sub(Box::new([IntExpr::Terms(sum), IntExpr::Literal(1)]));
                    }
                    _ => {}
                }
            }
        }
    }
    instr
}

/// Moves the [`Instr::Without`] at `position` behind the last test before its result is read, if there is such a test.
fn sink(code: &mut Vec<Instr>, position: usize) {
    let Instr::Without { to, .. } = code[position] else { return };
    let reader = code[position + 1..]
        .iter()
        .position(|i| i.reads().contains(&AnySlot::Sum(to)))
        .map_or(code.len(), |n| position + 1 + n);
    if let Some(test) = (position + 1..reader).rev().find(|&i| code[i].is_test()) {
        let without = code.remove(position);
        code.insert(test, without);
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{Guard, Instr, IntExpr, RuleTrie};
    use crate::rules::RuleSet;

    /// The instructions of `trees`, in the order in which a match without failures runs them.
    fn in_order(trees: &[RuleTrie]) -> Vec<&Instr> {
        trees.iter().flat_map(|t| std::iter::once(&t.instr).chain(in_order(&t.next))).collect()
    }

    #[test]
    fn what_is_left_of_a_sum_is_made_after_the_guards_that_do_not_read_it() {
        let rules = RuleSet::parse(
            "sums.rules",
            r#"
            (rule first "reads the rest at once" (match (+ (* #b (// ?x #n)) ?r...)) (when (has-terms ?r)) (yield (+ ?r #b)))
            (rule second "does not" (match (+ (* #b (// ?x #n)) ?r...)) (when (< (lowest ?x) 0) (nonneg ?r)) (yield ?r))
            (rule third "reads it at once" (match (+ (* #b (// ?x #n)) ?r...)) (when (has-terms ?r)) (yield ?r))
            "#,
        )
        .unwrap();
        let code = in_order(&rules.trees(true).sums(false).tree);
        let yields = code.iter().filter(|i| matches!(i, Instr::Yield(_)));
        let without = |i: &Instr| matches!(i, Instr::Without { .. });
        let lowest = |i: &Instr| matches!(i, Instr::When(Guard::Less(IntExpr::Lowest(_), _)));
        // the common beginning of the first and the third rule is matched once, and the rules keep their order
        assert_eq!((yields.count(), code.iter().filter(|i| without(i)).count()), (3, 2));
        let guard = code.iter().position(|i| lowest(i)).unwrap();
        assert!(without(code[guard + 1]), "{code:?}");
    }
}
