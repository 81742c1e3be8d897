//! Real pages, for tests.

use std::io::Read;

use flate2::read::GzDecoder;
use toyweb::shared::suite;

/// All pages of the suites that have any, by their paths.
pub(crate) fn real_pages() -> Vec<(String, String)> {
    let suites = ["readability-test-pages", "article-extraction-benchmark", "extruct-samples", "any23-test-resources"];
    let page = |(path, bytes): (String, Vec<u8>)| {
        let mut page = bytes;
        if path.ends_with(".html.gz") {
            let packed = std::mem::take(&mut page);
            GzDecoder::new(packed.as_slice()).read_to_end(&mut page).unwrap();
        } else if !path.ends_with("html") {
            return None;
        }
        Some((path, String::from_utf8_lossy(&page).into_owned()))
    };
    let mut pages: Vec<_> = suites.into_iter().filter_map(suite).flatten().filter_map(page).collect();
    pages.sort();
    pages
}
