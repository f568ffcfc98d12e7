//! A memory that is simulated byte by byte: in each cycle, every bank delivers one word to all lanes that need it.

/// The cost of an access of a warp.
#[derive(Debug, PartialEq)]
pub(crate) struct Cycles {
    /// The largest number of cycles of a phase.
    pub(crate) degree: u32,
    /// The number of cycles of all phases together.
    pub(crate) all: u32,
    pub(crate) phases: u32,
    pub(crate) broadcast: bool,
}

/// Simulates an access to byte addresses in `banks` banks with words of `word` bytes. Each lane accesses `width` bytes.
pub(crate) fn simulate(addresses: &[i64], width: i64, banks: i64, word: i64) -> Cycles {
    let lanes_together = (banks * word / width.max(word)).max(1) as usize;
    let mut result = Cycles { degree: 0, all: 0, phases: 0, broadcast: false };
    for lanes in addresses.chunks(lanes_together) {
        // the words that are not yet delivered: one entry for each byte of each lane
        let mut wanted: Vec<(usize, i64)> = Vec::new();
        for (lane, address) in lanes.iter().enumerate() {
            wanted.extend((0..width).map(|byte| (lane, (address + byte).div_euclid(word))));
        }
        let mut cycles = 0;
        while !wanted.is_empty() {
            cycles += 1;
            // each bank opens the first of its words that a lane needs
            let mut open: Vec<Option<i64>> = vec![None; banks as usize];
            for (_, w) in &wanted {
                open[w.rem_euclid(banks) as usize].get_or_insert(*w);
            }
            for w in open.iter().flatten() {
                let mut served: Vec<usize> = wanted.iter().filter(|(_, x)| x == w).map(|(lane, _)| *lane).collect();
                served.dedup();
                result.broadcast |= served.len() > 1;
            }
            wanted.retain(|(_, w)| open[w.rem_euclid(banks) as usize] != Some(*w));
        }
        result.degree = result.degree.max(cycles);
        result.all += cycles;
        result.phases += 1;
    }
    result
}
