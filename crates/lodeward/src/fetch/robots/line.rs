//! Parses the lines of a robots.txt, as lenient as Google's parser.

use std::time::Duration;

/// Maximum number of bytes read from a line: eight times the maximum length of a URL in browsers.
const MAX_LINE_BYTES: usize = 2_083 * 8;

/// A recognised line. Values are trimmed and otherwise as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RobotsLine<'a> {
    UserAgent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay(Duration),
    Sitemap(&'a [u8]),
}

/// The recognised lines; all others are skipped.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = RobotsLine<'_>> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    // Google's parser also skips a byte order mark that is incomplete.
    let marked = BYTE_ORDER_MARK.iter().zip(text).take_while(|(mark, byte)| mark == byte).count();
    text[marked..].split(|&byte| byte == b'\n' || byte == b'\r').filter_map(read)
}

/// The leading letters, hyphens and underscores: the product token of an agent.
pub(in crate::fetch) fn product_token(agent: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let end = agent.iter().position(|byte| !is_part(byte)).unwrap_or(agent.len());
    &agent[..end]
}

fn read(line: &[u8]) -> Option<RobotsLine<'_>> {
    let line = &line[..line.len().min(MAX_LINE_BYTES - 1)];
    let line = memchr::memchr(b'#', line).map_or(line, |end| &line[..end]).trim_ascii();
    let (key, value) = split(line)?;
    let is = |names: &[&str]| names.iter().any(|name| starts_with_ignoring_case(key, name));
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(RobotsLine::UserAgent(value))
    } else if is(&["allow"]) {
        Some(RobotsLine::Allow(value))
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(RobotsLine::Disallow(value))
    } else if is(&["sitemap", "site-map"]) {
        Some(RobotsLine::Sitemap(value))
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        parse_seconds(value).map(RobotsLine::CrawlDelay)
    } else {
        None
    }
}

/// Key and value, separated by the first colon; or, if the colon is missing, by the white space between exactly two
/// words.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, value) = if let Some(colon) = memchr::memchr(b':', line) {
        (&line[..colon], &line[colon + 1..])
    } else {
        let space = memchr::memchr2(b' ', b'\t', line)?;
        let value = line[space..].trim_ascii();
        let is_one_word = memchr::memchr2(b' ', b'\t', value).is_none();
        is_one_word.then_some((&line[..space], value))?
    };
    let key = key.trim_ascii();
    (!key.is_empty()).then_some((key, value.trim_ascii()))
}

fn starts_with_ignoring_case(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

fn parse_seconds(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    // If the number is too large for a `Duration`, the maximum is used: the site still requests a long delay.
    let is_number = seconds.is_finite() && seconds >= 0.0;
    is_number.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_mistakes_are_tolerated() {
        let check =
            |text: &str, expected: &[RobotsLine]| assert_eq!(lines(text.as_bytes()).collect::<Vec<_>>(), expected);

        check("User-Agent : a # b", &[RobotsLine::UserAgent(b"a")]);
        check(
            "useragent a\r\nDISALLOW /x\r\rdissalow:/y",
            &[RobotsLine::UserAgent(b"a"), RobotsLine::Disallow(b"/x"), RobotsLine::Disallow(b"/y")],
        );
        check("disallow /a b\n: /x\nfoo: bar\n\u{feff}allow: /x", &[]);
        check("Crawl-delay: 1.5", &[RobotsLine::CrawlDelay(Duration::from_millis(1_500))]);
        check("Disallow:", &[RobotsLine::Disallow(b"")]);
    }
}
