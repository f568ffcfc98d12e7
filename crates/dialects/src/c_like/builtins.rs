//! The variables that CUDA declares, with the ranges that its machines guarantee.

use super::types::Type;
use quaff_expr::domain::Interval;

const LAST_BLOCK: i64 = (1 << 31) - 2;

const BUILTINS: &[(&str, Type, i64, i64)] = &[
    ("threadIdx.x", Type::UNSIGNED, 0, 1023),
    ("threadIdx.y", Type::UNSIGNED, 0, 1023),
    ("threadIdx.z", Type::UNSIGNED, 0, 63),
    ("blockDim.x", Type::UNSIGNED, 1, 1024),
    ("blockDim.y", Type::UNSIGNED, 1, 1024),
    ("blockDim.z", Type::UNSIGNED, 1, 64),
    ("blockIdx.x", Type::UNSIGNED, 0, LAST_BLOCK),
    ("blockIdx.y", Type::UNSIGNED, 0, 65534),
    ("blockIdx.z", Type::UNSIGNED, 0, 65534),
    ("gridDim.x", Type::UNSIGNED, 1, LAST_BLOCK + 1),
    ("gridDim.y", Type::UNSIGNED, 1, 65535),
    ("gridDim.z", Type::UNSIGNED, 1, 65535),
    ("warpSize", Type::INT, 32, 32),
];

/// The type and the range of the variable `name` of CUDA.
pub(super) fn builtin(name: &str) -> Option<(Type, Interval)> {
    let found = BUILTINS.iter().find(|b| b.0 == name);
    found.map(|&(_, ty, lo, hi)| (ty, Interval::from_wide(lo.into(), hi.into())))
}

/// The variable of CUDA that `name` is meant to be, where it is none: of a vector without its member, and of other letters.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let of_vector = |builtin: &str| {
        let vector = builtin.split('.').next().unwrap_or(builtin);
        name == vector || name.strip_prefix(vector).is_some_and(|member| member.starts_with('.'))
    };
    let mut names = BUILTINS.iter().map(|b| b.0).filter(|_| builtin(name).is_none());
    names.find(|b| b.eq_ignore_ascii_case(name) || of_vector(b))
}
