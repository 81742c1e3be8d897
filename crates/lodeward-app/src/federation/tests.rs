//! Services on loopback addresses, which the guard rejects unless they are allowed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use lodeward_archive::sparql::ServiceHandler;

use super::*;
use lodeward::fetch::FetchOptions;

/// Serves responses by path on a thread that ends with the test. Returns the received requests.
fn serve(respond: impl Fn(&str) -> String + Send + 'static) -> (SocketAddr, mpsc::Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let Some((head, body)) = receive(&stream) else { continue };
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            // The request is reported before the response is sent, so a test that has the response can read it.
            let is_over = sender.send((head, body)).is_err();
            let _ = (&stream).write_all(respond(&path).as_bytes());
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

fn services(options: FederationOptions) -> GuardedFederation {
    let fetch = FetchOptions { proxy_from_environment: false, read_timeout_ms: 2_000, ..FetchOptions::default() };
    GuardedFederation::new(fetch, options).unwrap()
}

fn allowed() -> FederationOptions {
    FederationOptions { allow_private_addresses: true, timeout: Duration::from_secs(2), ..FederationOptions::default() }
}

fn read(services: &GuardedFederation, url: &str) -> Result<String, String> {
    let fetched = services.load(url).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut body = fetched.body;
    body.read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[test]
fn query_is_sent_as_a_form_and_its_result_is_read() {
    let (address, requests) = serve(|_| ok("application/sparql-results+json", "{}"));

    let fetched = services(allowed()).query(&format!("http://{address}/sparql"), "ASK { ?s ?p \"ä+b\" }").unwrap();

    assert_eq!(fetched.media_type.as_deref(), Some("application/sparql-results+json"));
    let (head, body) = requests.recv().unwrap();
    assert!(
        head.starts_with("POST /sparql HTTP/1.1\r\n") && head.contains("application/x-www-form-urlencoded"),
        "{head}"
    );
    assert!(head.contains("accept: application/sparql-results+json") && !head.contains("authorization"), "{head}");
    assert_eq!(body, "query=ASK+%7B+%3Fs+%3Fp+%22%C3%A4%2Bb%22+%7D");
}

#[test]
fn private_address_is_rejected_with_a_hint() {
    let (address, requests) = serve(|_| ok("text/turtle", ""));
    let guarded = services(FederationOptions { allow_private_addresses: false, ..allowed() });

    for url in [format!("http://{address}/"), format!("http://localhost:{}/", address.port())] {
        let Err(error) = guarded.query(&url, "ASK {}") else { panic!("{url}") };
        let text = error.to_string();
        assert!(text.contains("private address") && text.contains("--allow-private"), "{text}");
    }
    assert!(requests.try_recv().is_err(), "nothing was sent");
}

#[test]
fn private_address_is_rejected_behind_a_proxy() {
    let (proxy, requests) = serve(|_| ok("text/turtle", ""));
    let fetch = FetchOptions { proxy: Some(format!("http://{proxy}")), ..FetchOptions::default() };
    let guarded =
        GuardedFederation::new(fetch, FederationOptions { allow_private_addresses: false, ..allowed() }).unwrap();

    for url in ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "http://169.254.169.254/meta-data"] {
        let Err(error) = guarded.query(url, "ASK {}") else { panic!("{url}") };
        let text = error.to_string();
        assert!(text.contains("private address") && text.contains("--allow-private"), "{text}");
    }
    assert!(requests.try_recv().is_err(), "nothing was sent");
    guarded.query("http://a.example/sparql", "ASK {}").unwrap();
    assert!(requests.try_recv().is_ok(), "the proxy receives requests for public names");
}

#[test]
fn every_redirect_passes_the_guard() {
    let (inside, requests) = serve(|_| ok("text/turtle", "<a> <b> <c> ."));
    let target = format!("http://{inside}/secret");
    let (outside, _requests) = serve(move |_| redirect(302, &target));
    // The address of the first host is set by the user, so it is allowed.
    let fetch = FetchOptions {
        proxy_from_environment: false,
        resolve: vec![format!("public.example:{}", outside.ip()).parse().unwrap()],
        ..FetchOptions::default()
    };
    let guarded =
        GuardedFederation::new(fetch, FederationOptions { allow_private_addresses: false, ..allowed() }).unwrap();

    let error = read(&guarded, &format!("http://public.example:{}/", outside.port())).unwrap_err();

    assert!(error.contains("private address"), "{error}");
    assert!(requests.try_recv().is_err(), "nothing was sent");
}

#[test]
fn redirects_are_followed_with_the_query_up_to_a_limit() {
    let (address, requests) = serve(|path| match path {
        "/moved" => redirect(301, "/new"),
        "/other" => redirect(303, "/new"),
        "/loop" => redirect(307, "/loop"),
        _ => ok("text/csv", "x"),
    });
    let services = services(allowed());
    let methods = |path: &str| {
        let outcome = services.query(&format!("http://{address}{path}"), "ASK {}").map(drop);
        let methods: Vec<_> = requests.try_iter().map(|(head, _)| head.split(' ').next().unwrap().to_owned()).collect();
        (outcome.map_err(|error| error.to_string()), methods)
    };

    assert_eq!(methods("/moved"), (Ok(()), vec!["POST".to_owned(); 2]));
    assert_eq!(methods("/other"), (Ok(()), vec!["POST".to_owned(), "GET".to_owned()]));
    let (outcome, requests) = methods("/loop");
    assert_eq!((outcome, requests.len()), (Err("more than 5 redirects".to_owned()), 6));
}

#[test]
fn oversized_slow_or_truncated_response_is_an_error() {
    let (address, _requests) = serve(|path| match path {
        "/large" => ok("text/turtle", &"# text\n".repeat(100)),
        "/half" => ok("text/turtle", "# text\n").replace("length: 7", "length: 700"),
        _ => {
            "HTTP/1.1 503 Busy\r\nretry-after: 30\r\ncontent-length: 9\r\nconnection: close\r\n\r\ntry later".to_owned()
        }
    });
    let services = services(FederationOptions { max_bytes: 200, ..allowed() });
    let error = |path: &str| read(&services, &format!("http://{address}{path}")).unwrap_err();

    assert!(error("/large").contains("larger than 200 bytes"), "{}", error("/large"));
    assert!(error("/half").contains("truncated"), "{}", error("/half"));
    assert_eq!(error("/busy"), "service returned 503 Service Unavailable: try later; retry later, after 30 s");
}

#[test]
fn only_http_urls_are_loaded() {
    for url in ["file:///etc/passwd", "ftp://a.example/", "http://user:secret@a.example/", "nonsense"] {
        assert!(services(allowed()).load(url).is_err(), "{url}");
    }
}

#[tokio::test]
async fn client_may_be_used_and_dropped_within_a_runtime() {
    let (address, _requests) = serve(|_| ok("text/turtle", "# nothing"));
    let services = services(allowed());

    assert!(services.load(&format!("http://{address}/")).is_ok());
    drop(services);
}
