//! Programs as trees of statements, and their text. The expressions in the statements are already text.

use super::language::Language;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Statement {
    /// A line of code.
    Code(String),
    /// A line that is not indented, such as a preprocessor directive.
    Directive(String),
    /// A variable that never changes, such as `const int t0 = x * 4;`. The name of an array includes its length.
    Define {
        ty: String,
        name: String,
        value: String,
    },
    /// An assignment, such as `p = t` or `p += 4`. A new variable has its type in front, as in `int p = t`.
    Set {
        target: String,
        sign: &'static str,
        value: String,
    },
    /// Subtracts `modulus` from a variable that is at least `modulus`.
    Wrap {
        name: String,
        modulus: i64,
    },
    If {
        condition: String,
        then: Vec<Statement>,
        otherwise: Option<Vec<Statement>>,
    },
    /// A loop. `end` is the comparison of the counter that holds in the loop, such as `< 64`.
    For {
        ty: &'static str,
        counter: String,
        first: i64,
        end: String,
        step: i64,
        body: Vec<Statement>,
    },
    /// A function. The head is the first line of the function: its name and parameters, with the keywords of the
    /// language.
    Function {
        head: String,
        body: Vec<Statement>,
    },
}

/// The lines of a program. In Python and Triton, a loop shows only the name of its counter. The time is linear in the
/// statements. The recursion is as deep as the statements, whose depth the caller bounds.
pub fn lines(program: &[Statement], language: Language) -> Vec<String> {
    let mut printer = Printer { language, indent: 0, lines: Vec::new() };
    program.iter().for_each(|statement| printer.statement(statement));
    printer.lines
}

struct Printer {
    language: Language,
    indent: usize,
    lines: Vec<String>,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let indent = if text.is_empty() { 0 } else { self.indent };
        self.lines.push(format!("{:indent$}{text}", ""));
    }

    /// Prints the head and the statements of a block, but not the line that ends the block.
    fn open(&mut self, head: &str, body: &[Statement]) {
        let (sign, width) = match self.language {
            Language::C | Language::Cuda => (" {", 2),
            Language::Rust => (" {", 4),
            Language::Python | Language::Triton => (":", 4),
        };
        self.line(&format!("{head}{sign}"));
        self.indent += width;
        body.iter().for_each(|statement| self.statement(statement));
        self.indent -= width;
    }

    fn statement(&mut self, statement: &Statement) {
        let is_python = matches!(self.language, Language::Python | Language::Triton);
        let end = if is_python { "" } else { ";" };
        match statement {
            Statement::Code(text) => return self.line(text),
            Statement::Directive(text) => return self.lines.push(text.clone()),
            Statement::Define { ty, name, value } => {
                return self.line(&match self.language {
                    Language::C | Language::Cuda => format!("const {ty} {name} = {value};"),
                    Language::Rust => format!("let {name} = {value};"),
                    Language::Python | Language::Triton => format!("{name} = {value}"),
                });
            }
            Statement::Set { target, sign, value } => return self.line(&format!("{target} {sign} {value}{end}")),
            Statement::Wrap { name, modulus } if is_python => {
                return self.line(&format!("{name} -= {modulus} if {name} >= {modulus} else 0"));
            }
            Statement::Wrap { name, modulus } => {
                return self.line(&format!("if ({name} >= {modulus}) {name} -= {modulus};"));
            }
            Statement::If { condition, then, otherwise } => {
                self.open(&if is_python { format!("if {condition}") } else { format!("if ({condition})") }, then);
                if let Some(otherwise) = otherwise {
                    self.open(if is_python { "else" } else { "} else" }, otherwise);
                }
            }
            Statement::For { counter, body, .. } if is_python => self.open(&format!("for {counter}"), body),
            Statement::For { ty, counter, first, end, step, body } => {
                let next = if *step == 1 { format!("++{counter}") } else { format!("{counter} += {step}") };
                self.open(&format!("for ({ty} {counter} = {first}; {counter} {end}; {next})"), body);
            }
            Statement::Function { head, body } => self.open(head, body),
        }
        if !is_python {
            self.line("}");
        }
    }
}

/// `text` as an operand of any operator, in parentheses if it is more than a word.
pub fn operand(text: &str) -> String {
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    if is_word { text.into() } else { format!("({text})") }
}
