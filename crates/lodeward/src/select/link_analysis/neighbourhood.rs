//! `S_HR`: the pages that are known to lead to RDF, and lookup of similar pages.
//!
//! Two URIs are similar (link analysis §III.C.3) if they are on the same host and differ only in
//! the last of equally many directories, or have the same directories and differ in the file name.
//! The paper compares a URI with every member. Here each member has two entries: one under all its
//! directories, one under all but the last. An entry stores the name seen there, or that there were
//! several. This is sufficient, because a similar page has another name in the same group. So a
//! query takes two lookups, independent of the number of members.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::model::Uri;
use crate::select::generational_cache::GenerationalCache;

/// The groups of similar URIs that a URI belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SiblingGroup {
    /// Host and directories as the group, with the file name as the name.
    file: SiblingName,
    /// Host and all but the last directory as the group, with the last directory as the name.
    /// `None` without directories.
    directory: Option<SiblingName>,
}

/// A name in a group, both as fingerprints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SiblingName {
    group: u64,
    name: u64,
}

/// Kinds of groups, so that a group of files and a group of directories have different fingerprints.
const FILE_KIND: u64 = 1;
const DIRECTORY_KIND: u64 = 2;

impl SiblingGroup {
    pub(super) fn from_uri(uri: &Uri) -> Self {
        let (host, path, path_and_query) = (uri.host(), uri.path(), uri.path_and_query());
        // A path begins with a slash.
        let end = path.rfind('/').map_or(0, |slash| slash + 1);
        let directories = &path[..end];
        // The name includes the query, as in Java's `URL.getFile`: the paper does not specify it,
        // and pages that differ in their query are different pages.
        let file = SiblingName {
            group: fingerprint(FILE_KIND, host, directories),
            name: xxh3_64(&path_and_query.as_bytes()[end..]),
        };
        let directory = directories.strip_suffix('/').and_then(|rest| rest.rfind('/')).map(|slash| {
            let (before, last) = directories.split_at(slash + 1);
            SiblingName { group: fingerprint(DIRECTORY_KIND, host, before), name: xxh3_64(last.as_bytes()) }
        });
        Self { file, directory }
    }

    pub(super) fn to_words(self) -> impl Iterator<Item = u32> {
        let names = std::iter::once(self.file).chain(self.directory);
        let halves = |number: u64| {
            #[expect(clippy::cast_possible_truncation, reason = "the number is split into its two halves")]
            [number as u32, (number >> 32) as u32]
        };
        names.flat_map(move |sibling| [halves(sibling.group), halves(sibling.name)]).flatten()
    }

    pub(super) fn from_words(words: &[u32]) -> Option<Self> {
        let number = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let (names, rest) = words.as_chunks::<4>();
        let sibling = |words: &[u32; 4]| SiblingName { group: number(&words[..2]), name: number(&words[2..]) };
        match names {
            [file] if rest.is_empty() => Some(Self { file: sibling(file), directory: None }),
            [file, directory] if rest.is_empty() => {
                Some(Self { file: sibling(file), directory: Some(sibling(directory)) })
            }
            _ => None,
        }
    }

    fn sibling_names(self) -> impl Iterator<Item = SiblingName> {
        std::iter::once(self.file).chain(self.directory)
    }
}

fn fingerprint(kind: u64, host: &str, directories: &str) -> u64 {
    xxh3_64_with_seed(directories.as_bytes(), xxh3_64_with_seed(host.as_bytes(), kind))
}

/// Which names were seen in a group: none, one, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SiblingGroupStats {
    /// The first name; 0 if there is none.
    first: u64,
    /// Whether names other than `first` were seen.
    several: bool,
}

impl SiblingGroupStats {
    fn contains_other_than(self, name: u64) -> bool {
        self.several || self.first != name
    }
}

/// The pages that lead to RDF.
#[derive(Clone, Debug)]
pub(super) struct Neighbourhood {
    groups: GenerationalCache<SiblingGroupStats>,
}

/// Maximum number of groups, which use at most 64 MB.
pub(super) const MAX_SIBLING_GROUPS: usize = 1 << 20;

impl Neighbourhood {
    pub(super) fn new(max_groups: usize) -> Self {
        Self { groups: GenerationalCache::new(max_groups) }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Adds a page that leads to RDF.
    pub(super) fn add(&mut self, page: &SiblingGroup) {
        for sibling in page.sibling_names() {
            let seen = self.groups.entry(sibling.group);
            if *seen == SiblingGroupStats::default() {
                seen.first = sibling.name;
            } else {
                seen.several |= seen.first != sibling.name;
            }
        }
    }

    /// Whether a page similar to this one leads to RDF.
    pub(super) fn contains_similar(&mut self, page: &SiblingGroup) -> bool {
        let mut found = false;
        // Both groups are looked up even if the first one matches, so that both stay in the cache.
        for sibling in page.sibling_names() {
            found |= self.groups.get(sibling.group).is_some_and(|seen| seen.contains_other_than(sibling.name));
        }
        found
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.groups.to_bytes()
    }

    pub(super) fn from_bytes(max_groups: usize, bytes: &[u8]) -> Result<Self, postcard::Error> {
        Ok(Self { groups: GenerationalCache::from_bytes(max_groups, bytes)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paper's definition, applied to every member.
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
    fn pages_are_similar_by_the_definition_of_the_paper() {
        let mut known = Neighbourhood::new(MAX_SIBLING_GROUPS);
        known.add(&SiblingGroup::from_uri(&uri("http://example.com/staffs/staff1")));
        known.add(&SiblingGroup::from_uri(&uri("http://example.com/people/ann/card.html")));
        let mut check = |text: &str, expected| {
            assert_eq!(known.contains_similar(&SiblingGroup::from_uri(&uri(text))), expected, "{text}");
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
    fn an_encoded_neighbourhood_is_decoded() {
        let mut known = Neighbourhood::new(MAX_SIBLING_GROUPS);
        known.add(&SiblingGroup::from_uri(&uri("http://a.example/x/1")));
        known.add(&SiblingGroup::from_uri(&uri("http://a.example/x/2")));

        let mut again = Neighbourhood::from_bytes(MAX_SIBLING_GROUPS, &known.to_bytes()).unwrap();

        assert!(again.contains_similar(&SiblingGroup::from_uri(&uri("http://a.example/x/1"))));
        assert!(!again.contains_similar(&SiblingGroup::from_uri(&uri("http://a.example/1"))));
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = Neighbourhood::new(64);

        for number in 0..1_000 {
            known.add(&SiblingGroup::from_uri(&uri(&format!("http://a.example/{number}/{number}/x"))));
            assert!(known.groups.len() <= 64);
        }

        assert!(
            known.contains_similar(&SiblingGroup::from_uri(&uri("http://a.example/999/999/y"))),
            "recent entries are found"
        );
        assert!(
            !known.contains_similar(&SiblingGroup::from_uri(&uri("http://a.example/1/1/y"))),
            "old entries are evicted"
        );
    }

    proptest! {
        #[test]
        fn the_index_matches_a_scan_of_all_members(
            members in proptest::collection::vec("http://[ab]\\.example(/[xy]){0,3}/[pq]?(\\?[12])?", 0..12),
            queried in proptest::collection::vec("http://[ab]\\.example(/[xyz]){0,3}/[pqr]?(\\?[12])?", 1..8),
        ) {
            let members: Vec<Uri> = members.iter().map(|text| uri(text)).collect();
            let mut known = Neighbourhood::new(MAX_SIBLING_GROUPS);
            for member in &members {
                known.add(&SiblingGroup::from_uri(member));
            }

            for text in &queried {
                let queried = uri(text);
                let found = known.contains_similar(&SiblingGroup::from_uri(&queried));
                prop_assert_eq!(found, is_similar_to_any(&queried, &members), "{}", text);
            }
        }
    }
}
