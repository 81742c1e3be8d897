//! Content negotiation with `Accept` (RFC 9110 §12.5.1): the field of our requests, and the choice
//! for requests that we serve.

use std::cmp::Reverse;
use std::sync::LazyLock;

use crate::format::RdfFormat;
use crate::media_type::essence;

/// The `Accept` field of a request for RDF: every format, in order of preference, then anything.
#[must_use]
pub fn rdf_accept_field() -> &'static str {
    static FIELD: LazyLock<String> = LazyLock::new(|| {
        let mut formats: Vec<RdfFormat> = RdfFormat::all().filter(|format| format.preference() > 1).collect();
        formats.sort_by_key(|format| Reverse(format.preference()));
        let ranges = formats.iter().map(|format| match format.preference() {
            10 => format.media_type().to_owned(),
            tenths => format!("{};q=0.{tenths}", format.media_type()),
        });
        ranges.chain(["*/*;q=0.1".to_owned()]).collect::<Vec<_>>().join(", ")
    });
    &FIELD
}

/// A representation that a server offers.
pub trait MediaOffer: Copy {
    /// Its media type.
    fn media_type(&self) -> &str;

    /// Other media types for it. They match only if the client lists them.
    fn synonyms(&self) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }
}

impl MediaOffer for &str {
    fn media_type(&self) -> &str {
        self
    }
}

impl MediaOffer for RdfFormat {
    fn media_type(&self) -> &str {
        RdfFormat::media_type(*self)
    }

    fn synonyms(&self) -> impl Iterator<Item = &str> {
        // RDF 1.0 had no other media type for N-Triples.
        let of_rdf_1_0: &[&str] = if *self == Self::NTriples { &["text/plain"] } else { &[] };
        self.media_types()[1..].iter().chain(self.generic_types()).chain(of_rdf_1_0).copied()
    }
}

/// A parsed `Accept` field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accept {
    ranges: Vec<MediaRange>,
}

impl Accept {
    /// Parses the fields of a request. Without a field, or with empty ones, the client accepts
    /// anything.
    pub fn parse<'a>(fields: impl IntoIterator<Item = &'a str>) -> Self {
        let ranges = fields.into_iter().flat_map(|field| field.split(','));
        Self { ranges: ranges.filter_map(MediaRange::parse).collect() }
    }

    /// The offer of the highest quality, the first of those; `None` if the client accepts none.
    pub fn select<T: MediaOffer>(&self, offers: impl IntoIterator<Item = T>) -> Option<T> {
        let mut best = None;
        for offer in offers {
            let quality = self.quality(&offer);
            if quality > best.map_or(0, |(quality, _)| quality) {
                best = Some((quality, offer));
            }
        }
        best.map(|(_, offer)| offer)
    }

    /// The quality of an offer in thousandths: that of the most specific range that matches it.
    fn quality(&self, offer: &impl MediaOffer) -> u16 {
        if self.ranges.is_empty() {
            return 1000;
        }
        let own = self.ranges.iter().filter_map(|range| Some((range.specificity(offer.media_type())?, range.quality)));
        let is_listed = |range: &&MediaRange| offer.synonyms().any(|synonym| range.specificity(synonym) == Some(2));
        let listed = self.ranges.iter().filter(is_listed).map(|range| (2, range.quality));
        own.chain(listed).max().map_or(0, |(_, quality)| quality)
    }
}

/// One range of an `Accept` field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MediaRange {
    /// Type and subtype, in lower case; either may be `*`.
    essence: String,
    /// Quality in thousandths.
    quality: u16,
}

impl MediaRange {
    fn parse(text: &str) -> Option<Self> {
        let essence = essence(text).to_ascii_lowercase();
        let mut parameters = text.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
        let quality = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        let quality = quality.map_or(1000, |(_, quality)| parse_quality(quality.trim()));
        (!essence.is_empty()).then_some(Self { essence, quality })
    }

    /// How specifically the range matches a media type: 2 for the type itself, 0 for any.
    fn specificity(&self, media_type: &str) -> Option<u8> {
        let media_type = essence(media_type);
        if self.essence.eq_ignore_ascii_case(media_type) {
            return Some(2);
        }
        match self.essence.strip_suffix("/*")? {
            "*" => Some(0),
            group => media_type.split_once('/').filter(|(own, _)| own.eq_ignore_ascii_case(group)).map(|_| 1),
        }
    }
}

/// Parses `0.8` as 800. An invalid number is treated as missing, which means 1.
fn parse_quality(quality: &str) -> u16 {
    let quality: f32 = quality.parse().ok().filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the result is between 0 and 1000")]
    let thousandths = (quality * 1000.0).round() as u16;
    thousandths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdf_is_preferred_to_pages_and_pages_to_anything() {
        assert_eq!(
            rdf_accept_field(),
            "text/turtle, application/rdf+xml;q=0.9, application/n-triples;q=0.9, application/n-quads;q=0.8, \
             application/trig;q=0.8, application/ld+json;q=0.8, text/n3;q=0.7, application/xhtml+xml;q=0.5, \
             text/html;q=0.4, */*;q=0.1"
        );
    }

    #[test]
    fn the_offer_of_the_highest_quality_is_selected() {
        let check = |accept: Option<&str>, expected: Option<&str>| {
            assert_eq!(Accept::parse(accept).select(["application/json", "text/csv"]), expected, "{accept:?}");
        };

        check(None, Some("application/json"));
        check(Some(""), Some("application/json"));
        check(Some("*/*"), Some("application/json"));
        check(Some("text/*"), Some("text/csv"));
        check(Some("TEXT/CSV; charset=utf-8"), Some("text/csv"));
        check(Some("application/json;q=0.5, text/csv;q=0.7"), Some("text/csv"));
        check(Some("application/json;q=0, */*;q=0.1"), Some("text/csv"));
        check(Some("text/html, image/*"), None);
        check(Some("*/*;q=0"), None);
        check(Some("text/csv;q=x"), Some("text/csv"));
    }

    #[test]
    fn synonyms_match_only_if_they_are_listed() {
        let formats = [RdfFormat::Turtle, RdfFormat::NTriples, RdfFormat::RdfXml, RdfFormat::JsonLd];
        let check = |accept: &str, expected| assert_eq!(Accept::parse([accept]).select(formats), expected, "{accept}");

        check("text/plain", Some(RdfFormat::NTriples));
        check("application/xml", Some(RdfFormat::RdfXml));
        check("application/json;q=0.9, text/*;q=0.1", Some(RdfFormat::JsonLd));
        check("application/*", Some(RdfFormat::NTriples));
        check("text/html", None);
    }
}
