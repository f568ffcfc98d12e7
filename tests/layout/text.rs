//! The texts of layouts and operations, and the errors for other texts.

use quaff_fronts::layout::{Layout, LayoutTextError, evaluate};

fn value(text: &str) -> String {
    text.parse::<Layout>().unwrap_or_else(|e| panic!("{text}: {e}")).to_string()
}

#[test]
fn operations() {
    let cases = [
        ("8", "8:1"),
        ("((4, 2)) : ((1, 8))", "((4,2)):((1,8))"),
        ("((4,2):(1,8))", "(4,2):(1,8)"),
        ("coalesce((2,(1,6)):(1,(6,2)))", "12:1"),
        ("coalesce_modes((2,(1,6)):(1,(6,2)))", "(2,6):(1,2)"),
        ("flatten((2,(1,6)):(1,(6,2)))", "(2,1,6):(1,6,2)"),
        ("complement((4,2):(1,8), 64)", "(2,4):(4,16)"),
        ("complement((2,2):(1,6))", "3:2"),
        ("logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"),
        ("zipped_divide((128,64):(64,1), (32,16))", "((32,16),(4,4)):((64,1),(2048,16))"),
        ("tiled_divide((8,6):(6,1), <4>)", "((4),2,6):((6),24,1)"),
        ("flat_divide((8,6):(6,1), <4:2, 3>)", "(4,3,2,2):(12,1,6,3)"),
        ("logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"),
        ("blocked_product((2,5):(5,1), (3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"),
        ("raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"),
        ("left_inverse((4,8):(8,1))", "(8,4):(4,1)"),
        ("right_inverse((4,8):(8,1))", "(8,4):(4,1)"),
        ("row_major((4,8)) o col_major((4,8))", "(4,8):(8,1)"),
        ("mode(make_layout(4:2, (2,2):(1,8)), 1)", "(2,2):(1,8)"),
        ("compose(4:2, 2:1)", "2:2"),
        ("4:2 \u{2218} 2:1 o 2:1", "2:2"),
        ("Sw<1,0,1> o Swizzle<1, 0, 1> o 4:1", "4:1"),
        ("Sw<2,0,3> o 4:8", "Swizzle<2, 0, 3> o 4:8"),
    ];
    for (text, expected) in cases {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn errors_have_places() {
    let cases = [
        ("", "", "expected a layout, a number or an operation"),
        ("(4,8", "", "expected `,`, `o`, `:` or `)`"),
        ("(4,8):(8,1) 7", "7", "expected `o`, or the end of the text"),
        ("(4,8)", "(4,8)", "these sizes have no strides"),
        ("(4,8):8", "(4,8):8", "the sizes (4,8) and the strides 8 are not nested alike"),
        ("(8):1", "(8):1", "the sizes (8) and the strides 1 are not nested alike"),
        ("4:0 o (0:1)", "0:1", "a size is 0, and must be at least 1"),
        ("4:99999999999999999999", "99999999999999999999", "this number leaves 64 bits"),
        ("4:-", "", "expected digits"),
        ("zip_divide(8:1, 2)", "zip_divide", "unknown operation `zip_divide`"),
        (
            "complement(8:1, 2, 3)",
            "complement(8:1, 2, 3)",
            "`complement` takes a layout, and the end of the indices, and here are 3 operands",
        ),
        ("Swizzle<3, 3, 1> o 8:1", "Swizzle<3, 3, 1>", "this is no swizzle"),
        ("Swizzle<3, 3, 3>", "Swizzle<3, 3, 3>", "expected a layout behind the swizzle: `o` and a layout"),
        (
            "2:1 o complement((2,2):(2,3), 9)",
            "complement((2,2):(2,3), 9)",
            "there is no complement: mode 2:3 begins within the 4 indices of the modes with smaller strides",
        ),
        ("mode(8:1, 1)", "1", "expected the number of a mode, from 0 on"),
        ("2*M:1", "2*M:1", "expected a layout of numbers"),
        (
            "linear(4:1, [x], y)",
            "linear(4:1, [x], y)",
            "expected a layout of sizes and strides; `layout(..)` makes one of a function of bits",
        ),
        (
            "raked_product(Sw<1,0,2> o 4:1, 2)",
            "raked_product(Sw<1,0,2> o 4:1, 2)",
            "there is no product of a swizzled layout",
        ),
    ];
    for (text, place, message) in cases {
        let error: LayoutTextError = text.parse::<Layout>().expect_err(text);
        assert_eq!((&text[error.span()], error.to_string().as_str()), (place, message), "{text}");
    }
    let deep = "(".repeat(1_000_000);
    assert!(
        deep.parse::<Layout>().expect_err("too deep").to_string().starts_with("these are more than 32 parentheses")
    );
}

#[test]
fn notes_say_where_a_result_reaches_further() {
    let notes = |text: &str| {
        let found = evaluate(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        found
            .notes
            .iter()
            .map(|n| (text[n.span.clone()].to_string(), n.size.to_string(), n.reached.to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(notes("logical_divide(10:1, 4:1)"), [("logical_divide(10:1, 4:1)".into(), "10".into(), "12".into())]);
    assert_eq!(notes("logical_divide(12:1, 4:1)"), []);
    assert_eq!(notes("coalesce(4:2 o 8:1)"), [("4:2 o 8:1".into(), "4".into(), "7".into())]);
}
