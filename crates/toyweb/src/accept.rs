//! Content negotiation by `Accept`, with q-values (RFC 9110, 12.5.1).

use http::HeaderMap;

/// The media types of RDF documents.
const RDF_TYPES: [&str; 5] =
    ["text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json", "application/n-quads"];

/// The media ranges that a client accepts.
pub(crate) struct AcceptHeader(Vec<AcceptRange>);

struct AcceptRange {
    /// The media range in lower case, without parameters; may be `*/*` or `text/*`.
    media_range: String,
    quality: f32,
}

impl AcceptHeader {
    /// Parses the `Accept` fields. Without one, everything is acceptable.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let values = headers.get_all(http::header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        Self::from_values(values)
    }

    /// Parses the value of an `Accept` field.
    pub(crate) fn parse(text: &str) -> Self {
        Self::from_values(std::iter::once(text))
    }

    fn from_values<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let ranges: Vec<AcceptRange> = values.flat_map(|value| value.split(',')).filter_map(parse_range).collect();
        if ranges.is_empty() {
            return Self(vec![AcceptRange { media_range: "*/*".to_owned(), quality: 1.0 }]);
        }
        Self(ranges)
    }

    /// The quality of a media type: that of the most specific matching range, 0 if none matches.
    pub(crate) fn quality(&self, media_type: &str) -> f32 {
        let media_type = media_type.split(';').next().unwrap_or_default();
        let specificity = |range: &str| match range {
            "*/*" => Some(1),
            range if range == media_type => Some(3),
            range => {
                let family = range.strip_suffix('*')?;
                (family.ends_with('/') && media_type.starts_with(family)).then_some(2)
            }
        };
        let matching = self.0.iter().filter_map(|range| Some((specificity(&range.media_range)?, range.quality)));
        matching.max_by_key(|(specificity, _)| *specificity).map_or(0.0, |(_, quality)| quality)
    }

    /// The choice with the highest quality, the first one in a tie; `None` if none is acceptable.
    pub(crate) fn best<T: Copy>(&self, offered: &[T], media_type: impl Fn(T) -> &'static str) -> Option<T> {
        let mut best = None;
        let mut best_quality = 0.0;
        for choice in offered {
            let quality = self.quality(media_type(*choice));
            if quality > best_quality {
                (best, best_quality) = (Some(*choice), quality);
            }
        }
        best
    }

    /// Whether HTML has a higher quality than every RDF syntax.
    pub(crate) fn prefers_html(&self) -> bool {
        let data = RDF_TYPES.iter().map(|media_type| self.quality(media_type)).fold(0.0, f32::max);
        self.quality("text/html") > data
    }
}

fn parse_range(text: &str) -> Option<AcceptRange> {
    let mut parts = text.split(';').map(str::trim);
    let media_range = parts.next().filter(|media_range| media_range.contains('/'))?.to_ascii_lowercase();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    // A weight that is not a number is treated as missing, which means 1.
    let quality =
        weight.and_then(|weight| weight.trim().parse().ok()).map_or(1.0, |weight: f32| weight.clamp(0.0, 1.0));
    Some(AcceptRange { media_range, quality })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(value: &str) -> AcceptHeader {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, value.parse().expect("a legal field value"));
        AcceptHeader::from_headers(&headers)
    }

    #[test]
    fn the_most_specific_range_decides() {
        let accept = accept("text/*;q=0.3, text/turtle;q=0.7, */*;q=0.1, TEXT/HTML ; level=1 ; q=0.5");

        let close = |media_type, expected: f32| (accept.quality(media_type) - expected).abs() < 1e-6;
        assert!(close("text/turtle", 0.7) && close("text/plain", 0.3));
        assert!(close("image/png", 0.1) && close("text/html; charset=utf-8", 0.5));
    }

    #[test]
    fn the_first_of_a_tie_is_best_and_zero_means_not_acceptable() {
        let media_type = |media_type: &'static str| media_type;
        let offered = ["text/html", "text/turtle"];

        assert_eq!(accept("*/*").best(&offered, media_type), Some("text/html"));
        assert_eq!(accept("text/turtle;q=0.9, text/html;q=0.8").best(&offered, media_type), Some("text/turtle"));
        assert_eq!(accept("*/*, text/html;q=0").best(&offered, media_type), Some("text/turtle"));
        assert_eq!(accept("image/png").best(&offered, media_type), None);
        assert_eq!(AcceptHeader::from_headers(&HeaderMap::new()).best(&offered, media_type), Some("text/html"));
    }

    #[test]
    fn browsers_prefer_html_and_crawlers_prefer_rdf() {
        for (value, expected) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("text/html", true),
            ("text/turtle, text/html;q=0.5", false),
            ("application/rdf+xml;q=0.2, text/html;q=0.3", true),
            ("*/*", false),
            ("text/*", false),
        ] {
            assert_eq!(accept(value).prefers_html(), expected, "{value}");
        }
        assert!(!AcceptHeader::from_headers(&HeaderMap::new()).prefers_html());
    }
}
