//! By which names a server is called.

use url::{Host, Url};

/// The host that a `Host` field names, without its port.
pub(crate) fn named(field: &str) -> Option<Host> {
    // As a whole, it is no more than that (RFC 9110, 7.2).
    if field.contains(['@', '/', '\\', '?', '#']) {
        return None;
    }
    let url = Url::parse(&format!("http://{field}/")).ok()?;
    Some(url.host()?.to_owned())
}

/// Whether it is an address or `localhost`. A page may point a name of its own at this
/// machine (DNS rebinding), and would then be of our origin; it cannot do so with these.
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
    fn only_names_that_nobody_else_controls_are_local() {
        let check = |field: &str| named(field).is_some_and(|host| is_local(&host));
        for ours in ["localhost", "LOCALHOST:7878", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:7878", "10.1.2.3:1"] {
            assert!(check(ours), "{ours}");
        }
        for others in ["evil.example", "evil.example:7878", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!check(others), "{others}");
        }
        for nothing in ["::1", "a@localhost", "localhost/a", "localhost\\a", "localhost?a", "localhost#a", "a b"] {
            assert_eq!(named(nothing), None, "{nothing}");
        }
        assert_eq!(named("Crawls.example:7474"), Some(Host::Domain("crawls.example".to_owned())));
    }
}
