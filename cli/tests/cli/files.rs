//! Tests of the files that commands write. A file is complete or absent, and never replaces an input.

use crate::quaff_program::{Run, Talk, quaff, quaff_with, shell};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const OLD: &str = "what was there\n";

/// Lines of input. Every third line has no answer.
fn input(count: usize) -> String {
    let line = |n: usize| match n % 3 {
        0 => format!("{{\"id\": {n}, \"expr\": \"x\"}}\n"),
        _ => format!("{{\"id\": {n}, \"vars\": {{\"x\": [0, 9]}}, \"expr\": \"(x*{n} + {n} - 1)//{n}\"}}\n"),
    };
    (1..=count).map(line).collect()
}

struct Work(TempDir);

impl Work {
    fn new() -> Work {
        let work = Work(tempfile::tempdir().expect("a folder"));
        fs::write(work.path("in"), input(9)).expect("writable");
        work
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Replaces each `@` at the start of an argument by the folder.
    fn args(&self, args: &[&str]) -> Vec<String> {
        args.iter().map(|a| a.strip_prefix('@').map_or(a.to_string(), |n| self.path(n).display().to_string())).collect()
    }

    fn quaff(&self, args: &[&str]) -> Run {
        quaff(&self.args(args).iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn talk(&self, args: &[&str]) -> Talk {
        Talk::start(&self.args(args).iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The names of all files in the folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("readable");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

/// The answers in the output `text`, without the parts that differ between runs.
fn steady(text: &str) -> Vec<Value> {
    let line = |l: &str| {
        let mut v: Value = serde_json::from_str(l).expect(l);
        v.as_object_mut().expect("an object").remove("us");
        v
    };
    text.lines().map(line).collect()
}

#[test]
fn input_and_output_are_never_one_file() {
    let work = Work::new();
    symlink("in", work.path("link")).expect("a link");
    fs::hard_link(work.path("in"), work.path("hard")).expect("a link");
    fs::create_dir(work.path("sub")).expect("a folder");
    for output in ["@in", "@link", "@hard", "@sub/../in"] {
        for from in ["@in", "@link"] {
            let out = work.quaff(&["batch", from, "-o", output]);
            assert_eq!((out.code, out.stdout.as_str()), (64, ""), "{from} {output}: {}", out.stderr);
            assert!(out.stderr.contains("is both input and output"), "{}", out.stderr);
            assert_eq!(work.text("in"), input(9));
        }
    }
    let folder = work.0.path().display();
    for line in
        ["quaff batch - -o in < in", "quaff batch in >> in", "quaff batch - < in >> in", "quaff batch in 1<> in"]
    {
        let out = shell(&format!("cd {folder} && {line}"));
        assert_eq!(out.code, 64, "{line}: {}", out.stderr);
        assert_eq!(work.text("in"), input(9), "{line}");
    }
    assert_eq!(work.names(), ["hard", "in", "link", "sub"], "nothing else is left");
    // devices and pipes are no regular files
    let out = shell(&format!("cd {folder} && cat in | quaff batch - | wc -l; quaff batch /dev/null -o /dev/null"));
    assert_eq!((out.code, out.stdout.trim()), (0, "9"));
}

#[test]
fn the_file_that_is_replaced_keeps_its_permissions_and_links() {
    let work = Work::new();
    fs::write(work.path("old"), OLD).expect("writable");
    fs::set_permissions(work.path("old"), fs::Permissions::from_mode(0o640)).expect("ours");
    fs::create_dir(work.path("far")).expect("a folder");
    symlink("../old", work.path("far/near")).expect("a link");
    symlink("far/near", work.path("link")).expect("a link");
    symlink("far/new", work.path("dangling")).expect("a link");
    let before = fs::metadata(work.path("old")).expect("there").ino();
    assert_eq!(work.quaff(&["batch", "@in", "-o", "@link"]).code, 1);
    assert_eq!(work.text("old").lines().count(), 9);
    let after = fs::metadata(work.path("old")).expect("there");
    assert_eq!(after.mode() & 0o777, 0o640);
    assert_ne!(after.ino(), before, "another file took its place");
    assert!(work.path("link").is_symlink() && work.path("far/near").is_symlink());
    work.quaff(&["batch", "@in", "-o", "@dangling"]);
    assert_eq!(work.text("far/new").lines().count(), 9);
    work.quaff(&["batch", "@in", "-o", "@new"]);
    assert_eq!(work.names(), ["dangling", "far", "in", "link", "new", "old"]);
    // the permissions of a new file follow the umask
    fs::write(work.path("any"), "").expect("writable");
    let mode = |name| fs::metadata(work.path(name)).expect("there").mode();
    assert_eq!(mode("new"), mode("any"));
}

#[test]
fn what_is_no_file_is_written_as_it_comes() {
    let work = Work::new();
    let folder = work.0.path().display();
    let out = shell(&format!("cd {folder} && mkfifo pipe && (quaff batch in -o pipe & cat pipe | wc -l; wait)"));
    assert_eq!((out.code, out.stdout.trim()), (0, "9"), "{}", out.stderr);
    let line = "(echo first; quaff batch in -o /dev/stdout; echo last) > all; quaff batch in -o /dev/stdout | wc -l";
    let out = shell(&format!("cd {folder} && {line}"));
    assert_eq!(out.stdout.trim(), "9");
    let all = work.text("all");
    assert_eq!((all.lines().next(), all.lines().last(), all.lines().count()), (Some("first"), Some("last"), 11));
    assert_eq!(work.names(), ["all", "in", "pipe"]);
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_done() {
    let work = Work::new();
    symlink("round", work.path("round")).expect("a link");
    fs::create_dir_all(work.path("out.part/x")).expect("a folder");
    for (output, said) in
        [("@none/out", "none/out"), ("@", "directory"), ("@round", "links"), ("@out", "out.part, which becomes")]
    {
        let out = work.quaff(&["batch", "@in", "-o", output]);
        assert_eq!(out.code, 74, "{output}: {}", out.stderr);
        assert!(out.stderr.contains(said), "{output}: {}", out.stderr);
    }
    assert_eq!(work.names(), ["in", "out.part", "round"]);
}

/// A batch that is stopped by a signal does not change the old output file. It leaves a partial file, which a later run
/// continues.
#[test]
fn a_batch_that_is_stopped_leaves_the_old_file_and_goes_on() {
    let all = input(300);
    for (signal, more) in [("INT", &[][..]), ("TERM", &["--verify"]), ("KILL", &["-j", "1"])] {
        let work = Work::new();
        fs::write(work.path("out"), OLD).expect("writable");
        fs::write(work.path("all"), &all).expect("writable");
        let begin = [&["batch", "-", "-o", "@out"][..], more].concat();
        let mut talk = work.talk(&begin);
        let half: usize = all.lines().take(100).map(|l| l.len() + 1).sum();
        talk.send(&all.as_bytes()[..half + 5]);
        while fs::read_to_string(work.path("out.part")).map_or(0, |t| t.matches('\n').count()) < 100 {
            std::thread::yield_now();
        }
        assert!(talk.end_by(signal), "{signal}");
        assert_eq!(work.text("out"), OLD, "{signal}");
        // the partial file gets an incomplete last line, as after a crash
        let part = work.text("out.part");
        fs::write(work.path("out.part"), format!("{part}{{\"id\":101,\"ok")).expect("writable");

        let again = [&["batch", "@all", "-o", "@out"][..], more].concat();
        let refused = work.quaff(&again);
        assert_eq!(refused.code, 1, "without --resume nothing is lost");
        assert!(refused.stderr.contains("--resume"), "{}", refused.stderr);
        assert_eq!(work.names(), ["all", "in", "out", "out.part", "out.part.from"], "{signal}");
        let resumed = work.quaff(&[&again[..], &["--resume"]].concat());
        let fresh = work.quaff(&[&["batch", "@all"][..], more].concat());
        assert_eq!((resumed.code, fresh.code), (1, 1), "{}", resumed.stderr);
        assert_eq!(steady(&work.text("out")), steady(&fresh.stdout), "{signal}");
        assert!(work.text("out").starts_with(&part), "what was answered is kept");
        assert!(resumed.stderr.contains("100 of 300 lines have no answer"), "{}", resumed.stderr);
        assert_eq!(work.names(), ["all", "in", "out"]);
        if more == ["--verify"] {
            assert!(resumed.stderr.contains("verified: 67 equal in an earlier run, 133 equal"), "{}", resumed.stderr);
        }
    }
}

#[test]
fn a_batch_that_is_stopped_by_ctrl_c_says_how_it_goes_on() {
    let work = Work::new();
    let said = fs::File::create(work.path("said")).expect("writable");
    let args = work.args(&["batch", "-", "-o", "@out"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut talk = Talk::with_messages(&args, said.into());
    talk.send(work.text("in").as_bytes());
    while fs::read_to_string(work.path("out.part")).map_or(0, |t| t.matches('\n').count()) < 9 {
        std::thread::yield_now();
    }
    assert!(talk.end_by("INT"));
    assert_eq!(work.text("said"), "quaff: stopped after 9 lines; `--resume` continues\n");
    let done = work.quaff(&["batch", "@in", "-o", "@out", "--resume"]);
    assert!(done.stderr.starts_with("6 answers, 3 lines without one, instructions "), "{}", done.stderr);
}

impl Work {
    /// Answers `lines` with the options `more`, and stops before the end. This leaves `out.part` and `out.part.from`.
    fn stopped(&self, lines: &str, more: &[&str]) {
        let mut talk = self.talk(&[&["batch", "-", "-o", "@out"][..], more].concat());
        talk.send(lines.as_bytes());
        let answered = |name| fs::read_to_string(self.path(name)).map_or(0, |t| t.matches('\n').count());
        while answered("out.part") < lines.lines().count() {
            std::thread::yield_now();
        }
        assert!(talk.end_by("KILL"));
    }

    /// Resumes with the options `more`. Returns the exit code, and the message without line breaks.
    fn resumed(&self, more: &[&str]) -> (i32, String) {
        let out = self.quaff(&[&["batch", "@in", "-o", "@out", "--resume"][..], more].concat());
        let words = out.stderr.split_whitespace().filter(|w| *w != "|");
        (out.code, words.collect::<Vec<_>>().join(" "))
    }
}

#[test]
fn resuming_begins_where_nothing_is_left_and_refuses_what_does_not_fit() {
    let work = Work::new();
    assert_eq!(work.quaff(&["batch", "@in", "-o", "@out", "--resume"]).code, 1);
    let answers = work.text("out");
    assert_eq!(answers.lines().count(), 9);
    assert_eq!(work.names(), ["in", "out"]);
    work.stopped(&input(9), &[]);
    let from = work.text("out.part.from");
    let line = |n: usize| format!("{}\n", answers.lines().nth(n).expect("a line"));
    let cases = [
        (line(1), "its line 1 answers 2, line 1 of the input is 1"),
        (format!("{}{answers}", line(0)), "its line 2 answers 1, line 2 of the input is 2"),
        ("my own file\n".into(), "its line 1 is no answer"),
        ("{\"id\": 1}\n".into(), "its line 1 is no answer"),
    ];
    for (part, why) in cases {
        fs::write(work.path("out.part"), &part).expect("writable");
        let (code, said) = work.resumed(&[]);
        assert_eq!(code, 1, "{why}");
        assert!(said.contains(why), "{why}: {said}");
        let left = (work.text("out.part"), work.text("out.part.from"), work.text("out"));
        assert_eq!(left, (part, from.clone(), answers.clone()), "{why}");
    }
    let nowhere = work.quaff(&["batch", "@in", "--resume"]);
    assert!(nowhere.code == 64 && nowhere.stderr.contains("-o FILE"), "{}", nowhere.stderr);
    // neither `out.part` nor `out.part.from` can be the input
    for name in ["@out.part", "@out.part.from"] {
        assert_eq!(work.quaff(&["batch", name, "-o", "@out", "--resume"]).code, 64, "{name}");
    }
    assert_eq!(work.text("out.part.from"), from);
    // an empty `out.part` may be overwritten
    fs::write(work.path("out.part"), "").expect("writable");
    assert_eq!(work.quaff(&["batch", "@in", "-o", "@out"]).code, 1);
    assert_eq!(work.names(), ["in", "out"]);
}

/// When a run continues, ids are compared as text, so they may also be numbers that exceed all number types.
#[test]
fn ids_are_compared_as_they_are_written() {
    let work = Work::new();
    let lines: String = ["1e400", "123456789012345678901234567890", "1.0"]
        .map(|id| format!("{{\"id\": {id}, \"vars\": {{}}, \"expr\": \"7\"}}\n"))
        .concat();
    fs::write(work.path("in"), &lines).expect("writable");
    work.stopped(&lines, &[]);
    assert_eq!(work.resumed(&[]).0, 0);
    work.stopped(&lines, &[]);
    fs::write(work.path("in"), lines.replace("1.0", "1.00")).expect("writable");
    let (code, said) = work.resumed(&[]);
    assert_eq!(code, 1);
    assert!(said.contains("its line 3 answers 1.0, line 3 of the input is 1.00"), "{said}");
}

/// A partial file is not continued with another input, program or rule set, although the ids of the answers are the
/// same.
#[test]
fn a_part_is_resumed_only_with_what_it_was_made_from() {
    let rules = "(rule mine \"a multiple of 7\" (match (// (* 7 ?x) 7)) (yield ?x))\n";
    let cases: [(&[&str], &[&str], &str); 7] = [
        (&[], &["--target", "plain"], "it is of a run with --target sm_90, and not plain"),
        (&[], &["--work", "7"], "it is of a run with --work 200000, and not 7"),
        (&[], &["--verify"], "it is of a run with --verify off, and not on"),
        (&["--verify"], &[], "it is of a run with --verify on, and not off"),
        (&["--verify"], &["--verify", "--max-points", "9"], "it is of a run with --max-points 16777216, and not 9"),
        (&[], &["--add-rules", "@rules", "--trust-rules"], "it is of a run with another rule set"),
        (&["--add-rules", "@rules", "--trust-rules"], &["--trust-rules"], "it is of a run with another rule set"),
    ];
    for (first, then, why) in cases {
        let work = Work::new();
        fs::create_dir(work.path("rules")).expect("a folder");
        fs::write(work.path("rules/mine.rules"), rules).expect("writable");
        work.stopped(&input(3), first);
        let left = (work.text("out.part"), work.text("out.part.from"));
        let (code, said) = work.resumed(then);
        assert!(code == 1 && said.contains(why), "{why}: {said}");
        assert_eq!((work.text("out.part"), work.text("out.part.from")), left, "{why}");
        let (code, said) = work.resumed(first);
        assert_eq!((code, work.text("out").lines().count()), (1, 9), "{said}");
        assert_eq!(work.names(), ["in", "out", "rules"]);
    }
}

#[test]
fn a_part_is_resumed_only_with_its_lines() {
    let work = Work::new();
    work.stopped(&input(9), &[]);
    let (part, from) = (work.text("out.part"), work.text("out.part.from"));
    let again = |lines: &str| {
        fs::write(work.path("in"), lines).expect("writable");
        work.resumed(&[])
    };
    let (code, said) = again(&input(9).replacen("(x*2 + 2 - 1)//2", "x*5 + 100", 1));
    assert!(code == 1 && said.contains("its line 2 answers another text than line 2 of the input"), "{said}");
    let (code, said) = again(&input(8));
    assert!(code == 1 && said.contains("more answers than"), "{said}");
    assert_eq!((work.text("out.part"), work.text("out.part.from")), (part.clone(), from.clone()));
    fs::remove_file(work.path("out.part.from")).expect("there");
    let (code, said) = again(&input(9));
    assert!(code == 1 && said.contains("out.part.from, which says what it was made from, is missing"), "{said}");
    fs::write(work.path("out.part.from"), "nothing\n").expect("writable");
    let (code, said) = again(&input(9));
    assert!(code == 1 && said.contains("does not say what it was made from"), "{said}");
    assert_eq!(work.text("out.part"), part);
    // input lines that the partial file does not cover may differ
    fs::write(work.path("out.part.from"), &from).expect("writable");
    let (code, said) = again(&input(12));
    assert_eq!((code, work.text("out").lines().count()), (1, 12), "{said}");
    assert!(work.text("out").starts_with(&part));
}

/// After a crash, `out.part` or `out.part.from` may have lost its end. The lost lines are answered again.
#[test]
fn torn_ends_are_answered_again() {
    let work = Work::new();
    work.stopped(&input(9), &[]);
    let (part, from) = (work.text("out.part"), work.text("out.part.from"));
    let fresh = work.quaff(&["batch", "@in"]).stdout;
    let start = from.find('\n').expect("a line") + 1;
    for (part_end, from_end) in
        [(0, 0), (30, 5), (part.len(), 0), (part.len(), 40), (part.len() - 2, 60), (200, 153), (0, 9)]
    {
        fs::write(work.path("out.part"), &part[..part_end]).expect("writable");
        fs::write(work.path("out.part.from"), &from[..start + from_end]).expect("writable");
        let (code, said) = work.resumed(&[]);
        assert_eq!(code, 1, "{part_end} {from_end}: {said}");
        assert_eq!(steady(&work.text("out")), steady(&fresh), "{part_end} {from_end}");
        assert_eq!(work.names(), ["in", "out"]);
    }
}

#[test]
fn reports_do_not_replace_corpora() {
    let work = Work::new();
    fs::create_dir(work.path("corpora")).expect("a folder");
    fs::write(work.path("corpora/results.jsonl"), input(2)).expect("writable");
    for args in [
        &["rules", "ablate", "@corpora/results.jsonl", "-o", "@corpora", "--without", "or-disjoint"][..],
        &["rules", "ablate", "@corpora", "-o", "@corpora/.", "--without", "or-disjoint"],
    ] {
        let out = work.quaff(args);
        assert_eq!(out.code, 64, "{}", out.stderr);
        assert!(out.stderr.contains("is both"), "{}", out.stderr);
        assert_eq!(work.text("corpora/results.jsonl"), input(2));
    }
    let corpus = work.path("corpora/results.jsonl");
    let out =
        quaff_with(&["rules", "ablate", path(&corpus), "-o", path(&work.path("out")), "--without", "or-disjoint"], b"");
    assert_eq!(out.code, 0, "{}", out.stderr);
    // a file is replaced completely, and links and permissions are kept
    fs::rename(work.path("out/report.json"), work.path("report")).expect("there");
    fs::set_permissions(work.path("report"), fs::Permissions::from_mode(0o600)).expect("ours");
    symlink("../report", work.path("out/report.json")).expect("a link");
    let report = work.text("report");
    fs::write(work.path("report"), OLD).expect("writable");
    work.quaff(&["rules", "ablate", "@corpora/results.jsonl", "-o", "@out", "--without", "or-disjoint"]);
    assert_eq!(work.text("report"), report);
    assert_eq!(fs::metadata(work.path("report")).expect("there").mode() & 0o777, 0o600);
    let mut left: Vec<_> =
        fs::read_dir(work.path("out")).expect("there").map(|e| e.expect("an entry").file_name()).collect();
    left.sort();
    assert_eq!(left, ["changed.csv", "report.html", "report.json", "results.jsonl", "rounds.csv", "summary.csv"]);
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
