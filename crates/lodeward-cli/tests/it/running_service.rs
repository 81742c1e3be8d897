//! A service in another process, and a client of it.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::web::TestWeb;

/// A running `lodeward serve`; killed when dropped.
pub(crate) struct RunningService {
    child: Child,
    authority: String,
    /// The token of all requests.
    pub(crate) token: Option<String>,
}

/// The status and body of a response.
pub(crate) struct ServiceResponse {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl ServiceResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

impl RunningService {
    /// Starts the service and waits until it prints its address.
    pub(crate) fn start(web: &TestWeb, data: &str, arguments: &[&str]) -> Self {
        Self::start_with(web, data, arguments, |_| ())
    }

    /// The same, with a changed command.
    pub(crate) fn start_with(web: &TestWeb, data: &str, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(web.directory.path()).env_clear().arg("serve").args(["--data", data]);
        command.args(["--listen", "127.0.0.1:0", "--config", "service.toml"]).args(arguments);
        change(&mut command);
        let log = std::fs::File::options().create(true).append(true).open(web.path("service.log")).unwrap();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let log = || std::fs::read_to_string(web.path("service.log")).unwrap();
        let authority = line.trim().strip_prefix("listening on http://");
        let authority = authority.unwrap_or_else(|| panic!("the service does not start: {}", log())).to_owned();
        Self { child, authority, token: None }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its host and port.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Sends a request on its own connection. An error if the service has ended, or ends before the
    /// response is complete.
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<(&str, &str)>) -> io::Result<ServiceResponse> {
        let mut stream = TcpStream::connect(&self.authority)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        // HTTP/1.0: the response ends with the connection.
        let token = self.token.as_ref().map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        let body = body.map_or("\r\n".to_owned(), |(media_type, body)| {
            format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        });
        let request = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\n{token}{body}", self.authority);
        stream.write_all(request.as_bytes())?;
        let mut response = Vec::new();
        stream.read_to_end(&mut response)?;
        let text = String::from_utf8(response).map_err(io::Error::other)?;
        let truncated = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (head, body) = text.split_once("\r\n\r\n").ok_or_else(truncated)?;
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if length.is_some_and(|length: usize| length != body.len()) {
            return Err(truncated());
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(truncated)?;
        Ok(ServiceResponse { status, text: body.to_owned() })
    }

    pub(crate) fn get(&self, path: &str) -> io::Result<ServiceResponse> {
        self.request("GET", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> io::Result<ServiceResponse> {
        self.request("POST", path, Some(("application/json", &body.to_string())))
    }

    /// Waits for the end of the process and returns its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        send(self.pid(), name);
    }
}

/// Sends a signal to a process that the test started.
pub(crate) fn send(pid: u32, name: &str) {
    // The process may have ended.
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
}

impl Drop for RunningService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
