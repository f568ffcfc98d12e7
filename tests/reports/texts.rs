//! Reports that request a text: CUDA text with a sufficient type, or a text of another language that quaff reads.

use crate::support::{domain, expr};
use quaff::Simplifier;
use quaff::access::Access;
use quaff_dialects::{Dialect, read};
use quaff_fronts::view::chain::Chain;

/// The CUDA text of the simplified index, in one line.
fn cuda(index: &str, known: &str) -> String {
    let answer = Simplifier::default().simplify(&expr(index), &domain(known)).unwrap();
    answer.cuda().unwrap().to_string().trim().to_string()
}

#[test]
fn types_that_suffice() {
    for (report, index, known, wanted) in [
        ("tilelang #3027, PR 3066", "(i - i//4*4)*600000000", "i=0..7", "return (i & 3) * 600000000;"),
        // the unsigned sum wraps around, but the result is right
        (
            "pytorch test_indexing",
            "-2779057358 + x0 + 310*x1",
            "x0=0..309, x1=8900000..9900000, assume -2779057358 + x0 + 310*x1 >= 0, assume -2779057358 + x0 + 310*x1 <= 300000000",
            "return (int)((unsigned)x0 + (unsigned)x1 * 310u - 2779057358u);",
        ),
        (
            "tinygrad #3961",
            "l1 + g0*16 + g1*37748736 + l0*12582912",
            "l1=0..15, g0=0..65535, g1=0..56, l0=0..5",
            "return (unsigned)(l1 + g0 * 16 + l0 * 12582912) + (unsigned)(g1 * 37748736);",
        ),
        (
            "FlagGems PR 4156",
            "index*131072 + p",
            "index=0..24900, p=0..131071",
            "return (unsigned)p + (unsigned)index * 131072u;",
        ),
        ("cumo PR 348", "x//3072", "x=0..4294967295", "return (int)(__umulhi(x, 2863311531u) >> 11);"),
        (
            "tvm #3465",
            "truncmod(4*a + b - 466036, 16)",
            "a=116508..200000, b=4..100",
            "return (a * 4 + b - 466036) & 15;",
        ),
        ("llvm #85726", "s%32*64", "s=0..999", "return (s & 31) * 64;"),
    ] {
        assert_eq!(cuda(index, known), wanted, "{report}");
    }
}

#[test]
fn offsets_that_need_64_bits() {
    // MSLK PR 303: the answer names the product that exceeds 32 bits
    let known = domain("pid=0..65535, vol=1..65536, lin=0..vol-1, suffix=1..4096, s=0..suffix-1");
    let answer = Simplifier::default().simplify(&expr("(pid*vol + lin)*suffix + s"), &known).unwrap();
    assert!(answer.cuda().unwrap().to_string().contains("long long"));
    let wide = answer.wide().unwrap();
    assert_eq!(wide[0].expr.to_string(), "pid*vol*suffix");
}

#[test]
fn accesses_in_32_bits() {
    for (report, index, gate, known, wanted) in [
        (
            "tilelang #2458",
            "token*1024 + i*4",
            "0 <= token and token < 4096",
            "token=-2147483648..2147483647, i=0..255",
            "const float v = (unsigned)token < 4096u ? in[token * 1024 + i * 4] : 0;",
        ),
        (
            "FlagGems PR 5882",
            "index*131072 + p",
            "index < 16384",
            "index=0..24900, p=0..131071",
            "const float v = index < 16384 ? in[index * 131072 + p] : 0;",
        ),
    ] {
        let access = Access::load("v", "in", expr(index)).when(expr(gate));
        let answer = Simplifier::default().simplify_access(&access, &domain(known)).unwrap();
        assert_eq!(answer.cuda().unwrap().to_string().trim(), wanted, "{report}");
    }
}

/// tilelang PR 1834: four elements, each with its own mask, become one vector with one mask.
#[test]
fn one_gate_for_four_lanes() {
    let known = domain("tx=0..255, N=4..4096 step 4");
    let lane = |k: i64| expr(&format!("tx*4 + {k}"));
    let mut access = Access::load("v", "in", lane(0)).when(lane(3).lt(expr("N"))).aligned(16);
    for k in 1..4 {
        access = access.lane(lane(k));
    }
    let simplifier = Simplifier::default();
    let vectors = simplifier.vectorised(&[access], &known).unwrap();
    assert_eq!(vectors[0].width(0), 4);
    let text = simplifier.simplify_accesses(&vectors, &known).unwrap().cuda().unwrap().to_string();
    assert!(text.contains("(const float4 *)&in[") && text.contains("tx * 4"), "{text}");
}

/// pytorch #139408: the shape `(a, b)` can be reshaped to `(4, 4)`, because `a*b` is 16.
#[test]
fn reshapes_of_sizes_under_a_condition() {
    let chain: Chain = "shape(a, b).reshape(4, 4)".parse().unwrap();
    let view = chain.stack(&domain("a=1..16, b=1..16, assume a*b == 16")).unwrap();
    assert_eq!(view.to_string(), "(4, 4):(4, 1)");
}

/// wave #337, PR 1033: texts of sympy. Half of an even number is an integer.
#[test]
fn texts_of_sympy() {
    for (text, known, wanted) in [
        ("Mod(2*Mod(x, 4), 64)", "x=0..", "x%4*2"),
        ("B*floor(T/34)/2 + B/2", "T=0..10000, B=2..4096 step 2", "(B + B*(T//34))//2"),
    ] {
        let found = read(text, Dialect::Sympy).unwrap();
        let known = domain(known);
        let mut facts = Simplifier::default().facts(&known);
        for requirement in &found.requirements {
            assert!(requirement.is_met(facts.bounds(&requirement.value).unwrap()), "{text}: {requirement:?}");
        }
        let answer = Simplifier::default().simplify(found.results[0].expr(), &known).unwrap();
        assert_eq!(answer.expr().to_string(), wanted, "{text}");
    }
}
