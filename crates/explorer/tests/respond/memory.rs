//! The memory view: banks, sectors, and the layouts and schedules that a search finds.

use super::{ask, changed, html, pressed, problems};
use quaff::expr::Expr;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn a_found_layout_takes_the_conflicts_away() {
    let state = json!({"text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "lane": "t"});
    let response = ask("memory", &state);
    assert!(html(&response).contains("32-way bank conflict") && html(&response).contains("32 sectors"), "{response}");
    // a search takes time, so it starts only after a click on a button
    assert!(!html(&response).contains("Layouts with fewer conflicts"), "{response}");
    let state = pressed(&state, html(&response), |set| set["search"].is_boolean());
    let response = ask("memory", &state);
    let applied = pressed(&state, html(&response), |set| set["text"].is_string());
    let after = ask("memory", &applied);
    assert!(html(&after).contains("no bank conflict") && problems(&after).is_empty(), "{applied}: {after}");
    // the page shows the previous index beside the new index, until the user hides the previous index
    assert!(html(&after).contains("32-way bank conflict") && html(&after).contains("The index was"), "{after}");
    let hidden = pressed(&applied, html(&after), |set| set["before"] == "");
    let alone = ask("memory", &hidden);
    assert!(!html(&alone).contains("32-way") && !html(&alone).contains("The index was"), "{alone}");
    // a previous index that does not fit the inputs is not shown
    let odd = ask("memory", &changed(&applied, &json!({"before": "t*32 +"})));
    assert!(html(&odd).contains("no bank conflict") && problems(&odd).is_empty(), "{odd}");
}

#[test]
fn one_layout_serves_all_accesses_of_a_tile() {
    let state = json!({"text": "k*32 + t\nt*32 + k", "vars": ["t=0..31", "k=0..31"], "lane": "t", "search": true});
    let response = ask("memory", &state);
    assert!(html(&response).contains("1-way, 32-way") && html(&response).contains("2 accesses"), "{response}");
    let applied = pressed(&state, html(&response), |set| set["text"].is_string());
    for access in [0, 1] {
        let after = ask("memory", &changed(&applied, &json!({"access": access})));
        assert!(html(&after).contains("no bank conflict") && problems(&after).is_empty(), "{applied}: {after}");
    }
    // an element of the tile has the same address in all accesses
    let exprs = |state: &Value| -> Vec<Expr> {
        state["text"].as_str().expect("text").lines().map(|line| line.parse().expect("an expression")).collect()
    };
    let (before, after) = (exprs(&state), exprs(&applied));
    let (mut places, mut elements) = (BTreeMap::new(), BTreeMap::new());
    for (t, k) in (0..32).flat_map(|t| (0..32).map(move |k| (t, k))) {
        let at = |e: &Expr| e.eval(|name| Some(if name == "t" { t } else { k })).expect("a value");
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(*places.entry(at(before)).or_insert(at(after)), at(after), "{applied}");
            assert_eq!(*elements.entry(at(after)).or_insert(at(before)), at(before), "{applied}");
        }
    }
    // with a wider row of the tile, the search finds other layouts
    let wider = ask("memory", &changed(&state, &json!({"columns": 64})));
    assert!(html(&wider).contains("rows of 64 elements"), "{wider}");
}

#[test]
fn a_found_schedule_takes_sectors_away() {
    let state = json!({"text": "i%32*64 + i//32", "vars": ["i=0..2047"], "lane": "i", "search": true});
    let response = ask("memory", &state);
    let (before, rest) = html(&response)
        .split_once("accesses touch ")
        .map(|(_, rest)| rest.split_once(' '))
        .expect("a sentence")
        .expect("a number");
    assert!(rest.contains("Schedules with fewer sectors"), "{rest}");
    let applied = pressed(&state, html(&response), |set| set["text"].is_string());
    let after = ask("memory", &applied);
    let now = html(&after)
        .split_once("accesses touch ")
        .map(|(_, rest)| rest.split_once(' '))
        .expect("a sentence")
        .expect("a number")
        .0;
    assert!(now.parse::<u64>().expect("a number") < before.parse::<u64>().expect("a number"), "{applied}");
    // the page shows the sectors of a warp before and after the change
    assert_eq!(html(&after).matches("The warp uses").count(), 2, "{after}");
}

/// The addresses that `state` accesses, over all values of `i` below `n`.
fn addresses(state: &Value, n: i64) -> Vec<i128> {
    let expr = |text: &Value| text.as_str().expect("text").parse::<Expr>().expect("an expression");
    let (index, none) = (expr(&state["text"]), Vec::new());
    let conditions: Vec<Expr> = state["assume"].as_array().unwrap_or(&none).iter().map(expr).collect();
    let at = |e: &Expr, i: i64| e.eval(|name| (name == "i").then_some(i)).expect("a value");
    let inside = (0..n).filter(|&i| conditions.iter().all(|c| at(c, i) != 0));
    let mut all: Vec<i128> = inside.map(|i| at(&index, i)).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_schedule_of_a_masked_access_moves_its_mask() {
    let state =
        json!({"text": "i%32*64 + i//32", "vars": ["i=0..2047"], "assume": ["i < 1000"], "lane": "i", "search": true});
    let response = ask("memory", &state);
    let applied = pressed(&state, html(&response), |set| set["text"].is_string());
    assert_eq!(addresses(&applied, 2048), addresses(&state, 2048), "{applied}");
    assert_eq!(addresses(&state, 2048).len(), 1000);
}

#[test]
fn lanes_that_are_masked_touch_nothing() {
    let of = |text: &str, condition: &str| {
        ask("memory", &json!({"text": text, "vars": ["t=0..31", "k=0..7"], "assume": [condition], "lane": "t"}))
    };
    let half = of("t*32", "t%2 == 0");
    assert!(
        html(&half).contains("16-way bank conflict") && html(&half).contains("<strong>16 sectors</strong>"),
        "{half}"
    );
    let none = of("t*4 + k", "k < 0");
    assert!(html(&none).contains("No lane is active") || !problems(&none).is_empty(), "{none}");
}

#[test]
fn sectors_count_the_bytes_of_a_lane() {
    let state = json!({"text": "(t//8*64 + t%8*8) % 2048", "vars": ["t=0..31"], "bytes": 2, "width": 16, "lane": "t"});
    let wide = ask("memory", &state);
    assert!(
        html(&wide).contains("<strong>16 sectors</strong>") && html(&wide).contains("That is the least."),
        "{wide}"
    );
    let narrow = ask("memory", &changed(&state, &json!({"bytes": 4, "width": 2})));
    assert!(html(&narrow).contains("4 bytes a lane"), "{narrow}");
}

#[test]
fn the_lane_is_known_or_a_guess_is_said() {
    let known = json!({"from": "cuda", "text": "threadIdx.x * 32 + k", "vars": ["threadIdx.x=0..31", "k=0..3"]});
    let known = ask("memory", &known);
    assert!(html(&known).contains("32-way bank conflict") && !html(&known).contains("guess"), "{known}");
    let guess = ask("memory", &json!({"text": "a*32 + b", "vars": ["a=0..31", "b=0..3"]}));
    assert!(html(&guess).contains("It is a guess"), "{guess}");
}

#[test]
fn the_memory_view_shows_the_values_that_are_chosen() {
    let state = json!({"text": "t*k", "vars": ["t=0..31", "k=0..32"], "lane": "t"});
    let worst = ask("memory", &state);
    assert!(html(&worst).contains("32-way bank conflict"), "{worst}");
    let chosen = ask("memory", &changed(&state, &json!({"at": {"k": 1}})));
    assert!(html(&chosen).contains("no bank conflict"), "{chosen}");
    // a value outside of the range is ignored
    let beyond = ask("memory", &changed(&state, &json!({"at": {"k": 99, "q": 1}})));
    assert_eq!(beyond["html"], worst["html"]);
    // if the lanes belong to many warps, the view shows one warp
    let many = ask("memory", &json!({"text": "i//64*64 + i%64*2", "vars": ["i=0..4095"], "lane": "i"}));
    assert!(html(&many).contains("2-way bank conflict") && html(&many).contains("warp*32 + lane"), "{many}");
}

#[test]
fn a_search_that_is_refused_says_why() {
    let state = json!({"text": "i%32*64 + i//32", "vars": ["i=0..2047"], "lane": "i", "search": true});
    let response = ask("memory", &state);
    assert!(html(&response).contains("No layout was searched: "), "{response}");
    assert!(!html(&response).contains("No layout with fewer conflicts was found"), "{response}");
}
