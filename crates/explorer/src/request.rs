//! Requests and responses, as the page and its engine exchange them.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One view is wanted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) view: View,
    #[serde(default)]
    pub(crate) input: State,
}

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
    /// One expression a line, a kernel as JSON, or a source file.
    pub(crate) text: String,
    /// The language of `text`.
    pub(crate) from: String,
    /// Declarations, such as `i=0..15`.
    pub(crate) vars: Vec<String>,
    /// Conditions that hold wherever the text is used.
    pub(crate) assume: Vec<String>,
    /// Names that are fixed for a launch.
    pub(crate) uniform: Vec<String>,
    /// The machine whose prices count.
    pub(crate) target: String,
    /// The work that an answer may take, from 0 to 3.
    pub(crate) effort: u8,
    /// The language of the answer's text.
    pub(crate) emit: String,
    /// The access of a kernel that views of one expression show.
    pub(crate) access: usize,
    /// The variable that counts the lanes of a warp; empty where the engine chooses it.
    pub(crate) lane: String,
    /// Values of other variables in the memory view.
    pub(crate) at: BTreeMap<String, i64>,
    /// Bytes of an element.
    pub(crate) bytes: u32,
    /// Bytes that a lane accesses; 0 means those of an element.
    pub(crate) width: u32,
    /// The machine whose banks are shown.
    pub(crate) machine: String,
    /// A view or a layout.
    pub(crate) chain: String,
    /// Rules and stages that are switched off.
    pub(crate) without: Vec<String>,
    /// Text of more rules.
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
            machine: "nvidia".into(),
            chain: String::new(),
            without: Vec::new(),
            add: String::new(),
        }
    }
}

/// The answer to a request.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Response {
    /// The view, as a fragment of HTML.
    pub(crate) html: String,
    pub(crate) problems: Vec<Problem>,
    pub(crate) variables: Vec<Variable>,
    /// The same question as a shell command; empty where there is none.
    pub(crate) command: String,
    /// The same question in Python; empty where there is none.
    pub(crate) python: String,
}

/// A variable of the input.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Its range as it is declared; empty where it is not.
    pub(crate) text: String,
    /// The least and the greatest value, where they are numbers.
    pub(crate) low: Option<i64>,
    pub(crate) high: Option<i64>,
}
