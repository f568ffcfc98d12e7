//! Compares the answers to random questions of every kind with an evaluation of all points. No answer may be a false
//! yes. The tests also count the true statements that are not proved.
//!
//! `QUAFF_QUESTIONS` is the number of questions, and `QUAFF_QUESTIONS_FROM` the first round that is drawn.

mod case;
mod maps;
mod sizes;
mod values;

use case::{Case, Draw};
use std::collections::BTreeMap;

/// How an answer compares with the truth. A false yes is not listed, because it fails an assertion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The statement is true, and the answer says so.
    Yes,
    /// The statement is true, but not proved.
    Missed,
    /// The statement is false, or there is nothing to find.
    NotSo,
}

impl Found {
    fn of(is_so: bool, is_found: bool) -> Found {
        match (is_so, is_found) {
            (false, _) => Found::NotSo,
            (true, false) => Found::Missed,
            (true, true) => Found::Yes,
        }
    }
}

type Question = (&'static str, fn(&mut Draw, &Case) -> Found);

/// Questions over domains of one kind.
struct Group {
    /// The questions of this group are asked only in every `every`-th round, because larger domains take longer.
    every: u64,
    domain: fn(&mut Draw) -> Case,
    questions: &'static [Question],
}

const GROUPS: [Group; 4] = [
    Group {
        every: 1,
        domain: Case::with_conditions,
        questions: &[
            ("a condition always or never holds", values::condition),
            ("two forms are equal", values::equality),
            ("both ends of the values", values::bounds),
            ("the congruence of the values", values::congruence),
            ("contiguity of lanes", values::contiguity),
            ("constancy of lanes", values::constancy),
            ("divisibility of lanes", values::divisibility),
            ("the widest vector under a mask", values::vector),
            ("a map is injective", maps::is_injective),
            ("a map is surjective", maps::is_surjective),
            ("the inverse of an injective map", maps::has_inverse),
            ("two accesses are disjoint", maps::are_disjoint),
            ("sizes for which a condition holds", sizes::of_condition),
            ("sizes for which a vector is right", sizes::of_vector),
            ("sizes for which accesses are disjoint", sizes::of_disjoint),
        ],
    },
    Group {
        every: 1,
        domain: Case::of_ranges,
        questions: &[("a sum of parts", values::comes_apart), ("strides of an affine index", values::is_strided)],
    },
    // these domains have more points than questions about lanes evaluate one by one
    Group {
        every: 16,
        domain: Case::of_thousands,
        questions: &[
            ("contiguity of lanes, 5,000 points", values::contiguity),
            ("constancy of lanes, 5,000 points", values::constancy),
            ("divisibility of lanes, 5,000 points", values::divisibility),
            ("the widest vector under a mask, 5,000 points", values::vector),
        ],
    },
    // these domains have more points than questions about maps evaluate one by one
    Group {
        every: 256,
        domain: Case::of_many_points,
        questions: &[
            ("a map is injective, 150,000 points", maps::is_injective),
            ("the inverse of an injective map, 150,000 points", maps::has_inverse),
            ("two accesses are disjoint, 150,000 points", maps::are_disjoint),
        ],
    },
];

/// The number of questions, of true statements, and of true statements that are not proved.
#[derive(Default, Clone, Copy)]
struct Tally {
    asked: u64,
    so: u64,
    missed: u64,
}

impl Tally {
    fn add(&mut self, found: Found) {
        self.asked += 1;
        self.so += u64::from(found != Found::NotSo);
        self.missed += u64::from(found == Found::Missed);
    }

    fn row(&self, question: &str) -> String {
        let Tally { asked, so, missed } = self;
        let share = 100.0 * *missed as f64 / (*so).max(1) as f64;
        format!("| {question} | {asked} | {so} | {missed} | {share:.2} % |")
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
#[ignore = "a campaign"]
fn no_answer_claims_too_much() {
    let mut tallies: BTreeMap<(usize, usize), Tally> = BTreeMap::new();
    let (wanted, first) = (number("QUAFF_QUESTIONS", 1200), number("QUAFF_QUESTIONS_FROM", 1));
    let (mut asked, mut round) = (0, first);
    while asked < wanted {
        let mut draw = Draw::new(round);
        for (at, group) in GROUPS.iter().enumerate().filter(|(_, group)| round.is_multiple_of(group.every)) {
            let case = (group.domain)(&mut draw);
            for (i, (_, question)) in group.questions.iter().enumerate() {
                tallies.entry((at, i)).or_default().add(question(&mut draw, &case));
                asked += 1;
            }
        }
        round += 1;
    }
    println!("| question | asked | so | not found | share |\n|---|---|---|---|---|");
    tallies.iter().for_each(|((at, i), tally)| println!("{}", tally.row(GROUPS[*at].questions[*i].0)));
    for ((at, i), tally) in tallies.iter().filter(|((at, _), _)| GROUPS[*at].every == 1) {
        assert!(tally.missed * 2 <= tally.so, "{}", tally.row(GROUPS[*at].questions[*i].0));
    }
    let [so, missed] = [|t: &Tally| t.so, |t: &Tally| t.missed].map(|of| tallies.values().map(of).sum::<u64>());
    println!("{asked} questions, rounds {first} to {}: {missed} of {so} are not found", round - 1);
    assert!(missed * 100 <= so * 5, "{missed} of {so} are not found");
}
