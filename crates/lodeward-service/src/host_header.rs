//! The `Host` field of a request: parsing, and whether it names this machine.

use url::{Host, Url};

/// The host in a `Host` field, without its port.
pub(crate) fn parse_host(field: &str) -> Option<Host> {
    // The field consists of a host and an optional port (RFC 9110 §7.2). Other parts of a URL are rejected.
    if field.contains(['@', '/', '\\', '?', '#']) {
        return None;
    }
    let url = Url::parse(&format!("http://{field}/")).ok()?;
    Some(url.host()?.to_owned())
}

/// Whether the host is an IP address or `localhost`. A site can point its own host name at this
/// machine (DNS rebinding), so that its pages have our origin; it cannot do so with an IP address
/// or `localhost`.
pub(crate) fn is_local(host: &Host) -> bool {
    match host {
        Host::Ipv4(_) | Host::Ipv6(_) => true,
        Host::Domain(name) => name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_that_no_other_site_controls_are_local() {
        let check = |field: &str| parse_host(field).is_some_and(|host| is_local(&host));
        for local in ["localhost", "LOCALHOST:7878", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:7878", "10.1.2.3:1"] {
            assert!(check(local), "{local}");
        }
        for other in ["evil.example", "evil.example:7878", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!check(other), "{other}");
        }
        for invalid in ["::1", "a@localhost", "localhost/a", "localhost\\a", "localhost?a", "localhost#a", "a b"] {
            assert_eq!(parse_host(invalid), None, "{invalid}");
        }
        assert_eq!(parse_host("Crawls.example:7474"), Some(Host::Domain("crawls.example".to_owned())));
    }
}
