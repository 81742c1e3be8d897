//! Decides which IP addresses a crawl may connect to.
//!
//! A link on the open web must not cause requests to the private network of the crawler (server-side request forgery).
//! The check applies to IP addresses, after names have been resolved, so that a name that changes its address between
//! check and use gains nothing. It follows the IANA special-purpose registries. An address that embeds an IPv4 address
//! is checked as that address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::model::{Fault, FaultKind};

/// Whether an IP address is globally reachable.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Whether a host, as written in a URI, is a private address or a local name. If a proxy resolves the name, this is the
/// only possible check.
#[must_use]
pub fn is_private_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(address) => !is_public(address),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Rejects a host behind a proxy if it is a private address or a local name.
pub(crate) fn check_name(host: &str) -> Result<(), Fault> {
    if is_private_name(host) {
        return Err(Fault::new(FaultKind::ForbiddenAddress, format!("{host} is a private address")));
    }
    Ok(())
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [first, ..] if first == 0 || first >= 240 => true, // this network; reserved, broadcast
        [100, second, ..] => second & 0xc0 == 64,          // carrier-grade NAT
        [192, 0, 0, _] | [192, 88, 99, _] => true,         // protocol assignments, 6to4 relays
        [198, second, ..] => second & 0xfe == 18,          // benchmarks
        _ => false,
    };
    !(special
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] // IPv4-mapped
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] // NAT64
        | [0x2002, high, low, ..] // 6to4
            => is_public_v4(embedded_ipv4(high, low)),
        [0x3fff, 0..=0x0fff, ..] => false, // documentation
        [0x2001, second, ..] if second == 0x0db8 || second <= 0x01ff => false, // documentation, Teredo, protocols
        // Only global unicast addresses pass. All others are rejected: unspecified, loopback, IPv4-compatible,
        // translated, unique local, link local and multicast addresses.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

fn embedded_ipv4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_names_and_private_addresses_are_private() {
        for host in ["localhost", "a.localhost", "localhost.", "127.0.0.1", "[::1]", "10.1.2.3", "169.254.169.254"] {
            assert!(is_private_name(host), "{host}");
        }
        for host in ["a.example", "localhost.example", "8.8.8.8", "[2606:4700::1111]"] {
            assert!(!is_private_name(host), "{host}");
        }
    }

    #[test]
    fn special_purpose_addresses_are_not_public() {
        let check = |text: &str, expected: bool| assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");

        for public in ["1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255"] {
            check(public, true);
        }
        for private in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.9",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.88.99.1",
        ] {
            check(private, false);
        }
        for public in ["2606:4700::1111", "2a00:1450:4001::1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1"]
        {
            check(public, true);
        }
        for private in [
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001:db8::1",
            "2001::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            check(private, false);
        }
    }
}
