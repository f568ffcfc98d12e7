//! The variables that CUDA declares, with the ranges that its machines guarantee.

use quaff_expr::domain::Interval;

const LAST_BLOCK: i64 = (1 << 31) - 2;

/// The name, whether the type is unsigned, and the ends of the range.
const BUILTINS: &[(&str, bool, i64, i64)] = &[
    ("threadIdx.x", true, 0, 1023),
    ("threadIdx.y", true, 0, 1023),
    ("threadIdx.z", true, 0, 63),
    ("blockDim.x", true, 1, 1024),
    ("blockDim.y", true, 1, 1024),
    ("blockDim.z", true, 1, 64),
    ("blockIdx.x", true, 0, LAST_BLOCK),
    ("blockIdx.y", true, 0, 65534),
    ("blockIdx.z", true, 0, 65534),
    ("gridDim.x", true, 1, LAST_BLOCK + 1),
    ("gridDim.y", true, 1, 65535),
    ("gridDim.z", true, 1, 65535),
    ("warpSize", false, 32, 32),
];

/// Whether the CUDA variable `name` is `unsigned` (and not `int`), and its range. `None` for any other name.
pub(crate) fn builtin(name: &str) -> Option<(bool, Interval)> {
    let found = BUILTINS.iter().find(|b| b.0 == name);
    found.map(|&(_, is_unsigned, lo, hi)| (is_unsigned, Interval::from_wide(lo.into(), hi.into())))
}

/// The CUDA variable that an unknown `name` probably means: `name` may be a vector without its member, or have letters
/// of another case.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let of_vector = |builtin: &str| {
        let vector = builtin.split('.').next().unwrap_or(builtin);
        name == vector || name.strip_prefix(vector).is_some_and(|member| member.starts_with('.'))
    };
    let mut names = BUILTINS.iter().map(|b| b.0).filter(|_| builtin(name).is_none());
    names.find(|b| b.eq_ignore_ascii_case(name) || of_vector(b))
}
