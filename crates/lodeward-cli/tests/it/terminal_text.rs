//! Text of hostile sites, printed by every command: no control character reaches a terminal, a log
//! or a CSV file.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use crate::sandbox::{CommandOutput, Sandbox};

/// A sequence that sets colours, C1 controls, bidirectional controls, a newline and a backspace.
const HOSTILE: &str =
    r"x\u001B[31m\u001B]0;title\u0007\u009B31m\u0085\u202Egnp.exe\u2066\u200F\nfault: forged\u0008\u007F";

/// IRIs may contain bidirectional controls, but no control characters.
const HOSTILE_NAME: &str = r"/id\u202E31m\u2066";

/// A site with hostile labels, IRIs, types and header fields, on loopback.
fn hostile_site() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = head.next().unwrap().unwrap_or_default();
            while head.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let seed = format!("http://{address}/seed");
            let (status, kind, body) = match request.split(' ').nth(1).unwrap_or_default() {
                "/seed" => ("200 OK", "text/turtle", turtle(&seed)),
                "/broken" => ("200 OK", "text/turtle", format!("<{seed}> <urn:p> \"\u{1b}[31m\u{202e} .\n")),

                _ => ("404 Not found", "text/plain\u{9b}", String::new()),
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

fn turtle(seed: &str) -> String {
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let class = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    let broken = seed.replace("/seed", "/broken");
    format!(
        "<{seed}> {label} \"{HOSTILE}\" ; <urn:p> <{seed}{HOSTILE_NAME}>, <{broken}>, <{seed}#a>, <{seed}/missing> .\n\
         <{seed}{HOSTILE_NAME}> {label} \"{HOSTILE}\" ; {class} <{seed}{HOSTILE_NAME}T> .\n\
         <{seed}#a> {label} \"=HYPERLINK(\\\"http://evil.example/\\\")\" ; <urn:p> <{seed}{HOSTILE_NAME}> .\n"
    )
}

fn check(arguments: &[&str], CommandOutput { output, errors, .. }: &CommandOutput) {
    for text in [output, errors] {
        let is_raw = |character: &char| {
            character.is_control() && !matches!(character, '\n' | '\t' | '\r')
                || matches!(character, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert_eq!(text.chars().find(is_raw), None, "{arguments:?}: {text:?}");
        assert!(!text.lines().any(|line| line.starts_with("fault: forged")), "{arguments:?}: {text}");
    }
}

#[test]
fn no_command_prints_control_characters_of_other_sites() {
    let site = hostile_site();
    let sandbox = Sandbox::new();
    let (seed, broken) = (format!("http://{site}/seed"), format!("http://{site}/broken"));
    let missing = format!("{seed}/missing");
    sandbox.write("hostile.ttl", turtle(&seed));
    sandbox.write("broken.ttl", "<urn:a> <urn:b> \"\u{1b}[31m\u{202e} .\n");
    let query = "SELECT * { ?s ?p ?o }";

    let crawl = |arguments: &[&str]| {
        let site = ["crawl", &seed, "--allow-private", "--delay", "0", "--stay", "host"];
        let arguments = [&site[..], &["--set", "crawl.follow_vocabularies=false", "-vv", "--data", "data"], arguments];
        let crawled = sandbox.run(&arguments.concat());
        assert_eq!(crawled.code, 0, "{}", crawled.errors);
        check(&arguments.concat(), &crawled);
    };
    crawl(&["--strategy", "bfs"]);
    crawl(&["--strategy", "bfs", "--refresh", "all"]);
    crawl(&["--strategy", "focus", "--name", "f"]);

    let commands: &[&[&str]] = &[
        &["status", "--data", "data"],
        &["status", "--json", "--data", "data"],
        &["explain", &seed, "--data", "data"],
        &["explain", &broken, "--data", "data"],
        &["explain", &missing, "--data", "data"],
        &["explain", &format!("{seed}/id\u{202e}31m\u{2066}"), "--data", "data"],
        &["changes", "--data", "data"],
        &["changes", "--json", "--data", "data"],
        &["rank", "--data", "data"],
        &["rank", "--json", "--data", "data"],
        &["candidates", "--reasons", "--data", "data"],
        &["candidates", "--format", "csv", "--data", "data"],
        &["candidates", "--format", "json", "--data", "data"],
        &["candidates", "keep", "1", "--by", "eva\u{1b}[31m\u{202e}", "--data", "data"],
        &["candidates", "keep", "nothing\u{1b}[31m\u{202e}", "--data", "data"],
        &["candidates", "history", "--data", "data"],
        &["candidates", "history", "--json", "--data", "data"],
        &["candidates", "undo", "--by", "max\u{202e}", "--data", "data"],
        &["query", query, "--format", "table", "--data", "data"],
        &["query", query, "--format", "table", "hostile.ttl"],
        &["extract", "broken.ttl", "--base", &seed],
        &["import", "broken.ttl", "--keep-going", "--data", "imported"],
        &["import", "broken.ttl", "--data", "imported"],
        &["seeds", "--seeds-from", "hostile.ttl"],
        &["seeds", "--seeds-from", "hostile.ttl", "--json"],
        &["model", "show", "--name", "f", "--data", "data"],
    ];
    for arguments in commands {
        check(arguments, &sandbox.run(arguments));
    }
    assert!(sandbox.succeed(&["explain", &broken, "--data", "data"]).contains("fault"));

    let csv = sandbox.succeed(&["candidates", "--format", "csv", "--data", "data"]);
    assert!(csv.contains("'=HYPERLINK"), "formulas are not evaluated: {csv}");
    assert!(csv.lines().count() > 2, "{csv}");
    let json = sandbox.succeed(&["candidates", "--format", "json", "--data", "data"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let entities = json["candidates"].as_array().unwrap();
    let is_hostile =
        |candidate: &&serde_json::Value| candidate["label"].as_str().is_some_and(|it| it.contains('\u{202e}'));
    assert!(entities.iter().any(|candidate| is_hostile(&candidate)), "JSON has the exact labels: {json}");
}
