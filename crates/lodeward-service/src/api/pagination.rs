//! Pages of lists, and their `Link` header fields.

use axum::http::HeaderValue;
use axum::http::header::LINK;
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The default size of a page.
const DEFAULT_LIMIT: u16 = 50;

/// The maximum size of a page.
const MAX_LIMIT: u16 = 500;

/// Maximum number of items in a page: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "u16")]
#[schema(value_type = u16, minimum = 1, maximum = 500, default = 50)]
pub(crate) struct PageLimit(u16);

impl Default for PageLimit {
    fn default() -> Self {
        Self(DEFAULT_LIMIT)
    }
}

impl TryFrom<u16> for PageLimit {
    type Error = String;

    fn try_from(limit: u16) -> Result<Self, String> {
        if (1..=MAX_LIMIT).contains(&limit) {
            return Ok(Self(limit));
        }
        Err(format!("must be 1 to {MAX_LIMIT}, not {limit}"))
    }
}

impl PageLimit {
    pub(crate) fn get(self) -> u16 {
        self.0
    }
}

/// Encodes a value for a query string.
pub(crate) fn encode_query_value(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// A URL path of this service, with a query string.
pub(crate) struct PageUrl {
    path: String,
    query: Vec<(&'static str, String)>,
}

impl PageUrl {
    pub(crate) fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: Vec::new() }
    }

    /// Adds a parameter to the query string, if `value` is `Some`.
    pub(crate) fn with_param(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    fn link(&self, relation: &str, more: &[(&'static str, u64)]) -> String {
        let own = self.query.iter().map(|(name, value)| format!("{name}={}", encode_query_value(value)));
        let more = more.iter().map(|(name, value)| format!("{name}={value}"));
        let query: Vec<String> = own.chain(more).collect();
        format!("<{}?{}>; rel=\"{relation}\"", self.path, query.join("&"))
    }
}

/// The `Link` field (RFC 8288) for a list whose pages are selected by `offset`.
pub(crate) fn offset_links(url: &PageUrl, offset: u64, limit: PageLimit, total: u64) -> PageNavigation {
    let size = u64::from(limit.get());
    let mut links = Vec::new();
    if offset.saturating_add(size) < total {
        links.push(url.link("next", &[("offset", offset + size), ("limit", size)]));
    }
    if offset > 0 {
        links.push(url.link("prev", &[("offset", offset.saturating_sub(size)), ("limit", size)]));
    }
    PageNavigation(links)
}

/// The `Link` field for a list whose next page begins at a position: `after` or `before` an entry.
pub(crate) fn position_link(
    url: &PageUrl,
    position: &'static str,
    next: Option<u64>,
    limit: PageLimit,
) -> PageNavigation {
    let link = |entry| url.link("next", &[(position, entry), ("limit", u64::from(limit.get()))]);
    PageNavigation(next.map(link).into_iter().collect())
}

/// The links to the previous and next page; empty if there are no such pages.
pub(crate) struct PageNavigation(Vec<String>);

impl PageNavigation {
    /// Adds the links to the response, as a `Link` field.
    pub(crate) fn attach_to(self, page: impl IntoResponse) -> Response {
        let value = HeaderValue::from_str(&self.0.join(", ")).ok().filter(|value| !value.is_empty());
        (AppendHeaders(value.map(|value| (LINK, value))), page).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_links_to_the_previous_and_the_next_one() {
        let check = |offset: u64, total: u64, expected: &[&str]| {
            let url = PageUrl::new("/a").with_param("q", Some("x y&z")).with_param("r", None::<String>);
            assert_eq!(offset_links(&url, offset, PageLimit(10), total).0, expected);
        };

        check(0, 10, &[]);
        check(0, 11, &["</a?q=x+y%26z&offset=10&limit=10>; rel=\"next\""]);
        check(5, 12, &["</a?q=x+y%26z&offset=0&limit=10>; rel=\"prev\""]);
        check(u64::MAX, 5, &["</a?q=x+y%26z&offset=18446744073709551605&limit=10>; rel=\"prev\""]);
    }

    #[test]
    fn the_size_of_a_page_is_bounded() {
        assert_eq!(PageLimit::try_from(1), Ok(PageLimit(1)));
        assert_eq!(PageLimit::try_from(500), Ok(PageLimit(500)));
        assert!(PageLimit::try_from(0).is_err() && PageLimit::try_from(501).is_err());
    }
}
