//! Tests of `quaff coalesce`.

use crate::golden;
use crate::quaff_program::{quaff, quaff_with, transcript};
use serde_json::{Value, json};

#[test]
fn schedules_are_printed() {
    golden::check(
        "coalesce.txt",
        &transcript(&[
            &["coalesce", "i%64*64 + i//64", "--n", "4096"],
            &["coalesce", "255 - i", "--n", "256"],
            &["coalesce", "(i%10)*24 + i//10", "--n", "256"],
            &["coalesce", "(i + 5)//7*3 + i%7", "--n", "96"],
            &["coalesce", "--read", "i%64*64 + i//64", "--write", "i, 2", "--n", "4096", "--element", "8"],
            &["coalesce", "i%4*256 + i//4", "--n", "1024", "--vector", "4"],
            &["coalesce", "--read", "i%64*64 + i//64", "--write", "i", "--n", "4096", "--vector", "4"],
            &["coalesce", "i%1024*4 + i//1024", "--n", "4096", "--vector", "8", "--element", "2", "--emit", "view"],
            &["coalesce", "i%16*64 + i//16", "--n", "1024", "--vector", "2", "--gate", "i%16*64 + i//16 < 1000"],
            &["coalesce", "i%3*128 + i//3", "--n", "384", "--gate", "i < 300", "--warp", "16"],
        ]),
    );
}

#[test]
fn the_text_is_that_of_the_best_schedule() {
    let strides = ["coalesce", "3*(i%16) + 2*(i//16)", "--n", "256", "--json"];
    let of =
        |more: &[&str]| serde_json::from_str::<Value>(&quaff(&[&strides, more].concat()).stdout).expect("valid JSON");
    let candidates = of(&[])["candidates"].as_array().expect("a list").clone();
    for by in ["sectors", "gap", "lines", "requests", "cost"] {
        let least = candidates.iter().map(|c| c[by].as_f64().expect(by)).fold(f64::INFINITY, f64::min);
        let sorted = of(&["--by", by]);
        assert_eq!(sorted["candidates"][0][by].as_f64(), Some(least), "{by}");
        assert_eq!(sorted["candidates"].as_array().map(Vec::len), Some(candidates.len()), "{by}");
    }
    assert_eq!(candidates[0]["sectors"], 16);
    assert_ne!(of(&[])["cuda"], of(&["--by", "cost"])["cuda"]);
}

/// A symbol stays in the index, and one schedule is right for all values of the symbol.
#[test]
fn uniform_variables_of_a_search_stay_in_the_index() {
    let index = "i%64*64 + i//64 + pid";
    let of = |flag: &str| {
        let out = quaff(&["coalesce", index, "--n", "256", flag, "pid=0..7", "--json"]);
        serde_json::from_str::<Value>(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", out.stderr))
    };
    let v = of("--var");
    assert_eq!(v, of("--uniform"));
    assert_eq!(v["candidates"][0]["index"], "pid + u + u//4*60");
    assert_eq!(v["apart"].as_array().map(Vec::len), Some(8));
    assert_eq!(v["apart"][3]["values"], json!(["pid == 3"]));
    // a single schedule for all values costs as much as the schedules for each value together
    let sectors = |c: &Value| c["sectors"].as_u64().expect("a number");
    let apart: u64 = v["apart"].as_array().expect("a list").iter().map(sectors).sum();
    assert_eq!(apart, sectors(&v["candidates"][0]));
    let sigma = v["candidates"][0]["sigma"].as_str().expect("text").to_string();
    let put_in = format!("({sigma})%64*64 + ({sigma})//64 + pid");
    let out = quaff(&["verify", &put_in, "pid + u + u//4*60", "--var", "u=0..255", "--var", "pid=0..7"]);
    assert_eq!(out.stdout, "equal\n");
}

/// The CUDA text is the code of one thread, with a loop over the steps of the schedule.
#[test]
fn schedules_of_threads_and_steps_are_printed() {
    let out = transcript(&[
        &["coalesce", "i%64*64 + i//64", "--n", "4096", "--threads", "128"],
        &["coalesce", "i%16*64 + i//16", "--n", "1024", "--vector", "4", "--threads", "64", "--by", "fetches"],
        &["coalesce", "i%64*64 + i//64 + pid", "--n", "256", "--threads", "64", "--uniform", "pid=0..1023"],
        &["coalesce", "(i + 8*(pid%2))%32*32 + i//32", "--n", "1024", "--uniform", "pid=0..99"],
        &["coalesce", "3*(i%16) + 2*(i//16)", "--n", "64", "--by", "2*sectors + cost"],
        &["coalesce", "3*(i%16) + 2*(i//16)", "--n", "64", "--by", "distance"],
    ]);
    golden::check("coalesce_steps.txt", &out);
    let v: Value = serde_json::from_str(
        &quaff(&["coalesce", "i%64*64 + i//64", "--n", "4096", "--threads", "128", "--json"]).stdout,
    )
    .expect("valid JSON");
    assert_eq!((&v["steps"]["threads"], &v["steps"]["steps"]), (&json!(128), &json!(32)));
    let sigma = v["candidates"][0]["sigma"].as_str().expect("text").replace('u', "(t + 128*s)");
    let steps = v["steps"]["sigma"].as_str().expect("text");
    let out = quaff(&["verify", steps, &sigma, "--var", "t=0..127", "--var", "s=0..31"]);
    assert_eq!(out.stdout, "equal\n");
}

/// The first schedule is the best of all listed schedules, by any measure or sum of measures.
#[test]
fn the_first_schedule_is_the_best_by_sums_of_measures() {
    type Sum = fn(&dyn Fn(&str) -> f64) -> f64;
    let sums: [(&str, Sum); 4] = [
        ("2*sectors + cost", |of| 2.0 * of("sectors") + of("cost")),
        ("distance", |of| of("distance")),
        ("max(sectors, gap)", |of| of("sectors").max(of("gap"))),
        ("cost*100 - lines", |of| 100.0 * of("cost") - of("lines")),
    ];
    for (by, sum) in sums {
        let out = quaff(&["coalesce", "3*(i%16) + 2*(i//16)", "--n", "128", "--by", by, "--json"]);
        let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
        let value = |c: &Value| sum(&|key: &str| c[key].as_f64().expect("a number"));
        let all: Vec<f64> = v["candidates"].as_array().expect("a list").iter().map(value).collect();
        assert!(all.len() > 1 && all.iter().all(|x| all[0] <= *x), "{by}: {all:?}");
    }
}

/// The search finds the sorted order, whose gap cost is the least of all orders.
#[test]
fn overlapping_strides_reach_the_optimum() {
    let out = quaff(&["coalesce", "3*(i%16) + 2*(i//16)", "--n", "256", "--by", "gap", "--json"]);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!((&v["candidates"][0]["gap"], &v["optimum"]["gap"]), (&json!(4), &json!(4)));
    assert_eq!(v["candidates"][0]["sectors"], v["optimum"]["sectors"]);
}

#[test]
fn costs_of_a_kernel_are_printed() {
    let lane: &[&str] = &["--lane", "t=0..255", "--var", "block=0..1023"];
    let out = transcript(&[
        &[&["coalesce", "(block*256 + t)%64*64"], lane].concat(),
        &[&["coalesce", "block*256 + t", "--gate", "t < 200"], lane].concat(),
        &[&["coalesce", "block*256 + t", "--json"], lane].concat(),
    ]);
    golden::check("coalesce_costs.txt", &out);
}

#[test]
fn errors_have_their_place() {
    golden::check(
        "coalesce_errors.txt",
        &transcript(&[
            &["coalesce", "i*1.5", "--n", "64"],
            &["coalesce", "sin(i)", "--n", "64"],
            &["coalesce", "i*64 + j", "--n", "64"],
            &["coalesce", "i*64 + j", "--n", "64", "--uniform", "j=0.."],
            &["coalesce", "i*64 + j//77", "--n", "64", "--uniform", "j=0..99999"],
            &["coalesce", "i*64 + u", "--n", "64", "--uniform", "u=0..9"],
            &["coalesce", "i", "--n", "64", "--threads", "48"],
            &["coalesce", "i", "--n", "64", "--by", "fetches"],
            &["coalesce", "i", "--n", "64", "--by", "sectors*gap"],
            &["coalesce", "i", "--n", "64", "--by", "sector"],
            &["coalesce", "64//(i - 3)", "--n", "64"],
            &["coalesce", "i*1000000000000", "--n", "64"],
            &["coalesce", "i", "--n", "100"],
            &["coalesce", "i", "--n", "0"],
            &["coalesce", "i", "--n", "8388608"],
            &["coalesce", "i", "--n", "64", "--warp", "0"],
            &["coalesce", "i", "--n", "64", "--element", "3"],
            &["coalesce", "i", "--n", "64", "--warp", "24"],
            &["coalesce", "i", "--n", "64", "--vector", "3"],
            &["coalesce", "i", "--n", "1024", "--vector", "8"],
            &["coalesce", "--read", "i, many", "--n", "64"],
            &["coalesce", "--read", "i, 0", "--n", "64"],
            &["coalesce", "i", "--gate", "k < 3", "--n", "64"],
            &["coalesce", "t + x", "--lane", "t=0..31", "--var", "x=0.."],
            &["coalesce", "t", "--lane", "t=0.."],
            &["coalesce", "t + x*x", "--lane", "t=0..31", "--var", "x=0..1000000"],
        ]),
    );
    assert_eq!(quaff(&["coalesce", "i"]).code, 64);
    assert_eq!(quaff(&["coalesce", "i", "--n", "64", "--lane", "t=0..31"]).code, 64);
}

#[test]
fn json_has_the_documented_keys() {
    let out = quaff_with(&["coalesce", "--n", "256", "--json"], b"(i%8)*32 + i//8");
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!(v["identity"], json!({ "gap": 12520, "sectors": 64 }));
    assert_eq!(v["optimum"], json!({ "gap": 0, "sectors": 32 }));
    let best = json!({
        "gap": 0, "sectors": 32, "lines": 8, "cost": 0.0, "index": "u", "schedule": "u*8 - u//32*255",
        "sigma": "u*8 - u//32*255", "vector": 1, "requests": 8,
        "distance": 248, "fetches": 0,
        "view": "shape(256).reshape(32, 8).permute(1, 0).reshape(256)",
        "dims": "equations = [\"lane = digit0 * digit1\", \"element = digit1 * digit0\"]\n[sizes]\ndigit0 = 8\ndigit1 = 32\n\
                 [set]\nlane = \"u\"\n[[want]]\nget = [\"element\"]\n",
    });
    assert_eq!(v["candidates"][0], best);
    assert!(v["cuda"].is_string() && v["measured"].is_u64() && v["padded"] == json!([]), "{v}");
    // a candidate for two accesses has two indices, and the output has the number of lanes of each padded schedule
    let out = quaff(&["coalesce", "--read", "i%10*24 + i//10", "--write", "i", "--n", "256", "--json"]);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!(v["candidates"][0]["index"].as_array().map(Vec::len), Some(2), "{v}");
    assert!(v["padded"].as_array().expect("a list").iter().all(|p| p["lanes"].as_i64() > Some(256)), "{v}");
}

/// Reads the printed form of a schedule with another command, and returns the index that this command prints.
fn read_back(args: &[&str], form: &str, of: &dyn Fn(&Value) -> Value) -> String {
    let out = quaff_with(args, form.as_bytes());
    assert_eq!(out.code, 0, "{form}: {}", out.stderr);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    of(&v).as_str().unwrap_or_else(|| panic!("an index: {v}")).into()
}

#[test]
fn other_commands_read_the_forms_of_schedules() {
    let (mut views, mut dims) = (0, 0);
    for (index, n) in [("i%64*64 + i//64", "4096"), ("(i//8)%4*64 + (i%8)*8 + i//32", "256"), ("255 - i", "256")] {
        let out = quaff(&["coalesce", index, "--n", n, "--json"]);
        let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
        let range = format!("u=0..{}", n.parse::<i64>().expect("a number") - 1);
        let agree = |form: &str, read: &str, sigma: &str| {
            let out = quaff(&["verify", read, sigma, "--var", &range]);
            assert_eq!(out.stdout, "equal\n", "{index}: {sigma}, but {read} of {form}");
        };
        for candidate in v["candidates"].as_array().expect("a list") {
            let sigma = candidate["sigma"].as_str().expect("text");
            if let Some(form) = candidate["view"].as_str() {
                let read =
                    read_back(&["view", form, "--names", "u", "--json"], "", &|v| v["chains"][0]["address"].clone());
                agree(form, &read, sigma);
                views += 1;
            }
            if let Some(form) = candidate["dims"].as_str() {
                let read = read_back(&["dims", "-", "--json"], form, &|v| v["indices"][0]["simplified"].clone());
                agree(form, &read, sigma);
                dims += 1;
            }
        }
    }
    assert!(views > 2 && dims > 1, "{views} views, {dims} programs");
    // other commands can read the output of `--emit`
    let emitted = |form: &str| quaff(&["coalesce", "i%64*64 + i//64", "--n", "4096", "--emit", form]).stdout;
    assert!(
        emitted("view").ends_with("\n\nshape(4096).reshape(64, 64).permute(1, 0).reshape(4096)\n"),
        "{}",
        emitted("view")
    );
    assert!(emitted("dims").ends_with("[[want]]\nget = [\"element\"]\n"), "{}", emitted("dims"));
    let reversed = quaff(&["coalesce", "255 - i", "--n", "256", "--emit", "dims"]).stdout;
    assert!(reversed.ends_with("\nthe first schedule has no such form\n"), "{reversed}");
}

#[test]
fn candidates_are_in_order() {
    let out = quaff(&["coalesce", "(i + 5)//7*3 + i%7", "--n", "256", "--json"]);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    let number = |c: &Value, key: &str| c[key].as_f64().expect("a number");
    let ranks: Vec<[f64; 3]> = v["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| ["gap", "sectors", "cost"].map(|key| number(c, key)))
        .collect();
    assert!(ranks.len() > 1 && ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
    assert_eq!((ranks[0][0], ranks[0][1]), (2.0, 22.0));
}

#[test]
fn pages_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("warps.html");
    let path = file.to_str().expect("UTF-8");
    let args = ["coalesce", "i%8*32 + i//8", "--n", "256", "--html"];
    let out = quaff(&[&args[..], &[path]].concat());
    assert!(out.code == 0 && out.stdout.starts_with("identity: gap 12520, 64 sectors\n"), "{}", out.stdout);
    let page = std::fs::read_to_string(&file).expect("written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<title>i%8*32 + i//8</title>"), "{page}");
    assert!(page.contains("<title>warp 0, lane 9: element 9, address 33, sector 4</title>"), "{page}");
    assert!(page.contains("<title>warp 0, lane 9: element 72, address 9, sector 1</title>"), "{page}");
    assert_eq!(quaff(&[&args[..], &["-"]].concat()).stdout, page);
    // with several blocks, the page shows the first block
    let out = quaff(&["coalesce", "i%8*32 + i//8 + pid*256", "--n", "256", "--uniform", "pid=3..9", "--html", "-"]);
    assert!(out.stdout.contains("lane 9: element 9, address 801, sector 100"), "{}", out.stdout);
}
