//! Detects crawler traps.
//!
//! An endless calendar is a sequence of pages with URLs of the same shape, each found on the
//! previous one, none with RDF. So a link is part of a trap if its source has the same shape
//! and a long run of pages of that shape was without RDF. Pages of that shape found elsewhere
//! are still requested, and one page with RDF ends the run. A path that repeats itself
//! (`/a/b/a/b/a/b`), as broken relative links produce, is always a trap.

use std::collections::HashMap;
use std::fmt::Write;

use foldhash::fast::RandomState;
use xxhash_rust::xxh3::xxh3_64;

use crate::model::Uri;

/// A run of this many pages without RDF is a trap.
const MAX_RUN_WITHOUT_RDF: u32 = 500;

/// A path segment that occurs more often than this is a trap.
const MAX_SEGMENT_REPEATS: usize = 3;

/// Maximum number of shapes stored. When full, all are cleared, which only delays the detection.
const MAX_SHAPES: usize = 100_000;

/// Runs of pages without RDF, by shape.
#[derive(Default)]
pub(super) struct Traps {
    runs: HashMap<u64, u32, RandomState>,
}

impl Traps {
    /// Records whether a page had RDF.
    pub(super) fn observe(&mut self, uri: &Uri, has_rdf: bool) {
        let shape = shape(uri);
        if has_rdf {
            self.runs.remove(&shape);
            return;
        }
        if self.runs.len() >= MAX_SHAPES {
            self.runs.clear();
        }
        *self.runs.entry(shape).or_default() += 1;
    }

    /// Whether a link from `source` to `target` is part of a trap.
    pub(super) fn is_trap(&self, source: &Uri, target: &Uri) -> bool {
        if has_repeated_segments(target.path()) {
            return true;
        }
        let shape_of_target = shape(target);
        let is_long = self.runs.get(&shape_of_target).is_some_and(|run| *run >= MAX_RUN_WITHOUT_RDF);
        is_long && shape(source) == shape_of_target
    }
}

fn has_repeated_segments(path: &str) -> bool {
    let segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let count = |segment: &str| segments.iter().filter(|other| **other == segment).count();
    segments.len() > 2 * MAX_SEGMENT_REPEATS && segments.iter().any(|segment| count(segment) > MAX_SEGMENT_REPEATS)
}

/// The shape of a URL: origin and path with every number replaced by `0`, and the names of its
/// query parameters.
fn shape(uri: &Uri) -> u64 {
    let mut shape = String::with_capacity(uri.as_str().len());
    let _ = write!(shape, "{}", uri.origin());
    let mut in_number = false;
    for character in uri.path().chars() {
        let is_digit = character.is_ascii_digit();
        if !is_digit {
            shape.push(character);
        } else if !in_number {
            shape.push('0');
        }
        in_number = is_digit;
    }
    if let Some((_, query)) = uri.path_and_query().split_once('?') {
        for parameter in query.split('&') {
            shape.push('?');
            shape.push_str(parameter.split_once('=').map_or(parameter, |(name, _)| name));
        }
    }
    xxh3_64(shape.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    #[test]
    fn an_endless_calendar_is_a_trap() {
        let mut traps = Traps::default();
        let page =
            |n: u32| uri(&format!("http://a.example/calendar/{}/{:02}?view=month&day={n}", 1970 + n / 12, n % 12));

        let followed = (0..10_000).find(|n| {
            traps.observe(&page(*n), false);
            traps.is_trap(&page(*n), &page(n + 1))
        });

        assert_eq!(followed, Some(MAX_RUN_WITHOUT_RDF - 1));
        assert!(!traps.is_trap(&uri("http://a.example/"), &page(3)), "it is still requested if found elsewhere");
    }

    #[test]
    fn a_page_with_rdf_ends_the_run() {
        let mut traps = Traps::default();
        let page = |n: u32| uri(&format!("http://a.example/page/{n}"));

        for n in 0..10 * MAX_RUN_WITHOUT_RDF {
            traps.observe(&page(n), n % 400 == 0);
            assert!(!traps.is_trap(&page(n), &page(n + 1)));
        }
    }

    #[test]
    fn a_path_that_repeats_itself_is_a_trap() {
        let traps = Traps::default();
        let source = uri("http://a.example/");

        assert!(traps.is_trap(&source, &uri("http://a.example/a/b/a/b/a/b/a/b/")));
        assert!(!traps.is_trap(&source, &uri("http://a.example/2024/01/01/a/b/c/d")));
    }
}
