//! The command line.
use std::io::Write;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let input = std::fs::read_to_string(&a[1]).unwrap();
    let mut out = std::io::BufWriter::new(std::fs::File::create(&a[2]).unwrap());
    let traced = a.len() > 3;
    let s = {
        let drop: Vec<String> = std::env::var("QDROP").unwrap_or_default().split(',').map(String::from).collect();
        let mut lim = quaff::egraph::Limits::default();
        if let Ok(n) = std::env::var("QN") {
            lim.nodes = n.parse().unwrap();
        }
        if let Ok(n) = std::env::var("QR") {
            lim.rounds = n.parse().unwrap();
        }
        let rules = match std::env::var("QRULES") {
            Ok(d) => quaff::rules::RuleSet::load(d.as_ref()).unwrap_or_else(|e| panic!("{e}")),
            _ => quaff::rules::RuleSet::shipped().clone(),
        };
        quaff::Simplifier::default()
            .with_rules(rules.retain(|n| !drop.iter().any(|d| d == n)))
            .with_limits(lim)
            .with_trace(traced)
    };
    for l in input.lines() {
        let d: serde_json::Value = serde_json::from_str(l).unwrap();
        let mut dom = quaff::domain::Domain::new();
        for (k, v) in d["vars"].as_object().unwrap() {
            dom = dom.with(k.as_str(), v[0].as_i64().unwrap()..=v[1].as_i64().unwrap());
        }
        let e = quaff::expr::parse(d["expr"].as_str().unwrap());
        let id = d["id"].as_str().unwrap();
        if traced && id != a[3] {
            continue;
        }
        let e = match e {
            Ok(e) => e,
            Err(x) => {
                writeln!(out, "{}", serde_json::json!({"id": id, "ok": false, "why": x.to_string()})).unwrap();
                continue;
            }
        };
        let t = std::time::Instant::now();
        let mut r = s.simplify(e.expr(), &dom);
        if let Ok(n) = std::env::var("QREP") { let n: u32 = n.parse().unwrap(); let t = std::time::Instant::now(); for _ in 0..n { r = s.simplify(e.expr(), &dom); } eprintln!("warm {:.1} us", t.elapsed().as_secs_f64()*1e6/n as f64); }
        let us = t.elapsed().as_nanos() as f64 / 1000.0;
        match r {
            Ok(r) => {
                if traced {
                    for s in r.trace() {
                        println!("{}: {}  ->  {}", s.rule, s.before, s.after);
                    }
                    println!("{} {} -> {}", r.expr(), r.input_cost(), r.cost());
                }
                writeln!(out, "{}", serde_json::json!({"id": id, "ok": true, "out": r.expr().to_string(), "us": us, "cost": r.cost(), "stop": r.stop().as_str(), "nodes": r.nodes(), "rounds": r.rounds()})).unwrap()
            }
            Err(x) => writeln!(out, "{}", serde_json::json!({"id": id, "ok": false, "why": x.to_string()})).unwrap(),
        }
    }
}
