//! Programs as trees of statements, and their text. Expressions in them are texts already.

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Statement {
    /// A line of code.
    Code(String),
    /// A line that is not indented, such as a directive of the preprocessor.
    Directive(String),
    /// A variable that never changes: `const int t0 = x * 4;`. The name of an array has its length.
    Define {
        ty: String,
        name: String,
        value: String,
    },
    /// `p = t`, `p += 4`. A new variable has its type in front: `int p = t`.
    Set {
        target: String,
        sign: &'static str,
        value: String,
    },
    /// Takes `modulus` off a variable that is no less than it.
    Wrap {
        name: String,
        modulus: i64,
    },
    If {
        condition: String,
        then: Vec<Statement>,
        otherwise: Option<Vec<Statement>>,
    },
    /// `end` is the comparison of the counter that holds in the loop: `< 64`.
    For {
        ty: &'static str,
        counter: String,
        first: i64,
        end: String,
        step: i64,
        body: Vec<Statement>,
    },
    /// The head has the name, and what the language has around it.
    Function {
        head: String,
        body: Vec<Statement>,
    },
}

/// How statements are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As C and CUDA have them.
    C,
    /// As Rust has them.
    Rust,
    /// Without types. A loop has the name of its counter alone.
    Python,
}

/// The lines of a program. Linear in its statements; recursive in their depth, which the caller bounds.
pub fn lines(program: &[Statement], style: Style) -> Vec<String> {
    let mut printer = Printer { style, indent: 0, lines: Vec::new() };
    printer.all(program);
    printer.lines
}

struct Printer {
    style: Style,
    indent: usize,
    lines: Vec<String>,
}

impl Printer {
    fn all(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn line(&mut self, text: &str) {
        let indent = if text.is_empty() { 0 } else { self.indent };
        self.lines.push(format!("{:indent$}{text}", ""));
    }

    fn block(&mut self, head: &str, body: &[Statement]) {
        let (sign, width) = match self.style {
            Style::C => (" {", 2),
            Style::Rust => (" {", 4),
            Style::Python => (":", 4),
        };
        self.line(&format!("{head}{sign}"));
        self.indent += width;
        self.all(body);
        self.indent -= width;
    }

    fn close(&mut self) {
        if self.style != Style::Python {
            self.line("}");
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let is_python = self.style == Style::Python;
        let end = if is_python { "" } else { ";" };
        match statement {
            Statement::Code(text) => self.line(text),
            Statement::Directive(text) => self.lines.push(text.clone()),
            Statement::Define { ty, name, value } => self.line(&match self.style {
                Style::C => format!("const {ty} {name} = {value};"),
                Style::Rust => format!("let {name} = {value};"),
                Style::Python => format!("{name} = {value}"),
            }),
            Statement::Set { target, sign, value } => self.line(&format!("{target} {sign} {value}{end}")),
            Statement::Wrap { name, modulus } => self.line(&match is_python {
                true => format!("{name} -= {modulus} if {name} >= {modulus} else 0"),
                false => format!("if ({name} >= {modulus}) {name} -= {modulus};"),
            }),
            Statement::If { condition, then, otherwise } => {
                self.block(&if is_python { format!("if {condition}") } else { format!("if ({condition})") }, then);
                if let Some(otherwise) = otherwise {
                    self.block(if is_python { "else" } else { "} else" }, otherwise);
                }
                self.close();
            }
            Statement::For { ty, counter, first, end, step, body } => {
                let next = if *step == 1 { format!("++{counter}") } else { format!("{counter} += {step}") };
                let head = match is_python {
                    true => format!("for {counter}"),
                    false => format!("for ({ty} {counter} = {first}; {counter} {end}; {next})"),
                };
                self.block(&head, body);
                self.close();
            }
            Statement::Function { head, body } => {
                self.block(head, body);
                self.close();
            }
        }
    }
}

/// `text` as an operand of any operator.
pub fn operand(text: &str) -> String {
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    if is_word { text.into() } else { format!("({text})") }
}
