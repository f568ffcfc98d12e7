//! Rewrites the files that are named, and prints them.
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let language = quaff_rewrite::Language::of(path.as_ref()).unwrap();
        let t = std::time::Instant::now();
        let out = quaff_rewrite::rewrite(&text, language, &Default::default(), &Default::default()).unwrap();
        std::fs::write("/tmp/out.txt", &out.text).unwrap();
        std::process::Command::new("diff").args(["-u", &path, "/tmp/out.txt"]).status().unwrap();
        for k in out.kernels {
            println!(
                "{} {} -> {} proved {} tried {}\n  assumed {:?}\n  {:#?} {:?}",
                k.name,
                k.before,
                k.after,
                k.proved,
                k.tried,
                k.assumed,
                k.left,
                k.changes.len()
            );
        }
        println!("{path} {:?}", t.elapsed());
    }
}
