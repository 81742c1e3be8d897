//! `lodeward health`: whether a service answers, for those who have no curl.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use lodeward_service::Presence;

use crate::arguments::{Health, Loudness};
use crate::failure::Hinted;
use crate::progress::say;
use crate::summary::quoted;

/// How long it may take to answer.
const TIME_MAX: Duration = Duration::from_secs(4);

pub(crate) fn run(arguments: &Health, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let data = &arguments.data;
    let hinted = |what: String, hint: &str| Hinted { error: anyhow::anyhow!(what), hint: hint.to_owned() };
    let running = match Presence::in_data(data) {
        Presence::Running(running) => running,
        Presence::Nobody => {
            let what = format!("nobody serves {}", data.display());
            let hint = format!("start it with `lodeward serve --data {}`", quoted(&data.to_string_lossy()));
            return Err(hinted(what, &hint).into());
        }
        Presence::Starting => {
            let what = format!("the service of {} is starting, and lets nobody in yet", data.display());
            return Err(hinted(what, "ask again in a while; its log says what it does").into());
        }
    };
    let address = reachable(running.address);
    let status = ask(address).with_context(|| format!("process {} at {address} does not answer", running.pid))?;
    anyhow::ensure!(status.starts_with("HTTP/1.1 200"), "process {} at {address} says {status}", running.pid);
    if !loudness.quiet {
        say(&format!("process {} answers at http://{address}\n", running.pid));
    }
    Ok(ExitCode::SUCCESS)
}

/// Who listens everywhere also listens here.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The first line of the answer.
fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIME_MAX)?;
    stream.set_read_timeout(Some(TIME_MAX))?;
    stream.set_write_timeout(Some(TIME_MAX))?;
    write!(stream, "GET /health HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", address.port())?;
    let mut answer = Vec::new();
    stream.take(4_096).read_to_end(&mut answer)?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.lines().next().unwrap_or("nothing").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_everywhere_is_asked_here() {
        let check =
            |listens: &str, expected: &str| assert_eq!(reachable(listens.parse().unwrap()).to_string(), expected);

        check("0.0.0.0:7474", "127.0.0.1:7474");
        check("[::]:7474", "[::1]:7474");
        check("192.0.2.1:80", "192.0.2.1:80");
    }
}
