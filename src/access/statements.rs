//! An access as statements in the grammar of Python.

use super::{Access, Direction, Gate};
use crate::expr::offset::{plus_offset, split_offset};

impl Access {
    /// A statement for each lane, in the grammar of Python, such as `v = in[i] if i < n else 0`. Several elements of
    /// one vector are a slice.
    ///
    /// ```
    /// use quaff::access::Access;
    ///
    /// let load = Access::load("v", "in", "i + 1".parse()?).when("i < 8".parse()?);
    /// assert_eq!(load.statements(), ["v = in[i + 1] if i < 8 else 0"]);
    /// # Ok::<(), quaff::Error>(())
    /// ```
    pub fn statements(&self) -> Vec<String> {
        let mut position = 0;
        let mut all = Vec::new();
        for (i, index) in self.lanes().iter().enumerate() {
            let width = self.width(i);
            let lane = match (self.elements(), width) {
                (1, _) => String::new(),
                (_, 1) => format!("[{position}]"),
                _ => format!("[{position}:{}]", position + width),
            };
            let (rest, constant) = split_offset(index);
            let end = plus_offset(rest, constant.saturating_add(width.into()));
            let end = if width > 1 { format!(":{end}") } else { String::new() };
            let element = format!("{}[{index}{end}]", self.buffer());
            all.push(match (self.direction(), self.gate()) {
                (Direction::Load { into, .. }, Gate::Always) => format!("{into}{lane} = {element}"),
                (Direction::Load { into, otherwise }, Gate::Never) => format!("{into}{lane} = {otherwise}"),
                (Direction::Load { into, otherwise }, Gate::When(gate)) => {
                    format!("{into}{lane} = {element} if {gate} else {otherwise}")
                }
                (Direction::Store { value }, Gate::Always) => format!("{element} = {value}{lane}"),
                (Direction::Store { .. }, Gate::Never) => "pass".into(),
                (Direction::Store { value }, Gate::When(gate)) => format!("if {gate}: {element} = {value}{lane}"),
            });
            position += width;
        }
        all
    }
}
