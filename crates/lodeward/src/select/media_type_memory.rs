//! Remembers the media types of URIs in bounded memory.
//!
//! LDCOC §5, "Reducing HTTP lookup": one Bloom filter per media type. A URI found in exactly one
//! filter is assumed to have that type, and needs no HEAD request. False positives occur, as the
//! paper notes; a classifier then gets a wrong feature.
//!
//! Departures: the number of types and the size of each filter are bounded. Each type has two
//! filters. When the newer one is full, it replaces the older one, which is dropped, so that
//! filters never saturate.

use fastbloom::BloomFilter;

use lodeward_rdf::media_type;

use crate::model::Uri;

/// False positive rate of a filter. With a dozen types, about one unknown URI in a hundred is
/// wrongly treated as known.
const FALSE_POSITIVE_RATE: f64 = 0.001;
/// Maximum number of types. The web has more, but nearly all documents have one of a few types.
const MAX_MEDIA_TYPES: usize = 32;
/// Number of URIs per filter, which then uses about 240 KB.
const URIS_PER_FILTER: usize = 1 << 17;

/// Remembers one text per URI, such as its media type. Old entries are dropped. Uses at most about
/// 15 MB of memory.
#[derive(Debug)]
pub(crate) struct MediaTypeMemory {
    filters: Vec<MediaTypeFilter>,
    uris_per_filter: usize,
}

#[derive(Debug)]
struct MediaTypeFilter {
    text: Box<str>,
    young: BloomFilter,
    young_len: usize,
    old: Option<BloomFilter>,
}

impl Default for MediaTypeMemory {
    fn default() -> Self {
        Self { filters: Vec::new(), uris_per_filter: URIS_PER_FILTER }
    }
}

impl MediaTypeMemory {
    /// Stores the text of a URI; a new text is ignored if there are `MAX_MEDIA_TYPES` texts already.
    pub(crate) fn insert(&mut self, uri: &Uri, text: &str) {
        let hash = hash(uri);
        let index = self.filters.iter().position(|filter| &*filter.text == text).unwrap_or(self.filters.len());
        if index == MAX_MEDIA_TYPES {
            return;
        }
        if index == self.filters.len() {
            let young = new_filter(self.uris_per_filter);
            self.filters.push(MediaTypeFilter { text: text.into(), young, young_len: 0, old: None });
        }
        self.filters[index].insert(hash, self.uris_per_filter);
    }

    /// The text of a URI, if exactly one filter contains it.
    #[must_use]
    pub(crate) fn find(&self, uri: &Uri) -> Option<&str> {
        let hash = hash(uri);
        let mut found = self.filters.iter().filter(|filter| filter.contains(hash));
        let first = found.next()?;
        found.next().is_none().then_some(&*first.text)
    }
}

impl MediaTypeFilter {
    fn insert(&mut self, hash: u64, len_max: usize) {
        if self.young_len >= len_max {
            self.old = Some(std::mem::replace(&mut self.young, new_filter(len_max)));
            self.young_len = 0;
        }
        // A URI that was already in the filter is not counted again.
        self.young_len += usize::from(!self.young.insert_hash(hash));
    }

    fn contains(&self, hash: u64) -> bool {
        self.young.contains_hash(hash) || self.old.as_ref().is_some_and(|old| old.contains_hash(hash))
    }
}

fn new_filter(expected: usize) -> BloomFilter {
    // A fixed seed, so that crawls are reproducible.
    BloomFilter::with_false_pos(FALSE_POSITIVE_RATE).seed(&0).expected_items(expected)
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits of a fingerprint are also a hash")]
fn hash(uri: &Uri) -> u64 {
    uri.fingerprint() as u64
}

/// A media type without parameters, in lower case, truncated: `text/html` for `Text/HTML;
/// charset=utf-8`. Empty if there is none.
#[must_use]
pub(crate) fn essence(declared: &str) -> String {
    const MAX_ESSENCE_BYTES: usize = 80;
    let bare = media_type::essence(declared);
    bare[..bare.floor_char_boundary(MAX_ESSENCE_BYTES)].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(number: usize) -> Uri {
        Uri::parse(&format!("http://a.example/{number}")).unwrap()
    }

    #[test]
    fn a_uri_in_exactly_one_filter_is_found() {
        let mut memory = MediaTypeMemory::default();
        memory.insert(&uri(1), "text/html");
        memory.insert(&uri(2), "text/plain");
        memory.insert(&uri(3), "text/html");
        memory.insert(&uri(3), "text/plain");

        assert_eq!(memory.find(&uri(1)), Some("text/html"));
        assert_eq!(memory.find(&uri(2)), Some("text/plain"));
        assert_eq!(memory.find(&uri(3)), None, "in two filters");
        assert_eq!(memory.find(&uri(4)), None, "in no filter");
    }

    #[test]
    fn few_unknown_uris_are_found() {
        let mut memory = MediaTypeMemory::default();
        for number in 0..5_000 {
            memory.insert(&uri(number), ["text/html", "text/plain", "text/xml", "application/json"][number % 4]);
        }

        let wrong = (5_000..10_000).filter(|number| memory.find(&uri(*number)).is_some()).count();

        assert!(wrong < 50, "{wrong} of 5,000");
    }

    #[test]
    fn the_numbers_of_texts_and_uris_are_bounded() {
        let mut memory = MediaTypeMemory { uris_per_filter: 1_000, ..MediaTypeMemory::default() };
        for number in 0..100 {
            memory.insert(&uri(number), &format!("x/{number}"));
        }
        for number in 0..3_000 {
            memory.insert(&uri(1_000 + number), "x/0");
        }

        assert_eq!(memory.filters.len(), MAX_MEDIA_TYPES);
        assert_eq!(memory.find(&uri(50)), None);
        assert_eq!(memory.find(&uri(3_999)), Some("x/0"), "recent entries are found");
        let stale = (1_000..1_900).filter(|number| memory.find(&uri(*number)).is_some()).count();
        assert!(stale < 50, "{stale} of the oldest entries are found");
    }

    #[test]
    fn the_essence_of_a_media_type_has_no_parameters_and_is_lower_case() {
        assert_eq!(essence(" Text/HTML; charset=utf-8"), "text/html");
        assert_eq!(essence(""), "");
    }
}
