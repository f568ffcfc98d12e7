//! The search finds the best known layouts of tiles, and the simulator confirms the degrees of these layouts.

use crate::golden;
use crate::simulator::simulate;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Program};
use quaff_fronts::banks::{BankError, Candidate, Found, Layout, Memory, Tile, TileAccess, search};
use std::fmt::Write;

struct Case {
    name: &'static str,
    tile: (u32, u32, u32),
    /// For each access: the row, the column and the bytes of a lane.
    accesses: &'static [(&'static str, &'static str, u32)],
    /// The variables with their exclusive ends, including the lane `t`.
    vars: &'static [(&'static str, i64)],
}

/// The accesses of hand-written kernels: how they fill tiles, and how they read tiles.
const CASES: &[Case] = &[
    Case {
        name: "transpose",
        tile: (32, 32, 4),
        accesses: &[("k", "t", 4), ("t", "k", 4)],
        vars: &[("t", 32), ("k", 32)],
    },
    Case {
        name: "transpose of 16-bit elements",
        tile: (32, 32, 2),
        accesses: &[("k", "t", 2), ("t", "k", 2)],
        vars: &[("t", 32), ("k", 32)],
    },
    Case {
        name: "GEMM A 128x32, 16 bit: copied by 16 bytes, read by ldmatrix",
        tile: (128, 32, 2),
        accesses: &[("k*8 + t//4", "t%4*8", 16), ("k*16%128 + t%16", "k//8*16 + t//16*8", 16)],
        vars: &[("t", 32), ("k", 16)],
    },
    Case {
        name: "GEMM B 64x64, 16 bit: copied by 16 bytes, read by ldmatrix",
        tile: (64, 64, 2),
        accesses: &[("k*4 + t//8", "t%8*8", 16), ("k%4*16 + t%16", "k//4*16 + t//16*8", 16)],
        vars: &[("t", 32), ("k", 16)],
    },
    Case {
        name: "GEMM A 128x64, 16 bit: copied by 16 bytes, read by ldmatrix",
        tile: (128, 64, 2),
        accesses: &[("k*4 + t//8", "t%8*8", 16), ("k%8*16 + t%16", "k//8*16 + t//16*8", 16)],
        vars: &[("t", 32), ("k", 32)],
    },
    Case {
        name: "GEMM A 128x32, 32 bit: copied by 4 bytes, columns read",
        tile: (128, 32, 4),
        accesses: &[("k", "t", 4), ("k//32*32 + t", "k%32", 4)],
        vars: &[("t", 32), ("k", 128)],
    },
    Case {
        name: "GEMM B 64x64, 32 bit: copied by 4 bytes, columns read",
        tile: (64, 64, 4),
        accesses: &[("k//2", "k%2*32 + t", 4), ("k//64*32 + t", "k%64", 4)],
        vars: &[("t", 32), ("k", 128)],
    },
    Case {
        name: "GEMM A 128x64, 32 bit: copied by 16 bytes, columns read by 16",
        tile: (128, 64, 4),
        accesses: &[("k*2 + t//16", "t%16*4", 16), ("k//16*32 + t", "k%16*4", 16)],
        vars: &[("t", 32), ("k", 64)],
    },
    Case {
        name: "attention K 64x128, 16 bit: copied by 16 bytes, read by ldmatrix",
        tile: (64, 128, 2),
        accesses: &[("k*2 + t//16", "t%16*8", 16), ("k%4*16 + t%8 + t//16*8", "k//4*16 + t//8%2*8", 16)],
        vars: &[("t", 32), ("k", 32)],
    },
    Case {
        name: "attention V 64x64, 16 bit: copied by 16 bytes, read by ldmatrix.trans",
        tile: (64, 64, 2),
        accesses: &[("k*4 + t//8", "t%8*8", 16), ("k%4*16 + t%16", "k//4*16 + t//16*8", 16)],
        vars: &[("t", 32), ("k", 16)],
    },
    Case {
        name: "histogram: 32 bins for each of 32 lanes, any bin, and sums over lanes",
        tile: (32, 32, 4),
        accesses: &[("t", "b", 4), ("b", "t", 4)],
        vars: &[("t", 32), ("b", 32)],
    },
];

fn parsed(text: &str) -> Expr {
    text.parse().expect(text)
}

fn domain(case: &Case) -> Domain {
    case.vars.iter().fold(Domain::new(), |d, (name, end)| d.with(*name, 0..*end))
}

fn found(case: &Case) -> Found {
    let accesses: Vec<TileAccess> =
        case.accesses.iter().map(|(r, c, w)| TileAccess::new(parsed(r), parsed(c), *w).expect("a width")).collect();
    let (rows, cols, bytes) = case.tile;
    let tile = Tile::new(rows, cols, bytes).expect("a tile");
    search(&tile, &accesses, "t", &domain(case), Memory::default(), &Simplifier::default()).expect(case.name)
}

/// Simulates the simplified indices of a candidate at every point, and compares the degrees with the candidate's
/// degrees.
fn confirm(case: &Case, candidate: &Candidate) {
    let names: Vec<&str> = case.vars.iter().map(|(n, _)| *n).collect();
    let program = Program::new(candidate.indices().exprs(), &names).expect("declared");
    let mut degrees = vec![0; case.accesses.len()];
    for other in 0..case.vars[1].1 {
        let lanes: Vec<Vec<i64>> = (0..32)
            .map(|t| program.eval(&[t, other.into()]).into_iter().map(|v| v.expect("a number") as i64).collect())
            .collect();
        for (access, degree) in degrees.iter_mut().enumerate() {
            let addresses: Vec<i64> = lanes.iter().map(|v| v[access] * i64::from(case.tile.2)).collect();
            let width = case.accesses[access].2.into();
            *degree = (*degree).max(simulate(&addresses, width, 32, 4).degree);
        }
    }
    assert_eq!(candidate.degrees(), degrees, "{}: {}", case.name, candidate.layout());
}

#[test]
fn known_best_layouts_are_found() {
    let mut text = String::new();
    for case in CASES {
        let found = found(case);
        writeln!(text, "{} ({} tried)", case.name, found.tried()).expect("a string");
        assert!(found.candidates()[0].is_free(), "{}", case.name);
        for c in found.candidates() {
            confirm(case, c);
            let (rows, cols, bytes) = case.tile;
            let tile = Tile::new(rows, cols, bytes).expect("a tile");
            let swizzle = c.layout().swizzle(&tile).map_or(String::new(), |s| format!(", {s}"));
            let (bytes, cost) = (c.bytes(), c.cost().instructions());
            // an index written by hand has row and column in the formula of the layout, without simplification
            let (layout, by_hand) = (c.layout(), c.indices().input_cost().instructions());
            let degrees = c.degrees();
            assert!(cost <= by_hand, "{}: {layout}", case.name);
            writeln!(
                text,
                "  {layout}{swizzle}: degrees {degrees:?}, {bytes} bytes, {cost} instructions, by hand {by_hand}"
            )
            .expect("a string");
            for e in c.indices().exprs() {
                writeln!(text, "    {e}").expect("a string");
            }
        }
    }
    golden::check("bank_layouts.txt", &text);
}

fn best(name: &str) -> Found {
    found(CASES.iter().find(|c| c.name.starts_with(name)).expect("a case"))
}

#[test]
fn a_transpose_needs_a_padding_of_one() {
    let found = best("transpose");
    let paddings: Vec<Layout> = found
        .candidates()
        .iter()
        .filter(|c| c.is_free())
        .map(Candidate::layout)
        .filter(|l| matches!(l, Layout::Padding(_)))
        .collect();
    assert_eq!(paddings, [Layout::Padding(1)]);
}

#[test]
fn rows_of_128_bytes_get_the_usual_xor() {
    let found = best("GEMM B 64x64, 16 bit");
    let first = &found.candidates()[0];
    let tile = Tile::new(64, 64, 2).expect("a tile");
    assert_eq!(first.layout().swizzle(&tile).expect("a power of two").to_string(), "Swizzle<3, 3, 3>");
    assert!(first.is_free() && first.bytes() == 64 * 64 * 2);
}

/// A vector of 16 bytes stays together. So the 32 lanes of a column use every fourth bank, which gives 8 banks for 32
/// words.
#[test]
fn what_cannot_be_free_gets_the_least_degree() {
    let accesses = &[("k*2 + t//16", "t%16*4", 16), ("k//16*32 + t", "k%16*4", 4)];
    let case = Case { name: "columns of vectors", tile: (64, 64, 4), accesses, vars: &[("t", 32), ("k", 32)] };
    let found = found(&case);
    assert_eq!(found.candidates()[0].degrees(), [1, 4]);
    found.candidates().iter().for_each(|c| confirm(&case, c));
}

#[test]
fn searches_are_the_same_on_every_run_and_have_limits() {
    let list = |f: &Found| f.candidates().iter().map(|c| (c.layout(), c.cost())).collect::<Vec<_>>();
    assert_eq!(list(&best("transpose")), list(&best("transpose")));
    let tile = Tile::new(32, 32, 4).expect("a tile");
    let run = |tile: &Tile, accesses: &[TileAccess], domain: &Domain| {
        search(tile, accesses, "t", domain, Memory::default(), &Simplifier::default()).map(|_| ())
    };
    let access = |r, c, w| TileAccess::new(parsed(r), parsed(c), w).expect("a width");
    let small = Domain::new().with("t", 0..32);
    assert!(matches!(run(&tile, &[], &small), Err(BankError::NoAccess)));
    assert!(matches!(run(&tile, &[access("t", "t*2", 4)], &small), Err(BankError::Outside { lane: 16, .. })));
    assert!(matches!(run(&tile, &[access("t", "0", 2)], &small), Err(BankError::Narrow { .. })));
    assert!(matches!(run(&tile, &[access("t", "1", 16)], &small), Err(BankError::Misaligned { .. })));
    let long = small.with("k", 0..1_i64 << 40);
    assert!(matches!(run(&tile, &[access("t", "k%32", 4)], &long), Err(BankError::TooMany { .. })));
    assert!(matches!(Tile::new(0, 3, 4), Err(BankError::Tile { .. })));
    assert!(matches!(Tile::new(1, 1 << 20, 4), Err(BankError::Tile { .. })));
}
