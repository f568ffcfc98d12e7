//! Numbers of types: products of intervals, and lists as text.

use super::error::IndexError;

/// The products of the ends of two intervals. The least and the greatest product are among them.
pub(super) fn corners(a: [i128; 2], b: [i128; 2]) -> Result<[i128; 4], IndexError> {
    let product = |x: i128, y: i128| x.checked_mul(y).ok_or(IndexError::Overflow);
    Ok([product(a[0], b[0])?, product(a[0], b[1])?, product(a[1], b[0])?, product(a[1], b[1])?])
}

/// The text of a list, such as `{0, 2, 4}`. It shows at most 16 numbers.
pub(super) fn listed(all: &[i128]) -> String {
    const SHOWN: usize = 16;
    let shown: Vec<String> = all.iter().take(SHOWN).map(i128::to_string).collect();
    let more = if all.len() > SHOWN { format!(", and {} more", all.len() - SHOWN) } else { String::new() };
    format!("{{{}{more}}}", shown.join(", "))
}
