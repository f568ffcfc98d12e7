//! The requests of the page and the responses of its engine.

use crate::problem::Problem;
use quaff::domain::Domain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A request of the page for one of its views.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) view: View,
    #[serde(default)]
    pub(crate) input: State,
}

/// The names of the views of the page.
pub const VIEWS: [&str; 6] = ["answer", "story", "memory", "layout", "kernel", "rules"];

/// A view of the page.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum View {
    Answer,
    Story,
    Memory,
    Layout,
    Kernel,
    Rules,
}

/// All inputs of the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct State {
    /// The text of the main input: one expression on each line, a kernel as JSON, or a source file.
    pub(crate) text: String,
    /// The language of `text`.
    pub(crate) from: String,
    /// Declarations of variables, such as `i=0..15`.
    pub(crate) vars: Vec<String>,
    /// Conditions that hold wherever the text is used.
    pub(crate) assume: Vec<String>,
    /// Names of variables that are fixed for a kernel launch.
    pub(crate) uniform: Vec<String>,
    /// The GPU whose instruction prices are used.
    pub(crate) target: String,
    /// The effort level that limits the work for an answer, from 0 to 3.
    pub(crate) effort: u8,
    /// The language in which the answer is written.
    pub(crate) emit: String,
    /// The number of the access or expression that is shown by views that show only one.
    pub(crate) access: usize,
    /// The variable that counts the lanes of a warp. If it is empty, the engine chooses it.
    pub(crate) lane: String,
    /// The values of the other variables in the memory view.
    pub(crate) at: BTreeMap<String, i64>,
    /// The number of bytes of an element.
    pub(crate) bytes: u32,
    /// The number of bytes that a lane accesses. 0 means the number of bytes of an element.
    pub(crate) width: u32,
    /// The number of elements in a row of a tile in shared memory. 0 means a row that covers all banks once.
    pub(crate) columns: u32,
    /// Whether the view searches for layouts and schedules.
    pub(crate) search: bool,
    /// The indices as they were before a layout or a schedule was applied, one on each line. The memory view compares
    /// them with the present indices.
    pub(crate) before: String,
    /// The conditions on the indices in `before`.
    pub(crate) before_assume: Vec<String>,
    /// The machine whose shared-memory banks are shown.
    pub(crate) machine: String,
    /// The text of a view (a chain of movements) or of a layout.
    pub(crate) chain: String,
    /// The names of rules and stages that are switched off.
    pub(crate) without: Vec<String>,
    /// The text of additional rules.
    pub(crate) add: String,
}

impl Default for State {
    fn default() -> State {
        State {
            text: String::new(),
            from: "infix".into(),
            vars: Vec::new(),
            assume: Vec::new(),
            uniform: Vec::new(),
            target: "sm_90".into(),
            effort: 1,
            emit: "cuda".into(),
            access: 0,
            lane: String::new(),
            at: BTreeMap::new(),
            bytes: 4,
            width: 0,
            columns: 0,
            search: false,
            before: String::new(),
            before_assume: Vec::new(),
            machine: "nvidia".into(),
            chain: String::new(),
            without: Vec::new(),
            add: String::new(),
        }
    }
}

/// The inputs of the page that express `domain`. Each is a name (`var`, `uniform` or `assume`) and a text.
///
/// ```
/// let domain = "i=0..9, invariant i, assume i != 3".parse()?;
/// let fields = quaff_explorer::fields_of(&domain);
/// assert_eq!(fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["var", "uniform", "assume"]);
/// # Ok::<(), quaff::domain::DomainError>(())
/// ```
pub fn fields_of(domain: &Domain) -> Vec<(&'static str, String)> {
    let field = |declaration: String| {
        let without = |word| declaration.strip_prefix(word).map(String::from);
        match (without("invariant "), without("assume "), Domain::is_declaration(&declaration)) {
            (Some(name), ..) => ("uniform", name),
            (_, Some(condition), _) => ("assume", condition),
            (.., true) => ("assume", declaration),
            _ => ("var", declaration),
        }
    };
    domain.declarations().into_iter().map(field).collect()
}

/// The response to a request.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Response {
    /// The view, as an HTML fragment.
    pub(crate) html: String,
    pub(crate) problems: Vec<Problem>,
    pub(crate) variables: Vec<Variable>,
    /// A shell command that asks the same question. It is empty if there is none.
    pub(crate) command: String,
    /// The reason why no command asks the question.
    pub(crate) command_why: String,
    /// Python code that asks the same question. It is empty if there is none.
    pub(crate) python: String,
    /// The reason why no Python code asks the question.
    pub(crate) python_why: String,
}

/// The question in another form (a command or Python code), or the reason why there is none.
pub(crate) type Same = Result<String, &'static str>;

impl Response {
    /// Adds the question as a shell command and as Python code.
    pub(crate) fn asking(self, command: Same, python: Same) -> Response {
        let parts = |same: Same| match same {
            Ok(text) => (text, String::new()),
            Err(why) => (String::new(), why.to_string()),
        };
        let ((command, command_why), (python, python_why)) = (parts(command), parts(python));
        Response { command, command_why, python, python_why, ..self }
    }
}

/// A variable of the input.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// The declared range. It is empty if the variable is not declared.
    pub(crate) text: String,
    /// The least and the greatest value, if they are numbers.
    pub(crate) low: Option<i64>,
    pub(crate) high: Option<i64>,
}
