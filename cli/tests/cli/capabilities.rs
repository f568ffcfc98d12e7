//! Runs the commands of `docs/capabilities.md`, and compares their answers with those on the page.

use crate::quaff_program::quaff;
use crate::repository;
use rayon::prelude::*;

/// The words of a command, as a shell splits them. Apostrophes hold words together.
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

/// The cells of a row of a table. In a cell, `\|` is a vertical bar.
fn cells(row: &str) -> Vec<String> {
    const BAR: &str = "\u{1}";
    row.replace("\\|", BAR).trim_matches('|').split('|').map(|cell| cell.trim().replace(BAR, "|")).collect()
}

/// The code in a cell that consists only of code.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn every_command_of_the_tables_runs_and_answers() {
    let page = std::fs::read_to_string(repository("docs/capabilities.md")).expect("the page");
    let rows: Vec<Vec<String>> = page.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    let commands: Vec<(&[String], &str)> =
        rows.iter().filter_map(|row| Some((&row[..], code(&row[1])?.strip_prefix("quaff ")?))).collect();
    assert!(commands.len() >= 140, "{}", commands.len());
    commands.par_iter().for_each(|(row, command)| {
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
        // `--check` gives code 1 if something would change; a command that is wrong on purpose gives a code and a
        // message
        let is_refused = command.contains("/refused/");
        let wanted = i32::from(words[0] == "rewrite" || is_refused);
        let said = if is_refused { &run.stderr } else { &run.stdout };
        assert!(run.code == wanted && !said.is_empty(), "{command}: code {}\n{}", run.code, run.stderr);
        // the rows of a table of identities have answers
        if let [_, _, answer] = row {
            assert_eq!(code(answer), Some(run.stdout.trim()), "{command}");
        }
    });
}

/// Each section has all rows of its front end, and each row occurs once.
#[test]
fn sections_have_their_rows() {
    let page = std::fs::read_to_string(repository("docs/capabilities.md")).expect("the page");
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    for (name, least) in [
        ("Sizes and indices", 31),
        ("Rules for expressions", 42),
        ("From expressions to text", 14),
        ("Index types", 16),
        ("Views", 14),
        ("Schedules and canonical forms", 14),
    ] {
        let section = sections.iter().find(|s| s.starts_with(name)).unwrap_or_else(|| panic!("no section {name}"));
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).collect();
        let rows: Vec<&&str> = rows.iter().filter(|row| row.contains("quaff ") || row.contains("| - |")).collect();
        assert!(rows.len() >= least, "{name}: {}", rows.len());
    }
    let mut names: Vec<String> =
        page.lines().filter(|line| line.starts_with("| ")).map(|row| cells(row).remove(0)).collect();
    names.retain(|name| name != "capability" && name != "identity");
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
