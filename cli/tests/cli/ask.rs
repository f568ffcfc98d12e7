//! Tests of `quaff ask`: texts, JSON, and questions without an answer.

use crate::quaff_program::quaff;

const EMPTY: [&str; 4] = ["--var", "x=0..9", "--assume", "x > 20"];

#[test]
fn a_domain_without_points_is_an_answer_where_that_is_wanted() {
    for (question, wanted) in [
        (&["bounds", "x + 1"][..], "empty\n"),
        (&["congruence", "x*4"], "empty\n"),
        (&["prove", "x > 3"], "always (no point)\n"),
        (&["equal", "x", "x + 1"], "always (no point)\n"),
        (&["lanes", "x", "--lane", "x"], "empty\n"),
        (&["parts", "x", "--part", "x"], "empty\n"),
        (&["strides", "x", "--axis", "x"], "empty\n"),
        (&["map", "x", "--input", "x", "--onto", "10"], "empty\n"),
        (&["iters", "x//2", "--input", "x"], "empty\n"),
        (&["iters", "x//2", "--input", "x", "--inner", "x"], "empty\n"),
        (&["image", "x*2"], "empty\n"),
        (&["ranges", "x"], "empty\n"),
        (&["ranges", "x", "--rescale", "x*2"], "empty\n"),
        (&["disjoint", "x", "x + 30", "--input", "x"], "empty\n"),
        (&["when", "x > 3", "--size", "x"], "empty\n"),
    ] {
        let ask = |more: &[&str]| quaff(&[&["ask"], question, &EMPTY, more].concat());
        let refused = ask(&[]);
        assert_eq!(refused.code, 1, "{question:?}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains("no point"), "{question:?}: {}", refused.stderr);
        assert_eq!(ask(&["--empty-ok"]).stdout, wanted, "{question:?}");
        let json = ask(&["--empty-ok", "--json"]).stdout;
        assert!(json.contains("\"empty\": true"), "{question:?}: {json}");
        // if the domain has points, the option has no effect
        let [with, without] =
            [&["--empty-ok"][..], &[]].map(|more| quaff(&[&["ask"], question, &EMPTY[..2], more].concat()));
        assert_eq!(with.stdout, without.stdout, "{question:?}");
    }
}

#[test]
fn simplify_answers_0_where_there_is_no_point() {
    let simplify = |more: &[&str]| quaff(&[&["simplify", "x//3", "x*2"], &EMPTY[..], more].concat());
    assert_eq!(simplify(&[]).code, 1);
    assert_eq!(simplify(&["--empty-ok"]).stdout, "0\n0\n");
    assert_eq!(simplify(&["--empty-ok", "--verify", "--emit", "cuda"]).code, 0);
    assert_eq!(quaff(&["simplify", "x%4", "--var", "x=0..3", "--empty-ok"]).stdout, "x\n");
}

#[test]
fn what_the_host_tests_has_a_text_in_each_language() {
    let when = |more: &[&str]| {
        let question = [
            "ask",
            "when",
            "row*ld + t",
            "--vector",
            "4",
            "--lane",
            "t",
            "--mask",
            "t < n",
            "--size",
            "ld",
            "--size",
            "n",
        ];
        let known = ["--var", "row=0..9", "--var", "t=0..31", "--var", "ld=1..64", "--var", "n=1..40"];
        quaff(&[&question[..], &known, more].concat())
    };
    assert_eq!(when(&[]).stdout, "ld%4 == 0 and n%4 == 0\n");
    for (language, wanted) in [
        ("c", "ld % 4 == 0 && n % 4 == 0\n"),
        ("cuda", "ld % 4 == 0 && n % 4 == 0\n"),
        ("python", "ld%4 == 0 and n%4 == 0\n"),
        ("infix", "ld%4 == 0 and n%4 == 0\n"),
    ] {
        assert_eq!(when(&["--emit", language]).stdout, wanted, "{language}");
    }
    let refused = when(&["--emit", "mlir"]);
    assert!(refused.code == 1 && refused.stderr.contains("the test of the host"), "{}", refused.stderr);
    let json = when(&["--emit", "c", "--json"]).stdout;
    assert!(json.contains("\"test\": \"ld % 4 == 0 && n % 4 == 0\""), "{json}");
    assert!(!when(&["--json"]).stdout.contains("test"));
}

#[test]
fn questions_about_sizes_exclude_one_another() {
    let sizes = ["--size", "n", "--var", "t=0..31", "--var", "n=1..64"];
    let ask = |more: &[&str]| quaff(&[&["ask", "when", "t"][..], more, &sizes].concat());
    assert_eq!(ask(&["--disjoint", "t + n", "--input", "t"]).stdout, "32 <= n (necessary)\n");
    let two = ["ask", "when", "(r*ld + s*k)%8 == 0", "--size", "ld,s"];
    let known = ["--var", "r=0..9", "--var", "k=0..9", "--var", "ld=1..16", "--var", "s=1..16"];
    assert_eq!(quaff(&[&two[..], &known].concat()).stdout, "ld%8 == 0 and s%8 == 0 (necessary)\n");
    for wrong in [
        &["--fits-32", "--vector", "4", "--lane", "t"][..],
        &["--vector", "4"],
        &["--lane", "t"],
        &["--disjoint", "t + n"],
        &["--disjoint", "t", "--input", "t", "--vector", "4", "--lane", "t"],
    ] {
        assert_eq!(ask(wrong).code, 64, "{wrong:?}");
    }
    let width = ask(&["--vector", "5", "--lane", "t"]);
    assert!(width.stderr.contains("do not come apart") && width.stderr.contains("--vector 2"), "{}", width.stderr);
    let twice = ask(&["--disjoint", "n", "--input", "n"]);
    assert!(twice.stderr.contains("given twice"), "{}", twice.stderr);
}

#[test]
fn ranges_leave_out_what_conditions_exclude() {
    let known = ["--var", "s=-99..99", "--var", "t=0..", "--assume", "s//-3 >= -11", "--assume", "s//-3 <= -5"];
    let ask = |more: &[&str]| quaff(&[&["ask", "ranges"], more, &known].concat());
    assert_eq!(ask(&["s,t"]).stdout, "s: 13..33\nt: within 0..\n");
    let rescaled = ["s", "--rescale", "s//4*8 + t", "--assume", "s%4 == 3"];
    let wanted =
        "s: 15..31, 3 mod 4\ns = s_k*4 + 15\ns_k = (s - 15)//4\nindex: 24 + s_k*8 + t\ndomain: s_k=0..4, t=0..\n";
    assert_eq!(ask(&rescaled).stdout, wanted);
    let json = ask(&[&rescaled[..], &["--json"]].concat()).stdout;
    for part in ["\"modulus\": 4", "\"counter\": \"s_k\"", "\"index\": \"24 + s_k*8 + t\""] {
        assert!(json.contains(part), "{json}");
    }
    assert!(!ask(&["s", "--json"]).stdout.contains("rescaled"));
    let twice = ask(&["s,s"]);
    assert!(twice.code == 1 && twice.stderr.contains("`s` is given twice"), "{}", twice.stderr);
    assert_eq!(ask(&["u"]).code, 1);
}
