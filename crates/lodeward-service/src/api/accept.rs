//! Which of several forms a client wants (RFC 9110 §12.5.1).

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

use crate::problem::{Code, Problem};

/// The form that a client likes best among those that are offered, the first one
/// before others that it likes as much.
pub(crate) fn chosen<'a>(headers: &HeaderMap, offered: &[&'a str]) -> Result<&'a str, Problem> {
    let ranges: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(text).flat_map(|all| all.split(',')).collect();
    let quality = |offer: &str| if ranges.is_empty() { 1.0 } else { quality(&ranges, offer) };
    let mut best = (0.0, None);
    for offer in offered {
        if quality(offer) > best.0 {
            best = (quality(offer), Some(*offer));
        }
    }
    let refused = || Problem::new(Code::NotAcceptable, "the client takes no form that there is");
    best.1.ok_or_else(|| refused().hint(format!("there is {}", offered.join(", "))))
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

/// How much a client likes something: what fits it closest says so.
fn quality(ranges: &[&str], offer: &str) -> f32 {
    let fits = ranges.iter().filter_map(|range| fit(range, offer));
    fits.max_by_key(|(closeness, _)| *closeness).map_or(0.0, |(_, quality)| quality)
}

/// How closely a range fits, and what it says.
fn fit(range: &str, offer: &str) -> Option<(u8, f32)> {
    let mut parts = range.split(';').map(str::trim);
    let essence = parts.next()?.to_ascii_lowercase();
    let kind = offer.split('/').next()?;
    let closeness = match essence.as_str() {
        essence if essence == offer => 2,
        essence if essence.strip_suffix("/*") == Some(kind) => 1,
        "*/*" => 0,
        _ => return None,
    };
    let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |quality| quality.parse().ok())?;
    Some((closeness, quality))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_what_it_likes_best() {
        let check = |accept: Option<&str>, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|accept| (ACCEPT, HeaderValue::from_str(accept).unwrap())));
            assert_eq!(chosen(&headers, &["application/json", "text/csv"]).ok(), expected, "{accept:?}");
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
