//! The variables that CUDA declares, with the ranges that its machines guarantee.

use super::types::Type;
use quaff_expr::domain::Interval;

const LAST_BLOCK: i64 = (1 << 31) - 2;

/// The type and the range of the variable `name` of CUDA.
pub(super) fn builtin(name: &str) -> Option<(Type, Interval)> {
    let (lo, hi) = match name {
        "threadIdx.x" | "threadIdx.y" => (0, 1023),
        "threadIdx.z" => (0, 63),
        "blockDim.x" | "blockDim.y" => (1, 1024),
        "blockDim.z" => (1, 64),
        "blockIdx.x" => (0, LAST_BLOCK),
        "blockIdx.y" | "blockIdx.z" => (0, 65534),
        "gridDim.x" => (1, LAST_BLOCK + 1),
        "gridDim.y" | "gridDim.z" => (1, 65535),
        "warpSize" => return Some((Type::INT, Interval::point(32))),
        _ => return None,
    };
    Some((Type::UNSIGNED, Interval::from_wide(lo.into(), hi.into())))
}
