//! Remembers the media types of URIs in bounded memory.
//!
//! LDCOC §5, "Reducing HTTP lookup": one Bloom filter per media type. A URI found in exactly one
//! filter is assumed to have that type, and needs no HEAD request. False positives occur, as the
//! paper notes; a classifier then gets a wrong feature.
//!
//! Departures: the number of types and the size of each filter are bounded. Each type has two
//! filters. When the newer one is full, it replaces the older one, which is dropped, so that
//! filters never saturate. The filters are part of the model, so that a resumed crawl sends no HEAD
//! request again.

use fastbloom::BloomFilter;
use serde::{Deserialize, Serialize};

use lodeward_rdf::media_type;

use crate::model::Uri;

/// False positive rate of a filter. With a dozen types, about one unknown URI in a hundred is
/// wrongly treated as known.
const FALSE_POSITIVE_RATE: f64 = 0.001;
/// Maximum number of types. The web has more, but nearly all documents have one of a few types.
const MAX_MEDIA_TYPES: usize = 32;
/// Default number of URIs per filter, which then uses about 240 KB.
pub(crate) const URIS_PER_FILTER: usize = 1 << 17;

/// Remembers one text per URI, such as its media type. Old entries are dropped. Uses at most about
/// 115 bytes of memory for each URI of `uris_per_filter`: 15 MB by default.
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

/// A stored memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredMediaTypes {
    uris_per_filter: usize,
    filters: Vec<StoredFilter>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredFilter {
    text: String,
    young: StoredBits,
    young_len: usize,
    old: Option<StoredBits>,
}

/// The bits of a Bloom filter, and the number of its hash functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredBits {
    words: Vec<u64>,
    hashes: u32,
}

impl StoredBits {
    fn from_filter(filter: &BloomFilter) -> Self {
        Self { words: filter.as_slice().to_vec(), hashes: filter.num_hashes() }
    }

    /// `None` if no filter has these bits.
    fn into_filter(self) -> Option<BloomFilter> {
        let is_valid = !self.words.is_empty() && self.hashes > 0;
        is_valid.then(|| BloomFilter::from_vec(self.words).seed(&0).hashes(self.hashes))
    }
}

impl StoredMediaTypes {
    /// Number of media types.
    pub(crate) fn len(&self) -> usize {
        self.filters.len()
    }
}

impl MediaTypeMemory {
    /// Creates a memory with this number of URIs per filter.
    pub(crate) fn new(uris_per_filter: usize) -> Self {
        Self { filters: Vec::new(), uris_per_filter: uris_per_filter.max(1) }
    }

    /// The memory in its stored form.
    pub(crate) fn to_stored(&self) -> StoredMediaTypes {
        let stored = |filter: &MediaTypeFilter| StoredFilter {
            text: filter.text.to_string(),
            young: StoredBits::from_filter(&filter.young),
            young_len: filter.young_len,
            old: filter.old.as_ref().map(StoredBits::from_filter),
        };
        StoredMediaTypes { uris_per_filter: self.uris_per_filter, filters: self.filters.iter().map(stored).collect() }
    }

    /// Adds what was stored. If the size of filters has changed, the stored ones are only read, and
    /// dropped when the new ones are full.
    pub(crate) fn restore(&mut self, stored: StoredMediaTypes) {
        let is_same_size = stored.uris_per_filter == self.uris_per_filter;
        for StoredFilter { text, young, young_len, old } in stored.filters.into_iter().take(MAX_MEDIA_TYPES) {
            let Some(young) = young.into_filter() else { continue };
            let text = text.into();
            self.filters.push(if is_same_size {
                MediaTypeFilter { text, young, young_len, old: old.and_then(StoredBits::into_filter) }
            } else {
                MediaTypeFilter { text, young: new_filter(self.uris_per_filter), young_len: 0, old: Some(young) }
            });
        }
    }

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
        let mut memory = MediaTypeMemory::new(URIS_PER_FILTER);
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
        let mut memory = MediaTypeMemory::new(URIS_PER_FILTER);
        for number in 0..5_000 {
            memory.insert(&uri(number), ["text/html", "text/plain", "text/xml", "application/json"][number % 4]);
        }

        let wrong = (5_000..10_000).filter(|number| memory.find(&uri(*number)).is_some()).count();

        assert!(wrong < 50, "{wrong} of 5,000");
    }

    #[test]
    fn the_numbers_of_texts_and_uris_are_bounded() {
        let mut memory = MediaTypeMemory::new(1_000);
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
    fn a_stored_memory_is_restored_also_with_filters_of_another_size() {
        let mut memory = MediaTypeMemory::new(1_000);
        for number in 0..1_500 {
            memory.insert(&uri(number), "text/html");
        }
        let stored = memory.to_stored();

        let mut same = MediaTypeMemory::new(1_000);
        same.restore(stored.clone());
        let mut larger = MediaTypeMemory::new(5_000);
        larger.restore(stored.clone());

        assert_eq!(same.to_stored(), stored);
        assert_eq!(larger.find(&uri(1_499)), Some("text/html"));
        larger.insert(&uri(9_999), "text/html");
        assert_eq!(larger.find(&uri(9_999)), Some("text/html"));
    }

    #[test]
    fn the_essence_of_a_media_type_has_no_parameters_and_is_lower_case() {
        assert_eq!(essence(" Text/HTML; charset=utf-8"), "text/html");
        assert_eq!(essence(""), "");
    }
}
