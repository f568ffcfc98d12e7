//! [`Memory`]: what banks there are, and what one access of the lanes takes.

use super::error::BankError;
use quaff::integer::floor_div;
use std::collections::BTreeMap;

/// Lanes that access together, at most.
pub(super) const LANES: u64 = 1024;

/// Memory in banks: word `w` lies in bank `w mod count`, and a bank gives one word at a time.
///
/// By default 32 banks of 4 bytes, as shared memory of all NVIDIA GPUs since Maxwell has (CUDA C++ Programming Guide,
/// "Shared Memory" of each compute capability).
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

/// What one access of all lanes takes.
///
/// Lanes are served in phases: as many lanes at once as together access no more bytes than one word of every bank, so 32
/// lanes of up to 4 bytes, 16 of 8 and 8 of 16.
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
    /// The word's number: its byte address by the bytes of a word.
    pub word: i128,
    /// The lanes that access it, in ascending order; at least one.
    pub lanes: Vec<u32>,
}

/// Two lanes whose words lie in one bank and are not the same, so that one of them waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The lane that is served first.
    pub first: u32,
    /// A lane that waits; the same as `first` where words of one lane lie in one bank.
    pub second: u32,
    /// The bank.
    pub bank: u32,
}

/// An address that is no multiple of the width, by the position of the lane.
pub(super) struct Misaligned {
    pub(super) lane: usize,
    pub(super) address: i128,
}

/// Whether `bytes` is what a lane can access at once.
pub(super) fn is_width(bytes: u32) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8 | 16)
}

impl Memory {
    /// `count` banks (1 to 1024) with words of `bytes` bytes (a power of two up to 64).
    ///
    /// # Errors
    /// [`BankError::Memory`] for other numbers.
    pub fn new(count: u32, bytes: u32) -> Result<Memory, BankError> {
        let fits = (1..=1024).contains(&count) && bytes.is_power_of_two() && bytes <= 64;
        if fits { Ok(Memory { count, bytes }) } else { Err(BankError::Memory { count, bytes }) }
    }

    /// Banks.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of a word.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Bytes of one word of every bank, after which the banks begin anew.
    pub fn row_bytes(&self) -> u32 {
        self.count * self.bytes
    }

    /// Lanes that are served together when each accesses `width` bytes.
    pub(super) fn lanes_at_once(&self, width: u32) -> usize {
        let lanes = floor_div(self.row_bytes().into(), width.max(self.bytes).into());
        usize::try_from(lanes).unwrap_or(1).max(1)
    }
}

impl Service {
    /// Phases that the lanes are served in, conflicts apart.
    pub fn phases(&self) -> u32 {
        self.phases
    }

    /// The most different words that any bank has to give in any phase: 1 without conflicts, 0 when no lane accesses
    /// anything.
    pub fn degree(&self) -> u32 {
        self.of_bank().map(|w| w.len() as u32).max().unwrap_or(0)
    }

    /// How many times the memory is accessed: of each phase, the most words of any bank.
    pub fn transactions(&self) -> u32 {
        let mut most: BTreeMap<u32, u32> = BTreeMap::new();
        for words in self.of_bank() {
            let phase = most.entry(words[0].phase).or_default();
            *phase = (*phase).max(words.len() as u32);
        }
        most.values().sum()
    }

    /// Whether lanes of one phase access the same word, which is given to all of them at once.
    pub fn broadcast(&self) -> bool {
        self.words.iter().any(|w| w.lanes.len() > 1)
    }

    /// One for each word that a bank gives after its first, by phase, bank and lane.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let lane = |w: &Word| w.lanes.first().copied().unwrap_or(0);
        self.of_bank()
            .flat_map(|words| words[1..].iter().map(|w| (lane(&words[0]), lane(w), w.bank)).collect::<Vec<_>>())
            .map(|(first, second, bank)| Conflict { first, second, bank })
            .collect()
    }

    /// The words, by phase, bank and first lane.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The words of each bank in each phase.
    pub(super) fn of_bank(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunk_by(|a, b| (a.phase, a.bank) == (b.phase, b.bank))
    }
}
