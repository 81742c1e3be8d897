//! `lodeward health`: checks whether the service responds, without curl.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use lodeward_service::ServicePresence;

use crate::args::{HealthArgs, VerbosityArgs};
use crate::errors::HintedError;
use crate::progress::print_stderr;
use crate::report_text::shell_quote;

/// Timeout of each step of the check.
const TIMEOUT: Duration = Duration::from_secs(4);

pub(crate) fn run(arguments: &HealthArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data;
    let hinted = |message: String, hint: &str| HintedError { error: anyhow::anyhow!(message), hint: hint.to_owned() };
    let running = match ServicePresence::detect(data) {
        ServicePresence::Running(running) => running,
        ServicePresence::Absent => {
            let message = format!("no service is running for {}", data.display());
            let hint = format!("start it with `lodeward serve --data {}`", shell_quote(&data.to_string_lossy()));
            return Err(hinted(message, &hint).into());
        }
        ServicePresence::Starting => {
            let message = format!("the service of {} is starting and not ready yet", data.display());
            return Err(hinted(message, "retry in a few seconds; the log of the service shows its progress").into());
        }
    };
    let address = connect_address(running.address);
    let status =
        request_status(address).with_context(|| format!("process {} at {address} does not respond", running.pid))?;
    anyhow::ensure!(status.starts_with("HTTP/1.1 200"), "process {} at {address} responds {status}", running.pid);
    if !verbosity.quiet {
        print_stderr(&format!("process {} responds at http://{address}\n", running.pid));
    }
    Ok(ExitCode::SUCCESS)
}

/// A server on the unspecified address is reached through loopback.
fn connect_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The status line of the response.
fn request_status(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /health HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", address.port())?;
    let mut response = Vec::new();
    stream.take(4_096).read_to_end(&mut response)?;
    let text = String::from_utf8_lossy(&response);
    Ok(text.lines().next().unwrap_or("nothing").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_the_unspecified_address_is_reached_through_loopback() {
        let check =
            |listens: &str, expected: &str| assert_eq!(connect_address(listens.parse().unwrap()).to_string(), expected);

        check("0.0.0.0:7474", "127.0.0.1:7474");
        check("[::]:7474", "[::1]:7474");
        check("192.0.2.1:80", "192.0.2.1:80");
    }
}
