//! Reports about layouts, and about banks of shared memory.

use crate::support::{domain, expr};
use quaff_fronts::banks::{Access, Machine, decide};
use quaff_fronts::layout::Layout;

#[test]
fn algebra_of_layouts() {
    for (report, text, wanted) in [
        // the left layout is the identity on six numbers, so the composition equals the right layout
        ("cutlass #1353", "(2,3):(1,2) o (2,3):(3,1)", "(2,3):(3,1)"),
        // the composition must split a mode
        ("cutlass #2113", "(10,2):(16,4) o (3,4):(1,5)", "(3,(2,2)):(16,(80,4))"),
        // if a tile divides the layout, the result has the size of the layout
        ("cutlass #3513", "zipped_divide(22:1, 2:1)", "(2,11):(1,2)"),
        ("cutlass #2545", "logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"),
    ] {
        let found: Layout = text.parse().unwrap_or_else(|e| panic!("{report}: {e}"));
        assert_eq!(found.to_string(), wanted, "{report}");
        assert!(found.is_injective().unwrap(), "{report}");
    }
    // the error names the first coordinate without a stride
    let error = "(4,6,8):(2,3,5) o 6:3".parse::<Layout>().unwrap_err().to_string();
    assert!(error.contains("at coordinate 4 the index is 9"), "cutlass #3177, PR 3181: {error}");
    // cutlass #2432: 11 tiles of 2 elements are exactly 22 elements, but 3 tiles of 4 are more than 10
    let size = |text: &str| text.parse::<Layout>().unwrap().size();
    assert_eq!([size("zipped_divide(22:1, 2:1)"), size("zipped_divide(10:1, 4:1)")], [22, 12]);
}

/// A report, its index, the bytes of an element and of an access, the number of lanes, and the degree of conflicts.
type Row = (&'static str, &'static str, u32, u32, i64, u32);

const ROWS: &[Row] = &[
    ("cutlass #3172", "t//8*8 + t%8*128", 2, 16, 32, 8),
    ("cutlass #3172", "(t//8*8 + t%8*128) ^ (t//8*8 + t%8*128)//128%8*8", 2, 16, 32, 1),
    ("cuda-oxide PR 544", "t*32", 4, 4, 32, 32),
    ("cuda-oxide PR 544", "t*64", 4, 4, 32, 32),
    ("cuda-oxide PR 544", "t*16", 4, 4, 32, 16),
    ("cuda-oxide PR 544", "t*33", 4, 4, 32, 1),
    ("cuda-oxide PR 544", "t*32 ^ t%32", 4, 4, 32, 1),
    ("cuda-oxide PR 544", "t*32 ^ t%8", 4, 4, 32, 4),
    ("cuda-oxide PR 544", "t*32 ^ t%4", 4, 4, 32, 8),
    ("flashinfer PR 207", "t%16*32 + (t//16 ^ t%8)", 8, 8, 64, 2),
    ("flashinfer PR 207", "t%16*32 + (t//16 ^ t%16)", 8, 8, 64, 1),
];

#[test]
fn conflicts_of_banks() {
    for (report, index, bytes, width, lanes, degree) in ROWS {
        let access = Access::new(expr(index), *bytes).unwrap().wide(*width).unwrap();
        let known = domain(&format!("t=0..{}", lanes - 1));
        let found = decide(&access, "t", &known, Machine::default()).unwrap();
        assert_eq!(found.service().degree(), *degree, "{report}: {index}");
    }
}

/// rocm-libraries PR 6070, rocWMMA #457: `ds_read_b128` serves lanes 0 to 3 together with lanes 20 to 23.
#[test]
fn lanes_that_amd_serves_together() {
    let machine = Machine::named("cdna3").unwrap();
    let groups = machine.groups(16, 64);
    assert_eq!(groups[0], [0, 1, 2, 3, 20, 21, 22, 23]);
    let degree = |index: &str, machine: Machine| {
        let access = Access::new(expr(index), 2).unwrap().wide(16).unwrap();
        decide(&access, "t", &domain("t=0..63"), machine).unwrap().service().degree()
    };
    // if lanes are served in order, the rows of 16 lanes have no conflict. With lanes of the next row, they have a
    // conflict
    let rows = "t//16*32 + t%16*8";
    assert_eq!([degree(rows, Machine::default()), degree(rows, machine.clone())], [1, 2]);
    assert_eq!(degree("t*8", machine), 1);
}
