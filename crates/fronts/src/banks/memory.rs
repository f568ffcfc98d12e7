//! [`Memory`]: the banks of a memory, and the cost of one access of the lanes.

use super::error::BankError;
use quaff::integer::floor_div;
use std::collections::BTreeMap;

/// The most lanes that access memory together.
pub(super) const LANES: u64 = 1024;

/// Memory in banks: word `w` is in bank `w mod count`, and a bank serves one word at a time.
///
/// The default is 32 banks of 4 bytes, as in the shared memory of all NVIDIA GPUs since Maxwell (CUDA C++ Programming
/// Guide, "Shared Memory" of each compute capability).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    count: u32,
    bytes: u32,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { count: 32, bytes: 4 }
    }
}

/// The cost of one access by all lanes.
///
/// Lanes are served in phases. Each phase serves the largest number of lanes that together access at most one word of
/// every bank. These are 32 lanes of up to 4 bytes, 16 lanes of 8 bytes and 8 lanes of 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub(super) phases: u32,
    pub(super) words: Vec<Word>,
}

/// A word that is read in one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The phase, from 0.
    pub phase: u32,
    /// The bank.
    pub bank: u32,
    /// The number of the word: its byte address divided by the bytes of a word.
    pub word: i128,
    /// The lanes that access the word, in ascending order. The list is never empty.
    pub lanes: Vec<u32>,
}

/// Two lanes with different words in one bank, so that one of the lanes waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The lane that is served first.
    pub first: u32,
    /// The lane that waits. It equals `first` if several words of one lane are in one bank.
    pub second: u32,
    /// The bank.
    pub bank: u32,
}

/// An address that is no multiple of the width, with the position of its lane.
pub(super) struct Misaligned {
    pub(super) lane: usize,
    pub(super) address: i128,
}

/// Whether a lane can access `bytes` bytes at once.
pub(super) fn is_width(bytes: u32) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8 | 16)
}

impl Memory {
    /// A memory of `count` banks (1 to 1024) with words of `bytes` bytes (a power of two up to 64).
    ///
    /// # Errors
    /// [`BankError::Memory`] for other numbers.
    pub fn new(count: u32, bytes: u32) -> Result<Memory, BankError> {
        let fits = (1..=1024).contains(&count) && bytes.is_power_of_two() && bytes <= 64;
        if fits { Ok(Memory { count, bytes }) } else { Err(BankError::Memory { count, bytes }) }
    }

    /// The number of banks.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The number of bytes of a word.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The number of bytes after which the banks repeat: one word of every bank.
    pub fn row_bytes(&self) -> u32 {
        self.count * self.bytes
    }

    /// The number of lanes that are served together when each accesses `width` bytes.
    pub(super) fn lanes_at_once(&self, width: u32) -> usize {
        let lanes = floor_div(self.row_bytes().into(), width.max(self.bytes).into());
        usize::try_from(lanes).unwrap_or(1).max(1)
    }
}

impl Service {
    /// The number of phases. It is the number of transactions that the access would need without conflicts.
    pub fn phases(&self) -> u32 {
        self.phases
    }

    /// The largest number of distinct words that one bank must serve in one phase. It is 1 without conflicts, and 0
    /// when no lane accesses anything.
    pub fn degree(&self) -> u32 {
        self.of_bank().map(|w| w.len() as u32).max().unwrap_or(0)
    }

    /// The number of times that the memory is accessed: the sum over all phases of the largest number of words of one
    /// bank.
    pub fn transactions(&self) -> u32 {
        let mut most: BTreeMap<u32, u32> = BTreeMap::new();
        for words in self.of_bank() {
            let phase = most.entry(words[0].phase).or_default();
            *phase = (*phase).max(words.len() as u32);
        }
        most.values().sum()
    }

    /// Whether several lanes of one phase access the same word, which is served to all of them at once.
    pub fn broadcast(&self) -> bool {
        self.words.iter().any(|w| w.lanes.len() > 1)
    }

    /// One conflict for each word that a bank serves after the first word of a phase. They are sorted by phase, bank
    /// and lane.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let lane = |w: &Word| w.lanes.first().copied().unwrap_or(0);
        self.of_bank()
            .flat_map(|words| words[1..].iter().map(|w| (lane(&words[0]), lane(w), w.bank)).collect::<Vec<_>>())
            .map(|(first, second, bank)| Conflict { first, second, bank })
            .collect()
    }

    /// The words, sorted by phase, bank and first lane.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The words of each bank in each phase.
    pub(super) fn of_bank(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunk_by(|a, b| (a.phase, a.bank) == (b.phase, b.bank))
    }
}
