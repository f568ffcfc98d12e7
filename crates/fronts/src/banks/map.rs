//! Draws an access as text and as SVG: for each bank, the lanes that it serves one after another.

use super::memory::{Memory, Service, Word};
use quaff_draw::page::counted;
use std::fmt::Write;

/// The width and the height of a cell, and the margin, in the units of a picture.
const CELL: (u32, u32) = (26, 18);
const MARGIN: u32 = 64;
/// The height of the part above the table, with the title and the names of the axes. It is also the width of the
/// legend.
const HEAD: u32 = 40;
const LEGEND_WIDTH: u32 = 480;
/// The colours of cells: orange for words that wait, blue for words that do not. Colour-blind people can distinguish
/// them by hue and by lightness.
const ONE: &str = "#d9eaf8";
const SHARED: &str = "#8fc1ea";
const WAITS: &str = "#eda03c";
/// `fill` is a style and no attribute, because the style sheet of a page would override an attribute
const INK: &str = "fill:#222";

impl Service {
    /// A table for each phase. Each table has one column for each bank. A column lists the lanes that the bank serves
    /// one after another. A `+` marks a word that further lanes access. `lanes` has the number of each lane, and a lane
    /// without a number is shown by its position.
    pub fn text(&self, memory: Memory, lanes: &[i64]) -> String {
        let name = |w: &Word| {
            let more = if w.lanes.len() > 1 { "+" } else { "" };
            format!("{}{more}", number(w, lanes))
        };
        let width = self.words.iter().map(|w| name(w).len()).max().unwrap_or(1).max(digits(memory)) + 1;
        let mut out = String::new();
        for phase in 0..self.phases {
            // writing to a string cannot fail
            let _ = write!(out, "{}phase {phase}\nbank ", if phase == 0 { "" } else { "\n" });
            for bank in 0..memory.count() {
                let _ = write!(out, "{bank:>width$}");
            }
            out.push('\n');
            for depth in 0..self.depth(phase) {
                let label = if depth == 0 { "lane" } else { "then" };
                let mut line = format!("{label} ");
                for bank in 0..memory.count() {
                    let cell = self.cell(phase, bank, depth).map(&name).unwrap_or_default();
                    let _ = write!(line, "{cell:>width$}");
                }
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        out
    }

    /// The tables of [`text`](Service::text) as a picture in SVG with a title, axes and a legend, without scripts or
    /// embedded fonts.
    pub fn svg(&self, memory: Memory, lanes: &[i64]) -> String {
        let rows: u32 = (0..self.phases).map(|p| self.depth(p) + 2).sum();
        let (w, h) = ((MARGIN + memory.count() * CELL.0 + 8).max(LEGEND_WIDTH), HEAD + (rows + 2) * CELL.1);
        let title = self.title();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             class=\"bank-drawing\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n<title>{title}</title>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n"
        );
        let mut write = |x: u32, y: u32, text: &str| {
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"start\" style=\"{INK}\">{text}</text>");
        };
        write(4, 14, &title);
        write(MARGIN, 32, "bank \u{2192}, and below it the lanes that it serves, one row after another \u{2193}");
        let mut y = HEAD;
        for phase in 0..self.phases {
            let label = y + CELL.1 - 5;
            let _ =
                writeln!(out, "<text x=\"4\" y=\"{label}\" text-anchor=\"start\" style=\"{INK}\">phase {phase}</text>");
            for bank in 0..memory.count() {
                let x = MARGIN + bank * CELL.0 + CELL.0.midpoint(0);
                let _ = writeln!(out, "<text x=\"{x}\" y=\"{label}\" style=\"fill:#666\">{bank}</text>");
            }
            for depth in 0..self.depth(phase) {
                y += CELL.1;
                for bank in 0..memory.count() {
                    self.svg_cell(&mut out, (phase, bank, depth), y, lanes);
                }
            }
            y += 2 * CELL.1;
        }
        let mut x = MARGIN;
        for (fill, text) in [(ONE, "one lane"), (SHARED, "several lanes, one word"), (WAITS, "serialised")] {
            let (width, height, label) = (CELL.0, CELL.1, y + CELL.1 - 5);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#bbb\"/>\
                 <text x=\"{}\" y=\"{label}\" text-anchor=\"start\" style=\"{INK}\">{text}</text>",
                x + width + 6
            );
            x += width + 24 + 7 * text.len() as u32;
        }
        out + "</svg>\n"
    }

    /// The title of the picture: the degree of the conflict, transactions and phases.
    fn title(&self) -> String {
        let conflict = match self.degree() {
            0 | 1 => "no bank conflict".to_string(),
            n => format!("{n}-way bank conflict"),
        };
        format!(
            "{conflict}, {} in {}",
            counted(self.transactions() as usize, "transaction"),
            counted(self.phases as usize, "phase")
        )
    }

    fn svg_cell(&self, out: &mut String, (phase, bank, depth): (u32, u32, u32), y: u32, lanes: &[i64]) {
        let (x, (w, h)) = (MARGIN + bank * CELL.0, CELL);
        let word = self.cell(phase, bank, depth);
        let fill = match (word, depth) {
            (None, _) => "#f4f4f4",
            (Some(w), 0) if w.lanes.len() > 1 => SHARED,
            (Some(_), 0) => ONE,
            _ => WAITS,
        };
        let _ =
            write!(out, "<g><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\" stroke=\"#bbb\"/>");
        if let Some(word) = word {
            let all: Vec<String> = word.lanes.iter().map(|l| of(*l, lanes).to_string()).collect();
            let (tx, ty) = (x + w.midpoint(0), y + h - 5);
            let _ = write!(
                out,
                "<title>bank {bank}, word {}: {} {}</title><text x=\"{tx}\" y=\"{ty}\" style=\"{INK}\">{}</text>",
                word.word,
                if all.len() == 1 { "lane" } else { "lanes" },
                all.join(", "),
                number(word, lanes)
            );
        }
        out.push_str("</g>\n");
    }

    /// The largest number of words of one bank in a phase.
    fn depth(&self, phase: u32) -> u32 {
        self.of_bank().filter(|w| w[0].phase == phase).map(|w| w.len() as u32).max().unwrap_or(0)
    }

    /// The word that a bank serves in a phase after `depth` other words.
    fn cell(&self, phase: u32, bank: u32, depth: u32) -> Option<&Word> {
        let from = self.words.partition_point(|w| (w.phase, w.bank) < (phase, bank));
        self.words.get(from + depth as usize).filter(|w| (w.phase, w.bank) == (phase, bank))
    }
}

/// The number of the first lane of a word.
fn number(word: &Word, lanes: &[i64]) -> i64 {
    of(word.lanes.first().copied().unwrap_or(0), lanes)
}

fn of(lane: u32, lanes: &[i64]) -> i64 {
    lanes.get(lane as usize).copied().unwrap_or(lane.into())
}

/// The number of characters of the greatest bank number.
fn digits(memory: Memory) -> usize {
    (memory.count() - 1).to_string().len()
}
