//! An e-graph as text for Graphviz.

use super::view::Picture;
use std::fmt::Write as _;

/// The text for Graphviz. Every class is a box with its range and congruence. Chosen members are bold.
pub(super) fn graphviz(view: &Picture) -> String {
    let mut out = String::from("digraph egraph {\n  compound=true;\n  node [shape=box, fontname=monospace];\n");
    out.push_str("  graph [fontname=monospace, style=dashed];\n");
    for (c, class) in view.classes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{c} {{\n    label=\"e{c}: {}\";", class.value);
        for (m, member) in class.members.iter().enumerate() {
            let mark = if member.chosen { ", style=bold, color=blue" } else { "" };
            let _ = writeln!(out, "    n{c}_{m} [label=\"{}\"{mark}];", escaped(&member.label));
        }
        out.push_str("  }\n");
    }
    for (c, class) in view.classes.iter().enumerate() {
        for (m, member) in class.members.iter().enumerate() {
            for (i, &to) in member.operands.iter().enumerate() {
                // an arrow from a box to itself cannot end at its border
                let end = if to == c { String::new() } else { format!("lhead=cluster_{to}, ") };
                let mark = if member.chosen { ", color=blue" } else { "" };
                let _ = writeln!(out, "  n{c}_{m} -> n{to}_0 [{end}taillabel=\"{i}\", fontsize=8{mark}];");
            }
        }
    }
    for (i, to) in view.roots.iter().enumerate() {
        let _ = writeln!(out, "  root{i} [label=\"result {i}\", shape=plaintext];");
        let _ = writeln!(out, "  root{i} -> n{to}_0 [lhead=cluster_{to}, color=blue];");
    }
    out.push_str("}\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
