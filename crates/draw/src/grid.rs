//! Pictures of grids as SVG, which show the element that each position reads.
//!
//! A picture is a column of [`Panel`]s, each a grid of [`Cell`]s. The shade of a cell shows the position of the element
//! that the cell reads, on the scale *cividis*. The lightness of this scale grows evenly, and most colour-blind people
//! see the scale unchanged. A cell that reads nothing is hatched, so that colour alone never carries meaning. Every
//! cell has a number as text and a tool tip.

use crate::page::escaped;
use std::fmt::Write;

/// One cell of a grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The text in the cell.
    pub label: String,
    /// The tool tip of the cell.
    pub tip: String,
    /// The fill of the cell.
    pub fill: Fill,
}

/// The fill of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// A position on the colour scale, from 0 to 1.
    Shade(f64),
    /// A hatched cell, which reads nothing.
    Masked,
}

/// A grid with a title. The cells are in row order.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title of the panel.
    pub title: String,
    /// The labels of the rows and of the columns.
    pub axes: [String; 2],
    /// The number of cells of a row.
    pub columns: usize,
    /// All cells, row by row.
    pub cells: Vec<Cell>,
}

/// Anchors of cividis at equal distances (Nuñez, Anderton, Renslow, "Optimizing colormaps with consideration for color
/// vision deficiency", 2018).
const SCALE: [[u8; 3]; 10] = [
    [0, 34, 78],
    [18, 53, 112],
    [59, 73, 108],
    [87, 93, 109],
    [112, 113, 115],
    [138, 134, 120],
    [165, 156, 116],
    [195, 179, 105],
    [225, 204, 85],
    [254, 232, 56],
];

/// The height of a cell, in pixels.
const CELL: usize = 26;
/// The width of one character of a label, in pixels.
const CHARACTER: usize = 8;
/// The space around panels, in pixels.
const MARGIN: usize = 24;

/// The lane that has the position `number`, if consecutive lanes have consecutive positions: `lane 3`, or
/// `lane 3 of warp 1` for later positions. A warp has 32 lanes.
pub fn lane(number: usize) -> String {
    const LANES: usize = 32;
    match number {
        0..LANES => format!("lane {number}"),
        _ => format!("lane {} of warp {}", number % LANES, number / LANES),
    }
}

/// Draws `panels`, one below the other. The time is linear in the number of cells.
pub fn svg(title: &str, panels: &[Panel]) -> String {
    let longest = panels.iter().flat_map(|p| &p.cells).map(|c| c.label.chars().count()).max().unwrap_or(1);
    let cell_width = CELL.max(longest.saturating_mul(CHARACTER).saturating_add(8));
    let mut body = String::new();
    let (mut y, mut width) = (2 * MARGIN, title.chars().count() * CHARACTER);
    for panel in panels {
        let columns = panel.columns.max(1);
        let rows = panel.cells.len().div_ceil(columns);
        let _ = writeln!(
            body,
            "<text style=\"fill:#222\" x=\"{MARGIN}\" y=\"{}\">{}</text>",
            y + 12,
            escaped(&panel.title)
        );
        let _ = writeln!(body, "<text style=\"fill:#555\" x=\"{}\" y=\"{}\">{}</text>", 2 * MARGIN, y + 30, {
            let [down, along] = &panel.axes;
            let arrows = [(down, "\u{2193}"), (along, "\u{2192}")].into_iter().filter(|(name, _)| !name.is_empty());
            arrows.map(|(name, arrow)| format!("{} {arrow}", escaped(name))).collect::<Vec<_>>().join("   ")
        });
        y += 38;
        for (at, cell) in panel.cells.iter().enumerate() {
            let (row, column) = (at.div_euclid(columns), at.rem_euclid(columns));
            let place = (2 * MARGIN + column * cell_width, y + row * CELL);
            draw(&mut body, cell, place, cell_width);
        }
        width = width.max(2 * MARGIN + panel.columns * cell_width).max(panel.title.chars().count() * CHARACTER);
        y += rows * CELL + MARGIN;
    }
    let (width, title) = (width + 2 * MARGIN, escaped(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" \
         class=\"grid-drawing\" role=\"img\">\n<title>{title}</title>\n<style>.grid-drawing text {{ font: 13px monospace; fill: #222 }} \
         .grid-drawing .cell {{ text-anchor: middle }}</style>\n<defs><pattern id=\"masked\" width=\"6\" \
         height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" \
         fill=\"#fff\"/><rect width=\"2\" height=\"6\" fill=\"#bbb\"/></pattern></defs>\n<rect width=\"{width}\" \
         height=\"{y}\" fill=\"#fff\"/>\n<text style=\"fill:#222\" x=\"{MARGIN}\" y=\"{MARGIN}\">{title}</text>\n{body}</svg>\n"
    )
}

fn draw(out: &mut String, cell: &Cell, (x, y): (usize, usize), width: usize) {
    let (fill, ink) = match cell.fill {
        Fill::Masked => ("url(#masked)".to_string(), "#222"),
        Fill::Shade(at) => {
            let [r, g, b] = shade(at);
            let ink = if is_dark([r, g, b]) { "#fff" } else { "#000" };
            (format!("#{r:02x}{g:02x}{b:02x}"), ink)
        }
    };
    let (middle, base) = (x + width.div_ceil(2), y + CELL - 8);
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{CELL}\" fill=\"{fill}\" \
         stroke=\"#fff\"/><text class=\"cell\" style=\"fill:{ink}\" x=\"{middle}\" y=\"{base}\">{}</text></g>",
        escaped(&cell.tip),
        escaped(&cell.label),
    );
}

/// The colour at position `at` between 0 and 1, interpolated linearly between the anchors.
fn shade(at: f64) -> [u8; 3] {
    let scaled = at.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let low = (scaled.floor() as usize).min(SCALE.len() - 2);
    let part = scaled - low as f64;
    let mixed = |i: usize| f64::from(SCALE[low][i]) * (1.0 - part) + f64::from(SCALE[low + 1][i]) * part;
    [0, 1, 2].map(|i| mixed(i).round() as u8)
}

/// Whether white text has more contrast on the colour than black text.
fn is_dark(colour: [u8; 3]) -> bool {
    // at this luminance, white and black text have the same contrast by WCAG 2
    luminance(colour) < 0.179
}

/// The relative luminance of a colour, by WCAG 2.
fn luminance([r, g, b]: [u8; 3]) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) * 255_f64.recip();
        if c <= 0.04045 { c * 12.92_f64.recip() } else { ((c + 0.055) * 1.055_f64.recip()).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_goes_from_dark_to_light() {
        assert_eq!(shade(0.0), SCALE[0]);
        assert_eq!(shade(1.0), SCALE[9]);
        let luma = |at: f64| shade(at).map(u32::from).iter().sum::<u32>();
        assert!((1..=100).all(|i| luma(f64::from(i - 1) / 100.0) <= luma(f64::from(i) / 100.0) + 3));
        assert!(is_dark(shade(0.0)) && !is_dark(shade(1.0)));
    }

    #[test]
    fn numbers_have_the_contrast_of_text_on_every_shade() {
        for at in 0..=1000 {
            let colour = shade(f64::from(at) / 1000.0);
            let ink = if is_dark(colour) { 1.0 } else { 0.0 };
            let pair = [ink, luminance(colour)].map(|l: f64| l + 0.05);
            let contrast = pair[0].max(pair[1]) / pair[0].min(pair[1]);
            assert!(contrast >= 4.5, "{colour:?}: {contrast}");
        }
    }

    #[test]
    fn a_picture_has_each_cell_once_and_escapes_its_texts() {
        let cell = |label: &str, fill| Cell { label: label.into(), tip: format!("<{label}>"), fill };
        let cells = vec![cell("1", Fill::Shade(0.5)), cell("-", Fill::Masked), cell("2", Fill::Shade(2.0))];
        let panel = Panel { title: "a & b".into(), axes: ["i".into(), "j".into()], columns: 2, cells };
        let text = svg("t", &[panel]);
        assert_eq!(text.matches("<g>").count(), 3);
        assert!(text.contains("a &amp; b") && text.contains("&lt;1&gt;") && text.contains("url(#masked)"));
    }
}
