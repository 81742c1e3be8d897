//! What was said of URIs, in little room.
//!
//! LDCOC §5, "Reducing HTTP lookup": one Bloom filter per media type. A URI that
//! is found in exactly one of them is taken to have that type, and needs no HEAD
//! request. Now and then that is wrong, as the paper says too; then a classifier
//! sees a wrong feature.
//!
//! Departures: the number of types and the size of each filter are bounded. A
//! filter that is full becomes the older one of two, and the oldest is forgotten,
//! so that filters never fill up until everything is in all of them.

use fastbloom::BloomFilter;

use crate::model::Uri;

/// How often a filter takes a stranger for an acquaintance: with a dozen types
/// one stranger in a hundred is taken for known.
const FALSE_POSITIVES: f64 = 0.001;
/// Types that are told apart. The web has more, and nearly all of it is in few.
const KINDS_MAX: usize = 32;
/// URIs that one filter is made for: about 240 KB.
const URIS_PER_FILTER: usize = 1 << 17;

/// Remembers one word of each URI, such as its media type. Forgets, but never
/// takes more than about 15 MB.
#[derive(Debug)]
pub struct FilterBank {
    kinds: Vec<Kind>,
    uris_per_filter: usize,
}

#[derive(Debug)]
struct Kind {
    word: Box<str>,
    young: BloomFilter,
    young_len: usize,
    old: Option<BloomFilter>,
}

impl Default for FilterBank {
    fn default() -> Self {
        Self { kinds: Vec::new(), uris_per_filter: URIS_PER_FILTER }
    }
}

impl FilterBank {
    /// Remembers the word of a URI, unless there are too many words already.
    pub fn remember(&mut self, uri: &Uri, word: &str) {
        let hash = hash(uri);
        let index = self.kinds.iter().position(|kind| &*kind.word == word).unwrap_or(self.kinds.len());
        if index == KINDS_MAX {
            return;
        }
        if index == self.kinds.len() {
            let young = filter(self.uris_per_filter);
            self.kinds.push(Kind { word: word.into(), young, young_len: 0, old: None });
        }
        self.kinds[index].insert(hash, self.uris_per_filter);
    }

    /// The word of a URI, if exactly one filter knows it.
    #[must_use]
    pub fn find(&self, uri: &Uri) -> Option<&str> {
        let hash = hash(uri);
        let mut found = self.kinds.iter().filter(|kind| kind.contains(hash));
        let first = found.next()?;
        found.next().is_none().then_some(&*first.word)
    }
}

impl Kind {
    fn insert(&mut self, hash: u64, len_max: usize) {
        if self.young_len >= len_max {
            self.old = Some(std::mem::replace(&mut self.young, filter(len_max)));
            self.young_len = 0;
        }
        // Only those that are new make it fuller.
        self.young_len += usize::from(!self.young.insert_hash(hash));
    }

    fn contains(&self, hash: u64) -> bool {
        self.young.contains_hash(hash) || self.old.as_ref().is_some_and(|old| old.contains_hash(hash))
    }
}

fn filter(expected: usize) -> BloomFilter {
    // A fixed seed: the same crawl comes out of the same seed.
    BloomFilter::with_false_pos(FALSE_POSITIVES).seed(&0).expected_items(expected)
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits of a hash are a hash")]
fn hash(uri: &Uri) -> u64 {
    uri.fingerprint() as u64
}

/// A media type without parameters, in lower case, cut to a bound: `text/html`
/// for `Text/HTML; charset=utf-8`. Empty if there is none.
#[must_use]
pub fn essence(declared: &str) -> String {
    const ESSENCE_BYTES_MAX: usize = 80;
    let bare = declared.split(';').next().unwrap_or_default().trim();
    bare[..bare.floor_char_boundary(ESSENCE_BYTES_MAX)].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(number: usize) -> Uri {
        Uri::parse(&format!("http://a.example/{number}")).unwrap()
    }

    #[test]
    fn what_is_in_exactly_one_filter_is_known() {
        let mut bank = FilterBank::default();
        bank.remember(&uri(1), "text/html");
        bank.remember(&uri(2), "text/plain");
        bank.remember(&uri(3), "text/html");
        bank.remember(&uri(3), "text/plain");

        assert_eq!(bank.find(&uri(1)), Some("text/html"));
        assert_eq!(bank.find(&uri(2)), Some("text/plain"));
        assert_eq!(bank.find(&uri(3)), None, "it is in two");
        assert_eq!(bank.find(&uri(4)), None, "it is in none");
    }

    #[test]
    fn few_strangers_are_taken_for_known() {
        let mut bank = FilterBank::default();
        for number in 0..5_000 {
            bank.remember(&uri(number), ["text/html", "text/plain", "text/xml", "application/json"][number % 4]);
        }

        let wrong = (5_000..10_000).filter(|number| bank.find(&uri(*number)).is_some()).count();

        assert!(wrong < 50, "{wrong} of 5,000");
    }

    #[test]
    fn neither_words_nor_uris_are_without_bound() {
        let mut bank = FilterBank { uris_per_filter: 1_000, ..FilterBank::default() };
        for number in 0..100 {
            bank.remember(&uri(number), &format!("x/{number}"));
        }
        for number in 0..3_000 {
            bank.remember(&uri(1_000 + number), "x/0");
        }

        assert_eq!(bank.kinds.len(), KINDS_MAX);
        assert_eq!(bank.find(&uri(50)), None);
        assert_eq!(bank.find(&uri(3_999)), Some("x/0"), "the last is remembered");
        let stale = (1_000..1_900).filter(|number| bank.find(&uri(*number)).is_some()).count();
        assert!(stale < 50, "the oldest are forgotten, but {stale}");
    }

    #[test]
    fn a_media_type_has_neither_parameters_nor_case() {
        assert_eq!(essence(" Text/HTML; charset=utf-8"), "text/html");
        assert_eq!(essence(""), "");
    }
}
