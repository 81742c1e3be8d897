//! The parts of a URL: LDCOC's intrinsic features `F_int` (Definition 11).

/// Names of the parts, as in RFC 3986 §3.
pub(super) const PARTS: [&str; 7] = ["scheme", "authority", "host", "userinfo", "path", "query", "fragment"];

/// Splits a URL into parts, in the order of [`PARTS`]; missing parts are empty. Accepts any text,
/// and does not allocate.
pub(super) fn split_parts(url: &str) -> [&str; 7] {
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    // A colon after a slash is part of the path.
    let colon = rest.find(['/', ':']).filter(|&position| rest.as_bytes()[position] == b':');
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
    fn a_url_is_split_into_parts() {
        let check = |url: &str, expected: [&str; 7]| assert_eq!(split_parts(url), expected, "{url}");

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
