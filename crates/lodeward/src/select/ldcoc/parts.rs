//! The parts of an address: LDCOC's intrinsic features `F_int` (Definition 11).

/// What a part is called, as RFC 3986 §3 does.
pub(super) const PARTS: [&str; 7] = ["scheme", "authority", "host", "userinfo", "path", "query", "fragment"];

/// Takes an address apart, in the order of [`PARTS`]; what it does not have is
/// empty. Works on any text, and copies nothing.
pub(super) fn parts(address: &str) -> [&str; 7] {
    let (rest, fragment) = address.split_once('#').unwrap_or((address, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    // A colon behind a slash is part of the path.
    let colon = rest.find(['/', ':']).filter(|&place| rest.as_bytes()[place] == b':');
    let (scheme, rest) = colon.map_or(("", rest), |colon| (&rest[..colon], &rest[colon + 1..]));
    let Some(rest) = rest.strip_prefix("//") else {
        return [scheme, "", "", "", rest, query, fragment];
    };
    let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let (userinfo, host_and_port) = authority.rsplit_once('@').unwrap_or(("", authority));
    let port = host_and_port.rfind(':').filter(|&colon| !host_and_port[colon..].contains(']'));
    let host = port.map_or(host_and_port, |colon| &host_and_port[..colon]);
    [scheme, authority, host, userinfo, path, query, fragment]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_falls_into_its_parts() {
        let check = |address: &str, expected: [&str; 7]| assert_eq!(parts(address), expected, "{address}");

        // The example of Fig. 1.
        check(
            "https://john.doe@www.example.com:123/forum/questions/?tag=networking&order=newest#top",
            [
                "https",
                "john.doe@www.example.com:123",
                "www.example.com",
                "john.doe",
                "/forum/questions/",
                "tag=networking&order=newest",
                "top",
            ],
        );
        check("http://a.example", ["http", "a.example", "a.example", "", "", "", ""]);
        check("http://[::1]:80/x", ["http", "[::1]:80", "[::1]", "", "/x", "", ""]);
        check("http://[::1]/x", ["http", "[::1]", "[::1]", "", "/x", "", ""]);
        check("urn:isbn:1#x", ["urn", "", "", "", "isbn:1", "", "x"]);
        check("http://a.example?x=/y#z?w", ["http", "a.example", "a.example", "", "", "x=/y", "z?w"]);
        check("nonsense", ["", "", "", "", "nonsense", "", ""]);
        check("a/b:c", ["", "", "", "", "a/b:c", "", ""]);
        check("", [""; 7]);
    }
}
