//! How time and e-graph grow with the size of the input, as a table and as a picture:
//!
//! ```text
//! cargo run --profile dist --example growth -- growth.svg
//! ```

#[path = "../benches/shapes/mod.rs"]
mod shapes;

use plotters::prelude::*;
use quaff::Simplifier;
use std::time::Instant;

/// The number of calls for each input. The time of the fastest call is printed.
const CALLS: usize = 20;

struct Row {
    n: usize,
    us: f64,
    nodes: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "growth.svg".into());
    let simplifier = Simplifier::default();
    let mut curves = Vec::new();
    println!("{:<18}{:>6}{:>12}{:>10}{:>14}", "shape", "n", "us", "e-nodes", "us/(n lg 2n)");
    for (name, make) in shapes::GROWING {
        let mut rows = Vec::new();
        for n in shapes::sizes() {
            let row = measure(&simplifier, n, make)?;
            let per = row.us / (n as f64 * (2.0 * n as f64).log2());
            println!("{name:<18}{n:>6}{:>12.1}{:>10}{per:>14.2}", row.us, row.nodes);
            rows.push(row);
        }
        curves.push((name, rows));
    }
    draw(&path, &curves)?;
    println!("drawn to {path}");
    Ok(())
}

fn measure(simplifier: &Simplifier, n: usize, make: shapes::Make) -> Result<Row, quaff::SimplifyError> {
    let (expr, domain) = make(n);
    let mut best = f64::INFINITY;
    let mut nodes = 0;
    for _ in 0..CALLS {
        let start = Instant::now();
        let answer = simplifier.simplify(&expr, &domain)?;
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
        nodes = answer.nodes();
    }
    Ok(Row { n, us: best, nodes })
}

/// Draws the curves. Both axes are logarithmic, so n log n is nearly a line of slope 1, and n^2 is a line of slope 2.
fn draw(path: &str, curves: &[(&str, Vec<Row>)]) -> Result<(), Box<dyn std::error::Error>> {
    let all = || curves.iter().flat_map(|(_, rows)| rows);
    let top = all().map(|r| r.us).fold(1.0, f64::max) * 2.0;
    let bottom = all().map(|r| r.us).fold(top, f64::min) / 2.0;
    let root = SVGBackend::new(path, (720, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("microseconds a call, by size of the input", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d((2.0..256.0).log_scale(), (bottom..top).log_scale())?;
    chart.configure_mesh().x_desc("n (log)").y_desc("us (log)").draw()?;
    for (i, (name, rows)) in curves.iter().enumerate() {
        let colour = Palette99::pick(i).to_rgba();
        chart
            .draw_series(LineSeries::new(rows.iter().map(|r| (r.n as f64, r.us)), &colour))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}
