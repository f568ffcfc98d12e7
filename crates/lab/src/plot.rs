//! Draws plots as SVG text, for an HTML page or a file. Labels and axes have the colour of the text on the page.
//!
//! ```
//! use quaff_lab::plot::{Bar, bars, file};
//!
//! let picture = bars("cost above the optimum, in percent", &[Bar::amount("trees", 4.7), Bar::amount("engine", 0.2)]);
//! assert!(picture.starts_with("<svg") && picture.contains("currentColor"));
//! assert!(file(&picture).contains("prefers-color-scheme"));
//! ```

use plotters::coord::Shift;
use plotters::prelude::*;

const WIDTH: u32 = 860;
/// The height of a bar with its gap, and the space around all bars.
const BAR: u32 = 20;
const AROUND: u32 = 90;
/// The width of the space for names on the left.
const NAMES: u32 = 250;
const GREEN: RGBColor = RGBColor(58, 145, 86);
const RED: RGBColor = RGBColor(200, 76, 60);
/// The colour of a difference that may be noise.
const GREY: RGBColor = RGBColor(136, 136, 136);
const BLUE: RGBColor = RGBColor(42, 111, 219);
/// The colours of curves.
const CURVES: [RGBColor; 3] = [BLUE, RED, GREEN];
/// The colour of labels and axes. It is a placeholder, which is replaced by `currentColor`.
const TEXT: RGBColor = RGBColor(1, 2, 3);

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The largest number on an axis. With an infinite range, the plotting library would not terminate.
const FARTHEST: f64 = 1e15;

/// `x` limited to the numbers that can be drawn. NaN becomes 0.
fn drawable(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-FARTHEST, FARTHEST) }
}

/// A bar of a plot: a value with a name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bar<'a> {
    /// The name, to the left of the bar.
    pub name: &'a str,
    /// The length of the bar. NaN is drawn as 0, and a number far from 0 is drawn as 1e15.
    pub value: f64,
    /// The ends of the confidence interval of the value, if it has one. A bar whose interval contains 0 is grey.
    pub interval: Option<(f64, f64)>,
    is_amount: bool,
}

impl<'a> Bar<'a> {
    /// A bar for a change without an interval. It is green below 0, and red above.
    pub fn new(name: &'a str, value: f64) -> Bar<'a> {
        Bar { name, value, interval: None, is_amount: false }
    }

    /// A blue bar for an amount, which is neither good nor bad.
    pub fn amount(name: &'a str, value: f64) -> Bar<'a> {
        Bar { is_amount: true, ..Bar::new(name, value) }
    }

    /// Adds a confidence interval to the bar.
    pub fn within(self, low: f64, high: f64) -> Bar<'a> {
        Bar { interval: Some((low, high)), ..self }
    }

    /// The bar, with its numbers limited to those that can be drawn.
    fn drawable(&self) -> Bar<'a> {
        let interval = self.interval.map(|(low, high)| (drawable(low), drawable(high)));
        Bar { value: drawable(self.value), interval, ..self.clone() }
    }

    fn colour(&self) -> RGBColor {
        match self.interval {
            Some((low, high)) if low <= 0.0 && high >= 0.0 => GREY,
            _ if self.is_amount => BLUE,
            _ if self.value > 0.0 => RED,
            _ => GREEN,
        }
    }
}

/// Draws horizontal bars, one below the other. The text is empty if there are no bars.
pub fn bars(caption: &str, bars: &[Bar<'_>]) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let bars: Vec<Bar<'_>> = bars.iter().map(Bar::drawable).collect();
    let height = AROUND + BAR * bars.len() as u32;
    svg(height, |area| {
        let ends =
            bars.iter().flat_map(|b| [b.value, b.interval.map_or(0.0, |i| i.0), b.interval.map_or(0.0, |i| i.1)]);
        let (low, high) = ends.fold((0.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        let room = ((high - low) * 0.05).max(1e-3);
        let rows = (0..bars.len()).into_segmented();
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 16, &TEXT))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(NAMES)
            .build_cartesian_2d(low - room..high + room, rows)?;
        let name = |v: &SegmentValue<usize>| match v {
            // the first bar is on top
            SegmentValue::CenterOf(i) => bars.iter().rev().nth(*i).map_or_else(String::new, |b| b.name.to_string()),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(bars.len() + 1)
            .y_label_formatter(&name)
            .label_style(("sans-serif", 13, &TEXT))
            .axis_style(TEXT)
            .bold_line_style(GREY.mix(0.3))
            .light_line_style(TRANSPARENT)
            .draw()?;
        chart.draw_series(bars.iter().rev().enumerate().map(|(i, bar)| {
            let corners = [(0.0, SegmentValue::Exact(i)), (bar.value, SegmentValue::Exact(i + 1))];
            let mut drawn = Rectangle::new(corners, bar.colour().filled());
            drawn.set_margin(2, 2, 0, 0);
            drawn
        }))?;
        let intervals = bars.iter().rev().enumerate().filter_map(|(i, bar)| Some((i, bar.interval?)));
        chart.draw_series(intervals.map(|(i, (low, high))| {
            let middle = SegmentValue::CenterOf(i);
            PathElement::new([(low, middle.clone()), (high, middle)], TEXT.stroke_width(2))
        }))?;
        Ok(())
    })
}

/// The picture as a separate SVG file. Its text is dark or light, as the reader's system prefers.
pub fn file(picture: &str) -> String {
    let style = "<style>svg{color:#1f2328}@media (prefers-color-scheme:dark){svg{color:#e6edf3}}</style>";
    // insert the style after the opening tag
    picture.replacen('>', &format!(">\n{style}"), 1)
}

/// Draws a named line through each list of values, which are one step apart. The text is empty if no line has two
/// values.
pub(crate) fn curves(caption: &str, steps: &str, curves: &[(&str, Vec<f64>)]) -> String {
    let curves: Vec<(&str, Vec<f64>)> =
        curves.iter().map(|(name, values)| (*name, values.iter().copied().map(drawable).collect())).collect();
    let longest = curves.iter().map(|c| c.1.len()).max().unwrap_or(0);
    if longest < 2 {
        return String::new();
    }
    let values = || curves.iter().flat_map(|c| c.1.iter().copied());
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let room = ((high - low) * 0.1).max(1.0);
    svg(320, |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 16, &TEXT))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(80)
            .build_cartesian_2d(0..longest - 1, low - room..high + room)?;
        chart
            .configure_mesh()
            .x_desc(steps)
            .label_style(("sans-serif", 13, &TEXT))
            .axis_style(TEXT)
            .bold_line_style(GREY.mix(0.3))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for ((name, values), colour) in curves.iter().zip(CURVES.into_iter().cycle()) {
            let line = LineSeries::new(values.iter().copied().enumerate(), colour.stroke_width(2));
            let key = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2));
            chart.draw_series(line)?.label(*name).legend(key);
        }
        if curves.len() > 1 {
            let labels = ("sans-serif", 13, &TEXT);
            chart.configure_series_labels().position(SeriesLabelPosition::LowerRight).label_font(labels).draw()?;
        }
        Ok(())
    })
}

/// The picture that `draw` draws. If drawing fails, the text has the reason.
fn svg(height: u32, draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Drawn) -> String {
    let mut out = String::new();
    let drawn = {
        let area = SVGBackend::with_string(&mut out, (WIDTH, height)).into_drawing_area();
        draw(&area).and_then(|()| area.present())
    };
    match drawn {
        Ok(()) => out.replace("#010203", "currentColor"),
        Err(e) => format!("<p>no plot: {}</p>", quaff_draw::page::escaped(&e.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_the_colour_of_the_page() {
        let picture = bars("cost", &[Bar::new("a", 2.0), Bar::new("b", 0.5).within(-1.0, 1.0)]);
        assert!(picture.contains("currentColor") && picture.contains("viewBox") && !picture.contains("#010203"));
        // one bar is above 0, and one is within noise
        let filled = |colour: &str| picture.lines().filter(|l| l.starts_with("<rect") && l.contains(colour)).count();
        assert_eq!((filled("#C84C3C"), filled("#888888")), (1, 1), "{picture}");
        assert_eq!((bars("none", &[]), curves("one", "step", &[("a", vec![1.0])])), (String::new(), String::new()));
        let lines = curves("growth", "round", &[("a", vec![1.0, f64::NAN, f64::INFINITY]), ("b", vec![0.0; 3])]);
        let drawn = lines.lines().filter(|l| l.starts_with("<polyline") && l.contains("stroke-width=\"2\"")).count();
        assert_eq!(drawn, 4, "two lines and their keys: {lines}");
    }
}
