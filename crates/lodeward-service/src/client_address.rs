//! The IP address of the client of a request, also behind a proxy.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::{HeaderMap, Request};

/// The address from which a request was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// The IP address of the client. If it is unknown: the address of the proxy, or `0.0.0.0`.
    pub(crate) client: IpAddr,
    /// Whether the peer of the connection is on this machine, or unknown.
    pub(crate) is_local: bool,
}

impl ClientAddress {
    /// Determines the address. A proxy is trusted only if `service.public_url` is set and the proxy
    /// is on this machine.
    pub(crate) fn from_request<B>(request: &Request<B>, has_public_url: bool) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
        let is_local = peer.is_none_or(|peer| peer.is_loopback());
        let forwarded = || forwarded_for(request.headers());
        let client = if has_public_url && is_local { forwarded().or(peer) } else { peer };
        Self { client: client.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), is_local }
    }
}

/// The last address in `X-Forwarded-For`, which the nearest proxy has written. The client may have written the others.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    let text = last.rsplit(',').next()?.trim();
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    text.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

/// The network of an address, which is treated as one client. An IPv6 client usually has at least a /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&str], has_public_url: bool, expected: &str) {
        let mut request = Request::new(());
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
        for value in forwarded {
            request.headers_mut().append("x-forwarded-for", value.parse().unwrap());
        }
        assert_eq!(ClientAddress::from_request(&request, has_public_url).client, expected.parse::<IpAddr>().unwrap());
    }

    #[test]
    fn a_proxy_is_trusted_only_on_this_machine_and_with_a_public_url() {
        check("127.0.0.1", &["192.0.2.7"], true, "192.0.2.7");
        check("127.0.0.1", &["192.0.2.7"], false, "127.0.0.1");
        check("192.0.2.1", &["192.0.2.7"], true, "192.0.2.1");
    }

    #[test]
    fn only_the_nearest_proxy_is_trusted() {
        check("::1", &["198.51.100.1, 192.0.2.7"], true, "192.0.2.7");
        check("::1", &["198.51.100.1", "192.0.2.7:4711"], true, "192.0.2.7");
        check("::1", &["192.0.2.7, nonsense"], true, "::1");
        check("127.0.0.1", &["::ffff:192.0.2.7"], true, "192.0.2.7");
    }

    #[test]
    fn a_subnet_is_one_client() {
        let network = |text: &str| super::network(text.parse().unwrap()).to_string();

        assert_eq!(network("2001:db8::1:2:3:4"), "2001:db8::");
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
    }
}
