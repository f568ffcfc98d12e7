//! Reads rule files. The result is s-expressions, each with its position in the file.

use std::fmt;

/// A position in a rule file. Lines and columns count from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The greatest depth of parentheses in a rule. Real rules stay below 10.
const MAX_DEPTH: usize = 64;

/// An s-expression and the position at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A word, which ends at white space, a parenthesis, `"` or `;`.
    Word(Position, String),
    /// A text in quotes.
    Text(Position, String),
    /// A list of items in parentheses.
    List(Position, Vec<Datum>),
}

impl Datum {
    /// The position at which the s-expression begins.
    pub fn position(&self) -> Position {
        match self {
            Datum::Word(p, _) | Datum::Text(p, _) | Datum::List(p, _) => *p,
        }
    }

    /// The word. `None` for texts and lists.
    pub fn word(&self) -> Option<&str> {
        match self {
            Datum::Word(_, w) => Some(w),
            _ => None,
        }
    }

    /// The items of a list. `None` for words and texts.
    pub fn list(&self) -> Option<&[Datum]> {
        match self {
            Datum::List(_, l) => Some(l),
            _ => None,
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Word(_, w) => f.write_str(w),
            Datum::Text(_, t) => write!(f, "{t:?}"),
            Datum::List(_, l) => {
                f.write_str("(")?;
                for (i, d) in l.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{d}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// An error message and its position.
pub type Fail = (Position, String);

/// Reads all top-level lists of `source`. Returns the lists and the errors, so that one mistake does not hide the
/// mistakes in other rules.
pub fn read(source: &str) -> (Vec<Datum>, Vec<Fail>) {
    let (data, errors) = scan(source, false);
    if errors.is_empty() {
        return (data, errors);
    }
    // parentheses do not match, so each rule is ended at the next line that begins a list
    scan(source, true)
}

/// The lists and the errors. With `by_line`, a list that begins at the start of a line closes all open lists.
fn scan(source: &str, by_line: bool) -> (Vec<Datum>, Vec<Fail>) {
    let mut open: Vec<(Position, Vec<Datum>)> = Vec::new();
    let (mut top, mut errors) = (Vec::new(), Vec::new());
    let mut chars = source.chars().peekable();
    let mut position = Position { line: 1, column: 1 };
    while let Some(c) = chars.next() {
        let here = position;
        position.column += 1;
        if c == '\n' {
            position = Position { line: position.line + 1, column: 1 };
        }
        let datum = match c {
            _ if c.is_whitespace() => continue,
            ';' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '(' => {
                if by_line && here.column == 1 {
                    errors.extend(open.drain(..).next().map(|(start, _)| never_closed(start)));
                }
                if open.len() >= MAX_DEPTH {
                    errors.push((here, format!("nested more than {MAX_DEPTH} deep")));
                    return (top, errors);
                }
                open.push((here, Vec::new()));
                continue;
            }
            ')' => match open.pop() {
                Some((start, items)) => Datum::List(start, items),
                None => {
                    errors.push((here, "`)` without `(`".into()));
                    continue;
                }
            },
            '"' => {
                let mut text = String::new();
                loop {
                    match chars.next() {
                        None => {
                            errors.push((here, "text without closing `\"`".into()));
                            return (top, errors);
                        }
                        Some('"') => {
                            position.column += 1;
                            break;
                        }
                        Some('\n') => {
                            position = Position { line: position.line + 1, column: 1 };
                            text.push(' ');
                            while chars.next_if(|c| *c == ' ').is_some() {
                                position.column += 1;
                            }
                        }
                        Some(c) => {
                            position.column += 1;
                            text.push(c);
                        }
                    }
                }
                Datum::Text(here, text)
            }
            _ => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !"()\";".contains(*c)) {
                    position.column += 1;
                    word.push(c);
                }
                Datum::Word(here, word)
            }
        };
        match open.last_mut() {
            Some((_, items)) => items.push(datum),
            None => top.push(datum),
        }
    }
    errors.extend(open.drain(..).next().map(|(start, _)| never_closed(start)));
    (top, errors)
}

fn never_closed(start: Position) -> Fail {
    (start, "`(` is never closed".into())
}
