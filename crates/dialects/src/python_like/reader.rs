//! [`Reader`]: reads the nodes of a text one after the other, and its statements.

use super::language::{Language, Whole};
use super::refusal::{Reading, Refusal, shorten};
use super::syntax::{Kind, Step, syntax};
use super::value::{Item, MAX_LEVELS, Shape, Truth, Value};
use crate::dialect::Dialect;
use crate::reading::Requirement;
use quaff_expr::domain::Bounds;
use quaff_expr::expr::name::is_readable;
use quaff_expr::expr::{Expr, Nodes, Op, int, var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The state of the reader.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) language: &'static Language,
    pub(super) nodes: Nodes,
    /// The values of the names that definitions bind.
    definitions: FxHashMap<&'t str, Item>,
    /// The names that are used before any definition binds them.
    free: FxHashSet<&'t str>,
    /// The nodes of `&`, `|`, `^` and `where`, by address. They are truth values if their operands are.
    pub(super) truths: FxHashMap<usize, Truth>,
    /// For each `arange`, its axis and the number of axes, if a subscript determines them.
    pub(super) aranges: FxHashMap<Arc<str>, Option<(usize, usize)>>,
    /// The nodes whose `arange`s have an axis.
    pub(super) placed: FxHashSet<(usize, usize, usize)>,
    /// The ranges of variables that the language or the text gives, in the order of the text.
    pub(super) ranges: Vec<(Arc<str>, Bounds)>,
    /// The names in `ranges`.
    pub(super) ranged: FxHashSet<Arc<str>>,
    pub(super) requirements: Vec<Requirement>,
    /// Conditions that the text asserts.
    pub(super) assumptions: Vec<Expr>,
}

/// Casts of C++, which the grammar of Python reads as comparisons.
const CASTS: [&str; 4] = ["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"];

/// The last parts of TVM variables with dots in their names: `threadIdx.x`, `i.outer`, `i.j.fused`.
const PARTS: [&str; 6] = ["x", "y", "z", "outer", "inner", "fused"];

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, language: &'static Language) -> Reader<'t> {
        Reader {
            text,
            language,
            nodes: Nodes::default(),
            definitions: FxHashMap::default(),
            free: FxHashSet::default(),
            truths: FxHashMap::default(),
            aranges: FxHashMap::default(),
            placed: FxHashSet::default(),
            ranges: Vec::new(),
            ranged: FxHashSet::default(),
            requirements: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// The results of the text.
    pub(super) fn results(&mut self) -> Reading<Vec<Expr>> {
        let mut stack: Vec<Item> = Vec::new();
        for step in syntax(self.text)? {
            let children = stack.split_off(stack.len().saturating_sub(step.children));
            match step.kind {
                Kind::Module => return self.module(children),
                _ => {
                    let item = self.item(step, children)?;
                    stack.push(item);
                }
            }
        }
        self.module(stack)
    }

    fn module(&mut self, mut statements: Vec<Item>) -> Reading<Vec<Expr>> {
        let Some(last) = statements.pop() else {
            return Refusal::new("the expression is empty", &(0..self.text.len()))
                .help("write an expression such as `i*16 + j`")
                .err();
        };
        for pair in statements.iter().chain([&last]).collect::<Vec<_>>().windows(2) {
            self.check_indent(pair[0], pair[1])?;
        }
        for statement in statements {
            match statement.value {
                Value::Definition(_) | Value::Text => {}
                Value::Refused(refusal) => return Err(refusal),
                _ => {
                    let message = format!("the value of `{}` is not used", shorten(&self.text[statement.span.clone()]));
                    return Refusal::new(message, &statement.span)
                        .help("the result is the last statement: join lines with parentheses, or write `a, b` for two results")
                        .err();
                }
            }
        }
        let last = match &last.value {
            Value::Definition(value) => Item::clone(value),
            _ => last,
        };
        match &last.value {
            Value::Access(results) => Ok(results.to_vec()),
            Value::Many(items) if items.is_empty() => Refusal::new("there is no result", &last.span).err(),
            Value::Many(items) => items.iter().map(|item| self.int(item)).collect(),
            _ => Ok(vec![self.int(&last)?]),
        }
    }

    /// Refuses a line that looks like a continuation of the previous line, because it would be a separate statement.
    fn check_indent(&self, before: &Item, statement: &Item) -> Reading<()> {
        let text = &self.text[statement.span.clone()];
        let (above, here) = (self.indent(before), self.indent(statement));
        if here.is_some() && here > above && text.starts_with(['+', '-', '(', '[']) {
            return Refusal::new("this line begins like the rest of the line before it", &statement.span)
                .help("write parentheses around both lines")
                .err();
        }
        Ok(())
    }

    /// The length of the white space before `statement` on its line. `None` if the line has other text there.
    fn indent(&self, statement: &Item) -> Option<usize> {
        let before = &self.text[..statement.span.start];
        let above = before.trim_end_matches([' ', '\t']);
        (above.is_empty() || above.ends_with('\n')).then_some(before.len() - above.len())
    }

    /// Builds the part of the text for `step` from its children. An error concerns the whole text.
    fn item(&mut self, step: Step, mut children: Vec<Item>) -> Reading<Item> {
        let span = step.span;
        let value = match step.kind {
            Kind::Parentheses if children.len() == 1 => return Ok(Item { span, ..children.swap_remove(0) }),
            Kind::Statement | Kind::Return if children.len() == 1 => return Ok(children.swap_remove(0)),
            Kind::Assignment => return self.assignment(&span, children),
            Kind::Augmented => return self.augmented(&span, &children),
            kind => self.shape(kind, &children).and_then(|shape| self.value(kind, &span, shape, children)),
        };
        Ok(match value {
            Ok((value, shape)) => Item { value, span, shape },
            Err(refusal) => Item { value: Value::Refused(refusal), span, shape: Shape::Any },
        })
    }

    /// The axes of the value that is computed from `children`.
    fn shape(&self, kind: Kind, children: &[Item]) -> Reading<Shape> {
        let operands = match (kind, children) {
            (Kind::Sequence | Kind::Pattern | Kind::Statement, _) => return Ok(Shape::Literal),
            (Kind::Call, [_, Item { value: Value::Many(arguments), .. }]) => arguments,
            _ => children,
        };
        let mut shape = Shape::Literal;
        for operand in operands {
            if let (Shape::Tensor(a), Shape::Tensor(b)) = (shape, operand.shape)
                && a != b
            {
                let message = format!("this has another number of axes ({b}) than what it is combined with ({a})");
                return Refusal::new(message, &operand.span)
                    .help("write the subscript of each, such as `[:, None]` and `[None, :]`")
                    .err();
            }
            shape = shape.max(operand.shape);
        }
        Ok(shape)
    }

    fn value(&mut self, kind: Kind, span: &Range<usize>, shape: Shape, children: Vec<Item>) -> Reading<(Value, Shape)> {
        let value = match (kind, &children[..]) {
            (Kind::Name, _) => return self.name(span),
            (Kind::Call, [function, arguments]) => return self.call(function, arguments, span, shape),
            (Kind::Subscript, [object, subscripts @ ..]) => return self.subscript(object, subscripts, span),
            (Kind::Integer, _) => Value::Int(self.literal(&self.text[span.clone()], span)?),
            (Kind::True, _) => Value::Int(self.nodes.one(int(1), span)),
            (Kind::False, _) => Value::Int(self.nodes.one(int(0), span)),
            (Kind::None, _) => Value::None,
            (Kind::Text, _) => Value::Text,
            (Kind::Token | Kind::Target, _) => Value::Token,
            (Kind::Slice, []) => Value::Whole,
            (Kind::Sequence | Kind::Pattern | Kind::Statement, _) => self.many(children, span)?,
            (Kind::Keyword, [_, value]) => Value::Keyword(Rc::new(value.clone())),
            (Kind::Attribute, [object, _]) => self.member(object, span)?,
            (Kind::Unary, [sign, operand]) => self.unary(sign, operand, span)?,
            (Kind::Not, [_, operand]) | (Kind::Not, [operand]) => {
                let operand = self.int(operand)?;
                Value::Int(self.apply(&Op::Not, &[operand], span))
            }
            (Kind::Binary, [left, sign, right]) => self.binary(left, &sign.span, right, span, shape)?,
            (Kind::Bits, operands) => self.bits(operands)?,
            (Kind::Boolean, [left, sign, right]) => self.logic(left, sign, right, span)?,
            (Kind::Comparison, operands) => self.comparison(operands, span)?,
            (Kind::Conditional, [then, condition, otherwise]) => self.choice([condition, then, otherwise], span)?,
            (Kind::Float, _) => return self.float(span),
            (Kind::Return, _) => return self.other("return_statement", span),
            (Kind::Slice, _) => return self.other("slice", span),
            (Kind::Other(what), _) => return self.other(what, span),
            _ => return self.other("text", span),
        };
        Ok((value, shape))
    }

    fn many(&self, items: Vec<Item>, span: &Range<usize>) -> Reading<Value> {
        let value = Value::Many(items.into());
        if value.levels() > MAX_LEVELS {
            return Refusal::new("tuples in so many levels have no meaning", span).err();
        }
        Ok(value)
    }

    /// Reads a name: the value of its definition, or a variable.
    fn name(&mut self, span: &Range<usize>) -> Reading<(Value, Shape)> {
        let name = &self.text[span.clone()];
        if let Some(definition) = self.definitions.get(name) {
            return Ok((definition.value.clone(), definition.shape));
        }
        if CASTS.contains(&name) {
            return Refusal::new(format!("`{name}` is a cast of C++"), span).help("`--from c` reads it").err();
        }
        let has_infinity = matches!(self.language.dialect, Dialect::Sympy | Dialect::Inductor);
        if has_infinity && matches!(name, "oo" | "int_oo" | "zoo" | "nan") {
            return Refusal::new(format!("`{name}` is not an integer"), span).help("all values are integers").err();
        }
        self.check_name(span)?;
        self.free.insert(name);
        Ok((Value::Int(self.nodes.one(var(name), span)), Shape::Any))
    }

    fn check_name(&self, span: &Range<usize>) -> Reading<()> {
        let name = &self.text[span.clone()];
        if is_readable(name) {
            return Ok(());
        }
        Refusal::new(format!("`{}` is no name of a variable", shorten(name)), span)
            .help("names are letters of ASCII, digits and `_`")
            .err()
    }

    /// Reads `object.name`.
    fn member(&mut self, object: &Item, span: &Range<usize>) -> Reading<Value> {
        let text = &self.text[span.clone()];
        let last = text.rsplit('.').next().unwrap_or_default();
        if self.language.dialect == Dialect::Tvm && PARTS.contains(&last) && is_readable(text) {
            return Ok(Value::Int(self.nodes.one(var(text), span)));
        }
        let object = match &object.value {
            // only values have methods
            Value::Member(_) => self
                .int(object)
                .map(|_| object.clone())
                .unwrap_or_else(|refusal| Item { value: Value::Refused(refusal), ..object.clone() }),
            _ => object.clone(),
        };
        Ok(Value::Member(Rc::new(object)))
    }

    fn float(&self, span: &Range<usize>) -> Reading<(Value, Shape)> {
        let text = shorten(&self.text[span.clone()]);
        Refusal::new(format!("`{text}` is not an integer"), span).help("all values are integers").err()
    }

    /// Refuses a part that has no meaning in any dialect.
    fn other(&self, what: &str, span: &Range<usize>) -> Reading<(Value, Shape)> {
        let (what, help) = match what {
            "lambda" => ("a `lambda`", "write its body"),
            "list_comprehension" | "generator_expression" | "set_comprehension" | "dictionary_comprehension" => {
                ("a comprehension", "write one of its items")
            }
            "named_expression" => ("`:=`", "write it as a definition in front: `name = value; ...`"),
            "function_definition" | "decorated_definition" => ("a `def`", "write the lines of its body"),
            "if_statement" => ("an `if` statement", "write `a if c else b`"),
            "for_statement" | "while_statement" => ("a loop", "write the expression in its body"),
            "import_statement" | "import_from_statement" => ("an `import`", "leave it out"),
            "print_statement" => ("a `print`", "write the value alone"),
            "list_splat" | "dictionary_splat" => ("an argument with `*`", "write the arguments one by one"),
            "slice" => ("a slice", "write one index, or `:` and `None` alone"),
            "await" => ("an `await`", "write the value alone"),
            "set" | "dictionary" => ("a set or a dictionary", "write `a, b` for two results"),
            "return_statement" => ("a `return` without a value", "write the value"),
            _ => ("this text", "write expressions, and definitions before them"),
        };
        Refusal::new(format!("{what} has no meaning here"), span).help(help).err()
    }

    /// Reads `targets = value` and returns the value.
    fn assignment(&mut self, span: &Range<usize>, children: Vec<Item>) -> Reading<Item> {
        let value = match &children[..] {
            [target, right] => {
                let value = match &right.value {
                    Value::Definition(value) => Rc::clone(value),
                    _ => Rc::new(right.clone()),
                };
                self.bind(target, &value)?;
                value
            }
            // `x: int` binds no value
            _ => Rc::new(Item { value: Value::None, span: span.clone(), shape: Shape::Any }),
        };
        Ok(Item { value: Value::Definition(value), span: span.clone(), shape: Shape::Any })
    }

    fn bind(&mut self, target: &Item, value: &Item) -> Reading<()> {
        match (&target.value, &value.value) {
            (Value::Token, _) => self.define(&target.span, value),
            (Value::Many(targets), Value::Many(values)) if targets.len() == values.len() => {
                targets.iter().zip(values.iter()).try_for_each(|(t, v)| self.bind(t, v))
            }
            // the parts of a value without a meaning have no meaning either
            (Value::Many(targets), Value::Refused(_)) => targets.iter().try_for_each(|t| self.bind(t, value)),
            (Value::Many(targets), _) => {
                let message = format!("there are {} names for {}", targets.len(), value.value.what());
                Refusal::new(message, &target.span).help("`q, r = divmod(a, b)` has two of both").err()
            }
            _ => {
                let text = shorten(&self.text[target.span.clone()]);
                Refusal::new(format!("`{text}` is no name that a definition can bind"), &target.span)
                    .help("write the value, or the access, as the last statement")
                    .err()
            }
        }
    }

    fn define(&mut self, name_at: &Range<usize>, value: &Item) -> Reading<()> {
        let name = &self.text[name_at.clone()];
        self.check_name(name_at)?;
        let mut value = value.clone();
        if let Value::Access(_) = value.value {
            // a value from memory becomes a variable, so no other value may have its name
            if self.free.contains(name) || self.definitions.contains_key(name) {
                return Refusal::new(format!("`{name}` is data from memory, and another value before"), name_at)
                    .help("give the two values two names")
                    .err();
            }
            value.value = Value::Int(self.nodes.one(var(name), name_at));
        }
        self.definitions.insert(name, value);
        Ok(())
    }

    /// Reads `name += value`.
    fn augmented(&mut self, span: &Range<usize>, children: &[Item]) -> Reading<Item> {
        let [target, sign, right] = children else {
            return Refusal::new("this definition has no meaning", span).err();
        };
        let shape = self.shape(Kind::Binary, &[target.clone(), right.clone()])?;
        let sign = sign.span.start..sign.span.end.saturating_sub(1);
        let (value, shape) = match self.binary(target, &sign, right, span, shape) {
            Ok(value) => (value, shape),
            Err(refusal) => (Value::Refused(refusal), Shape::Any),
        };
        let value = Item { value, span: span.clone(), shape };
        self.define(&target.span, &value)?;
        Ok(Item { value: Value::Definition(Rc::new(value)), span: span.clone(), shape })
    }

    /// The integer value of `item`. A value of another kind is an error.
    pub(super) fn int(&mut self, item: &Item) -> Reading<Expr> {
        let dialect = self.language.dialect;
        let text = || shorten(&self.text[item.span.clone()]);
        match &item.value {
            Value::Int(e) => Ok(e.clone()),
            Value::Refused(refusal) => Err(Rc::clone(refusal)),
            Value::Definition(value) => self.int(value),
            Value::Fraction(fraction) if self.language.whole == Whole::Proved => {
                Ok(self.whole(&fraction.clone(), &item.span))
            }
            Value::Fraction(fraction) => Refusal::new("`/` has a meaning only where it is rounded", &fraction.slash)
                .help(match self.language.function("math.floor").or(self.language.function("floor")) {
                    Some(_) => "use // for floor division, or round the quotient: `floor(x/4)`",
                    None => "use // for floor division",
                })
                .err(),
            Value::Member(_) => Refusal::new(format!("`{}` has no meaning in `{dialect}`", text()), &item.span)
                .help("write a name in its place, and give its range")
                .err(),
            Value::Access(_) => Refusal::new(format!("`{}` is data, and no index", text()), &item.span)
                .help("write the access alone: its indices are the results")
                .err(),
            Value::None => Refusal::new(format!("`{}` has no value", text()), &item.span).err(),
            other => Refusal::new(format!("`{}` is {}, and no integer", text(), other.what()), &item.span).err(),
        }
    }

    /// Sets the range of the variable `name`, unless it already has one.
    pub(super) fn add_range(&mut self, name: Arc<str>, range: Bounds) {
        if self.ranged.insert(Arc::clone(&name)) {
            self.ranges.push((name, range));
        }
    }

    /// Builds the node `op(args...)`.
    pub(super) fn apply(&mut self, op: &Op, args: &[Expr], span: &Range<usize>) -> Expr {
        self.nodes.one(Expr::new(op.clone(), args.iter().cloned()), span)
    }
}
