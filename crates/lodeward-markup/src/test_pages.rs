//! Real pages for tests.

/// All pages of the test suites that contain real pages, with their paths.
pub(crate) fn real_pages() -> Vec<(String, String)> {
    let suites = ["readability-test-pages", "article-extraction-benchmark", "extruct-samples", "any23-test-resources"];
    let text = |(path, page): (String, Vec<u8>)| (path, String::from_utf8_lossy(&page).into_owned());
    toyweb::test_data::pages(&suites).into_iter().map(text).collect()
}
