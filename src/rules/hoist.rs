//! Moves instructions that can fail in front of instructions that take long.

use super::program::{AnySlot, Guard, Instr, IntExpr, RuleTrie};

/// Moves guards and computed integers up to where all they read is known, so that a match fails before, not after, the
/// choice points between.
pub(super) fn hoisted(code: Vec<Instr>) -> Vec<Instr> {
    let mut out: Vec<Instr> = Vec::with_capacity(code.len());
    for mut instr in code {
        // what is left of a sum is constant when the sum has one term: known before the term is chosen
        if let Instr::When(Guard::IsConstant(rest)) = instr
            && let Some(Instr::Without { sum, .. }) =
                out.iter().find(|i| matches!(i, Instr::Without { to, .. } if *to == rest))
        {
            instr = Instr::When(Guard::Equal(IntExpr::Terms(*sum), IntExpr::Literal(1)));
        }
        let cheap = match &instr {
            Instr::When(g) => g.only_integers(),
            Instr::LetInt { value, .. } => value.only_integers(),
            other => other.is_test(),
        };
        let mut at = out.len();
        if let Instr::Without { .. } = instr {
            // the result is the same for every spelling of the term
            let reads = instr.reads();
            while at > 0
                && matches!(out[at - 1], Instr::Spelling { .. })
                && !out[at - 1].writes().iter().any(|w| reads.contains(w))
            {
                at -= 1;
            }
        }
        if cheap {
            let reads = instr.reads();
            while at > 0 && !out[at - 1].writes().iter().any(|w| reads.contains(w)) && out[at - 1].is_choice() {
                at -= 1;
            }
        }
        out.insert(at, instr);
    }
    out
}

/// Moves [`Instr::Without`] behind the tests that do not read its result, so that the rest of a sum is made only for rules whose
/// tests succeed. Matches come in the same order.
pub(super) fn sunk(trees: Vec<RuleTrie>) -> Vec<RuleTrie> {
    let mut out: Vec<RuleTrie> = Vec::with_capacity(trees.len());
    for mut t in trees {
        t.next = sunk(t.next);
        let Instr::Without { to, .. } = t.instr else {
            out.push(t);
            continue;
        };
        for mut user in std::mem::take(&mut t.next) {
            // the time of the instruction counts for the rules that lie below it
            let (rule, shared) = (user.rule, user.shared);
            if user.instr.is_test() && !user.instr.reads().contains(&AnySlot::Sum(to)) {
                let next = std::mem::take(&mut user.next);
                user.next = sunk(vec![RuleTrie { rule, shared, next, ..t.clone() }]);
                out.push(user);
            } else {
                match out.last_mut() {
                    Some(last) if last.instr == t.instr => {
                        last.shared |= shared || rule != last.rule;
                        last.next.push(user);
                    }
                    _ => out.push(RuleTrie { rule, shared, next: vec![user], ..t.clone() }),
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::program::{Guard, Instr, IntExpr, RuleTrie};
    use crate::rules::RuleSet;

    /// The instructions below `trees` in the order in which a match that never fails runs them.
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
        // what the first and the third rule begin with is matched once, and their order stays
        assert_eq!((yields.count(), code.iter().filter(|i| without(i)).count()), (3, 2));
        let guard = code.iter().position(|i| lowest(i)).unwrap();
        assert!(without(code[guard + 1]), "{code:?}");
    }
}
