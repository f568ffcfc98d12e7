//! Names of variables and of what a text defines.

use super::reserved::is_reserved;
use crate::dialect::Dialect;
use quaff_expr::expr::name::{is_readable, is_word};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names taken so far.
pub(super) struct Names {
    dialect: Dialect,
    taken: FxHashSet<String>,
    /// The number that the next name with a stem gets.
    numbers: FxHashMap<String, usize>,
    temporaries: usize,
}

impl Names {
    pub(super) fn new(dialect: Dialect) -> Names {
        Names { dialect, taken: FxHashSet::default(), numbers: FxHashMap::default(), temporaries: 0 }
    }

    /// What the text calls each variable, no two of them the same. Those that can keep their names do.
    pub(super) fn variables(&mut self, names: &[&str]) -> Vec<String> {
        let mut written: Vec<Option<String>> = names.iter().map(|name| own_text(self.dialect, name)).collect();
        for (name, written) in names.iter().zip(&mut written) {
            if written.is_none() && is_name(self.dialect, name) {
                *written = Some(name.to_string());
            }
            self.taken.extend(written.clone());
        }
        let named = names.iter().zip(written);
        named.map(|(name, written)| written.unwrap_or_else(|| self.similar(name))).collect()
    }

    /// Takes a free name that looks like `wanted`.
    fn similar(&mut self, wanted: &str) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut stem: String = wanted.chars().map(word).collect();
        if !stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
            stem.insert(0, 'v');
        }
        loop {
            // words of lists and names taken are finite, and no number is tried twice for one stem
            let number = self.numbers.entry(stem.clone()).or_insert(1);
            let name = if *number == 1 { stem.clone() } else { format!("{stem}_{number}") };
            *number += 1;
            if is_name(self.dialect, &name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Takes the next free name of `t0, t1, ...`.
    pub(super) fn temporary(&mut self) -> String {
        loop {
            let name = format!("t{}", self.temporaries);
            self.temporaries += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Whether a variable of the text can have this name.
fn is_name(dialect: Dialect, name: &str) -> bool {
    let is_identifier = name.bytes().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit());
    let has_dots = matches!(dialect, Dialect::Infix | Dialect::Sexp | Dialect::Mlir);
    is_readable(name) && (is_identifier || has_dots) && !is_reserved(dialect, name)
}

/// What the language itself writes for a variable.
pub(super) fn own_text(dialect: Dialect, name: &str) -> Option<String> {
    match dialect {
        Dialect::Cuda => cuda_range(name).map(|_| name.to_string()),
        Dialect::Triton => {
            if let Some((function, axis)) = program_axis(name) {
                return Some(format!("tl.{function}({axis})"));
            }
            arange(name).map(|(start, end)| format!("tl.arange({start}, {end})"))
        }
        _ => None,
    }
}

/// The range of a variable that CUDA defines; `None` for another name.
pub(super) fn cuda_range(name: &str) -> Option<(i64, i64)> {
    const GRID: i64 = i32::MAX as i64;
    let (what, axis) = name.split_once('.').unwrap_or((name, ""));
    let most = |x: i64, y: i64, z: i64| match axis {
        "x" => Some(x),
        "y" => Some(y),
        "z" => Some(z),
        _ => None,
    };
    Some(match what {
        "threadIdx" => (0, most(1023, 1023, 63)?),
        "blockDim" => (1, most(1024, 1024, 64)?),
        "blockIdx" => (0, most(GRID - 1, 65_534, 65_534)?),
        "gridDim" => (1, most(GRID, 65_535, 65_535)?),
        _ => return None,
    })
}

/// `program_id` or `num_programs`, and the axis.
pub(super) fn program_axis(name: &str) -> Option<(&str, &str)> {
    let (function, axis) = name.rsplit_once('_')?;
    let is_axis = matches!(axis, "0" | "1" | "2");
    (is_axis && matches!(function, "program_id" | "num_programs")).then_some((function, axis))
}

/// The ends of `arange_0_128`.
pub(super) fn arange(name: &str) -> Option<(i64, i64)> {
    let (start, end) = name.strip_prefix("arange_")?.split_once('_')?;
    let ends: (i64, i64) = (start.parse().ok()?, end.parse().ok()?);
    // only this one spelling is the call
    (format!("arange_{}_{}", ends.0, ends.1) == name && 0 <= ends.0 && ends.0 < ends.1).then_some(ends)
}
