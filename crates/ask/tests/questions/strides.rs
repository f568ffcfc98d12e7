//! Shapes and strides of indices along `t` and `p`.

use crate::support::{domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::integer::{floor_div, floor_mod};
use quaff_ask::{Dimension, Strided, Strides, strides};

/// The index, computed from the dimensions and the offset.
pub(crate) fn rebuilt(found: &Strided, at: [i64; 3]) -> i64 {
    let coordinate = |at_axis: usize, d: &Dimension| {
        let x = if &*d.axis == "t" { at[0] } else { at[1] };
        let is_slowest = at_axis == 0 || found.dimensions[at_axis - 1].axis != d.axis;
        let whole = floor_div(x.into(), d.below.into());
        let extent = value(d.extent.as_ref().expect("ranges have ends"), at);
        let coordinate = if is_slowest { whole } else { floor_mod(whole, extent.into()) } as i64;
        assert!(coordinate < extent, "{found:?} at {at:?}");
        match &d.wrap {
            None => coordinate,
            Some(wrap) => {
                floor_mod((value(&wrap.origin, at) + coordinate).into(), value(&wrap.extent, at).into()) as i64
            }
        }
    };
    let parts = found.dimensions.iter().enumerate().map(|(i, d)| value(&d.stride, at) * coordinate(i, d));
    value(&found.offset, at) + parts.sum::<i64>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn coordinates_and_strides_are_the_index(e in index()) {
        let found = strides(&Simplifier::default(), &e, &["t", "p"], &domain()).unwrap();
        if let Strides::Strided(found) = found {
            for d in &found.dimensions {
                prop_assert!(d.stride.variables().iter().all(|name| &**name == "n"), "{e}: {found:?}");
            }
            for at in points() {
                prop_assert_eq!(rebuilt(&found, at), value(&e, at), "{}: {:?} at {:?}", &e, &found, at);
            }
        }
    }
}

/// `extent:stride` of each dimension, with `@origin%extent` if it wraps around, and the offset. If there are no
/// strides, the term that prevents them.
fn found(index: &str, axes: &[&str], domain: &str) -> String {
    match strides(&Simplifier::default(), &index.parse().unwrap(), axes, &domain.parse().unwrap()).unwrap() {
        Strides::Not(part) => format!("none: {part}"),
        Strides::Strided(found) => {
            let dimension = |d: &Dimension| {
                let extent = d.extent.as_ref().map_or_else(|| "?".into(), ToString::to_string);
                let wrap = d.wrap.as_ref().map_or_else(String::new, |w| format!("@({})%{}", w.origin, w.extent));
                format!("{extent}{}:{}{wrap}", if d.partial { "~" } else { "" }, d.stride)
            };
            let all: Vec<String> = found.dimensions.iter().map(dimension).collect();
            format!("({}) + {}", all.join(", "), found.offset)
        }
    }
}

#[test]
fn indices_of_block_pointers() {
    let tile = "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096";
    for (index, axes, domain, wanted) in [
        ("i//8*64 + i%8*2", &["i"][..], "i=0..63", "(8:64, 8:2) + 0"),
        // the digits of a row are one dimension
        ("i//8*8 + i%8 + 5", &["i"], "i=0..63", "(64:1) + 5"),
        ("x%256*4 + x//256%64", &["x"], "x=0..65535", "(4:0, 64:1, 256:4) + 0"),
        ("x%256*4 + x//256", &["x"], "x=0..", "(?:1, 256:4) + 0"),
        ("(pid*128 + t)%M*K + k", &["t", "k"], tile, "(128:K@(pid*128)%M, 64:1) + 0"),
        // ten values are one dimension if the strides fit. Otherwise they are rows, and the last row is short
        ("i//8*8 + i%8", &["i"], "i=0..9", "(10:1) + 0"),
        ("i//4 + i%4*7", &["i"], "i=0..9", "(3~:1, 4:7) + 0"),
        ("i//4 + i%4*7", &["i"], "i=0..11", "(3:1, 4:7) + 0"),
        ("(i + p)%5*2", &["i"], "i=0..9, p=0..9", "(2:0, 5:2@(p)%5) + 0"),
        ("(pid*128 + t)*K + k", &["t", "k"], tile, "(128:K, 64:1) + pid*K*128"),
        ("x%n*100 + y", &["y", "x"], "n=1..99, y=0..9, x=0..n-1", "(10:1, n:100) + 0"),
        ("x*n + y", &["x", "y"], "n=1..99, m=1..99, y=0..n-1, x=0..m-1", "(m:n, n:1) + 0"),
        // the two lanes of a pair read the same element
        ("t//2", &["t"], tile, "(64:1, 2:0) + 0"),
        ("t*t + k", &["t", "k"], tile, "none: t*t"),
        ("(t + pid)//8 + t*2", &["t"], tile, "none: (t + pid)//8"),
        // the offset is a multiple of the divisor, so it does not change the digit
        ("(t + pid*8)//8*64 + (t + pid*8)%8", &["t"], tile, "(16:64, 8:1) + pid*64"),
    ] {
        assert_eq!(found(index, axes, domain), wanted, "{index}");
    }
}
