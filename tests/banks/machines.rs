//! The phases of other machines, compared with a separate simulation of each phase.

use crate::simulator::simulate;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff_fronts::banks::{Access, BankError, Machine, Memory, decide};

/// The groups of lanes, out of 64, that AMD serves together in reads of 16 bytes. Each half of the lanes consists of
/// eight quads (four consecutive lanes), and `of_quad` returns the group of a quad.
fn amd_groups(of_quad: impl Fn(u32) -> u32) -> Vec<Vec<usize>> {
    let group = |lane: u32| (lane / 32, of_quad(lane % 32 / 4));
    let mut keys: Vec<(u32, u32)> = (0..64).map(group).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.iter().map(|key| (0..64).filter(|lane| group(*lane) == *key).map(|lane| lane as usize).collect()).collect()
}

fn groups(name: &str) -> (i64, Vec<Vec<usize>>) {
    match name {
        // the quads 0 and 5, 1 and 4, 2 and 7, and 3 and 6 are served together
        "cdna3" => (32, amd_groups(|quad| quad.min(quad ^ 5))),
        // quads with an even number of bits are served together, and so are quads with an odd number
        _ => (64, amd_groups(|quad| quad.count_ones() % 2)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    /// Each phase of AMD's `ds_read_b128` takes as many cycles as the memory simulator finds for the lanes of this
    /// phase alone.
    #[test]
    fn phases_of_amd_are_served_as_simulated(
        addresses in prop::collection::vec(0_i64..400, 64),
        name in prop::sample::select(vec!["cdna3", "cdna4"]),
    ) {
        let machine = Machine::named(name).expect("known");
        let (banks, groups) = groups(name);
        let wide: Vec<Option<i128>> = addresses.iter().map(|a| Some(i128::from(a * 16))).collect();
        let service = machine.serve(&wide, 16).expect("aligned");
        let own: Vec<u32> = groups.iter().map(|lanes| {
            let lanes: Vec<i64> = lanes.iter().map(|lane| addresses[*lane] * 16).collect();
            let cycles = simulate(&lanes, 16, banks, 4);
            assert_eq!(cycles.phases, 1);
            cycles.degree
        }).collect();
        prop_assert_eq!(service.degree(), own.iter().copied().max().unwrap_or(0));
        prop_assert_eq!((service.transactions(), service.phases()), (own.iter().sum(), groups.len() as u32));
    }

    /// Narrower accesses, and writes, are served in the order of lanes.
    #[test]
    fn other_accesses_are_served_in_order(
        addresses in prop::collection::vec(0_i64..400, 64),
        (name, width) in prop::sample::select(vec![("cdna3", 8), ("cdna3", 4), ("cdna3-write", 16), ("cdna4", 8), ("cdna4-write", 16)]),
    ) {
        let machine = Machine::named(name).expect("known");
        let wide: Vec<Option<i128>> = addresses.iter().map(|a| Some(i128::from(a * width))).collect();
        let service = machine.serve(&wide, width as u32).expect("aligned");
        let bytes: Vec<i64> = addresses.iter().map(|a| a * width).collect();
        let cycles = simulate(&bytes, width, machine.memory().count().into(), 4);
        prop_assert_eq!((service.degree(), service.transactions(), service.phases()), (cycles.degree, cycles.all, cycles.phases));
    }
}

/// A layout without conflicts for reads of 16 bytes on one machine may have conflicts on another machine, so each
/// machine needs its own phases.
#[test]
fn a_layout_may_be_free_on_one_machine_only() {
    let degree = |index: &str, machine: &str| {
        let access = Access::new(index.parse().expect(index), 4).and_then(|a| a.wide(16)).expect("a width");
        let machine = Machine::named(machine).expect("known");
        decide(&access, "t", &Domain::new().with("t", 0..64), machine).expect(index).service().degree()
    };
    // this index has no conflicts: eight consecutive lanes use all banks, and so do the quads that AMD serves together
    assert_eq!((degree("t*4", "nvidia"), degree("t*4", "cdna3")), (1, 1));
    // lanes 0..3 conflict with lanes 20..23, but lanes 0..7 have no conflict
    let index = "t%8*4 + t//8*32 + (t//4 + 1)%2*0 + t//16%2*16";
    assert_eq!(degree(index, "nvidia"), 1);
    assert_eq!(degree(index, "cdna3"), 2);
}

#[test]
fn phases_have_each_lane_once() {
    let machine = Machine::from(Memory::default());
    for wrong in [vec![], vec![vec![0, 1], vec![1, 2]], vec![vec![1, 2]], vec![vec![0], vec![]]] {
        let refused = machine.clone().with_phases(16, wrong.clone());
        assert!(matches!(refused, Err(BankError::Phases { width: 16 })), "{wrong:?}");
    }
    assert!(matches!(machine.clone().with_phases(3, vec![vec![0]]), Err(BankError::Width { .. })));
    let pairs = machine.with_phases(4, vec![vec![0, 3], vec![1, 2]]).expect("four lanes");
    // the phases describe four lanes, so further lanes are grouped as if they belonged to another warp
    assert_eq!(pairs.groups(4, 7), [vec![0, 3], vec![1, 2], vec![4], vec![5, 6]]);
    assert!(Machine::NAMES.iter().all(|name| Machine::named(name).is_some()) && Machine::named("").is_none());
}
