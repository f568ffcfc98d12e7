//! Reports that request a simpler index, or that request an unchanged index.

use crate::support::{domain, expr};
use quaff::Simplifier;
use quaff::quasi::{Verdict, equivalent};

/// A report, its index, the ranges, and the answer.
type Row = (&'static str, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // masks. If 4 divides `N`, `tx*4 + 2 < N` is equivalent to `tx*4 < N`, and costs as much
    ("tilelang PR 1834", "tx*4 + 1 < N and tx*4 + 2 < N", "tx=0..255, N=4..4096 step 4", "tx*4 + 2 < N"),
    ("pytorch #164375", "min(128*s, 512*s) == 128*s", "s=0..2048", "1"),
    ("pytorch #181097", "x//5 != 1", "b=1..100, x=5*b", "x >= 10"),
    ("tvm #2173", "(y - x) - y > 0", "x=.., y=..", "x < 0"),
    // quotients and remainders of numbers
    ("tilelang #3027", "(i - i//4*4)*600000000", "i=0..7", "i%4*600000000"),
    ("tvm PR 17765", "64*(p + 1)%(31*(p + 1))", "p=0..4096", "p*2 + 2"),
    ("tvm #2308", "truncdiv(241 + 48*x, 16)", "x=0..", "15 + x*3"),
    ("tvm #3465", "truncmod(4*a + b - 466036, 16)", "a=116508..200000, b=4..100", "(a*4 + b - 466036)%16"),
    ("tvm PR 5922", "((x0 - (0 - x1*5)//2) - 1) + (37 + (x1 + 7)*-5)//2", "x0=0..99, x1=0..99", "x0"),
    ("tvm PR 20169", "where((h+1)%2 == 0 and h >= 1, (h+1)//2 - 1, 0)", "h=0..99", "where(h%2 == 1, h//2, 0)"),
    ("tvm #19524", "(h - 1)//2", "h=0..99, assume (h+1)%2 == 0, assume h >= 1", "h//2"),
    ("llvm #114654", "(d1 - (d1 + 2))//8%8", "d1=0..99", "7"),
    ("llvm #107508", "-(-(-(-(s*2)//4)*5 + s*42)//s)", "s=-99..-1", "-(s*-2//4*5//s) + 42"),
    ("llvm #85726", "s%32*64", "s=0..999", "s%32*64"),
    ("halide #2949", "(-67*120)*(-73 + a)//69", "a=-99..99", "(a*-8040 + 586920)//69"),
    ("halide #3154", "(54 - 97)*(23 + e)//222", "e=-99..99", "(e*-43 - 989)//222"),
    ("wave PR 1033", "2*(x%4)%64", "x=0..", "x%4*2"),
    ("helion PR 2104", "(-n)%B", "n=0..9999, B=1..64", "-n%B"),
    // sizes that are known at run time
    ("pytorch PR 176345", "b//d1%m//d2", "b=0..99999, d1=1..64, d2=1..64, k=1..64, m=d2*k", "b//(d1*d2)%k"),
    ("pytorch PR 176345", "b//(d1*d2)%(m//d2)", "b=0..99999, d1=1..64, d2=1..64, k=1..64, m=d2*k", "b//(d1*d2)%k"),
    ("pytorch PR 184812", "x%s + s*(x//s%t) + s*t*(x//(s*t))", "x=0..99999, s=1..64, t=1..64", "x"),
    ("pytorch PR 184812", "s0*(x1//s1) + x1%s1", "x1=0..9999, s1=1..64, s0=1..64, assume s0 == s1", "x1"),
    ("llvm PR 113819", "(step*k - 0)%step", "step=1..99, k=0..99", "0"),
    ("llvm PR 116872", "(h*W + w)//(2*W)", "W=1..512, h=0..511, w=0..W-1", "h//2"),
    ("llvm PR 117637", "(h*W + w)%(2*W)", "W=1..512, h=0..511, w=0..W-1", "w + W*(h%2)"),
    (
        "llvm PR 163440",
        "((n*C + c)*H + h)//(4*H)",
        "n=0..9, C=4..64 step 4, c=0..C-1, H=1..99, h=0..H-1",
        "(c + n*C)//4",
    ),
    ("enzyme-jax PR 318", "(v3*3 + v4)//3*3 + v4", "v3=0..9, v4=0..2", "v3*3 + v4"),
    ("flydsl #864", "ctx + (m*16 + l%16)//G", "ctx=0..4096, m=0..7, l=0..63, G=1..128, assume m*16 + l%16 < G", "ctx"),
    ("cuTile.jl PR 156", "((i - 1)*n + (j - 1)) + 1 - 1", "n=1..99, i=1..n, j=1..n", "j + n*(i - 1) - 1"),
    // swizzles
    (
        "thunderkittens #147",
        "a ^ ((a%1024 >> 7) << 4)",
        "p=0..99999744 step 1024, r=0..63, c=0..127, a=p + r*128 + c*2 + c//64*8064",
        "a ^ r%8*16",
    ),
];

#[test]
fn each_index_is_as_wanted() {
    for (report, index, known, wanted) in ROWS {
        let (index, domain) = (expr(index), domain(known));
        let answer = Simplifier::default().simplify(&index, &domain).unwrap_or_else(|e| panic!("{report}: {e}"));
        assert_eq!(answer.expr().to_string(), *wanted, "{report}");
        assert!(!matches!(equivalent(&index, answer.expr(), &domain), Verdict::Differs { .. }), "{report}");
    }
}

/// iree PR 22958: an index of nine axes is split into axes, transposed, and split into other axes.
#[test]
fn linearized_and_delinearized() {
    let sizes = [208, 2, 4, 4, 4, 2, 8, 16];
    let mut linear = String::from("i0");
    let mut known = String::from("i0=0..99");
    for (axis, size) in sizes.iter().enumerate() {
        linear = format!("({linear})*{size} + i{}", axis + 1);
        known += &format!(", i{}=0..{}", axis + 1, size - 1);
    }
    let [c, h, row, column] =
        ["//6815744", "//32768%208", "//256%128", "%256"].map(|digit| format!("({linear}){digit}"));
    let moved = format!("((({c})*128 + {row})*208 + {h})*256 + {column}");
    let parts = [expr(&format!("({moved})//53248")), expr(&format!("({moved})%53248"))];
    let answer = Simplifier::default().simplify_all(&parts, &domain(&known)).unwrap();
    assert_eq!(answer.exprs()[0].to_string(), "i0*128 + i2*64 + i3*16 + i4*4 + i5");
    assert_eq!(answer.exprs()[1].to_string(), "i1*256 + i6*128 + i7*16 + i8");
}

/// cutlass #1353, #2113, #3177: compositions of layouts, as indices.
#[test]
fn composed_layouts() {
    for (index, known, wanted) in [
        ("(i + j*2)%2*3 + (i + j*2)//2%3", "i=0..1, j=0..2", "i*3 + j"),
        ("(a + b*5 + d*10)%10*16 + (a + b*5 + d*10)//10*4", "a=0..2, b=0..1, d=0..1", "a*16 + b*80 + d*4"),
        ("c*3%4*2 + c*3//4%6*3 + c*3//24*5", "c=0..5", "c - -c//4*5"),
    ] {
        let answer = Simplifier::default().simplify(&expr(index), &domain(known)).unwrap();
        assert_eq!(answer.expr().to_string(), wanted, "{index}");
    }
}
