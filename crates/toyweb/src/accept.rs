//! What a visitor says it would rather have.

use http::HeaderMap;
use http::header::ACCEPT;

/// The media types in which webs of data answer.
const RDF_TYPES: [&str; 5] =
    ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json", "application/n-quads"];

/// How much `media_type` is wanted, in thousandths; without an `Accept` field,
/// everything is.
pub(crate) fn quality(headers: &HeaderMap, media_type: &str) -> u16 {
    let mut best: Option<(u8, u16)> = None;
    for range in
        headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
    {
        let mut parts = range.split(';').map(str::trim);
        let Some(precision) = precision(parts.next().unwrap_or_default(), media_type) else { continue };
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(1000, thousandths);
        // The most precise range decides, not the most generous (RFC 9110, 12.5.1).
        if best.is_none_or(|(known, _)| precision > known) {
            best = Some((precision, quality));
        }
    }
    match best {
        Some((_, quality)) => quality,
        None if headers.contains_key(ACCEPT) => 0,
        None => 1000,
    }
}

/// Whether a page is wanted more than data.
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let data = RDF_TYPES.iter().map(|media_type| quality(headers, media_type)).max();
    Some(quality(headers, "text/html")) > data
}

fn precision(range: &str, media_type: &str) -> Option<u8> {
    if range.eq_ignore_ascii_case(media_type) {
        return Some(2);
    }
    match range.strip_suffix("/*")? {
        "*" => Some(0),
        kind => media_type.split('/').next().is_some_and(|known| known.eq_ignore_ascii_case(kind)).then_some(1),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
fn thousandths(quality: &str) -> u16 {
    (quality.parse().unwrap_or(0.0_f32).clamp(0.0, 1.0) * 1000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_preferred_by_browsers_and_data_by_crawlers() {
        for (accept, expected) in [
            (Some("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), true),
            (Some("text/html"), true),
            (Some("text/turtle, text/html;q=0.5"), false),
            (Some("application/rdf+xml;q=0.2, text/html;q=0.3"), true),
            (Some("*/*"), false),
            (Some("text/*"), false),
            (None, false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(ACCEPT, accept.parse().expect("a field value"));
            }
            assert_eq!(prefers_html(&headers), expected, "{accept:?}");
        }
    }
}
