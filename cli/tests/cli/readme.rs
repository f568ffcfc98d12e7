//! Runs the commands of the README and of the pages of `docs/`, and compares their output with the text of the page.
//! `BLESS=1 cargo test --test cli readme::` rewrites the pages.

use crate::quaff_program;
use crate::repository;

/// The commands in ```console blocks, with the output that is shown below them.
fn commands(readme: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push((command.into(), String::new()));
            continued = command.ends_with('\\');
        } else if let Some((command, output)) = found.last_mut().filter(|_| inside) {
            if continued {
                command.push('\n');
                command.push_str(line);
                continued = line.ends_with('\\');
            } else {
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    found
}

/// `text` without parts that differ between runs: times, and spaces at line ends.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_once("\"us\":") {
        Some((before, after)) => {
            format!("{before}US{}\n", after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
        }
        None => format!("{}\n", line.trim_end()),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    shows_what_its_commands_print("README.md", 1);
}

#[test]
fn the_tour_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/tour.md", 20);
}

#[test]
fn the_page_on_concepts_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/concepts.md", 6);
}

#[test]
fn the_cookbook_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/cookbook.md", 24);
}

#[test]
fn the_page_on_accesses_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/access.md", 8);
}

#[test]
fn the_page_on_dialects_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/dialects.md", 9);
}

#[test]
fn the_page_on_rewriting_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/rewrite.md", 2);
}

#[test]
fn the_page_on_views_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/views.md", 11);
}

#[test]
fn the_page_on_layouts_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/layouts.md", 10);
}

#[test]
fn the_page_on_index_types_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/index-types.md", 3);
}

#[test]
fn the_page_on_coalescing_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/coalescing.md", 8);
}

#[test]
fn the_page_on_sizes_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/sizes.md", 12);
}

#[test]
fn the_page_on_domains_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/domains.md", 4);
}

#[test]
fn the_page_on_kernels_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/kernels.md", 5);
}

#[test]
fn the_page_on_questions_shows_what_its_commands_print() {
    shows_what_its_commands_print("docs/questions.md", 21);
}

fn shows_what_its_commands_print(page: &str, least: usize) {
    let readme = std::fs::read_to_string(repository(page)).expect("there");
    let is_blessed = std::env::var_os("BLESS").is_some();
    let (mut run, mut blessed, mut at) = (0, readme.clone(), 0);
    for (written, shown) in commands(&readme) {
        // run the program under test instead of the one that the README builds
        let command = written.replace("cargo run --release --bin quaff --", "quaff");
        if command.starts_with("cargo") {
            continue;
        }
        // files that commands write are placed in the folder for test files
        let command = command.replace("--svg ", concat!("--svg ", env!("CARGO_TARGET_TMPDIR"), "/"));
        let command = command.replace(" examples/", &format!(" {}/", repository("examples").display()));
        let out = quaff_program::shell(&format!("{{ {command}\n}} 2>&1"));
        let stdout = out.stdout.replace(&format!("{}/", repository("examples").display()), "examples/");
        if is_blessed && steady(&stdout) != steady(&shown) {
            at += blessed[at..].find(&format!("$ {written}\n")).expect("the command") + written.len() + 3;
            let lines: String = stdout.lines().map(|line| format!("{}\n", line.trim_end())).collect();
            blessed.replace_range(at..at + shown.len(), &lines);
        } else {
            assert_eq!(steady(&stdout), steady(&shown), "{command}");
        }
        run += 1;
    }
    if is_blessed {
        std::fs::write(repository(page), blessed).expect("pages can be written");
    }
    assert!(run >= least, "only {run} commands found");
}
