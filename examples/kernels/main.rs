//! Seven complete kernels written with dims. `cargo run --example kernels [-- NAME [--raw]]` prints them.

mod attention;
mod conv;
mod copy;
mod matmul;
mod pool;
mod transpose;

use quaff_fronts::Error;
use quaff_fronts::kernel::Kernel;
use std::process::ExitCode;

fn all() -> Result<Vec<(&'static str, Kernel)>, Error> {
    Ok(vec![
        ("matmul", matmul::kernel(4096, 4096, 4096)?),
        ("transpose", transpose::padded(4096, 2048)?),
        ("swizzled", transpose::swizzled(4096, 2048)?),
        ("copy", copy::kernel(4096)?),
        ("conv", conv::kernel(conv::LARGE)?),
        ("pool", pool::kernel(pool::Shape { images: 8, channels: 64, input: [112, 112] })?),
        ("attention", attention::kernel(32, 4, 1024, 4096, 64)?),
    ])
}

fn print(name: Option<&str>, raw: bool) -> Result<(), Error> {
    for (_, kernel) in all()?.iter().filter(|(n, _)| name.is_none_or(|name| name == *n)) {
        if raw {
            println!("{}", kernel.emit_raw()?);
            continue;
        }
        let text = kernel.emit()?;
        println!("{}", text.source);
        for access in &text.accesses {
            eprintln!("{access}");
        }
        eprintln!("index cost: {} instructions, as built {}", text.cost, text.input_cost);
        eprintln!("executed by a thread: {}, as built {}\n", text.executed, text.input_executed);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.iter().find(|a| !a.starts_with("--"));
    match print(name.map(String::as_str), arguments.iter().any(|a| a == "--raw")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
