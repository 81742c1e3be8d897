//! Pages that lead nowhere, for ever.
//!
//! An endless calendar looks like this: page after page of the same shape, each
//! found in the one before, none with anything in it. So a link is part of a
//! trap when its source has the same shape and a long run of that shape has been
//! barren. Pages of that shape found elsewhere are still visited, and one page
//! with RDF ends the run. A path that repeats itself (`/a/b/a/b/a/b`), which is
//! what a broken relative link makes, is a trap by itself.

use std::collections::HashMap;
use std::fmt::Write;

use foldhash::fast::RandomState;
use xxhash_rust::xxh3::xxh3_64;

use crate::model::Uri;

/// A run this long of barren pages is a trap.
const BARREN_MAX: u32 = 500;

/// A path segment that occurs more often than this is a trap.
const REPEATS_MAX: usize = 3;

/// Shapes remembered. A crawl with more forgets them all and begins anew, which
/// lets a trap live a little longer.
const SHAPES_MAX: usize = 100_000;

/// The runs of barren pages, by shape.
#[derive(Default)]
pub(super) struct Traps {
    barren: HashMap<u64, u32, RandomState>,
}

impl Traps {
    /// Notes what a page held.
    pub(super) fn observe(&mut self, uri: &Uri, relevant: bool) {
        let shape = shape(uri);
        if relevant {
            self.barren.remove(&shape);
            return;
        }
        if self.barren.len() >= SHAPES_MAX {
            self.barren.clear();
        }
        *self.barren.entry(shape).or_default() += 1;
    }

    /// Whether a link from `source` to `target` is part of a trap.
    pub(super) fn holds(&self, source: &Uri, target: &Uri) -> bool {
        if repeats_itself(target.path()) {
            return true;
        }
        let shape_of_target = shape(target);
        let is_long = self.barren.get(&shape_of_target).is_some_and(|run| *run >= BARREN_MAX);
        is_long && shape(source) == shape_of_target
    }
}

fn repeats_itself(path: &str) -> bool {
    let segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let count = |segment: &str| segments.iter().filter(|other| **other == segment).count();
    segments.len() > 2 * REPEATS_MAX && segments.iter().any(|segment| count(segment) > REPEATS_MAX)
}

/// The shape of an address: its host and path with every run of digits folded,
/// and the names of its query's parameters.
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
    fn an_endless_calendar_ends() {
        let mut traps = Traps::default();
        let page =
            |n: u32| uri(&format!("http://a.example/calendar/{}/{:02}?view=month&day={n}", 1970 + n / 12, n % 12));

        let followed = (0..10_000).find(|n| {
            traps.observe(&page(*n), false);
            traps.holds(&page(*n), &page(n + 1))
        });

        assert_eq!(followed, Some(BARREN_MAX - 1));
        assert!(!traps.holds(&uri("http://a.example/"), &page(3)), "found elsewhere, it is still visited");
    }

    #[test]
    fn a_page_with_rdf_ends_the_run() {
        let mut traps = Traps::default();
        let page = |n: u32| uri(&format!("http://a.example/page/{n}"));

        for n in 0..10 * BARREN_MAX {
            traps.observe(&page(n), n % 400 == 0);
            assert!(!traps.holds(&page(n), &page(n + 1)));
        }
    }

    #[test]
    fn a_path_that_repeats_itself_is_a_trap() {
        let traps = Traps::default();
        let source = uri("http://a.example/");

        assert!(traps.holds(&source, &uri("http://a.example/a/b/a/b/a/b/a/b/")));
        assert!(!traps.holds(&source, &uri("http://a.example/2024/01/01/a/b/c/d")));
    }
}
