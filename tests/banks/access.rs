//! The bank conflicts of single accesses, given as addresses or expressions, and their pictures and errors.

use crate::golden;
use crate::simulator::{Cycles, simulate};
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::banks::{Access, BankError, Memory, decide};

fn served(addresses: &[i64], width: u32, memory: Memory) -> Cycles {
    let wide: Vec<Option<i128>> = addresses.iter().map(|a| Some(i128::from(*a))).collect();
    let service = memory.serve(&wide, width).expect("aligned");
    Cycles {
        degree: service.degree(),
        all: service.transactions(),
        phases: service.phases(),
        broadcast: service.broadcast(),
    }
}

/// Expressions over the lane `t`, over `r` in 0..8, and over `u` in -30..=40. `u` mostly shifts the addresses of all
/// lanes by the same distance.
fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        4 => Just(var("t")),
        2 => prop::sample::select(vec!["r", "u"]).prop_map(var),
        1 => (0_i64..40).prop_map(int),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        let constant = prop::sample::select(vec![2_i64, 3, 4, 8, 16, 32, 33]);
        prop_oneof![
            3 => two.clone().prop_map(|(a, b)| a + b),
            1 => two.clone().prop_map(|(a, b)| a - b),
            3 => (inner.clone(), constant.clone()).prop_map(|(a, c)| a * c),
            2 => (inner.clone(), constant.clone()).prop_map(|(a, c)| a / c),
            2 => (inner.clone(), constant).prop_map(|(a, c)| a % c),
            2 => two.clone().prop_map(|(a, b)| a ^ b),
            1 => two.prop_map(|(a, b)| a | b),
        ]
    })
}

fn value(e: &Expr, t: i64, r: i64, u: i64) -> i64 {
    let value = e
        .eval(|n| {
            Some(if n == "t" {
                t
            } else if n == "r" {
                r
            } else {
                u
            })
        })
        .expect("no divisor is 0");
    i64::try_from(value).expect("small")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn addresses_are_served_as_simulated(
        addresses in prop::collection::vec(-200_i64..200, 1..70),
        width in prop::sample::select(vec![1_i64, 2, 4, 8, 16]),
        banks in prop::sample::select(vec![1_i64, 7, 16, 32, 64]),
        word in prop::sample::select(vec![1_i64, 2, 4, 8]),
    ) {
        let addresses: Vec<i64> = addresses.into_iter().map(|a| a * width).collect();
        let memory = Memory::new(banks as u32, word as u32).expect("there is one");
        prop_assert_eq!(served(&addresses, width as u32, memory), simulate(&addresses, width, banks, word));
    }

    /// The degree of an expression is the greatest degree that the simulator finds at any point. The reported point has
    /// this degree.
    #[test]
    fn expressions_take_what_their_worst_point_takes(
        e in expression(),
        bytes in prop::sample::select(vec![1_u32, 2, 4, 8]),
    ) {
        let domain = Domain::new().with("t", 0..32).with("r", 0..8).with("u", -30..=40);
        let access = Access::new(e.clone(), bytes).expect("a width");
        let decided = decide(&access, "t", &domain, Memory::default()).expect("aligned");
        let at = |r, u| {
            let addresses: Vec<i64> = (0..32).map(|t| value(&e, t, r, u) * i64::from(bytes)).collect();
            simulate(&addresses, bytes.into(), 32, 4).degree
        };
        let worst = (0..8).flat_map(|r| (-30..=40).map(move |u| (r, u))).map(|(r, u)| at(r, u)).max();
        prop_assert_eq!(Some(decided.service().degree()), worst, "{}", e);
        let of = |name: &str| decided.at().iter().find(|(n, _)| &**n == name).map_or(0, |(_, v)| *v);
        prop_assert_eq!(decided.service().degree(), at(of("r"), of("u")), "{}", e);
        for conflict in decided.service().conflicts() {
            let word = |lane: u32| (value(&e, lane.into(), of("r"), of("u")) * i64::from(bytes)).div_euclid(4);
            let (a, b) = (word(conflict.first), word(conflict.second));
            prop_assert!((a - b) % 32 == 0 && (a != b || bytes > 4), "{}: {:?}", e, conflict);
        }
    }
}

#[test]
fn what_moves_all_lanes_alike_does_not_count() {
    let domain = Domain::new().with("t", 0..32).with("far", 0..1_i64 << 40).with("n", 0..1_i64 << 40).stride("n", 2, 0);
    let domain = domain.with("any", ..).with("below", ..=7);
    let decided = |e: &str, bytes| {
        let access = Access::new(e.parse().expect("valid"), bytes).expect("a width");
        decide(&access, "t", &domain, Memory::default()).map(|d| (d.service().degree(), d.points()))
    };
    assert_eq!(decided("far*7 + t", 4).ok(), Some((1, 1)));
    assert_eq!(decided("any*32 + below + t", 4).ok(), Some((1, 1)));
    assert_eq!(decided("any + t", 2).ok(), Some((1, 2)));
    assert_eq!(decided("far + t", 2).ok(), Some((1, 2)), "two halves of a word");
    assert_eq!(decided("n + t", 2).ok(), Some((1, 1)), "always the same half");
    assert_eq!(decided("far*32 + (t ^ far%8)*3", 4).ok(), Some((1, 8)));
    assert_eq!(decided("far*32 + (t ^ far)%32", 4).ok(), None, "no period is known");
    assert_eq!(decided("far*32 + (t ^ far//4%8)", 4).ok(), Some((1, 32)));
    assert_eq!(decided("(far*32 + t*3)%1024", 4).ok(), Some((1, 32)));
}

#[test]
fn inactive_lanes_do_not_count() {
    let domain = Domain::new().with("t", 0..32).assume("t % 8 == 0".parse::<Expr>().expect("valid"));
    let access = Access::new("t*4".parse().expect("valid"), 4).expect("a width");
    let decided = decide(&access, "t", &domain, Memory::default()).expect("aligned");
    assert_eq!((decided.service().degree(), decided.service().words().len()), (4, 4));
    assert_eq!(decided.service().conflicts()[0].second, 8);
}

#[test]
fn wide_accesses_are_served_in_phases() {
    let domain = Domain::new().with("t", 0..32);
    let taken = |e: &str, bytes, width| {
        let access = Access::new(e.parse().expect("valid"), bytes).and_then(|a| a.wide(width)).expect("a width");
        let service = decide(&access, "t", &domain, Memory::default()).expect("aligned").service().clone();
        (service.phases(), service.degree(), service.broadcast())
    };
    assert_eq!(taken("t*8", 2, 16), (4, 1, false));
    assert_eq!(taken("t*4", 2, 8), (2, 1, false));
    assert_eq!(taken("t*64", 2, 16), (4, 8, false));
    assert_eq!(taken("t//16*8", 2, 16), (4, 1, true));
    assert_eq!(taken("t", 1, 1), (1, 1, true));
}

#[test]
fn refusals_say_what_is_wrong() {
    let domain =
        Domain::new().with("t", 0..32).with("x", ..).with("w", 0..5000).with("n", 0..3).with("m", 0..1_i64 << 30);
    let memory = Memory::default();
    let refused = |e: &str, lane: &str, width| {
        let access = Access::new(e.parse().expect("valid"), 4).and_then(|a| a.wide(width)).expect("a width");
        decide(&access, lane, &domain, memory).expect_err("refused").to_string()
    };
    let mut text = String::new();
    for (e, lane, width) in [
        ("t + 1", "t", 16),
        ("t*4 + n*2", "t", 16),
        ("t%(x*x + 1)", "t", 4),
        ("w", "w", 4),
        ("t", "u", 4),
        ("t//n", "t", 4),
        ("t + y", "t", 4),
        ("t << w", "t", 4),
        ("(t ^ m)*m*m", "t", 4),
    ] {
        text += &format!("{e}, {width} bytes, lanes {lane}: {}\n", refused(e, lane, width));
    }
    for error in [
        Memory::new(0, 4).err(),
        Memory::new(32, 3).err(),
        Access::new(int(0), 3).err(),
        Access::new(int(0), 4).and_then(|a| a.wide(32)).err(),
        memory.serve(&[Some(3)], 2).err(),
        memory.serve(&vec![None; 1025], 4).err(),
    ] {
        text += &format!("{}\n", error.map_or(String::new(), |e: BankError| e.to_string()));
    }
    golden::check("bank_errors.txt", &text);
}

#[test]
fn maps_show_who_waits_for_whom() {
    let memory = Memory::new(8, 4).expect("there is one");
    let service = memory.serve(&[0, 4, 32, 8, 8, 64, 12, 16].map(Some), 4).expect("aligned");
    golden::check("bank_map.txt", &service.text(memory, &[10, 11, 12, 13, 14, 15, 16, 17]));
    golden::check("bank_map.svg", &service.svg(memory, &[]));
}
