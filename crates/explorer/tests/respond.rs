//! Requests and their responses.

use quaff::expr::Expr;
use quaff_explorer::{MAX_REQUEST, page};
use serde_json::{Value, json};

const VIEWS: [&str; 6] = ["answer", "story", "memory", "layout", "kernel", "rules"];

fn respond(request: &str) -> Value {
    serde_json::from_str(&quaff_explorer::respond(request)).expect("JSON")
}

fn ask(view: &str, input: &Value) -> Value {
    respond(&json!({"view": view, "input": input}).to_string())
}

fn html(response: &Value) -> &str {
    response["html"].as_str().expect("text")
}

fn problems(response: &Value) -> &Vec<Value> {
    response["problems"].as_array().expect("a list")
}

/// The one problem of a response.
fn problem(response: &Value) -> &Value {
    let [one] = &problems(response)[..] else { panic!("one problem: {response}") };
    one
}

/// The examples of the page: the view and the state of each.
fn examples() -> Vec<(String, Value)> {
    let page = page();
    let text =
        page.split_once("id=\"examples\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("examples").0;
    let all: Vec<Value> = serde_json::from_str(text).expect("JSON");
    let parts = |example: &Value| {
        let mut state = example["state"].clone();
        let view = state.as_object_mut().and_then(|s| s.remove("view")).expect("a view");
        (view.as_str().expect("text").to_string(), state)
    };
    all.iter().map(parts).collect()
}

/// The state of `input` after the button in `html` that `chosen` finds, by its `data-set`.
fn pressed(input: &Value, html: &str, chosen: impl Fn(&Value) -> bool) -> Value {
    let sets = html.split("data-set=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let sets = sets
        .map(|(text, _)| text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));
    let mut found = sets.filter_map(|text| serde_json::from_str::<Value>(&text).ok()).filter(chosen);
    changed(input, &found.next().expect("a button"))
}

fn changed(input: &Value, set: &Value) -> Value {
    let mut state = input.clone();
    for (field, value) in set.as_object().expect("fields") {
        state[field] = value.clone();
    }
    state
}

#[test]
fn every_example_has_its_view() {
    let examples = examples();
    assert_eq!(examples.len(), 12);
    for (view, state) in &examples {
        let response = ask(view, state);
        assert!(problems(&response).is_empty() && html(&response).len() > 500, "{state}: {response}");
        // `quaff banks` takes up to 1,024 lanes
        assert_eq!(response["command"] == "", state["text"] == "i%32*64 + i//32", "{state}");
    }
    for view in VIEWS {
        assert!(examples.iter().any(|(v, _)| v == view) || view == "rules", "{view}");
    }
}

#[test]
fn every_view_of_every_example_is_answered() {
    for (_, state) in examples() {
        for view in VIEWS {
            let response = ask(view, &state);
            let is_empty = html(&response).is_empty();
            let nothing_to_show = (view == "layout") != state["chain"].is_string();
            assert!(!is_empty || nothing_to_show || !problems(&response).is_empty(), "{view} of {state}: {response}");
        }
    }
}

#[test]
fn an_answer_has_its_price_and_its_text() {
    let state = json!({"text": "(i*512 + j)//512*600 + (i*512 + j)%512", "vars": ["i=0..1023", "j=0..511"]});
    let response = ask("answer", &state);
    let html = html(&response);
    assert!(html.contains("4 → 1 instructions") && html.contains("return i * 600 + j;"), "{html}");
    assert_eq!(
        response["command"],
        "quaff simplify '(i*512 + j)//512*600 + (i*512 + j)%512' --var i=0..1023 --var j=0..511 --emit cuda"
    );
    assert!(response["python"].as_str().expect("text").contains("quaff.simplify("));
    let rust = ask("answer", &changed(&state, &json!({"emit": "rust"})));
    assert!(rust["html"].as_str().expect("text").contains("i64"), "{rust}");
}

#[test]
fn several_lines_are_several_expressions_and_brackets_join_lines() {
    let state = json!({"text": "x//4\nx%4\n(x +\n 4)", "vars": ["x=0..63"]});
    let response = ask("answer", &state);
    assert_eq!(html(&response).matches("class=\"aligned\"").count(), 3, "{response}");
    // the second line has the error
    let wrong = ask("answer", &json!({"text": "x//4\nx%%4", "vars": ["x=0..63"]}));
    assert_eq!((&problem(&wrong)["from"], &problem(&wrong)["field"]), (&json!(7), &json!("text")));
}

#[test]
fn a_variable_without_a_range_has_a_fix() {
    let state = json!({"text": "ä + rows*4", "vars": ["row=0..7"], "from": "infix"});
    let response = ask("answer", &json!({"text": "row + rows*4", "vars": ["row=0..7"]}));
    let found = problem(&response);
    assert_eq!((&found["from"], &found["to"]), (&json!(6), &json!(10)));
    assert!(found["help"].as_str().expect("text").contains("`row` has a range"), "{found}");
    let mended = changed(&json!({"text": "row + rows*4"}), &found["fixes"][0]["set"]);
    assert!(problems(&ask("answer", &mended)).is_empty());
    let names: Vec<&str> =
        response["variables"].as_array().expect("a list").iter().filter_map(|v| v["name"].as_str()).collect();
    assert_eq!(names, ["row", "rows"]);
    // places count UTF-16 code units, as the page does
    let wide = ask("answer", &json!({"text": "\"😀\" +"}));
    assert!(problems(&wide).iter().all(|p| p["to"].as_u64() <= Some(8)), "{wide}");
    assert!(!problems(&ask("answer", &state)).is_empty());
}

#[test]
fn problems_are_in_the_field_that_has_them() {
    let of = |input: Value| {
        let response = ask("answer", &input);
        let found = problem(&response);
        (found["field"].as_str().expect("text").to_string(), found["line"].as_u64().expect("a number"))
    };
    assert_eq!(of(json!({"text": "x", "vars": ["x=0..3", "y=5..", "z=4 to 2"]})), ("vars".into(), 2));
    assert_eq!(of(json!({"text": "x", "vars": ["x=0..3"], "assume": ["x > 0", "x >"]})), ("assume".into(), 1));
    assert_eq!(of(json!({"text": "x", "vars": ["x=0..3"], "uniform": ["w"]})), ("uniform".into(), 0));
    assert_eq!(of(json!({"text": "8//x", "vars": ["x=0..3"]})), ("text".into(), 0));
    assert_eq!(of(json!({"text": "x", "vars": ["x=0..3"], "target": "sm_1"})), (String::new(), 0));
    assert_eq!(of(json!({"text": "x", "vars": ["x=0..3"], "without": ["no-such-rule"]})), (String::new(), 0));
}

#[test]
fn each_step_of_a_story_is_checked() {
    let state = json!({
        "text": "where(x < 4, where(y < 8, (x*8 + y)//32 + z, x), where(x >= 3, x//4*4, z))",
        "vars": ["x=0..99", "y=0..99", "z=0..99"]
    });
    let response = ask("story", &state);
    let html = html(&response);
    assert!(html.matches("class=\"step\"").count() > 3, "{html}");
    assert!(html.contains("checked") && !html.contains("wrong"), "{html}");
    for part in ["Before any rule", "With the steps", ": where ", "class=\"egraph\"", "class=\"note\">step "] {
        assert!(html.contains(part), "{part}");
    }
    // what is too large for a page is said
    let large = json!({"text": format!("a{}", "//7*9".repeat(2000)), "vars": ["a=0..1000000"]});
    let response = ask("story", &large);
    assert!(problem(&response)["message"].as_str().expect("text").contains("parts"), "{}", problem(&response));
}

#[test]
fn a_found_layout_takes_the_conflicts_away() {
    let state = json!({"text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "lane": "t"});
    let response = ask("memory", &state);
    assert!(html(&response).contains("32-way bank conflict") && html(&response).contains("32 sectors"), "{response}");
    let applied = pressed(&state, html(&response), |set| set["text"].is_string());
    let after = ask("memory", &applied);
    assert!(html(&after).contains("no bank conflict") && problems(&after).is_empty(), "{applied}: {after}");
}

#[test]
fn a_found_schedule_takes_sectors_away() {
    let state = json!({"text": "i%32*64 + i//32", "vars": ["i=0..2047"], "lane": "i"});
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
    let state = json!({"text": "i%32*64 + i//32", "vars": ["i=0..2047"], "assume": ["i < 1000"], "lane": "i"});
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
fn rules_that_are_off_or_wrong_are_said_in_every_view() {
    let state = json!({"text": "x*4 | y", "vars": ["x=0..15", "y=0..3"]});
    let off = ask("answer", &changed(&state, &json!({"without": ["or-disjoint"]})));
    assert!(html(&off).contains("Switched off: or-disjoint"), "{off}");
    let wrong = json!({"add": "(rule halves \"wrong\" (match (// ?x 2)) (yield ?x))"});
    let answer = ask("answer", &changed(&state, &wrong));
    assert!(html(&answer).contains("x*4 + y") && html(&answer).contains("not used"), "{answer}");
    assert_eq!(problem(&answer)["severity"], "warning");
}

#[test]
fn the_memory_view_shows_the_values_that_are_chosen() {
    let state = json!({"text": "t*k", "vars": ["t=0..31", "k=0..32"], "lane": "t"});
    let worst = ask("memory", &state);
    assert!(html(&worst).contains("32-way bank conflict"), "{worst}");
    let chosen = ask("memory", &changed(&state, &json!({"at": {"k": 1}})));
    assert!(html(&chosen).contains("no bank conflict"), "{chosen}");
    // a value beyond the range is no value
    let beyond = ask("memory", &changed(&state, &json!({"at": {"k": 99, "q": 1}})));
    assert_eq!(beyond["html"], worst["html"]);
    // lanes of many warps are those of one
    let many = ask("memory", &json!({"text": "i//64*64 + i%64*2", "vars": ["i=0..4095"], "lane": "i"}));
    assert!(html(&many).contains("2-way bank conflict") && html(&many).contains("warp*32 + lane"), "{many}");
}

#[test]
fn views_and_layouts_have_grids() {
    let view = ask("layout", &json!({"chain": " shape(2, 3).pad((1, 0), (0, 0))"}));
    assert_eq!(html(&view).matches("url(#masked)\"").count(), 3, "{view}");
    let state = json!({"chain": "shape(2, 3)"});
    let response = ask("layout", &state);
    let added = html(&response).matches("data-set=").count();
    assert!(added >= 5, "{response}");
    for movement in [".permute", ".reshape", ".flip", ".pad", ".stride"] {
        let next = pressed(&state, html(&response), |set| set["chain"].as_str().is_some_and(|c| c.contains(movement)));
        assert!(problems(&ask("layout", &next)).is_empty(), "{next}");
    }
    let layout = ask("layout", &json!({"chain": "(4,8):(8,1) o 32:1"}));
    assert!(html(&layout).contains("injective") && html(&layout).contains("<svg"), "{layout}");
    let wrong = ask("layout", &json!({"chain": "  shape(2, 3).permute(1)"}));
    assert_eq!(problem(&wrong)["field"], "chain");
    assert!(problem(&wrong)["from"].as_u64() >= Some(2), "{wrong}");
    let index = pressed(&json!({}), html(&view), |set| set["view"] == "answer");
    let view = index["view"].as_str().expect("text").to_string();
    let mut index = index;
    index.as_object_mut().expect("fields").remove("view");
    assert!(problems(&ask(&view, &index)).is_empty(), "{index}");
}

#[test]
fn a_kernel_is_shown_whole_and_access_by_access() {
    let (_, kernel) = examples().pop().expect("the last example is a kernel");
    let response = ask("kernel", &kernel);
    assert!(
        html(&response).contains("for k:") && html(&response).contains("for (int k = 0; k &lt; 8; ++k)"),
        "{response}"
    );
    let variables = response["variables"].as_array().expect("a list");
    assert_eq!(variables.iter().map(|v| &v["high"]).collect::<Vec<_>>(), [&json!(255), &json!(7)]);
    let second = ask("answer", &changed(&kernel, &json!({"access": 1})));
    assert!(problems(&second).is_empty() && html(&second).contains("Access of the kernel"), "{second}");
    let none = ask("answer", &changed(&kernel, &json!({"access": 2})));
    assert!(problem(&none)["message"].as_str().expect("text").contains("no access of this number"));
    let source = ask(
        "kernel",
        &json!({"from": "cuda", "text": "__global__ void f(float* x) { x[threadIdx.x / 32 * 32 + threadIdx.x % 32] = 0; }"}),
    );
    assert!(html(&source).contains("x[threadIdx.x] = 0"), "{source}");
    let triton = "@triton.jit\ndef f(x):\n    i = tl.program_id(0)*128 + tl.arange(0, 128)\n    tl.store(x + i//128*128 + i%128, 0.0)\n";
    let triton = ask("kernel", &json!({"from": "triton", "text": triton}));
    assert!(problems(&triton).is_empty() && html(&triton).contains("class=\"diff\""), "{triton}");
}

#[test]
fn rules_are_switched_off_and_added() {
    let state = json!({"text": "x*4 | y", "vars": ["x=0..15", "y=0..3"]});
    let all = ask("rules", &state);
    assert!(
        html(&all).contains("<code>x*4 + y</code>") && html(&all).contains("id=\"rule-or-disjoint\" class=\"chosen\"")
    );
    let without = ask("rules", &changed(&state, &json!({"without": ["or-disjoint", "contexts"]})));
    assert!(html(&without).contains("With all rules and stages it is <code>x*4 + y</code>"));
    let answer = ask("answer", &changed(&state, &json!({"without": ["or-disjoint"]})));
    assert!(html(&answer).contains("x*4 | y"), "{answer}");
    let wrong = ask("rules", &changed(&state, &json!({"add": "(rule halves \"wrong\" (match (// ?x 2)) (yield ?x))"})));
    let found = problem(&wrong);
    assert!(found["message"].as_str().expect("text").contains("`halves` is wrong"), "{found}");
    assert!(found["help"].as_str().expect("text").contains("at:"), "{found}");
    let slip = ask("rules", &changed(&state, &json!({"add": "(rule one \"r\"\n  (match (// ?x 1))\n  (yields ?x))"})));
    assert_eq!((&problem(&slip)["field"], problem(&slip)["from"].as_u64() > Some(20)), (&json!("add"), true), "{slip}");
    let right = ask(
        "rules",
        &changed(
            &state,
            &json!({"add": "(rule mine \"x//56//3 == x//168\" (match (// (// ?x 56) 3)) (yield (// ?x 168)))"}),
        ),
    );
    assert!(problems(&right).is_empty() && html(&right).contains("Added rules"));
}

/// The words of a command, of which none has a quote inside.
fn words(command: &Value) -> Vec<String> {
    let pieces = command.as_str().expect("text").split('\'').enumerate();
    let quoted = |(at, piece): (usize, &str)| match at % 2 {
        1 => vec![piece.to_string()],
        _ => piece.split_whitespace().map(String::from).collect(),
    };
    pieces.flat_map(quoted).collect()
}

#[test]
fn commands_and_python_ask_the_same_or_nothing() {
    let state =
        json!({"text": "(x +\n 4)//8\ny", "vars": ["x=0..63", " ", "y=0..3"], "assume": ["x < 9"], "emit": "tvm"});
    let response = ask("answer", &state);
    let expected = [
        "quaff",
        "simplify",
        "(x +\n 4)//8",
        "y",
        "--var",
        "x=0..63",
        "--var",
        "y=0..3",
        "--assume",
        "x < 9",
        "--to",
        "tvm",
    ];
    assert_eq!(words(&response["command"]), expected);
    assert_eq!(response["python"], "");
    // the commands have no option for these
    for set in [json!({"without": ["or-disjoint"]}), json!({"add": "(rule"})] {
        let other = ask("answer", &changed(&state, &set));
        assert_eq!((&other["command"], &other["python"]), (&json!(""), &json!("")), "{set}");
    }
    let banks = ask(
        "memory",
        &json!({"text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "at": {"k": 3}, "bytes": 8, "width": 4}),
    );
    assert_eq!(banks["command"], "quaff banks 't*32 + k' --lane t=0..31 --var k=3..3 --bytes 8");
    let masked = ask("memory", &json!({"text": "t*32", "vars": ["t=0..31"], "assume": ["t < 9"]}));
    assert_eq!(masked["command"], "");
}

#[test]
fn every_choice_of_the_page_is_known() {
    let page = page();
    let text =
        page.split_once("id=\"choices\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("choices").0;
    let choices: Value = serde_json::from_str(text).expect("JSON");
    let state = json!({"text": "t", "vars": ["t=0..31"], "lane": "t"});
    for (field, view) in [("target", "answer"), ("emit", "answer"), ("machine", "memory")] {
        let all = choices[field].as_array().expect("a list");
        assert!(all.len() > 3, "{field}");
        for choice in all {
            let response = ask(view, &changed(&state, &json!({field: choice})));
            assert!(problems(&response).is_empty(), "{field} {choice}: {response}");
        }
    }
}

#[test]
fn an_error_of_a_range_is_in_its_row() {
    let response = ask("answer", &json!({"text": "t + x", "vars": ["x=0..3", "t=5..2"]}));
    assert_eq!((&problem(&response)["field"], &problem(&response)["line"]), (&json!("vars"), &json!(1)), "{response}");
}

#[test]
fn names_are_text_everywhere() {
    let name = "<script>alert(1)</script>";
    let kernel = json!({"vars": {"x": [0, 7]}, "expr": name}).to_string();
    for (view, input) in [
        ("answer", json!({"text": name})),
        ("answer", json!({"text": "x", "vars": [format!("{name}=0..3")]})),
        ("layout", json!({"chain": format!("shape(2).{name}(3)")})),
        ("rules", json!({"text": "x", "vars": ["x=0..3"], "without": [name], "add": name})),
        ("kernel", json!({"text": kernel})),
        ("kernel", json!({"text": format!("__global__ void f(int* x) {{ x[0] = \"{name}\"; }}"), "from": "cuda"})),
        ("answer", json!({"text": format!("tl.load({name})"), "from": "triton"})),
    ] {
        let response = ask(view, &input);
        assert!(!html(&response).contains("<script"), "{view} of {input}: {response}");
    }
    assert!(!page().replace("<script type=\"application/json\"", "").contains("<script src"));
}

#[test]
fn what_is_no_request_has_a_response() {
    let message = |request: &str| problem(&respond(request))["message"].as_str().expect("text").to_string();
    for request in [
        "",
        "{",
        "[]",
        "null",
        r#"{"view": "none"}"#,
        r#"{"view": "answer", "input": {"text": 3}}"#,
        r#"{"view": "answer", "inputs": {}}"#,
    ] {
        assert!(message(request).starts_with("the request is not understood: "), "{request}");
    }
    assert!(message(&" ".repeat(MAX_REQUEST + 1)).contains("more than"));
    let long = json!({"view": "answer", "input": {"text": "x+".repeat(40_000)}}).to_string();
    assert!(message(&long).contains("bytes"));
    assert!(problems(&respond(r#"{"view": "answer"}"#)).is_empty());
}

/// Pieces of inputs put together at random: each request has a response, and none panics.
#[test]
fn random_inputs_are_answered() {
    let pieces = [
        "x",
        "y",
        "//",
        "%",
        "*",
        "+",
        "(",
        ")",
        "7",
        "0",
        "-1",
        "99999999999",
        ",",
        "\n",
        "shape(",
        "):(",
        ".flip(0)",
        "<",
        "where(",
        "{",
        "\"expr\"",
        ":",
        "é",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    for _ in 0..400 {
        let length = 1 + random(8);
        let text: String = (0..length).map(|_| pieces[random(pieces.len())]).collect();
        let input = json!({
            "text": text, "chain": text, "vars": ["x=0..63", format!("y=0..{}", random(200))],
            "lane": (["", "x", "y", "z"][random(4)]), "bytes": ([0, 1, 4, 7, 16][random(5)]), "width": ([0, 4, 16, 3][random(4)]),
            "machine": (["nvidia", "cdna3", "none"][random(3)]), "access": random(3), "effort": random(5), "add": if random(9) == 0 { text.clone() } else { String::new() },
        });
        respond(&json!({"view": VIEWS[random(6)], "input": input}).to_string());
    }
}

/// FNV-1a of the sources that `web/build.mjs` builds from, as it writes into the first line of each script.
#[test]
fn the_built_files_are_those_of_the_sources() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let web = root.join("web");
    let in_src = std::fs::read_dir(web.join("src"))
        .expect("sources")
        .map(|e| format!("src/{}", e.expect("an entry").file_name().to_string_lossy()));
    let mut names: Vec<String> = in_src.chain(["package.json", "package-lock.json"].map(String::from)).collect();
    names.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add =
        |bytes: &[u8]| bytes.iter().for_each(|&b| hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    for name in names {
        add(name.as_bytes());
        add(&[0]);
        add(&std::fs::read(web.join(&name)).expect("a source"));
        add(&[0]);
    }
    let line = format!("/* sources {hash:016x} */\n");
    for built in ["src/built/explorer.js", "../draw/src/built/parts.js"] {
        let text = std::fs::read_to_string(root.join(built)).expect("a built file");
        assert!(text.starts_with(&line), "{built} is old: `npm ci` and `node build.mjs` in crates/explorer/web");
    }
}
