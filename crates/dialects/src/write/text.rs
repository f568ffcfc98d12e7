//! Turns forms into text: which forms are defined first, where parentheses are needed, and the length limit.

use super::form::{Form, Id, Piece};
use super::lower::{Language, Lowering};
use quaff_expr::names::Names;

/// The most bytes of a text: 1 Mi.
pub(super) const LONGEST: usize = 1 << 20;
/// The least number of operations of a form that is defined before the results if it is used more than once.
const LARGE: usize = 3;

/// The error that a text is longer than [`LONGEST`].
pub(super) struct TooLong;

/// Prints forms.
pub(super) struct Printer<'a> {
    lowering: &'a Lowering<'a>,
    /// The names of the forms that are defined first.
    named: Vec<Option<String>>,
    length: usize,
}

impl<'a> Printer<'a> {
    pub(super) fn new(lowering: &'a Lowering<'a>) -> Printer<'a> {
        Printer { lowering, named: vec![None; lowering.forms.len()], length: 0 }
    }

    fn language(&self) -> &'a Language {
        self.lowering.language
    }

    /// The statements that define large forms that are used more than once, in order.
    pub(super) fn definitions(&mut self, roots: &[Id], names: &mut Names) -> Result<Vec<String>, TooLong> {
        let Some(define) = self.language().define else { return Ok(Vec::new()) };
        let count = self.lowering.forms.len() as Id;
        let form = |id: Id| self.lowering.form(id);
        let (uses, strict) = uses(roots, count, form);
        let mut sizes = vec![0usize; count as usize];
        let mut statements = Vec::new();
        for id in 0..count {
            let size = |a: &Id| sizes[*a as usize];
            let parts: usize = form(id).args().iter().map(size).fold(0, usize::saturating_add);
            let own = usize::from(!form(id).args().is_empty());
            sizes[id as usize] = parts.saturating_add(own);
            let is_computed = strict[id as usize] || !form(id).is_partial;
            if uses[id as usize] > 1 && sizes[id as usize] >= LARGE && is_computed {
                let text = self.text(id)?;
                let name = names.temporary();
                statements.push(define(&name, &text, form(id).kind));
                self.named[id as usize] = Some(name);
                sizes[id as usize] = 0;
            }
        }
        Ok(statements)
    }

    /// The text of a form, with the names of defined forms.
    pub(super) fn text(&mut self, id: Id) -> Result<String, TooLong> {
        let mut text = String::new();
        let mut pieces = vec![Piece::Part(id, 0)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Owned(piece) => text.push_str(&piece),
                Piece::Part(id, least) => match &self.named[id as usize] {
                    Some(name) => text.push_str(name),
                    None => {
                        let (parts, own) = (self.language().spell)(&self.lowering.forms, id);
                        if own < least {
                            text.push('(');
                            pieces.push(Piece::Text(")"));
                        }
                        pieces.extend(parts.into_iter().rev());
                    }
                },
            }
            if self.length + text.len() > LONGEST {
                return Err(TooLong);
            }
        }
        self.length += text.len();
        Ok(text)
    }
}

/// For each form, the number of its uses, and whether it is evaluated regardless of conditions.
fn uses<'f>(roots: &[Id], count: Id, form: impl Fn(Id) -> &'f Form) -> (Vec<usize>, Vec<bool>) {
    let (mut uses, mut strict) = (vec![0; count as usize], vec![false; count as usize]);
    for &root in roots {
        uses[root as usize] += 1;
        strict[root as usize] = true;
    }
    for id in (0..count).rev() {
        if uses[id as usize] == 0 {
            continue;
        }
        for (i, &a) in form(id).args().iter().enumerate() {
            uses[a as usize] += 1;
            strict[a as usize] |= strict[id as usize] && i < form(id).strict();
        }
    }
    (uses, strict)
}
