//! Content negotiation (RFC 9110 §12.5.1).

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

use crate::problem::{Problem, ProblemCode};

/// The offered media type with the highest quality. If several have the same quality, the first of
/// them.
pub(crate) fn negotiate<'a>(headers: &HeaderMap, offered: &[&'a str]) -> Result<&'a str, Problem> {
    let ranges: Vec<&str> =
        headers.get_all(ACCEPT).iter().filter_map(header_text).flat_map(|all| all.split(',')).collect();
    let quality = |offer: &str| if ranges.is_empty() { 1.0 } else { quality(&ranges, offer) };
    let mut best = (0.0, None);
    for offer in offered {
        if quality(offer) > best.0 {
            best = (quality(offer), Some(*offer));
        }
    }
    let rejected = || Problem::new(ProblemCode::NotAcceptable, "the client accepts none of the offered media types");
    best.1.ok_or_else(|| rejected().hint(format!("offered: {}", offered.join(", "))))
}

fn header_text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

/// The quality of a media type: the quality of the most specific range that matches it.
fn quality(ranges: &[&str], offer: &str) -> f32 {
    let matching = ranges.iter().filter_map(|range| match_range(range, offer));
    matching.max_by_key(|(specificity, _)| *specificity).map_or(0.0, |(_, quality)| quality)
}

/// The specificity and quality of a range, if it matches the media type.
fn match_range(range: &str, offer: &str) -> Option<(u8, f32)> {
    let mut parts = range.split(';').map(str::trim);
    let essence = parts.next()?.to_ascii_lowercase();
    let kind = offer.split('/').next()?;
    let specificity = match essence.as_str() {
        essence if essence == offer => 2,
        essence if essence.strip_suffix("/*") == Some(kind) => 1,
        "*/*" => 0,
        _ => return None,
    };
    let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |quality| quality.parse().ok())?;
    Some((specificity, quality))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_media_type_with_the_highest_quality_is_chosen() {
        let check = |accept: Option<&str>, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|accept| (ACCEPT, HeaderValue::from_str(accept).unwrap())));
            assert_eq!(negotiate(&headers, &["application/json", "text/csv"]).ok(), expected, "{accept:?}");
        };

        check(None, Some("application/json"));
        check(Some("*/*"), Some("application/json"));
        check(Some("text/*"), Some("text/csv"));
        check(Some("TEXT/CSV; charset=utf-8"), Some("text/csv"));
        check(Some("application/json;q=0.5, text/csv;q=0.7"), Some("text/csv"));
        check(Some("application/json;q=0, */*;q=0.1"), Some("text/csv"));
        check(Some("text/html, image/*"), None);
        check(Some("*/*;q=0"), None);
        check(Some("text/csv;q=x"), None);
        check(Some(""), None);
    }
}
