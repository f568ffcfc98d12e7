//! Independent combinations of bases. They give the rank, the free bits and the solutions of a linear function.

/// The exclusive or of some of the bases.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) value: i64,
    /// The input bits whose bases are combined. A bit whose basis depends on the bases of lower bits is in no
    /// combination.
    pub(super) inputs: i64,
}

/// Independent combinations of `bases`, each with a highest bit that no other combination has. The time is quadratic in
/// the number of bases.
pub(super) fn reduced(bases: &[i64]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (bit, basis) in bases.iter().enumerate() {
        let mut row = Row { value: *basis, inputs: 1 << bit };
        rows.iter().for_each(|other| without(&mut row, other));
        if row.value != 0 {
            rows.iter_mut().for_each(|other| without(other, &row));
            rows.push(row);
        }
    }
    rows
}

fn without(row: &mut Row, other: &Row) {
    if row.value >> other.value.ilog2() & 1 == 1 {
        *row = Row { value: row.value ^ other.value, inputs: row.inputs ^ other.inputs };
    }
}

/// The least number whose set bits have bases with the exclusive or `value`. `None` if there is no such number.
pub(super) fn solution(rows: &[Row], value: i64) -> Option<i64> {
    let mut left = Row { value, inputs: 0 };
    rows.iter().for_each(|row| without(&mut left, row));
    (left.value == 0).then_some(left.inputs)
}
