//! Parsing of multipart bodies (RFC 7578), for `POST` to a graph store.

use lodeward_rdf::MediaType;

use super::problem::ProtocolProblem;
use super::rdf_body::parse_type;

/// A part: its media type, if it has one, and its bytes.
pub(super) struct MultipartPart<'a> {
    pub(super) media_type: Option<MediaType>,
    pub(super) bytes: &'a [u8],
}

/// Splits a body at its boundary.
pub(super) fn parse_parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<MultipartPart<'a>>, ProtocolProblem> {
    let invalid = |what: &str| ProtocolProblem::bad_request(format!("invalid multipart body: it {what}"));
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut rest = slice_after(body, delimiter.as_bytes()).ok_or_else(|| invalid("has no boundary"))?;
    while !rest.starts_with(b"--") {
        let start = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        let start = start.ok_or_else(|| invalid("has extra characters after a boundary"))?;
        let end = delimiter_position(start, delimiter.as_bytes()).ok_or_else(|| invalid("ends without a boundary"))?;
        parts.push(parse_part(&start[..end.0])?);
        rest = &start[end.1..];
    }
    // RFC 2046 §5.1.1 requires at least one part.
    if parts.is_empty() { Err(invalid("has no part")) } else { Ok(parts) }
}

fn parse_part(bytes: &[u8]) -> Result<MultipartPart<'_>, ProtocolProblem> {
    let (head, body) = if let Some(body) = bytes.strip_prefix(b"\r\n") {
        (&b""[..], body)
    } else {
        let (position, length) = find(bytes, b"\r\n\r\n")
            .map(|position| (position, 4))
            .or_else(|| find(bytes, b"\n\n").map(|position| (position, 2)))
            .ok_or_else(|| {
                ProtocolProblem::bad_request("invalid multipart body: a part has no blank line after its header")
            })?;
        (&bytes[..position], &bytes[position + length..])
    };
    let head = str::from_utf8(head)
        .map_err(|_| ProtocolProblem::bad_request("invalid multipart body: the header of a part is not UTF-8"))?;
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut types = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"));
    let media_type = types.next().map(|(_, value)| parse_type(value)).transpose()?;
    Ok(MultipartPart { media_type, bytes: body })
}

/// The start of the next delimiter, including its line break, and its end.
fn delimiter_position(bytes: &[u8], delimiter: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let found = from + find(&bytes[from..], delimiter)?;
        let end = found + delimiter.len();
        if found == 0 || bytes[found - 1] == b'\n' {
            let start = bytes[..found].strip_suffix(b"\r\n").or_else(|| bytes[..found].strip_suffix(b"\n"));
            return Some((start.map_or(found, <[u8]>::len), end));
        }
        from = end;
    }
}

fn slice_after<'a>(bytes: &'a [u8], delimiter: &[u8]) -> Option<&'a [u8]> {
    find(bytes, delimiter).map(|position| &bytes[position + delimiter.len()..])
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&[&str]>) {
        let parts = parse_parts(body.as_bytes(), "x");
        let found = parts.ok().map(|parts| parts.iter().map(|part| part.bytes.to_vec()).collect::<Vec<_>>());
        let expected = expected.map(|parts| parts.iter().map(|part| part.as_bytes().to_vec()).collect::<Vec<_>>());
        assert_eq!(found, expected, "{body:?}");
    }

    #[test]
    fn a_body_is_split_at_its_boundary() {
        check("--x\r\nA: b\r\n\r\none\r\n--x\r\n\r\ntwo\n--x--\r\n", Some(&["one", "two"]));
        check("preamble\r\n--x\r\nA: b\r\n\r\nsays --x here\r\n--x--", Some(&["says --x here"]));
    }

    #[test]
    fn a_truncated_or_empty_body_is_rejected() {
        check("", None);
        check("--x\r\nA: b\r\n\r\none", None);
        check("--x\r\nno blank line\r\n--x--", None);
        check("--x", None);
        check("--x--", None);
    }
}
