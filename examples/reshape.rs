//! The library in one page: the ranges of the variables, one call, and the answer in several languages.
//!
//! ```text
//! cargo run --example reshape
//! ```

use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A 64 x 48 tile of 4-byte vectors. Its index is flattened for loading, and split into row and column for storing.
    let flat = var("row") * 48 + var("col");
    let address = flat.clone() / 48 * 52 + flat % 48;
    let domain = Domain::new().with("row", 0..64).with("col", 0..48);

    let simplifier = Simplifier::default();
    let answer = simplifier.simplify(&address, &domain)?;
    println!("{address}  ->  {}", answer.expr());
    println!("cost {} -> {}\n", answer.input_cost(), answer.cost());

    // Ends of ranges may be symbolic, so the kernel works for every width.
    let mut domain = Domain::new();
    for text in ["width = 1..65536", "row = 0..65535", "col = 0..width-1"] {
        domain.declare(text)?;
    }
    let address: Expr = "(row*width + col)//width*pitch + (row*width + col)%width".parse()?;
    domain.declare("pitch = 1..65536")?;
    let answer = simplifier.simplify(&address, &domain)?;
    println!("{address}  ->  {}\n", answer.expr());

    // Quotients and remainders that remain are computed without a division.
    let index: Expr = "t//12*16 + t%12".parse()?;
    let answer = simplifier.simplify(&index, &Domain::new().with("t", 0..1 << 20))?;
    println!("CUDA:\n{}", answer.cuda()?);
    println!("Python:\n{}", answer.python());
    Ok(())
}
