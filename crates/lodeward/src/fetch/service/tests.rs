//! Services on loopback, which the guard refuses unless it is told otherwise.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use lodeward_archive::sparql::Services;

use super::*;
use crate::fetch::Options;

/// Answers by path, on threads that end with the test. Tells what it was asked.
fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> (SocketAddr, mpsc::Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let Some((head, body)) = receive(&stream) else { continue };
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            // First told, then answered: whoever has the answer can ask what was asked.
            let is_over = sender.send((head, body)).is_err();
            let _ = (&stream).write_all(answer(&path).as_bytes());
            if is_over {
                return;
            }
        }
    });
    (address, receiver)
}

fn receive(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_ascii_lowercase();
    let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

fn ok(media_type: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn redirect(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

fn services(options: ServiceOptions) -> GuardedServices {
    let fetch = Options { proxy_from_environment: false, read_ms_max: 2_000, ..Options::default() };
    GuardedServices::new(fetch, options).unwrap()
}

fn allowed() -> ServiceOptions {
    ServiceOptions { allow_private: true, time_max: Duration::from_secs(2), ..ServiceOptions::default() }
}

fn read(services: &GuardedServices, url: &str) -> Result<String, String> {
    let fetched = services.load(url).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut body = fetched.body;
    body.read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[test]
fn a_query_is_sent_as_a_form_and_its_answer_is_read() {
    let (address, asked) = serve(|_| ok("application/sparql-results+json", "{}"));

    let fetched = services(allowed()).query(&format!("http://{address}/sparql"), "ASK { ?s ?p \"ä+b\" }").unwrap();

    assert_eq!(fetched.media_type.as_deref(), Some("application/sparql-results+json"));
    let (head, body) = asked.recv().unwrap();
    assert!(
        head.starts_with("POST /sparql HTTP/1.1\r\n") && head.contains("application/x-www-form-urlencoded"),
        "{head}"
    );
    assert!(head.contains("accept: application/sparql-results+json") && !head.contains("authorization"), "{head}");
    assert_eq!(body, "query=ASK+%7B+%3Fs+%3Fp+%22%C3%A4%2Bb%22+%7D");
}

#[test]
fn private_addresses_are_refused_with_what_to_do() {
    let (address, asked) = serve(|_| ok("text/turtle", ""));
    let careful = services(ServiceOptions { allow_private: false, ..allowed() });

    for url in [format!("http://{address}/"), format!("http://localhost:{}/", address.port())] {
        let Err(error) = careful.query(&url, "ASK {}") else { panic!("{url}") };
        let text = error.to_string();
        assert!(text.contains("private address") && text.contains("--allow-private"), "{text}");
    }
    assert!(asked.try_recv().is_err(), "nothing was sent");
}

#[test]
fn private_addresses_are_refused_behind_a_proxy_too() {
    let (proxy, asked) = serve(|_| ok("text/turtle", ""));
    let fetch = Options { proxy: Some(format!("http://{proxy}")), ..Options::default() };
    let careful = GuardedServices::new(fetch, ServiceOptions { allow_private: false, ..allowed() }).unwrap();

    for url in ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "http://169.254.169.254/meta-data"] {
        let Err(error) = careful.query(url, "ASK {}") else { panic!("{url}") };
        let text = error.to_string();
        assert!(text.contains("private address") && text.contains("--allow-private"), "{text}");
    }
    assert!(asked.try_recv().is_err(), "nothing was sent");
    careful.query("http://a.example/sparql", "ASK {}").unwrap();
    assert!(asked.try_recv().is_ok(), "the proxy is asked for what may be public");
}

#[test]
fn every_redirect_passes_the_guard() {
    let (inside, asked) = serve(|_| ok("text/turtle", "<a> <b> <c> ."));
    let target = format!("http://{inside}/secret");
    let (outside, _asked) = serve(move |_| redirect(302, &target));
    // The first host is one the user gave an address for, and so may be asked.
    let fetch = Options {
        proxy_from_environment: false,
        resolve: vec![format!("public.example:{}", outside.ip()).parse().unwrap()],
        ..Options::default()
    };
    let careful = GuardedServices::new(fetch, ServiceOptions { allow_private: false, ..allowed() }).unwrap();

    let error = read(&careful, &format!("http://public.example:{}/", outside.port())).unwrap_err();

    assert!(error.contains("private address"), "{error}");
    assert!(asked.try_recv().is_err(), "nothing was sent");
}

#[test]
fn redirects_are_followed_with_the_query_and_not_for_ever() {
    let (address, asked) = serve(|path| match path {
        "/moved" => redirect(301, "/new"),
        "/other" => redirect(303, "/new"),
        "/loop" => redirect(307, "/loop"),
        _ => ok("text/csv", "x"),
    });
    let services = services(allowed());
    let methods = |path: &str| {
        let outcome = services.query(&format!("http://{address}{path}"), "ASK {}").map(drop);
        let methods: Vec<_> = asked.try_iter().map(|(head, _)| head.split(' ').next().unwrap().to_owned()).collect();
        (outcome.map_err(|error| error.to_string()), methods)
    };

    assert_eq!(methods("/moved"), (Ok(()), vec!["POST".to_owned(); 2]));
    assert_eq!(methods("/other"), (Ok(()), vec!["POST".to_owned(), "GET".to_owned()]));
    let (outcome, asked) = methods("/loop");
    assert_eq!((outcome, asked.len()), (Err("it redirects more than 5 times".to_owned()), 6));
}

#[test]
fn what_is_too_large_too_slow_or_half_is_an_error() {
    let (address, _asked) = serve(|path| match path {
        "/large" => ok("text/turtle", &"# text\n".repeat(100)),
        "/half" => ok("text/turtle", "# text\n").replace("length: 7", "length: 700"),
        _ => {
            "HTTP/1.1 503 Busy\r\nretry-after: 30\r\ncontent-length: 9\r\nconnection: close\r\n\r\ntry later".to_owned()
        }
    });
    let services = services(ServiceOptions { bytes_max: 200, ..allowed() });
    let error = |path: &str| read(&services, &format!("http://{address}{path}")).unwrap_err();

    assert!(error("/large").contains("larger than 200 bytes"), "{}", error("/large"));
    assert!(error("/half").contains("truncated"), "{}", error("/half"));
    assert_eq!(
        error("/busy"),
        "it answered 503 Service Unavailable: try later; ask it again later, in 30 s as it says"
    );
}

#[test]
fn only_the_web_is_asked() {
    for url in ["file:///etc/passwd", "ftp://a.example/", "http://user:secret@a.example/", "nonsense"] {
        assert!(services(allowed()).load(url).is_err(), "{url}");
    }
}

#[tokio::test]
async fn a_client_may_be_used_and_dropped_within_a_runtime() {
    let (address, _asked) = serve(|_| ok("text/turtle", "# nothing"));
    let services = services(allowed());

    assert!(services.load(&format!("http://{address}/")).is_ok());
    drop(services);
}
