//! The help of the program: its commands under headings.

use clap::Command;

/// The headings, and the commands under each heading.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Expressions", &["simplify", "batch", "verify", "explain", "egraph", "ask", "canonical"]),
    ("Kernels", &["rewrite", "kernel", "access", "types"]),
    ("Layouts and memory", &["view", "layout", "dims", "banks", "coalesce"]),
    ("Rules and experiments", &["rules", "bench"]),
    ("Tools", &["explore", "completions", "man"]),
];
/// The columns of a name, and of a whole line.
const NAMES: usize = 12;
const WIDTH: usize = 100;

/// `program`, with its commands under headings instead of in one list.
pub(crate) fn grouped(program: Command) -> Command {
    let mut list = String::new();
    for (heading, names) in GROUPS {
        list += &format!("\n{heading}:\n");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let indent = " ".repeat(NAMES + 4);
            let options = textwrap::Options::new(WIDTH).subsequent_indent(&indent);
            list += &textwrap::fill(&format!("  {:<NAMES$}  {about}", command.get_name()), options);
            list.push('\n');
        }
    }
    let template = format!("{{about}}\n\nUsage: {{usage}}\n{list}\nOptions:\n{{options}}{{after-help}}");
    program.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_has_one_heading() {
        let program = crate::program_command();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let all: BTreeSet<&str> =
            program.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(listed.len(), all.len(), "a command has two headings");
    }
}
