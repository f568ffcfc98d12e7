//! The commands of `docs/capabilities.md` run as they are there.

use crate::quaff_program::quaff;
use crate::repository;
use rayon::prelude::*;

/// The words of a command, as a shell has them: apostrophes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (number, part) in command.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.into()),
        }
    }
    words
}

#[test]
fn every_command_of_the_table_runs() {
    let page = std::fs::read_to_string(repository("docs/capabilities.md")).expect("the page");
    let cells = page.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(2));
    let commands: Vec<&str> = cells.filter_map(|cell| cell.trim().strip_prefix("`quaff ")?.strip_suffix('`')).collect();
    assert!(commands.len() >= 40, "{}", commands.len());
    commands.par_iter().for_each(|command| {
        let words = words(command);
        let arguments: Vec<String> = words
            .iter()
            .map(|word| match word.strip_prefix("examples/") {
                Some(_) => repository(word).display().to_string(),
                None => word.clone(),
            })
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = quaff(&arguments);
        // what would change has code 1 under --check
        let wanted = i32::from(words[0] == "rewrite");
        assert!(run.code == wanted && !run.stdout.is_empty(), "{command}: code {}\n{}", run.code, run.stderr);
    });
}
