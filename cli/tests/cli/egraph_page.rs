//! Tests of `quaff egraph --html`: the page has the contents of the text for Graphviz, and loads no other file.

use crate::quaff_program::{quaff, quaff_with};

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

/// A class, as the page shows it.
struct Class {
    value: String,
    written: String,
    facts: usize,
    /// The members: the text of each, whether it is chosen, and the classes that it uses.
    members: Vec<(String, bool, Vec<usize>)>,
}

/// The text of `html` without its tags.
fn plain(html: &str) -> String {
    let mut texts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text: String = texts.by_ref().collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    text.split_once(begin)?.1.split_once(end).map(|(inner, _)| inner)
}

/// The sections about classes, in their order.
fn classes(html: &str) -> Vec<Class> {
    let sections = html.split("<section class=\"about\" id=\"class-").skip(1);
    sections
        .enumerate()
        .map(|(i, text)| {
            let text = text.split_once("</section>").expect("an end").0;
            let head = plain(&format!("<{}", between(text, "<h3", "</h3>").expect("a head")));
            let (number, value) = head.split_once(": ").expect("a value");
            assert_eq!(number, format!("e{i}"));
            let members = between(text, "<ul>", "</ul>").expect("members").split("<li").skip(1).map(|item| {
                let operands = item.split("href=\"#e").skip(1).map(|rest| rest.split_once('"').expect("a number").0);
                let operands = operands.map(|n| n.parse().expect("a number")).collect();
                let code = between(item, "<code>", "</code>").expect("a text");
                (plain(code), item.starts_with(" class=\"chosen\""), operands)
            });
            Class {
                value: value.to_string(),
                written: between(text, "<p><code>", "</code>").map(plain).unwrap_or_default(),
                facts: text.matches("<th scope=\"row\">").count(),
                members: members.collect(),
            }
        })
        .collect()
}

/// The number of the class of the first result.
fn root(html: &str) -> usize {
    let group = between(html, "class=\"class root\" data-class=\"", "\"").expect("a root");
    group.parse().expect("a number")
}

#[test]
fn the_page_has_what_graphviz_is_given() {
    for case in CASES {
        let html = page(case);
        let dot = quaff(&[&["egraph"], case, &["--dot"]].concat()).stdout;
        let classes = classes(&html);
        assert_eq!(classes.len(), dot.matches("subgraph cluster_").count());
        let members = || classes.iter().flat_map(|c| &c.members);
        assert_eq!(members().filter(|m| m.1).count(), dot.matches("style=bold").count());
        let mut boxes = 0;
        for (i, class) in classes.iter().enumerate() {
            assert!(dot.contains(&format!("label=\"e{i}: {}\";", class.value)), "{}", class.value);
            assert!(class.facts > 0);
            boxes += html.matches(&format!("data-class=\"{i}\"")).count();
        }
        assert_eq!(boxes, classes.len(), "each class is drawn once");
        assert!(members().all(|m| m.2.iter().all(|&o| o < classes.len())));
        let answer = quaff(&[&["simplify"], case].concat()).stdout;
        if classes.len() < 4 {
            assert_eq!(classes[root(&html)].written, answer.trim_end());
        }
        assert_eq!(page(case), html, "the same on every run");
    }
}

#[test]
fn the_page_needs_no_other_file() {
    for case in CASES {
        let html = page(case);
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
        assert!(html.contains("<head>") && html.contains("</style>\n</head>\n<body class=\"quaff static\">"), "{html}");
        // the page names the SVG namespace, and its script has a pattern for that name; it loads neither
        let html = html.replace("http://www.w3.org/", "").replace("/^http:", "");
        for outside in ["http", "src=", "<link", "@import", "url(", "fetch("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert_eq!(html.matches("</script>").count(), 1);
    }
}

/// The HTML pages of other commands have the same frame, and load no other file.
#[test]
fn every_page_needs_no_other_file() {
    let kernel = r#"{"vars": {"t": [0, 255]}, "accesses": [{"expr": "t//16*16 + t%16", "buf": "in"}]}"#;
    for (args, shown) in [
        (&["explain", "x//7//8", "--var", "x=0..9999", "--html"][..], "<h3>1. quotient-of-quotient"),
        (&["banks", "t*32", "--lane", "t=0..31", "--html"], "32-way bank conflict"),
        (&["view", "shape(2, 3).pad((1, 0), (0, 0))", "--html"], "url(#masked)"),
        (&["coalesce", "i%64*64 + i//64", "--n", "4096", "--html", "-"], "sectors of the first"),
        (&["kernel", "-", "--html"], "<del>t//16*16 + t%16</del>"),
    ] {
        let out = quaff_with(args, kernel.as_bytes());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{args:?}");
        let html = out.stdout;
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"), "{args:?}");
        assert!(html.contains(shown) && html.contains("<body class=\"quaff static\">"), "{args:?}: {html}");
        let html = html.replace("http://www.w3.org/", "").replace("/^http:", "");
        for outside in ["http", "src=", "<link", "@import", "fetch("] {
            assert!(!html.contains(outside), "{args:?}: {outside}");
        }
    }
    for args in [&["explain", "7", "--html", "--json"][..], &["banks", "t", "--lane", "t=0..31", "--html", "--json"]] {
        assert_eq!(quaff(args).code, 64, "{args:?}");
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
    let classes = classes(&out.stdout).len();
    assert_eq!(out.stdout.contains("<svg xmlns"), classes <= 400, "{classes} classes");
}

#[test]
fn one_picture_at_a_time() {
    for pair in [["--dot", "--html"], ["--svg", "--html"]] {
        assert_eq!(quaff(&["egraph", "7", pair[0], pair[1]]).code, 64, "{pair:?}");
    }
    let out = quaff(&["egraph", "x//y", "--var", "x=0..9", "--var", "y=0..1", "--html"]);
    assert!(out.code == 1 && out.stderr.contains("can be 0"), "{}", out.stderr);
}

/// The marked members form the answer, also where a search under conditions found the answer after the first search.
#[test]
fn what_is_marked_is_the_answer() {
    for (text, names) in [
        ("where(x < 8, x%8, 3)", &["x"][..]),
        ("where(x < 8, x//8 + y, y*2)", &["x", "y"]),
        ("where(x < 4, where(y < 8, (x*8 + y)//32 + z, x), where(x >= 3, x//4*4, z))", &["x", "y", "z"]),
    ] {
        let vars: Vec<String> = names.iter().flat_map(|n| ["--var".into(), format!("{n}=0..99")]).collect();
        let case: Vec<&str> = std::iter::once(text).chain(vars.iter().map(String::as_str)).collect();
        let html = page(&case);
        let classes = classes(&html);
        let answer = quaff(&[&["simplify"], &case[..]].concat()).stdout;
        assert_eq!(classes[root(&html)].written, answer.trim_end());
        // a member that the conditions have removed is not marked
        for (text, ..) in classes.iter().flat_map(|c| &c.members).filter(|m| m.1) {
            assert!(!["//", "%"].iter().any(|op| text.contains(op) && !answer.contains(op)), "{answer}: {text}");
        }
    }
}
