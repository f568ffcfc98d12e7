//! Tests of the whole program: its help, completions, manual pages, and warnings about misspelt names.

use crate::quaff_program::quaff;

#[test]
fn without_a_command_there_is_help() {
    let (bare, help) = (quaff(&[]), quaff(&["--help"]));
    assert_eq!((bare.code, bare.stderr.as_str()), (0, ""));
    assert_eq!(bare.stdout, help.stdout);
    for heading in ["Expressions:\n  simplify ", "Kernels:\n  rewrite ", "Layouts and memory:\n", "Options:\n"] {
        assert!(help.stdout.contains(heading), "{heading}: {}", help.stdout);
    }
    assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{}", help.stdout);
    let version = quaff(&["version"]);
    assert_eq!((version.code, version.stdout), (0, quaff(&["--version"]).stdout));
}

#[test]
fn shells_complete_the_commands() {
    for (shell, text) in [
        ("bash", "complete -F _quaff"),
        ("zsh", "#compdef quaff"),
        ("fish", "complete -c quaff"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let out = quaff(&["completions", shell]);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{shell}");
        assert!(out.stdout.contains(text) && out.stdout.contains("coalesce"), "{shell}");
    }
    assert_eq!(quaff(&["completions", "cmd"]).code, 64);
}

#[test]
fn commands_have_manual_pages() {
    for (words, title) in [
        (&["man"][..], ".TH quaff 1"),
        (&["man", "simplify"], ".TH quaff-simplify 1"),
        (&["man", "rules", "ablate"], ".TH quaff-rules-ablate 1"),
    ] {
        let out = quaff(words);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{words:?}");
        assert!(out.stdout.contains(title) && out.stdout.contains(".SH SYNOPSIS"), "{words:?}: {}", out.stdout);
    }
    let out = quaff(&["man", "simplfy"]);
    assert!(out.code == 64 && out.stderr.contains("did you mean `simplify`?"), "{}", out.stderr);
}

#[test]
fn slips_of_declarations_are_warned_of() {
    let out = quaff(&["simplify", "x*2//2", "--var", "x=0..3", "--var", "y=0..3"]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "x\n"));
    assert_eq!(out.stderr, "quaff: warning: no expression uses `y`\n");
    let out = quaff(&["explain", "x*2//2", "--var", "x=0..3", "--var", "x=1..9"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, "quaff: warning: `x` has several ranges, and all of them hold\n"));
    // a size that occurs in a range, in a condition or in a loop counts as used
    let used = ["simplify", "x*2//2", "--var", "n=1..9", "--var", "x=0..n-1", "--var", "c=0..1", "--assume", "c < x"];
    assert_eq!(quaff(&used).stderr, "");
    let dotted = ["simplify", "--from", "cuda", "threadIdx.x * 2 / 2", "--var", "threadIdx.x=0..31"];
    assert_eq!(quaff(&dotted).stderr, "");
}

#[test]
fn a_machine_without_prices_has_those_of_the_nearest() {
    let of = |target| quaff(&["simplify", "x//7", "--var", "x=0..99", "--emit", "cuda", "--target", target]);
    for (near, name) in [("sm_80", "sm_89"), ("sm_80", "sm_70"), ("sm_90", "sm_90a"), ("sm_100", "sm_120")] {
        let out = of(name);
        assert_eq!(out.stdout, of(near).stdout, "{name}");
        assert_eq!(
            out.stderr,
            format!("quaff: warning: there are no prices of {name}, and those of {near} are used\n")
        );
    }
    for name in ["sm_20", "gfx90a", "sm_", "sm_9x"] {
        assert_eq!(of(name).code, 64, "{name}");
    }
}

#[test]
fn an_option_of_another_command_is_named_with_its_command() {
    let out = quaff(&["access", "i", "--var", "i=0..3", "--function", "f"]);
    assert!(out.code == 64 && out.stderr.contains("`quaff simplify` has the option --function"), "{}", out.stderr);
    let out = quaff(&["access", "i", "--var", "i=0..3", "--nothing-like-it"]);
    assert!(out.code == 64 && out.stderr.contains("needs parentheses"), "{}", out.stderr);
}

#[test]
fn a_missing_folder_of_rules_is_a_file_that_cannot_be_read() {
    for words in
        [["rules", "list", "--rules", "no/such/folder"].as_slice(), &["simplify", "i", "--add-rules", "no/such/folder"]]
    {
        let out = quaff(words);
        assert!(out.code == 74 && out.stderr.contains("no/such/folder: "), "{words:?}: {}", out.stderr);
    }
}

#[test]
fn a_condition_is_no_assignment() {
    for dialect in ["c", "python", "infix"] {
        let out = quaff(&["simplify", "y", "--var", "y=0..9", "--from", dialect, "--assume", "y = 3"]);
        assert!(out.code == 1 && out.stderr.contains("`==` compares"), "{dialect}: {}", out.stderr);
        let out = quaff(&["simplify", "y", "--var", "y=0..9", "--from", dialect, "--assume", "y == 3"]);
        assert_eq!((out.code, out.stdout.as_str()), (0, "3\n"), "{dialect}: {}", out.stderr);
    }
}

#[test]
fn a_run_has_a_limit_of_threads() {
    let out = quaff(&["batch", "-", "-j", "100000"]);
    assert!(out.code == 64 && out.stderr.contains("0..=1024"), "{}", out.stderr);
}
