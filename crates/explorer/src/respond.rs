//! [`respond`]: answers the requests of the page.

use crate::commands;
use crate::input::Input;
use crate::problem::{Field, Problem};
use crate::request::{Request, Response, View};
use crate::views;

/// The most bytes of a request.
pub const MAX_REQUEST: usize = 256 * 1024;

/// The response to a request of the page. The request and the response are JSON.
///
/// A request has the fields `view` (`answer`, `story`, `memory`, `layout`, `kernel` or `rules`) and `input`, the state
/// of the page. The response has `html` (the view), `problems` (with their places), `variables`, `command` and
/// `python`. The fields `command_why` and `python_why` have the reasons if there is no command or no call. A request
/// that cannot be read also gets a response, with a problem that belongs to no field.
///
/// The time is limited by the step limits of the engine. No thread is started. Between requests, only the result of
/// testing the last added rules is kept.
pub fn respond(request: &str) -> String {
    let response = match read(request) {
        Ok(request) => response(&request),
        Err(message) => Response { problems: vec![Problem::new(Field::NONE, message)], ..Response::default() },
    };
    // the response has only texts and numbers, so this cannot fail
    serde_json::to_string(&response).unwrap_or_default()
}

fn read(request: &str) -> Result<Request, String> {
    if request.len() > MAX_REQUEST {
        return Err(format!("the request has more than {MAX_REQUEST} bytes"));
    }
    serde_json::from_str(request).map_err(|e| format!("the request is not understood: {e}"))
}

fn response(request: &Request) -> Response {
    let state = &request.input;
    let input = Input::read(state, request.view);
    let mut problems = input.problems.clone();
    let view = match request.view {
        View::Answer => views::answer(&input),
        View::Story => views::story(&input),
        View::Memory => views::memory(&input),
        View::Layout => views::layout(&input),
        View::Kernel => views::kernel(&input),
        View::Rules => views::rules(&input),
    };
    problems.extend(input.unread());
    let html = match view {
        Ok(html) => input.notes().into_string() + &html.into_string(),
        Err(found) => {
            problems.extend(found);
            String::new()
        }
    };
    let response = Response { html, problems, variables: input.variables(), ..Response::default() };
    response.asking(commands::command(state, request.view, &input), commands::python(state, request.view, &input))
}
