//! Reads printed CUDA and C text, and evaluates it by the rules of C: literals have types, operands are converted, and
//! signed overflow is an error. The reader does not use the expression that the text was printed from.

use quaff::emit::Text;
use std::collections::HashMap;

/// An integer type of C. The type of `bool` and of comparisons is `Int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ty {
    Int,
    Unsigned,
    Long,
    UnsignedLong,
}

impl Ty {
    fn named(words: &str) -> Option<Ty> {
        Some(match words {
            "int" | "bool" => Ty::Int,
            "unsigned" => Ty::Unsigned,
            "long long" => Ty::Long,
            "unsigned long long" => Ty::UnsignedLong,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        if self < Ty::Long { 32 } else { 64 }
    }

    fn signed(self) -> bool {
        matches!(self, Ty::Int | Ty::Long)
    }

    /// The value of this type that is `v` modulo its width.
    fn wrap(self, v: i128) -> i128 {
        match self {
            Ty::Int => (v as i32).into(),
            Ty::Unsigned => (v as u32).into(),
            Ty::Long => (v as i64).into(),
            Ty::UnsignedLong => (v as u64).into(),
        }
    }

    /// The result of arithmetic with the exact value `v`. Overflow of a signed type is an error.
    fn result(self, v: i128) -> Result<Value, String> {
        let wrapped = self.wrap(v);
        if self.signed() && wrapped != v { Err(format!("{v} in {self:?}")) } else { Ok((wrapped, self)) }
    }
}

type Value = (i128, Ty);

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(i128, Ty),
    Sign(&'static str),
}

#[derive(Clone, Debug)]
enum Tree {
    Number(i128, Ty),
    Name(String),
    /// A field of a prepared divisor: the multiplier `m` or the shift `s`.
    Field(String, String),
    Cast(Ty, Box<Tree>),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<(Tree, Tree)>),
    Choice(Box<(Tree, Tree, Tree)>),
    Call(String, Vec<Tree>),
}

/// Short words that C reserves.
const WORDS: [&str; 20] = [
    "int", "unsigned", "long", "bool", "const", "return", "if", "else", "for", "while", "do", "case", "char", "float",
    "double", "short", "void", "auto", "static", "signed",
];
const SIGNS: [&str; 26] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "(",
    ")", "?", ":", ",", ".",
];
/// The binary operators by precedence, the lowest precedence first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut out, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if first.is_ascii_digit() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            out.push(literal(&rest[..digits], &rest[digits..word])?);
            word
        } else if word > 0 {
            out.push(Token::Name(rest[..word].into()));
            word
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s)).ok_or_else(|| format!("no sign: {rest}"))?;
            // `--` and `++` are single operators in C
            if matches!(*sign, "-" | "+") && rest[1..].starts_with(sign) {
                return Err(format!("a decrement or increment: {rest}"));
            }
            out.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

fn literal(digits: &str, suffix: &str) -> Result<Token, String> {
    let value: i128 = digits.parse().map_err(|_| digits.to_string())?;
    let candidates: &[Ty] = match suffix {
        "" => &[Ty::Int, Ty::Long],
        "u" => &[Ty::Unsigned, Ty::UnsignedLong],
        "ll" => &[Ty::Long],
        "ull" => &[Ty::UnsignedLong],
        _ => return Err(format!("{digits}{suffix}")),
    };
    let ty =
        candidates.iter().find(|t| t.wrap(value) == value).ok_or_else(|| format!("no type for {digits}{suffix}"))?;
    Ok(Token::Number(value, *ty))
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

impl Reader {
    fn read(text: &str) -> Result<Tree, String> {
        let mut reader = Reader { tokens: tokens(text)?, at: 0 };
        let tree = reader.choice()?;
        if reader.at == reader.tokens.len() { Ok(tree) } else { Err(format!("more than an expression: {text}")) }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn expects(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("`{sign}` expected before {:?}", self.tokens.get(self.at))) }
    }

    fn choice(&mut self) -> Result<Tree, String> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.choice()?;
        self.expects(":")?;
        Ok(Tree::Choice(Box::new((condition, yes, self.choice()?))))
    }

    fn binary(&mut self, level: usize) -> Result<Tree, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) =
            signs.iter().find(|s| matches!(self.tokens.get(self.at), Some(Token::Sign(t)) if t == *s))
        {
            self.at += 1;
            left = Tree::Binary(sign, Box::new((left, self.binary(level + 1)?)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, String> {
        for sign in ["-", "!", "~"] {
            if self.takes(sign) {
                return Ok(Tree::Unary(sign, Box::new(self.unary()?)));
            }
        }
        if !self.takes("(") {
            return self.atom();
        }
        let mut words = Vec::new();
        while let Some(Token::Name(word)) = self.tokens.get(self.at)
            && matches!(word.as_str(), "int" | "unsigned" | "long" | "bool")
        {
            words.push(word.clone());
            self.at += 1;
        }
        if words.is_empty() {
            let inner = self.choice()?;
            self.expects(")")?;
            return Ok(inner);
        }
        self.expects(")")?;
        let ty = Ty::named(&words.join(" ")).ok_or("a type")?;
        Ok(Tree::Cast(ty, Box::new(self.unary()?)))
    }

    fn atom(&mut self) -> Result<Tree, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("an operand expected at the end")?;
        self.at += 1;
        match token {
            Token::Number(value, ty) => Ok(Tree::Number(value, ty)),
            Token::Name(name) if WORDS.contains(&&*name) => Err(format!("`{name}` is no name")),
            Token::Name(name) if self.takes("(") => {
                let mut arguments = vec![self.choice()?];
                while self.takes(",") {
                    arguments.push(self.choice()?);
                }
                self.expects(")")?;
                Ok(Tree::Call(name, arguments))
            }
            Token::Name(name) if self.takes(".") => match self.tokens.get(self.at).cloned() {
                Some(Token::Name(field)) => {
                    self.at += 1;
                    Ok(Tree::Field(name, field))
                }
                other => Err(format!("a field expected: {other:?}")),
            },
            Token::Name(name) => Ok(Tree::Name(name)),
            Token::Sign(sign) => Err(format!("an operand expected before `{sign}`")),
        }
    }
}

/// A text in parsed form.
pub(crate) struct Program {
    /// For each variable, its name in the expression, its name in the text, and its type.
    inputs: Vec<(String, String, Ty)>,
    divisors: Vec<(String, String, Tree)>,
    statements: Vec<(String, Ty, Tree)>,
    results: Vec<(Ty, Tree)>,
}

impl Program {
    /// Parses `text`.
    ///
    /// # Errors
    /// A message with the part of the text that is not valid C.
    pub(crate) fn read(text: &Text) -> Result<Program, String> {
        let named = |ty: &str| Ty::named(ty).ok_or_else(|| format!("no type: {ty}"));
        let input = |i: &quaff::emit::Input| Ok((i.variable.to_string(), i.name.clone(), named(i.ty)?));
        let divisor = |d: &quaff::emit::HostDivisor| match Reader::read(&d.setup())? {
            Tree::Call(make, mut arguments) if arguments.len() == 1 => Ok((d.name.clone(), make, arguments.remove(0))),
            _ => Err(format!("no set-up: {}", d.setup())),
        };
        let statement = |s: &String| {
            let (left, right) = s.split_once(" = ").ok_or_else(|| format!("no definition: {s}"))?;
            let left = left.strip_prefix("const ").ok_or_else(|| format!("not constant: {s}"))?;
            let (ty, name) = left.rsplit_once(' ').ok_or_else(|| format!("no type: {s}"))?;
            let right = right.strip_suffix(';').ok_or_else(|| format!("no end: {s}"))?;
            Ok((name.to_string(), named(ty)?, Reader::read(right)?))
        };
        Ok(Program {
            inputs: text.inputs.iter().chain(&text.host_inputs).map(input).collect::<Result<_, String>>()?,
            divisors: text.divisors.iter().map(divisor).collect::<Result<_, String>>()?,
            statements: text.statements.iter().map(statement).collect::<Result<_, String>>()?,
            results: text
                .results
                .iter()
                .map(|r| Ok((named(r.ty)?, Reader::read(&r.text)?)))
                .collect::<Result<_, String>>()?,
        })
    }

    /// The results at the point at which variables have the values `value_of`.
    ///
    /// # Errors
    /// A message about the operation that is undefined in C at this point.
    pub(crate) fn run(&self, value_of: impl Fn(&str) -> i64) -> Result<Vec<i128>, String> {
        let mut scope = Scope::default();
        for (variable, name, ty) in &self.inputs {
            let value = i128::from(value_of(variable));
            // the variables of CUDA, such as `threadIdx.x`, are unsigned
            let own = if name.contains('.') { Ty::Unsigned } else { *ty };
            if ty.wrap(value) != value || scope.names.insert(name.clone(), (own.wrap(value), own)).is_some() {
                return Err(format!("{name} = {value}"));
            }
        }
        for (name, make, argument) in &self.divisors {
            let d = Ty::Unsigned.wrap(scope.value(argument)?.0);
            scope.divisors.insert(name.clone(), prepared(make, d)?);
        }
        for (name, ty, tree) in &self.statements {
            let value = (ty.wrap(scope.value(tree)?.0), *ty);
            if scope.names.insert(name.clone(), value).is_some() {
                return Err(format!("{name} is there twice"));
            }
        }
        self.results.iter().map(|(ty, tree)| Ok(ty.wrap(scope.value(tree)?.0))).collect()
    }
}

/// The multiplier and the shift of the divisor `d`, as the host code of the text computes them.
fn prepared(make: &str, d: i128) -> Result<(i128, i128), String> {
    let first = match make {
        "quaff_fastdivmod" => 2,
        "quaff_fastdivmod_any" => 1,
        _ => return Err(format!("no function {make}")),
    };
    let s = (0..32).find(|s| first << s >= d).filter(|_| d > 0).ok_or_else(|| format!("{make}({d})"))?;
    let numerator = if first == 2 { (1i128 << (32 + s)) + d - 1 } else { (((1i128 << s) - d) << 32) + d - 1 };
    Ok((Ty::Unsigned.wrap(numerator.div_euclid(d)), s))
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Value>,
    divisors: HashMap<String, (i128, i128)>,
}

impl Scope {
    fn value(&self, tree: &Tree) -> Result<Value, String> {
        let truth = |t: bool| Ok((i128::from(t), Ty::Int));
        match tree {
            Tree::Number(value, ty) => Ok((*value, *ty)),
            Tree::Name(name) => self.names.get(name).copied().ok_or_else(|| format!("`{name}` is not declared")),
            Tree::Field(name, field) => match (self.divisors.get(name), field.as_str()) {
                (Some((m, _)), "m") => Ok((*m, Ty::Unsigned)),
                (Some((_, s)), "s") => Ok((*s, Ty::Unsigned)),
                (None, _) if self.names.contains_key(&format!("{name}.{field}")) => {
                    Ok(self.names[&format!("{name}.{field}")])
                }
                _ => Err(format!("{name}.{field}")),
            },
            Tree::Cast(ty, inner) => Ok((ty.wrap(self.value(inner)?.0), *ty)),
            Tree::Unary(sign, inner) => {
                let (v, ty) = self.value(inner)?;
                match *sign {
                    "-" => ty.result(-v),
                    "~" => Ok((ty.wrap(-1 - v), ty)),
                    _ => truth(v == 0),
                }
            }
            Tree::Choice(parts) => {
                let (condition, yes, no) = &**parts;
                let taken = if self.value(condition)?.0 != 0 { yes } else { no };
                let ty = self.type_of(yes)?.max(self.type_of(no)?);
                Ok((ty.wrap(self.value(taken)?.0), ty))
            }
            Tree::Binary("&&", both) => truth(self.value(&both.0)?.0 != 0 && self.value(&both.1)?.0 != 0),
            Tree::Binary("||", both) => truth(self.value(&both.0)?.0 != 0 || self.value(&both.1)?.0 != 0),
            Tree::Binary(sign, both) => binary(sign, self.value(&both.0)?, self.value(&both.1)?),
            Tree::Call(name, arguments) => {
                let values = arguments.iter().map(|a| self.value(a)).collect::<Result<Vec<Value>, String>>()?;
                if let ("__funnelshift_l", &[(0, _), (a, _), (by @ 0..=31, _)]) = (name.as_str(), &values[..]) {
                    return Ok((Ty::Unsigned.wrap(a << by), Ty::Unsigned));
                }
                let [(a, x), (b, y)] = *values else { return Err(format!("{name}: {values:?}")) };
                let ty = x.max(y);
                let (a_in, b_in) = (ty.wrap(a), ty.wrap(b));
                match name.as_str() {
                    "__umulhi" => Ok(((Ty::Unsigned.wrap(a) * Ty::Unsigned.wrap(b)) >> 32, Ty::Unsigned)),
                    "__umul64hi" => {
                        let product = Ty::UnsignedLong.wrap(a) as u128 * Ty::UnsignedLong.wrap(b) as u128;
                        Ok(((product >> 64) as i128, Ty::UnsignedLong))
                    }
                    // `min` and `max` are overloaded, so operands of two types would be ambiguous
                    "min" | "max" if x != y => Err(format!("{name} of {x:?} and {y:?}")),
                    "min" => Ok((a_in.min(b_in), ty)),
                    "max" => Ok((a_in.max(b_in), ty)),
                    _ => Err(format!("no function {name}")),
                }
            }
        }
    }

    /// The type of an expression that is not evaluated.
    fn type_of(&self, tree: &Tree) -> Result<Ty, String> {
        Ok(match tree {
            Tree::Number(_, ty) | Tree::Cast(ty, _) => *ty,
            Tree::Name(_) | Tree::Field(..) => self.value(tree)?.1,
            Tree::Unary("!", _) | Tree::Binary("&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=", _) => Ty::Int,
            Tree::Unary(_, inner) => self.type_of(inner)?,
            Tree::Binary("<<" | ">>", both) => self.type_of(&both.0)?,
            Tree::Binary(_, both) => self.type_of(&both.0)?.max(self.type_of(&both.1)?),
            Tree::Choice(parts) => self.type_of(&parts.1)?.max(self.type_of(&parts.2)?),
            Tree::Call(name, _) if name == "__umulhi" || name == "__funnelshift_l" => Ty::Unsigned,
            Tree::Call(name, _) if name == "__umul64hi" => Ty::UnsignedLong,
            Tree::Call(_, arguments) => {
                arguments.iter().map(|a| self.type_of(a)).try_fold(Ty::Int, |t, u| u.map(|u| t.max(u)))?
            }
        })
    }
}

fn binary(sign: &str, (a, x): Value, (b, y): Value) -> Result<Value, String> {
    if matches!(sign, "<<" | ">>") {
        if !(0..i128::from(x.bits())).contains(&b) {
            return Err(format!("a shift of {x:?} by {b}"));
        }
        return match sign {
            ">>" => Ok((a >> b, x)),
            _ if x.signed() => Err("a shift up of a signed number".into()),
            _ => Ok((x.wrap(a << b), x)),
        };
    }
    // the types are ordered as in the usual arithmetic conversions of C
    let ty = x.max(y);
    let (a, b) = (ty.wrap(a), ty.wrap(b));
    let truth = |t: bool| Ok((i128::from(t), Ty::Int));
    match sign {
        "+" => ty.result(a + b),
        "-" => ty.result(a - b),
        "*" if ty.signed() => ty.result(a * b),
        "*" => Ok((ty.wrap((a as u128).wrapping_mul(b as u128) as i128), ty)),
        "/" | "%" if b == 0 => Err("a division by 0".into()),
        // the quotient is rounded towards 0
        "/" => ty.result(a.abs().div_euclid(b.abs()) * a.signum() * b.signum()),
        "%" => Ok((a.abs().rem_euclid(b.abs()) * a.signum(), ty)),
        "&" => Ok((ty.wrap(a & b), ty)),
        "|" => Ok((ty.wrap(a | b), ty)),
        "^" => Ok((ty.wrap(a ^ b), ty)),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        _ => Err(format!("no operator {sign}")),
    }
}
