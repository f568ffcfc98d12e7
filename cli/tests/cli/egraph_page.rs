//! `quaff egraph --html`, run as a program: the page says what the text for Graphviz says, and needs nothing else.

use crate::quaff_program::quaff;
use serde_json::Value;

const CASES: [&[&str]; 4] = [
    &["(t*12 + c)//96*128 + (t*12 + c)%96", "--var", "t=0..8191", "--var", "c=0..11"],
    &["where(i < 3, (i*4 + j)//12, i//8)", "--var", "i=0..7", "--var", "j=0..3"],
    &["min(x, y)*z & 12 | (x*8)", "--var", "x=0..9", "--var", "y=0..9", "--var", "z=-3..3"],
    &["7", "--var", "x=0..9"],
];

fn page(case: &[&str]) -> String {
    let out = quaff(&[&["egraph"], case, &["--html"]].concat());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{case:?}");
    out.stdout
}

fn data(html: &str) -> Value {
    let data = html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn the_page_has_what_graphviz_is_given() {
    for case in CASES {
        let html = page(case);
        let dot = quaff(&[&["egraph"], case, &["--dot"]].concat()).stdout;
        let data = data(&html);
        let classes = data["classes"].as_array().expect("classes");
        assert_eq!(classes.len(), dot.matches("subgraph cluster_").count());
        let members = || classes.iter().flat_map(|c| c["members"].as_array().expect("members"));
        assert_eq!(members().filter(|m| m["chosen"] == true).count(), dot.matches("style=bold").count());
        let mut boxes = 0;
        for (i, class) in classes.iter().enumerate() {
            assert!(dot.contains(&format!("label=\"e{i}: {}\";", class["value"].as_str().expect("text"))), "{class}");
            assert!(!class["facts"].as_array().expect("facts").is_empty());
            boxes += html.matches(&format!("data-class=\"{i}\"")).count();
        }
        assert_eq!(boxes, classes.len(), "each class is drawn once");
        for m in members() {
            let operands = m["operands"].as_array().expect("operands");
            for (place, o) in operands.iter().enumerate() {
                assert!(o.as_u64().expect("a number") < classes.len() as u64);
                assert_eq!(m["text"].as_str().expect("text").matches(&format!("{{{place}}}")).count(), 1, "{m}");
            }
        }
        let root = data["roots"][0].as_u64().expect("a root") as usize;
        let answer = quaff(&[&["simplify"], case].concat()).stdout;
        if classes.len() < 4 {
            assert_eq!(classes[root]["written"], answer.trim_end());
        }
        assert_eq!(page(case), html, "the same on every run");
    }
}

#[test]
fn the_page_needs_no_other_file() {
    for case in CASES {
        let html = page(case);
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
        assert!(html.contains("<head>") && html.contains("</style>\n</head>\n<body>"), "{html}");
        for outside in ["http", "src=", "<link", "@import", "url(", "fetch("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert_eq!(html.matches("</script>").count(), 2);
    }
}

#[test]
fn large_graphs_are_listed_and_not_drawn() {
    let sum: Vec<String> = (2..60).map(|n| format!("(x + {n})//{n}*y{n}")).collect();
    let vars = (2..60).flat_map(|n| ["--var".to_string(), format!("y{n}=0..9")]);
    let args: Vec<String> =
        ["egraph".to_string(), sum.join(" + "), "--html".into(), "--var".into(), "x=0..99999".into()]
            .into_iter()
            .chain(vars)
            .collect();
    let out = quaff(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(out.code, 0, "{}", out.stderr);
    let classes = data(&out.stdout)["classes"].as_array().expect("classes").len();
    assert_eq!(out.stdout.contains("<svg"), classes <= 400, "{classes} classes");
}

#[test]
fn one_picture_at_a_time() {
    for pair in [["--dot", "--html"], ["--svg", "--html"]] {
        assert_eq!(quaff(&["egraph", "7", pair[0], pair[1]]).code, 64, "{pair:?}");
    }
    let out = quaff(&["egraph", "x//y", "--var", "x=0..9", "--var", "y=0..1", "--html"]);
    assert!(out.code == 1 && out.stderr.contains("can be 0"), "{}", out.stderr);
}

/// Also an answer that is found under conditions, after the first search.
#[test]
fn what_is_marked_is_the_answer() {
    for (text, names) in [
        ("where(x < 8, x%8, 3)", &["x"][..]),
        ("where(x < 8, x//8 + y, y*2)", &["x", "y"]),
        ("where(x < 4, where(y < 8, (x*8 + y)//32 + z, x), where(x >= 3, x//4*4, z))", &["x", "y", "z"]),
    ] {
        let vars: Vec<String> = names.iter().flat_map(|n| ["--var".into(), format!("{n}=0..99")]).collect();
        let case: Vec<&str> = std::iter::once(text).chain(vars.iter().map(String::as_str)).collect();
        let data = data(&page(&case));
        let class = |i: &Value| &data["classes"][i.as_u64().expect("a number") as usize];
        let answer = quaff(&[&["simplify"], &case[..]].concat()).stdout;
        assert_eq!(class(&data["roots"][0])["written"], answer.trim_end());
        // what the conditions have removed is not marked
        let members = data["classes"].as_array().expect("classes").iter();
        let members = members.flat_map(|c| c["members"].as_array().expect("members"));
        for marked in members.filter(|m| m["chosen"] == true) {
            let text = marked["text"].as_str().expect("text");
            assert!(!["//", "%"].iter().any(|op| text.contains(op) && !answer.contains(op)), "{answer}: {marked}");
        }
    }
}
