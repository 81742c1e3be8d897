//! Bodies of several parts (RFC 7578), for `POST` to a graph store.

use super::media::MediaType;
use super::problem::Problem;

/// A part: its media type, if it has one, and its bytes.
pub(super) struct Part<'a> {
    pub(super) media_type: Option<MediaType>,
    pub(super) bytes: &'a [u8],
}

/// Takes a body apart at its boundary.
pub(super) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, Problem> {
    let wrong = |what: &str| Problem::bad_request(format!("the multipart body {what}"));
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut rest = after(body, delimiter.as_bytes()).ok_or_else(|| wrong("has no boundary"))?;
    while !rest.starts_with(b"--") {
        let start = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        let start = start.ok_or_else(|| wrong("has a line that only begins like a boundary"))?;
        let end = delimiter_position(start, delimiter.as_bytes()).ok_or_else(|| wrong("ends without a boundary"))?;
        parts.push(part(&start[..end.0])?);
        rest = &start[end.1..];
    }
    // There must be one (RFC 2046 §5.1.1).
    if parts.is_empty() { Err(wrong("has no part")) } else { Ok(parts) }
}

fn part(bytes: &[u8]) -> Result<Part<'_>, Problem> {
    let (head, body) = if let Some(body) = bytes.strip_prefix(b"\r\n") {
        (&b""[..], body)
    } else {
        let (position, length) = find(bytes, b"\r\n\r\n")
            .map(|position| (position, 4))
            .or_else(|| find(bytes, b"\n\n").map(|position| (position, 2)))
            .ok_or_else(|| Problem::bad_request("a part of the multipart body has no blank line after its head"))?;
        (&bytes[..position], &bytes[position + length..])
    };
    let head = str::from_utf8(head).map_err(|_| Problem::bad_request("the head of a part is not UTF-8"))?;
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut types = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"));
    Ok(Part { media_type: types.next().map(|(_, value)| MediaType::parse(value)), bytes: body })
}

/// Where the next delimiter begins, its line break included, and where it ends.
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

fn after<'a>(bytes: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    find(bytes, wanted).map(|position| &bytes[position + wanted.len()..])
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&[&str]>) {
        let parts = parts(body.as_bytes(), "x");
        let found = parts.ok().map(|parts| parts.iter().map(|part| part.bytes.to_vec()).collect::<Vec<_>>());
        let expected = expected.map(|parts| parts.iter().map(|part| part.as_bytes().to_vec()).collect::<Vec<_>>());
        assert_eq!(found, expected, "{body:?}");
    }

    #[test]
    fn a_body_is_taken_apart_at_its_boundary() {
        check("--x\r\nA: b\r\n\r\none\r\n--x\r\n\r\ntwo\n--x--\r\n", Some(&["one", "two"]));
        check("preamble\r\n--x\r\nA: b\r\n\r\nsays --x here\r\n--x--", Some(&["says --x here"]));
    }

    #[test]
    fn a_body_that_breaks_off_or_has_nothing_is_wrong() {
        check("", None);
        check("--x\r\nA: b\r\n\r\none", None);
        check("--x\r\nno blank line\r\n--x--", None);
        check("--x", None);
        check("--x--", None);
    }
}
