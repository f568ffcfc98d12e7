//! [`Machine`]: memory in banks, and the groups of lanes that are served together.

use super::error::BankError;
use super::memory::{LANES, Memory, Misaligned, Service, Word, is_width};
use quaff::integer::{floor_div, floor_mod};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Memory in banks. For each width of an access, the machine also has the groups of lanes that are served together.
///
/// If no groups are given for a width, lanes are served in their order. Each phase serves the largest number of lanes
/// that together access at most one word of every bank. So NVIDIA serves 32 lanes of up to 4 bytes at once, 16 lanes of
/// 8 bytes and 8 lanes of 16 bytes.
///
/// | machine | banks | 4 bytes | 8 bytes | 16 bytes |
/// |---|---|---|---|---|
/// | `nvidia` | 32 | 32 lanes | 16 lanes | 8 lanes |
/// | `cdna3`, reads | 32 | 32 lanes | 16 lanes | 8 lanes: 0..3 with 20..23, 4..7 with 16..19, 8..11 with 28..31, 12..15 with 24..27, likewise from 32 on |
/// | `cdna3-write` | 32 | 32 lanes | 16 lanes | 8 lanes |
/// | `cdna4`, reads | 64 | 64 lanes | 32 lanes | 16 lanes: 0..3, 12..15, 20..27; 4..11, 16..19, 28..31; likewise from 32 on |
/// | `cdna4-write` | 64 | 64 lanes | 32 lanes | 16 lanes |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    memory: Memory,
    /// Each width with its groups of lanes that are served together, in the order of phases.
    phases: Vec<(u32, Vec<Vec<u32>>)>,
}

impl From<Memory> for Machine {
    /// The machine that serves lanes in their order.
    fn from(memory: Memory) -> Machine {
        Machine { memory, phases: Vec::new() }
    }
}

impl Memory {
    /// The cost when lane `i` accesses `width` bytes from byte `addresses[i]` on. A lane with `None` accesses nothing.
    ///
    /// Lanes that access the same word are served together. The time is linear in the number of lanes and words, up to
    /// a logarithmic factor.
    ///
    /// ```
    /// use quaff_fronts::banks::Memory;
    ///
    /// let column: Vec<Option<i128>> = (0..32).map(|lane| Some(lane * 32 * 4)).collect();
    /// assert_eq!(Memory::default().serve(&column, 4)?.degree(), 32);
    /// let padded: Vec<Option<i128>> = (0..32).map(|lane| Some(lane * 33 * 4)).collect();
    /// assert_eq!(Memory::default().serve(&padded, 4)?.degree(), 1);
    /// # Ok::<(), quaff_fronts::banks::BankError>(())
    /// ```
    ///
    /// # Errors
    /// [`BankError::Width`] when `width` is not 1, 2, 4, 8 or 16, [`BankError::Lanes`] above 1,024 lanes,
    /// [`BankError::Misaligned`] when an address is no multiple of the width.
    pub fn serve(&self, addresses: &[Option<i128>], width: u32) -> Result<Service, BankError> {
        Machine::from(*self).serve(addresses, width)
    }
}

impl Default for Machine {
    /// The machine of NVIDIA.
    fn default() -> Machine {
        Memory::default().into()
    }
}

impl Machine {
    /// The names of the built-in machines.
    pub const NAMES: [&'static str; 5] = ["nvidia", "cdna3", "cdna3-write", "cdna4", "cdna4-write"];

    /// The machine called `name`, one of [`Machine::NAMES`].
    ///
    /// ```
    /// use quaff_fronts::banks::{Machine, Memory};
    ///
    /// // lanes 0 and 20 read 16 bytes each at one bank, of different words
    /// let mut addresses = vec![None; 64];
    /// (addresses[0], addresses[20]) = (Some(0), Some(1024));
    /// let degree = |machine: &Machine| machine.serve(&addresses, 16).map(|service| service.degree());
    /// assert_eq!(degree(&Machine::named("cdna3").unwrap())?, 2);
    /// assert_eq!(degree(&Memory::default().into())?, 1);
    /// # Ok::<(), quaff_fronts::banks::BankError>(())
    /// ```
    pub fn named(name: &str) -> Option<Machine> {
        let with = |count: u32, groups: &[&[RangeInclusive<u32>]]| {
            // `new` accepts the numbers of banks above, and `with_phases` accepts the groups of lanes above, so neither
            // fails
            let machine = Machine::from(Memory::new(count, 4).ok()?);
            let lanes = |ranges: &&[RangeInclusive<u32>]| ranges.iter().cloned().flatten().collect::<Vec<u32>>();
            let half: Vec<Vec<u32>> = groups.iter().map(lanes).collect();
            let other = half.iter().map(|group| group.iter().map(|lane| lane + 32).collect());
            let all: Vec<Vec<u32>> = half.iter().cloned().chain(other).collect();
            if all.is_empty() { Some(machine) } else { machine.with_phases(16, all).ok() }
        };
        match name {
            "nvidia" | "cdna3-write" => with(32, &[]),
            "cdna4-write" => with(64, &[]),
            "cdna3" => with(32, &[&[0..=3, 20..=23], &[4..=7, 16..=19], &[8..=11, 28..=31], &[12..=15, 24..=27]]),
            "cdna4" => with(64, &[&[0..=3, 12..=15, 20..=27], &[4..=11, 16..=19, 28..=31]]),
            _ => None,
        }
    }

    /// The machine with the given groups of lanes that are served together when each lane accesses `width` bytes, in
    /// the order of phases. Together the groups must contain each lane of a warp, counted from 0, exactly once. Further
    /// lanes belong to other warps, which are served in the same way.
    ///
    /// # Errors
    /// [`BankError::Width`] when `width` is not 1, 2, 4, 8 or 16. [`BankError::Phases`] when the groups do not contain
    /// each lane exactly once, or have more than 1,024 lanes.
    pub fn with_phases(mut self, width: u32, phases: Vec<Vec<u32>>) -> Result<Machine, BankError> {
        if !is_width(width) {
            return Err(BankError::Width { what: "an access", bytes: width });
        }
        let mut lanes: Vec<u32> = phases.iter().flatten().copied().collect();
        lanes.sort_unstable();
        let is_whole = lanes.iter().copied().eq(0..lanes.len() as u32) && !phases.iter().any(Vec::is_empty);
        if lanes.is_empty() || lanes.len() as u64 > LANES || !is_whole {
            return Err(BankError::Phases { width });
        }
        self.phases.retain(|(known, _)| *known != width);
        self.phases.push((width, phases));
        Ok(self)
    }

    /// The memory, which has the number of banks and the word size.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The groups of lanes that are served together when `count` lanes access `width` bytes each.
    pub fn groups(&self, width: u32, count: usize) -> Vec<Vec<u32>> {
        let Some((_, phases)) = self.phases.iter().find(|(known, _)| *known == width) else {
            let at_once = self.memory.lanes_at_once(width);
            let lanes: Vec<u32> = (0..count as u32).collect();
            return lanes.chunks(at_once).map(<[u32]>::to_vec).collect();
        };
        let warp: usize = phases.iter().map(Vec::len).sum();
        let firsts = (0..count).step_by(warp.max(1));
        let all = firsts.flat_map(|first| phases.iter().map(move |group| (first, group)));
        let within = all.map(|(first, group)| {
            let lanes = group.iter().map(|lane| lane + first as u32);
            lanes.filter(|lane| (*lane as usize) < count).collect::<Vec<u32>>()
        });
        within.filter(|group| !group.is_empty()).collect()
    }

    /// The cost when lane `i` accesses `width` bytes from byte `addresses[i]` on. A lane with `None` accesses nothing.
    /// See [`Memory::serve`].
    ///
    /// # Errors
    /// The errors of [`Memory::serve`].
    pub fn serve(&self, addresses: &[Option<i128>], width: u32) -> Result<Service, BankError> {
        if !is_width(width) {
            return Err(BankError::Width { what: "an access", bytes: width });
        }
        if addresses.len() as u64 > LANES {
            return Err(BankError::Lanes { name: "lane".into(), limit: LANES });
        }
        self.words(addresses, width).map_err(|m| BankError::Misaligned {
            access: 0,
            lane: m.lane as i64,
            address: m.address,
            width,
            at: String::new(),
        })
    }

    /// [`Machine::serve`] for a width and lanes that are already checked.
    pub(super) fn words(&self, addresses: &[Option<i128>], width: u32) -> Result<Service, Misaligned> {
        let (count, bytes) = (i128::from(self.memory.count()), i128::from(self.memory.bytes()));
        let mut words: Vec<Word> = Vec::new();
        let groups = self.groups(width, addresses.len());
        for (lanes, phase) in groups.iter().zip(0..) {
            // the lanes of each word, by bank and word
            let mut found: BTreeMap<(u32, i128), Vec<u32>> = BTreeMap::new();
            for lane in lanes {
                let Some(address) = addresses.get(*lane as usize).copied().flatten() else { continue };
                if floor_mod(address, width.into()) != 0 {
                    return Err(Misaligned { lane: *lane as usize, address });
                }
                let last = floor_div(address.saturating_add(i128::from(width) - 1), bytes);
                for word in floor_div(address, bytes)..=last {
                    let bank = floor_mod(word, count) as u32;
                    found.entry((bank, word)).or_default().push(*lane);
                }
            }
            let from = words.len();
            words.extend(found.into_iter().map(|((bank, word), lanes)| Word { phase, bank, word, lanes }));
            words[from..].sort_by_key(|w| (w.bank, w.lanes.first().copied(), w.word));
        }
        Ok(Service { phases: groups.len() as u32, words })
    }
}
