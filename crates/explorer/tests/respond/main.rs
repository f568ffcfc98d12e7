//! Tests of the requests of the page and the responses of the engine.

mod kernels;
mod memory;
mod slips;

use quaff_explorer::{MAX_REQUEST, VIEWS, page};
use serde_json::{Value, json};

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

/// The problem of a response that has exactly one problem.
fn problem(response: &Value) -> &Value {
    let [one] = &problems(response)[..] else { panic!("one problem: {response}") };
    one
}

/// The examples of the page: the view and the state of each example.
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

/// The state of `input` after a click on the first button in `html` whose `data-set` satisfies `chosen`.
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
        // this example has more than the 1,024 lanes of `quaff banks`, so it has no command
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
    assert!(html.contains("4 → 1 instruction") && html.contains("return i * 600 + j;"), "{html}");
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
    // the engine gives places in UTF-16 code units, because the page counts in these units
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
    for part in ["The input in normal form", "With the steps", ": where ", "class=\"egraph\"", "class=\"note\">step "] {
        assert!(html.contains(part), "{part}");
    }
    // this text is too large for a page, and a problem in the response reports this
    let large = json!({"text": format!("a{}", "//7*9".repeat(2000)), "vars": ["a=0..1000000"]});
    let response = ask("story", &large);
    assert!(problem(&response)["message"].as_str().expect("text").contains("parts"), "{}", problem(&response));
}

#[test]
fn rules_that_are_off_or_wrong_are_said_in_every_view() {
    let state = json!({"text": "x*4 | y", "vars": ["x=0..15", "y=0..3"]});
    let off = ask("answer", &changed(&state, &json!({"without": ["or-disjoint"]})));
    assert!(html(&off).contains("Switched off: or-disjoint"), "{off}");
    let wrong = json!({"add": "(rule halves \"wrong\" (match (// ?x 2)) (yield ?x))"});
    let answer = ask("answer", &changed(&state, &wrong));
    assert_eq!(answer, ask("answer", &changed(&state, &wrong)), "the second time nothing is tried");
    assert!(html(&answer).contains("x*4 + y") && html(&answer).contains("not used"), "{answer}");
    assert_eq!(problem(&answer)["severity"], "warning");
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

/// The words of a command, split at spaces and quotes. No word contains a quote.
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
    // no command has an option for rules that the page leaves out, or for rules whose text the page adds
    for set in [json!({"without": ["or-disjoint"]}), json!({"add": "(rule"})] {
        let other = ask("answer", &changed(&state, &set));
        assert_eq!((&other["command"], &other["python"]), (&json!(""), &json!("")), "{set}");
    }
    let banks = ask(
        "memory",
        &json!({"text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "at": {"k": 3}, "bytes": 8, "width": 4}),
    );
    assert_eq!(banks["command"], "quaff banks 't*32 + k' --lane t=0..31 --var k=3..3 --bytes 8");
    let call = "found = quaff.bank_conflicts(\"t*32 + k\", \"t\", \"t=0..31, k=3..3\", bytes=8)\n";
    assert_eq!(banks["python"], format!("import quaff\n\n{call}print(found[\"degree\"], found[\"at\"])\n"));
    let view = ask("layout", &json!({"chain": "shape(n, 4)", "vars": ["n=1..8"]}));
    assert_eq!(view["python"], "import quaff\n\nprint(quaff.View.parse(\"shape(n, 4)\", \"n=1..8\"))\n");
    let layout = ask("layout", &json!({"chain": "(4,8):(8,1)"}));
    assert_eq!(layout["python"], "import quaff\n\nprint(quaff.Layout(\"(4,8):(8,1)\"))\n");
    let masked = ask("memory", &json!({"text": "t*32", "vars": ["t=0..31"], "assume": ["t < 9"]}));
    assert_eq!(masked["command"], "quaff banks 't*32' --lane t=0..31 --assume 't < 9'");
    let tile = json!({"text": "t*32 + k", "vars": ["t=0..31", "k=0..31"], "lane": "t", "search": true, "bytes": 8});
    let search = "quaff banks --search --tile 64x16 --access '(t*32 + k)//16, (t*32 + k)%16, 8' --lane t=0..31 --var k=0..31 --bytes 8";
    assert_eq!(ask("memory", &tile)["command"], search);
    // `loop i` and `defined` are declarations, and each has a separate option in the command
    let looped = json!({"text": "i*8//4", "vars": ["i=0..31"], "assume": ["loop i", "i != 3", "defined"]});
    let command = "quaff simplify 'i*8//4' --var i=0..31 --loop i --assume 'i != 3' --assume-defined --emit cuda";
    assert_eq!(ask("answer", &looped)["command"], command);
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
fn a_condition_may_be_a_declaration() {
    let state =
        json!({"text": "k//n", "vars": ["n=0..4", "k=0..n"], "assume": ["loop k", "nonempty k", "defined", "n != 3"]});
    assert_eq!(problems(&ask("answer", &state)), &Vec::<Value>::new());
    let without = ask("answer", &changed(&state, &json!({"assume": ["n != 3"]})));
    assert!(problem(&without)["message"].as_str().expect("text").contains("0"), "{without}");
    let wrong = ask("answer", &changed(&state, &json!({"assume": ["loop q"]})));
    assert_eq!(problem(&wrong)["field"], "assume");
    // a variable may be named `loop`
    let named = json!({"text": "loop*2//2", "vars": ["loop=0..4"], "assume": ["loop < 3"]});
    assert_eq!(problems(&ask("answer", &named)), &Vec::<Value>::new());
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
    // the page also refuses a longer request
    assert!(include_str!("../../web/src/failure.ts").contains("const MOST = 256 * 1024;") && MAX_REQUEST == 256 * 1024);
    let long = json!({"view": "answer", "input": {"text": "x+".repeat(40_000)}}).to_string();
    assert!(message(&long).contains("bytes"));
    assert!(problems(&respond(r#"{"view": "answer"}"#)).is_empty());
}

/// Requests made of random pieces of inputs: each request has a response, and no request causes a panic.
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
            "machine": (["nvidia", "cdna3", "none"][random(3)]), "access": random(3), "search": random(2) == 0, "columns": ([0, 1, 32, 77][random(4)]), "effort": random(5), "add": if random(9) == 0 { text.clone() } else { String::new() },
        });
        respond(&json!({"view": VIEWS[random(6)], "input": input}).to_string());
    }
}

/// Each built script has the hash (FNV-1a) of its sources in its first line, as `web/build.mjs` writes it.
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
    for built in ["src/built/explorer.js", "../draw/src/built/parts.js", "wasm/built/engine.js", "wasm/built/worker.js"]
    {
        let text = std::fs::read_to_string(root.join(built)).expect("a built file");
        assert!(text.starts_with(&line), "{built} is old: `npm ci` and `node build.mjs` in crates/explorer/web");
    }
}

/// The machine operations of an answer are those of its CUDA text: a division by a number is a multiplication and a
/// shift.
#[test]
fn machine_operations_are_listed() {
    let response = ask("answer", &json!({"text": "x // 7 + x % 8", "vars": ["x=0..1000000"]}));
    let (_, listed) = html(&response).split_once("Machine operations").expect("a heading");
    assert!(listed.contains("mulhi(") && listed.contains("&amp; 7") && !listed.contains(" / "), "{listed}");
    let wide =
        ask("answer", &json!({"text": "x * y", "vars": ["x=0..9000000000000000000", "y=0..9000000000000000000"]}));
    assert!(html(&wide).contains("There are no machine operations: "), "{wide}");
}
