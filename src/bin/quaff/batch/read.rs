//! Reading the lines of a batch.

use std::io::{self, BufRead};

/// Up to `count` lines with their ends; a line that is not UTF-8 must cost only itself, so these are bytes.
pub(super) fn read_lines(input: &mut dyn BufRead, count: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while lines.len() < count {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        lines.push(line);
    }
    Ok(lines)
}
