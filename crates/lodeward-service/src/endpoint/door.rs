//! By which names this server answers.

use http::HeaderMap;
use http::header::HOST;

/// Whom a request must be addressed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// An address, or `localhost`. Names that others control are not ours,
    /// even if they lead here (DNS rebinding).
    LocalNames,
    /// Whatever a proxy or a name server says.
    AnyName,
}

impl Door {
    pub(super) fn lets_in(self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(HOST) else { return true };
        self == Self::AnyName || host.to_str().is_ok_and(is_local)
    }
}

fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let literal = name.trim_start_matches('[').trim_end_matches(']');
    literal.parse::<std::net::IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_names_are_ours() {
        for ours in ["localhost", "LOCALHOST:7878", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:7878", "10.1.2.3:1"] {
            assert!(is_local(ours), "{ours}");
        }
        for others in ["evil.example", "evil.example:7878", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!is_local(others), "{others}");
        }
    }
}
