//! Records the program, options, rules and lines on which the answers of a batch depend. The record is a file beside
//! the unfinished answers. A later run continues after these answers only with the same program, options, rules and
//! lines.
//!
//! The file `OUT.part.from` begins with a line of JSON about the run. One line follows for each answer in `OUT.part`,
//! with the hash of its input line. The file is removed when `OUT` is complete. Each of the two files may end in the
//! middle of a line, or have more lines than the other file.

use crate::output::write_whole;
use crate::program;
use crate::report::{Failure, io_failure};
use quaff::rules::RuleSet;
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The number of digits of a hash.
const DIGITS: usize = 16;

/// The data on which the answers of a run depend, except the lines. Each item is a name with its value as text.
pub(super) struct MadeFrom(Map<String, Value>);

impl MadeFrom {
    /// The record for this program, `rules` and `options`. `options` are words of the command line with their values.
    pub(super) fn new(rules: &RuleSet, options: &[(&str, String)]) -> MadeFrom {
        let texts: Vec<&str> = rules.rules().iter().map(|r| r.text()).collect();
        let all = [("build of quaff", program::identity()), ("rule set", hash(&texts))];
        let all = all.into_iter().chain(options.iter().map(|(name, value)| (*name, value.clone())));
        MadeFrom(all.map(|(name, value)| (name.to_string(), Value::String(value))).collect())
    }

    /// A message about the first difference between `earlier` and this record.
    fn difference(&self, earlier: &MadeFrom) -> Option<String> {
        let differs = |name: &&String| self.0.get(*name) != earlier.0.get(*name);
        // options in both records are compared first, because other options depend on them
        let of_both = self.0.keys().filter(|name| earlier.0.contains_key(*name)).find(differs);
        let name = of_both.or_else(|| self.0.keys().chain(earlier.0.keys()).find(differs))?;
        let shown = |of: &MadeFrom| of.0.get(name).and_then(Value::as_str).unwrap_or("unknown").to_string();
        Some(match name.starts_with("--") {
            true => format!("it is of a run with {name} {}, and not {}", shown(earlier), shown(self)),
            false => format!("it is of a run with another {name}"),
        })
    }
}

/// The hash of an input line.
pub(super) fn hash(of: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:0DIGITS$x}", hasher.finish())
}

/// The file of hashes beside an unfinished output.
pub(super) struct Origin {
    file: File,
    path: PathBuf,
}

impl Origin {
    /// The path of the file beside `part`: `out.jsonl.part.from` for `out.jsonl.part`.
    pub(super) fn path_for(part: &Path) -> PathBuf {
        let mut path = part.as_os_str().to_owned();
        path.push(".from");
        path.into()
    }

    /// Reads the file beside `part`. Returns a message about its first difference from `made_from`, and its complete
    /// hashes.
    pub(super) fn read(part: &Path, made_from: &MadeFrom) -> io::Result<(Option<String>, Vec<String>)> {
        let path = Origin::path_for(part);
        let bytes = match std::fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok((Some(format!("{}, which says what it was made from, is missing", path.display())), vec![]));
            }
            read => read?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let mut whole = text.split_inclusive('\n').map_while(|l| l.strip_suffix('\n'));
        let difference = match whole.next().map(serde_json::from_str) {
            Some(Ok(Value::Object(earlier))) => made_from.difference(&MadeFrom(earlier)),
            _ => Some(format!("{} does not say what it was made from", path.display())),
        };
        Ok((difference, whole.take_while(|l| l.len() == DIGITS).map(String::from).collect()))
    }

    /// Writes the file beside `part` for `made_from`, with the hashes of the answered lines. Later hashes are appended.
    pub(super) fn begin(part: &Path, made_from: &MadeFrom, answered: &[String]) -> Result<Origin, Failure> {
        let path = Origin::path_for(part);
        write_whole(&path, |out| {
            writeln!(out, "{}", Value::Object(made_from.0.clone()))?;
            answered.iter().try_for_each(|hash| writeln!(out, "{hash}"))
        })?;
        let file = OpenOptions::new().append(true).open(&path).map_err(io_failure(&path))?;
        Ok(Origin { file, path })
    }

    /// Removes the file when the answers are complete.
    pub(super) fn remove(self) -> io::Result<()> {
        std::fs::remove_file(self.path)
    }
}

impl Write for Origin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
