//! `S_HR`: the pages that are known to lead to RDF, asked for what is like them.
//!
//! Two URIs are similar (link analysis §III.C.3) if they are on the same host and
//! differ in the last of equally many directories, or agree in all directories
//! and differ in the file name. The paper compares with every member. Here each
//! member is entered twice, under its directories and under all but the last of
//! them; an entry says which name was seen there, or that there were several.
//! That is all there is to know: somebody similar has another name than one's
//! own. So a question costs two lookups, however many members there are.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::model::Uri;
use crate::select::generations::Generations;

/// Where a URI is among its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Host and directories; and the file name.
    file: Stop,
    /// Host and directories but the last; and that one. `None` where there is no
    /// directory.
    directory: Option<Stop>,
}

/// A name at a place, both as fingerprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    at: u64,
    name: u64,
}

/// Keeps files and directories apart that are at the same place.
const FILES: u64 = 1;
const DIRECTORIES: u64 = 2;

impl Place {
    pub(super) fn of(uri: &Uri) -> Self {
        let (host, path, path_and_query) = (uri.host(), uri.path(), uri.path_and_query());
        // A path begins with a slash, so there is a last one.
        let end = path.rfind('/').map_or(0, |slash| slash + 1);
        let directories = &path[..end];
        // With its query, as Java's `URL.getFile` has it: the paper is silent, and
        // pages that differ in their query are different pages.
        let file = Stop { at: fingerprint(FILES, host, directories), name: xxh3_64(&path_and_query.as_bytes()[end..]) };
        let directory = directories.strip_suffix('/').and_then(|rest| rest.rfind('/')).map(|slash| {
            let (before, last) = directories.split_at(slash + 1);
            Stop { at: fingerprint(DIRECTORIES, host, before), name: xxh3_64(last.as_bytes()) }
        });
        Self { file, directory }
    }

    pub(super) fn words(self) -> impl Iterator<Item = u32> {
        let stops = std::iter::once(self.file).chain(self.directory);
        let halves = |number: u64| {
            #[expect(clippy::cast_possible_truncation, reason = "the two halves of it")]
            [number as u32, (number >> 32) as u32]
        };
        stops.flat_map(move |stop| [halves(stop.at), halves(stop.name)]).flatten()
    }

    pub(super) fn from_words(words: &[u32]) -> Option<Self> {
        let number = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let (stops, rest) = words.as_chunks::<4>();
        let stop = |words: &[u32; 4]| Stop { at: number(&words[..2]), name: number(&words[2..]) };
        match stops {
            [file] if rest.is_empty() => Some(Self { file: stop(file), directory: None }),
            [file, directory] if rest.is_empty() => Some(Self { file: stop(file), directory: Some(stop(directory)) }),
            _ => None,
        }
    }

    fn stops(self) -> impl Iterator<Item = Stop> {
        std::iter::once(self.file).chain(self.directory)
    }
}

fn fingerprint(kind: u64, host: &str, directories: &str) -> u64 {
    xxh3_64_with_seed(directories.as_bytes(), xxh3_64_with_seed(host.as_bytes(), kind))
}

/// What was seen at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    /// The first name; 0 before there is one.
    first: u64,
    /// Whether there were others.
    several: bool,
}

impl Seen {
    fn has_other_than(self, name: u64) -> bool {
        self.several || self.first != name
    }
}

/// The pages that lead to RDF.
#[derive(Clone, Debug)]
pub(super) struct Neighbourhood {
    places: Generations<Seen>,
}

/// Places that are remembered: 64 MB at most.
pub(super) const PLACES_MAX: usize = 1 << 20;

impl Neighbourhood {
    pub(super) fn new(places_max: usize) -> Self {
        Self { places: Generations::new(places_max) }
    }

    /// A page that is at this place leads to RDF.
    pub(super) fn add(&mut self, page: &Place) {
        for stop in page.stops() {
            let seen = self.places.entry(stop.at);
            if *seen == Seen::default() {
                seen.first = stop.name;
            } else {
                seen.several |= seen.first != stop.name;
            }
        }
    }

    /// Whether a page like the one at this place leads to RDF.
    pub(super) fn has_like(&mut self, place: &Place) -> bool {
        let mut found = false;
        // Both are asked, so that both stay remembered.
        for stop in place.stops() {
            found |= self.places.get(stop.at).is_some_and(|seen| seen.has_other_than(stop.name));
        }
        found
    }

    /// The same question, without leaving a trace.
    pub(super) fn would_have_like(&self, place: &Place) -> bool {
        place.stops().any(|stop| self.places.peek(stop.at).is_some_and(|seen| seen.has_other_than(stop.name)))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.places.to_bytes()
    }

    pub(super) fn from_bytes(places_max: usize, bytes: &[u8]) -> Result<Self, postcard::Error> {
        Ok(Self { places: Generations::from_bytes(places_max, bytes)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paper's definition, word for word, against every member.
    fn is_similar_to_any(uri: &Uri, members: &[Uri]) -> bool {
        fn parts(uri: &Uri) -> (&str, Vec<&str>, &str) {
            let mut segments: Vec<&str> = uri.path_and_query()[1..].split('?').next().unwrap().split('/').collect();
            segments.pop();
            let file = &uri.path_and_query()[uri.path().rfind('/').unwrap() + 1..];
            (uri.host(), segments, file)
        }
        let (host, path, file) = parts(uri);
        members.iter().any(|member| {
            let (its_host, its_path, its_file) = parts(member);
            let n = path.len();
            let differs_in_last =
                n > 0 && its_path.len() == n && path[..n - 1] == its_path[..n - 1] && path[n - 1] != its_path[n - 1];
            host == its_host && (differs_in_last || (path == its_path && file != its_file))
        })
    }

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    #[test]
    fn pages_are_similar_as_the_paper_says() {
        let mut known = Neighbourhood::new(PLACES_MAX);
        known.add(&Place::of(&uri("http://example.com/staffs/staff1")));
        known.add(&Place::of(&uri("http://example.com/people/ann/card.html")));
        let mut check = |text: &str, expected| {
            assert_eq!(known.would_have_like(&Place::of(&uri(text))), expected, "{text}");
            assert_eq!(known.has_like(&Place::of(&uri(text))), expected, "{text}");
        };

        check("http://example.com/staffs/staff2", true);
        check("https://example.com/staffs/staff2", true);
        check("http://example.com/people/bob/other.html", true);
        check("http://example.com/people/ann/other.html", true);
        check("http://example.com/staffs/staff1?page=2", true);
        check("http://example.com/students/x", true);
        check("http://example.com/staffs/staff1", false);
        check("http://example.com/people/ann/card.html", false);
        check("http://example.com/people/bob/work/card.html", false);
        check("http://example.com/about", false);
        check("http://example.com/", false);
        check("http://www.example.com/staffs/staff2", false);
    }

    #[test]
    fn what_is_kept_is_the_same_when_it_comes_back() {
        let mut known = Neighbourhood::new(PLACES_MAX);
        known.add(&Place::of(&uri("http://a.example/x/1")));
        known.add(&Place::of(&uri("http://a.example/x/2")));

        let again = Neighbourhood::from_bytes(PLACES_MAX, &known.to_bytes()).unwrap();

        assert!(again.would_have_like(&Place::of(&uri("http://a.example/x/1"))));
        assert!(!again.would_have_like(&Place::of(&uri("http://a.example/1"))));
    }

    #[test]
    fn however_many_pages_there_are_memory_is_bounded() {
        let mut known = Neighbourhood::new(64);

        for number in 0..1_000 {
            known.add(&Place::of(&uri(&format!("http://a.example/{number}/{number}/x"))));
            assert!(known.places.len() <= 64);
        }

        assert!(known.has_like(&Place::of(&uri("http://a.example/999/999/y"))), "the latest is remembered");
        assert!(!known.has_like(&Place::of(&uri("http://a.example/1/1/y"))), "the first is forgotten");
    }

    proptest! {
        #[test]
        fn the_index_answers_as_a_scan_of_all_members(
            members in proptest::collection::vec("http://[ab]\\.example(/[xy]){0,3}/[pq]?(\\?[12])?", 0..12),
            asked in proptest::collection::vec("http://[ab]\\.example(/[xyz]){0,3}/[pqr]?(\\?[12])?", 1..8),
        ) {
            let members: Vec<Uri> = members.iter().map(|text| uri(text)).collect();
            let mut known = Neighbourhood::new(PLACES_MAX);
            for member in &members {
                known.add(&Place::of(member));
            }

            for text in &asked {
                let asked = uri(text);
                prop_assert_eq!(known.has_like(&Place::of(&asked)), is_similar_to_any(&asked, &members), "{}", text);
            }
        }
    }
}
