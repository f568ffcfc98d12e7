//! The cost of unrolled copies of a gated access, in instructions. The copies are simplified one by one, and together.
//!
//! ```text
//! cargo run --release --example copies
//! ```

use quaff::Simplifier;
use quaff::access::Access;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::ParseError;

const INDEX: &str = "(i*224 + k*7 + u)//11*64 + (i*224 + k*7 + u)%11 + u//3*k";
const GATE: &str = "(i*224 + k*7 + u)//11 < 600 and i + u%5 >= 2";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let domain = Domain::new().with("i", 0..=63).with("k", 0..=31);
    let simplifier = Simplifier::default();
    println!("{:>8}{:>14}{:>14}{:>14}", "copies", "as written", "one by one", "together");
    for count in [1, 16, 128, 512] {
        let copy = |text: &str, u: usize| text.replace('u', &u.to_string()).parse();
        let load = |u: usize| Ok(Access::load(format!("v{u}"), "in", copy(INDEX, u)?).when(copy(GATE, u)?));
        let accesses: Vec<Access> = (0..count).map(load).collect::<Result<_, ParseError>>()?;
        let mut alone = Cost::ZERO;
        for access in &accesses {
            alone += simplifier.simplify_access(access, &domain)?.cost();
        }
        let answer = simplifier.simplify_accesses(&accesses, &domain)?;
        let (written, together) = (answer.input_cost(), answer.cost());
        // the format of `Cost` ignores widths, so costs are converted to strings first
        let [written, alone, together] = [written, alone, together].map(|c| c.to_string());
        println!("{count:>8}{written:>14}{alone:>14}{together:>14}");
    }
    Ok(())
}
