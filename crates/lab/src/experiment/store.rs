//! Stores results in a file, so that later runs of the program can use them. Each finished run of a rule set on a
//! corpus is one line.

use super::run::{Answer, Key, Run};
use super::times::Times;
use quaff::cost::Cost;
use quaff::inspect::Work;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A run as it is stored in the file. The text of an answer is stored only if it differs from the text of the base's
/// answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Record {
    /// The index of the record in the file.
    #[serde(skip)]
    number: usize,
    key: Key,
    /// The name of the variant. It is not part of the key.
    variant: String,
    corpus: String,
    #[serde(default)]
    times: Option<Times>,
    /// The costs of the answers, in tenths of an instruction.
    cost: Vec<u64>,
    divisions: Vec<u32>,
    nodes: Vec<u64>,
    work: Vec<u64>,
    /// The work of all cases.
    total: Work,
    texts: Vec<(usize, String)>,
    refused: Vec<(usize, String)>,
}

/// The first bytes of a [`Record`].
const BEGINNING: &[u8] = b"{\"key\":{\"engine\":";

/// Finished runs in memory, and optionally in a file.
///
/// The key of a run has the name of the program and the hashes of its rules and its corpus. If the program is stopped,
/// only unfinished runs are lost. An incomplete record at the end of the file is removed when the file is opened again.
#[derive(Debug, Default)]
pub struct Results {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    known: FxHashMap<Key, Record>,
    file: Option<File>,
    computed: usize,
}

impl Results {
    /// Results that are stored in memory only.
    pub fn in_memory() -> Results {
        Results::default()
    }

    /// Results that are stored in a file, including the results that the file already has. Lines that are not results
    /// are skipped.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn open(path: &Path) -> io::Result<Results> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        if bytes[whole..].starts_with(BEGINNING) {
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
        } else if whole < bytes.len() {
            // the last line is not an incomplete record, so it stays, and a line end is added
            file.write_all(b"\n")?;
        }
        let known = known(&bytes[..whole]);
        Ok(Results { inner: Mutex::new(Inner { known, file: Some(file), computed: 0 }) })
    }

    /// The results in a file that is opened only for reading. Lines that are not results are skipped.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if it has no results.
    pub fn read(path: &Path) -> io::Result<Results> {
        let known = known(&std::fs::read(path)?);
        if known.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file has no results of an experiment"));
        }
        Ok(Results { inner: Mutex::new(Inner { known, file: None, computed: 0 }) })
    }

    /// The number of runs that were computed, because their results were not stored.
    pub fn computed(&self) -> usize {
        self.lock().computed
    }

    /// The stored run with this key. Texts of answers that are not stored are taken from `base`.
    pub(super) fn find(&self, key: &Key, base: Option<&Run>) -> Option<Run> {
        self.lock().known.get(key).map(|r| r.run(base))
    }

    /// The latest stored run of the variant with this name on a corpus, whatever its program and rules.
    pub(super) fn latest(&self, corpus: &str, variant: &str, base: Option<&Run>) -> Option<Run> {
        let inner = self.lock();
        let of = |r: &&Record| r.key.corpus == corpus && r.variant == variant && base.is_none_or(|b| r.is_of(b));
        inner.known.values().filter(of).max_by_key(|r| r.number).map(|r| r.run(base))
    }

    /// Stores a run.
    pub(super) fn keep(&self, key: Key, names: (&str, &str), run: &Run, base: Option<&Run>) -> io::Result<()> {
        let record = Record::new(key, names, run, base);
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        let mut inner = self.lock();
        inner.computed += 1;
        if let Some(file) = &mut inner.file {
            file.write_all(&line)?;
        }
        inner.known.insert(record.key.clone(), record);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // ignore a panic of another thread, because only complete records are inserted, so the data is valid
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The records in the lines of a file. If two records have the same key, the later record counts.
fn known(bytes: &[u8]) -> FxHashMap<Key, Record> {
    let records = bytes.split(|b| *b == b'\n').filter_map(|l| serde_json::from_slice::<Record>(l).ok());
    let numbered = (0..).zip(records.filter(Record::is_whole)).map(|(number, r)| Record { number, ..r });
    numbered.map(|r| (r.key.clone(), r)).collect()
}

impl Record {
    fn new(key: Key, (variant, corpus): (&str, &str), run: &Run, base: Option<&Run>) -> Record {
        let mut r = Record {
            number: usize::MAX,
            key,
            variant: variant.into(),
            corpus: corpus.into(),
            times: run.times.clone(),
            cost: Vec::with_capacity(run.answers.len()),
            divisions: Vec::with_capacity(run.answers.len()),
            nodes: Vec::with_capacity(run.answers.len()),
            work: Vec::with_capacity(run.answers.len()),
            total: run.work.clone(),
            texts: Vec::new(),
            refused: Vec::new(),
        };
        for (i, answer) in run.answers.iter().enumerate() {
            let (cost, divisions, nodes, work) = match answer {
                Ok(a) => {
                    if base.and_then(|b| b.text(i)).is_none_or(|t| *t != a.text) {
                        r.texts.push((i, a.text.to_string()));
                    }
                    (a.cost.tenths(), a.divisions, a.nodes, a.work)
                }
                Err(why) => {
                    r.refused.push((i, why.clone()));
                    (0, 0, 0, 0)
                }
            };
            r.cost.push(cost);
            r.divisions.push(divisions);
            r.nodes.push(nodes);
            r.work.push(work);
        }
        r
    }

    /// Whether all lists have the same length and all indices are valid.
    fn is_whole(&self) -> bool {
        let n = self.cost.len();
        let inside = |list: &[(usize, String)]| list.iter().all(|(i, _)| *i < n);
        let lists = [self.divisions.len(), self.nodes.len(), self.work.len()];
        let timed = self.times.as_ref().is_none_or(|t| t.is_of(n));
        lists == [n; 3] && timed && inside(&self.texts) && inside(&self.refused)
    }

    /// Whether the record has as many cases as `run`.
    fn is_of(&self, run: &Run) -> bool {
        self.cost.len() == run.answers.len()
    }

    fn run(&self, base: Option<&Run>) -> Run {
        let mut texts: Vec<Option<Arc<str>>> =
            (0..self.cost.len()).map(|i| base.and_then(|b| b.text(i).cloned())).collect();
        for (i, text) in &self.texts {
            texts[*i] = Some(text.as_str().into());
        }
        let mut answers = Vec::with_capacity(self.cost.len());
        for (i, text) in texts.into_iter().enumerate() {
            let text = text.unwrap_or_default();
            let cost = Cost::from_tenths(self.cost[i]);
            let (divisions, nodes, work) = (self.divisions[i], self.nodes[i], self.work[i]);
            answers.push(Ok(Answer { cost, divisions, nodes, work, text }));
        }
        for (i, why) in &self.refused {
            answers[*i] = Err(why.clone());
        }
        Run { answers, work: self.total.clone(), times: self.times.clone() }
    }
}

impl Run {
    fn text(&self, case: usize) -> Option<&Arc<str>> {
        self.answers.get(case)?.as_ref().ok().map(|a| &a.text)
    }
}
