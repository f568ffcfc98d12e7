//! Schedules in which a lane takes several elements at once.

use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_fronts::coalesce::{Access, Candidate, Found, Measure, Traffic, Warp, search};
use std::collections::BTreeSet;

fn found(indices: &[&str], bytes: u32, n: u64, vector: u32) -> Found {
    let access = |text: &&str| Access::new(text.parse().expect(text), bytes).expect("an access");
    let accesses: Vec<Access> = indices.iter().map(access).collect();
    let warp = Warp::default().with_vector(vector).expect("a vector");
    search(&accesses, "i", n, warp, &Simplifier::default()).expect("an answer")
}

/// The traffic of `candidate` by definition. For each index, a warp makes one request if the elements of a lane form a
/// vector, and otherwise one for each element.
fn expected(candidate: &Candidate, indices: &[&str], bytes: i128) -> Traffic {
    let (vector, schedule) = (candidate.vector() as usize, candidate.schedule());
    let mut total = Traffic::default();
    for (text, at_once) in indices.iter().zip(candidate.at_once()) {
        let f: Expr = text.parse().expect(text);
        let of = |u: i64| f.eval(|_| Some(schedule.value(u))).expect("a value");
        let all: Vec<i128> = (0..schedule.extent()).map(of).collect();
        for group in all.chunks(32 * vector) {
            let requests: Vec<Vec<i128>> = match at_once {
                true => vec![group.to_vec()],
                false => (0..vector).map(|k| group.iter().copied().skip(k).step_by(vector).collect()).collect(),
            };
            if *at_once {
                let one = |lane: &[i128]| (1..vector).all(|k| lane[k] == lane[0] + k as i128);
                let aligned = |lane: &[i128]| lane[0].rem_euclid(vector as i128) == 0;
                assert!(group.chunks(vector).all(|lane| one(lane) && aligned(lane)), "{text}: {}", candidate.sigma());
            }
            for request in requests {
                let touched = |unit: i128| {
                    request.iter().map(|a| (a * bytes).div_euclid(unit)).collect::<BTreeSet<_>>().len() as u128
                };
                let steps = request.windows(2).map(|p| p[1] - p[0]);
                total += Traffic {
                    fetches: 0,
                    gap: steps.clone().filter(|s| *s != 1).map(i128::unsigned_abs).sum(),
                    distance: steps.map(i128::unsigned_abs).sum(),
                    sectors: touched(32),
                    lines: touched(128),
                    requests: 1,
                };
            }
        }
    }
    total
}

#[test]
fn costs_are_those_of_the_requests() {
    let cases: [(&[&str], u32, u64, u32); 6] = [
        (&["i%16*64 + i//16"], 4, 1024, 4),
        (&["i%64*64 + i//64", "i"], 4, 4096, 4),
        (&["i%1024*4 + i//1024"], 2, 4096, 8),
        (&["i%3*128 + i//3"], 8, 384, 2),
        (&["i%12*20 + i//12"], 4, 224, 2),
        (&["i*3"], 4, 256, 4),
    ];
    for (indices, bytes, n, vector) in cases {
        let found = found(indices, bytes, n, vector);
        for candidate in found.candidates() {
            assert_eq!(
                candidate.traffic(),
                expected(candidate, indices, bytes.into()),
                "{indices:?}: {}",
                candidate.sigma()
            );
        }
        // schedules with one element for each lane are also tried
        assert!(found.candidates()[0].traffic().sectors <= found.identity().sectors, "{indices:?}");
        let found = found.sorted_by(Measure::Gap);
        assert!(found.candidates()[0].traffic().gap <= found.identity().gap, "{indices:?}");
    }
}

#[test]
fn innermost_digits_are_one_vector() {
    for (indices, bytes, n, vector) in [("i%16*64 + i//16", 4, 1024, 4), ("i%1024*4 + i//1024", 2, 4096, 8)] {
        let found = found(&[indices], bytes, n, vector);
        let best = &found.candidates()[0];
        assert_eq!((best.vector(), best.at_once()), (vector, &[true][..]), "{indices}");
        assert_eq!(best.traffic().requests * u128::from(vector), found.identity().requests, "{indices}");
        let text = best.cuda().expect("narrow").to_string();
        assert!(text.contains("reinterpret_cast<const ") && text.ends_with("(in0)[t];\n"), "{text}");
    }
}

#[test]
fn one_side_of_a_copy_may_take_vectors() {
    let found = found(&["i%64*64 + i//64", "i"], 4, 4096, 4);
    let sides: BTreeSet<&[bool]> = found.candidates().iter().filter(|c| c.vector() > 1).map(|c| c.at_once()).collect();
    assert!(!sides.is_empty() && !sides.contains(&[true, true][..]), "{sides:?}");
}

#[test]
fn what_has_no_neighbours_has_no_vectors() {
    for index in ["i*3", "i*4 + 1", "i%2*128 + i//2*2"] {
        let found = found(&[index], 4, 256, 4);
        assert!(found.candidates().iter().all(|c| c.vector() == 1), "{index}");
    }
    // these elements are neighbours in memory, but not aligned
    let shifted = found(&["i + 1"], 4, 256, 4);
    assert!(shifted.candidates().iter().all(|c| c.vector() == 1));
}
