//! Plots as SVG text, to stand in a page.

use plotters::coord::Shift;
use plotters::prelude::*;

const WIDTH: u32 = 860;
/// Height of a bar with its gap, and of what is around all bars.
const BAR: u32 = 18;
const AROUND: u32 = 90;
/// Room for names on the left.
const NAMES: u32 = 230;
const GREEN: RGBColor = RGBColor(58, 145, 86);
const RED: RGBColor = RGBColor(200, 76, 60);

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Beyond this no axis is drawn: what divides an infinite range into steps does not end.
const FARTHEST: f64 = 1e15;

/// `x` as it can be drawn; what is no number is drawn as 0.
fn drawable(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-FARTHEST, FARTHEST) }
}

/// Horizontal bars, one below the other, those below 0 green and those above red. Empty when there is none.
pub(super) fn bars(caption: &str, bars: &[(&str, f64)]) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let bars: Vec<(&str, f64)> = bars.iter().map(|(name, value)| (*name, drawable(*value))).collect();
    let height = AROUND + BAR * bars.len() as u32;
    svg(height, |area| {
        let end = |f: fn(f64, f64) -> f64| bars.iter().map(|b| b.1).fold(0.0, f);
        let (low, high) = (end(f64::min), end(f64::max));
        let room = ((high - low) * 0.05).max(0.5);
        let rows = (0..bars.len()).into_segmented();
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(NAMES)
            .build_cartesian_2d(low - room..high + room, rows)?;
        let name = |v: &SegmentValue<usize>| match v {
            // the first bar is on top
            SegmentValue::CenterOf(i) => bars.iter().rev().nth(*i).map_or_else(String::new, |b| b.0.to_string()),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(bars.len() + 1)
            .y_label_formatter(&name)
            .light_line_style(TRANSPARENT)
            .draw()?;
        chart.draw_series(bars.iter().rev().enumerate().map(|(i, (_, value))| {
            let colour = if *value > 0.0 { RED } else { GREEN };
            let corners = [(0.0, SegmentValue::Exact(i)), (*value, SegmentValue::Exact(i + 1))];
            let mut bar = Rectangle::new(corners, colour.filled());
            bar.set_margin(2, 2, 0, 0);
            bar
        }))?;
        Ok(())
    })
}

/// A line through `first` and the values after it, one step each.
pub(super) fn descent(caption: &str, first: f64, values: &[f64]) -> String {
    let values: Vec<f64> = std::iter::once(first).chain(values.iter().copied()).map(drawable).collect();
    let first = drawable(first);
    let low = values.iter().copied().fold(first, f64::min);
    let high = values.iter().copied().fold(first, f64::max);
    let room = ((high - low) * 0.1).max(1.0);
    svg(320, |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(0..values.len(), low - room..high + room)?;
        chart.configure_mesh().x_desc("rules left out").light_line_style(TRANSPARENT).draw()?;
        chart.draw_series(LineSeries::new(values.iter().copied().enumerate(), BLUE.stroke_width(2)))?;
        Ok(())
    })
}

/// What `draw` draws; why nothing, if it fails.
fn svg(height: u32, draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Drawn) -> String {
    let mut out = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut out, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE).and_then(|()| draw(&area)).and_then(|()| area.present())
    };
    match drawn {
        Ok(()) => out,
        Err(e) => format!("<p>no plot: {}</p>", crate::inspect::page::escaped(&e.to_string())),
    }
}
