//! Tests of `quaff explore`: only the page gets answers, and only users with the address get the page.

use crate::quaff_program::{quaff, shell};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running explorer.
struct Explorer {
    child: Child,
    port: u16,
    token: String,
    /// The fragment of the URL.
    fragment: String,
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Explorer {
    fn start(args: &[&str]) -> Explorer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quaff"));
        command.args(["explore", "--no-browser"]).args(args).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("standard output")).read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("the loopback address");
        let (port, rest) = rest.split_once('/').expect("a path");
        let (token, fragment) = rest.split_once('/').expect("a token");
        Explorer { child, port: port.parse().expect("a port"), token: token.into(), fragment: fragment.into() }
    }

    /// Sends a request with this head and body. Returns the status and the rest of the response.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("a request");
        // the server may refuse a body before it has been sent
        let _ = stream.write_all(body);
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        let response = String::from_utf8(response).expect("UTF-8");
        let status = response.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, response)
    }

    fn api(&self, body: &str) -> (u16, String) {
        self.send("POST", &format!("/{}/api", self.token), &[], body.as_bytes())
    }
}

#[test]
fn the_page_asks_and_is_answered() {
    let explorer = Explorer::start(&[]);
    assert_eq!((explorer.token.len(), explorer.fragment.as_str()), (32, ""));
    let (status, page) = explorer.send("GET", &format!("/{}/", explorer.token), &[], b"");
    assert!(status == 200 && page.contains("<!DOCTYPE html>") && page.contains("default-src 'none'"), "{status}");
    let request = r#"{"view": "answer", "input": {"text": "x//4*4 + x%4", "vars": ["x=0..99"]}}"#;
    let (status, answer) = explorer.api(request);
    assert!(status == 200 && answer.contains(r#""problems":[]"#), "{answer}");
    // a malformed request gets an answer, and the server continues
    let (status, answer) = explorer.api("{");
    assert!(status == 200 && answer.contains("the request is not understood"), "{answer}");
    assert_eq!(explorer.api(request).0, 200);
}

/// The command that `As command` shows for each example runs without an error.
#[test]
fn the_commands_of_the_examples_answer() {
    let explorer = Explorer::start(&[]);
    let page = explorer.send("GET", &format!("/{}/", explorer.token), &[], b"").1;
    let text =
        page.split_once("id=\"examples\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("examples").0;
    let examples: Vec<Value> = serde_json::from_str(text).expect("JSON");
    let mut run = 0;
    for example in &examples {
        let mut state = example["state"].clone();
        let view = state.as_object_mut().and_then(|s| s.remove("view")).expect("a view");
        let (_, answer) = explorer.api(&json!({"view": view, "input": state}).to_string());
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        let response: Value = serde_json::from_str(body).expect("JSON");
        let command = response["command"].as_str().expect("text");
        // the last two commands contain the name of a file that the reader chooses
        if command.is_empty() || command.contains(" kernel.") {
            continue;
        }
        let out = shell(command);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{command}");
        run += 1;
    }
    assert_eq!(run, 9);
}

#[test]
fn nobody_else_is_answered() {
    let explorer = Explorer::start(&[]);
    let (page, api) = (format!("/{}/", explorer.token), format!("/{}/api", explorer.token));
    let own = format!("http://127.0.0.1:{}", explorer.port);
    let request = br#"{"view": "rules"}"#;
    assert_eq!(explorer.send("POST", &api, &[("Origin", &own)], request).0, 200);
    assert_eq!(explorer.send("POST", &api, &[("Origin", "http://example.org")], request).0, 403);
    assert_eq!(explorer.send("POST", &api, &[("Origin", "null")], request).0, 403);
    assert_eq!(explorer.send("GET", &page, &[("Host", "example.org")], b"").0, 403);
    for path in
        ["/", "/api", "/0123456789abcdef0123456789abcdef/", &format!("{page}../"), &format!("{page}x"), "/favicon.ico"]
    {
        assert_eq!(explorer.send("GET", path, &[], b"").0, 404, "{path}");
    }
    assert_eq!(explorer.send("GET", &api, &[], b"").0, 405);
    assert_eq!(explorer.send("POST", &page, &[], b"").0, 405);
    assert_eq!(explorer.send("POST", &api, &[], &vec![b' '; 300_000]).0, 413);
    assert_eq!(explorer.send("POST", &api, &[], &[0xff]).0, 400);
    // a port that is in use
    let out = quaff(&["explore", "--no-browser", "--port", &explorer.port.to_string()]);
    assert!(out.code == 74 && out.stderr.contains("the port"), "{}", out.stderr);
}

#[test]
fn a_file_is_in_the_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernel.cu");
    std::fs::write(&file, "__global__ void f() {}\n").expect("a file");
    let name = file.to_str().expect("UTF-8");
    let fragment = Explorer::start(&[name]).fragment.clone();
    assert_eq!(fragment, "#view=kernel&text=__global__+void+f%28%29+%7B%7D%0A&from=cuda");
    assert!(Explorer::start(&[name, "--from", "c"]).fragment.ends_with("&from=c"));
    let out = quaff(&["explore", "--no-browser", "no-such-file"]);
    assert_eq!(out.code, 74, "{}", out.stderr);
    std::fs::write(&file, "x".repeat(100_000)).expect("a file");
    let out = quaff(&["explore", "--no-browser", name]);
    assert!(out.code == 74 && out.stderr.contains("bytes"), "{}", out.stderr);
}
