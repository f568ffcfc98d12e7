//! The language of plain egg: the operators of expressions, each with its operands one by one.

use egg::{Id, Symbol, define_language};

define_language! {
    /// An operation, a number or a variable.
    pub(super) enum Math {
        Num(i64),
        "+" = Add([Id; 2]),
        "-" = Sub([Id; 2]),
        "-" = Neg(Id),
        "*" = Mul([Id; 2]),
        "//" = Div([Id; 2]),
        "%" = Mod([Id; 2]),
        "min" = Min([Id; 2]),
        "max" = Max([Id; 2]),
        "<" = Lt([Id; 2]),
        "<=" = Le([Id; 2]),
        ">" = Gt([Id; 2]),
        ">=" = Ge([Id; 2]),
        "==" = Eq([Id; 2]),
        "!=" = Ne([Id; 2]),
        "and" = And([Id; 2]),
        "or" = Or([Id; 2]),
        "not" = Not(Id),
        "where" = Select([Id; 3]),
        Symbol(Symbol),
        Other(Symbol, Vec<Id>),
    }
}
