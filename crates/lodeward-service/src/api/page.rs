//! Lists that are too long for one answer.

use axum::http::HeaderValue;
use axum::http::header::LINK;
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How many a page has if nobody says.
const LIMIT_DEFAULT: u16 = 50;

/// How many a page has at most.
const LIMIT_MAX: u16 = 500;

/// How many a page has: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "u16")]
#[schema(value_type = u16, minimum = 1, maximum = 500, default = 50)]
pub(crate) struct Limit(u16);

impl Default for Limit {
    fn default() -> Self {
        Self(LIMIT_DEFAULT)
    }
}

impl TryFrom<u16> for Limit {
    type Error = String;

    fn try_from(limit: u16) -> Result<Self, String> {
        if (1..=LIMIT_MAX).contains(&limit) {
            return Ok(Self(limit));
        }
        Err(format!("a page has 1 to {LIMIT_MAX}, not {limit}"))
    }
}

impl Limit {
    pub(crate) fn get(self) -> u16 {
        self.0
    }
}

/// A value as it is written in a query.
pub(crate) fn encoded(value: &str) -> String {
    url::form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// An address within this service, with a query: for `Link` and for pages.
pub(crate) struct Address {
    path: String,
    query: Vec<(&'static str, String)>,
}

impl Address {
    pub(crate) fn of(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: Vec::new() }
    }

    /// The same, with a parameter if it has a value.
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    fn link(&self, relation: &str, more: &[(&'static str, u64)]) -> String {
        let own = self.query.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let more = more.iter().map(|(name, value)| format!("{name}={value}"));
        let query: Vec<String> = own.chain(more).collect();
        format!("<{}?{}>; rel=\"{relation}\"", self.path, query.join("&"))
    }
}

/// The `Link` field (RFC 8288) of a page that is counted from the beginning.
pub(crate) fn counted_links(address: &Address, offset: u64, limit: Limit, total: u64) -> Links {
    let size = u64::from(limit.get());
    let mut links = Vec::new();
    if offset.saturating_add(size) < total {
        links.push(address.link("next", &[("offset", offset + size), ("limit", size)]));
    }
    if offset > 0 {
        links.push(address.link("prev", &[("offset", offset.saturating_sub(size)), ("limit", size)]));
    }
    Links(links)
}

/// The `Link` field of a page that goes on after a number.
pub(crate) fn following_link(address: &Address, next: Option<u64>, limit: Limit) -> Links {
    let link = |after| address.link("next", &[("after", after), ("limit", u64::from(limit.get()))]);
    Links(next.map(link).into_iter().collect())
}

/// The `Link` field of a page; none if there is nothing before it and behind it.
pub(crate) struct Links(Vec<String>);

impl Links {
    /// The page, with its links.
    pub(crate) fn around(self, page: impl IntoResponse) -> Response {
        let value = HeaderValue::from_str(&self.0.join(", ")).ok().filter(|value| !value.is_empty());
        (AppendHeaders(value.map(|value| (LINK, value))), page).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_point_to_those_before_and_behind() {
        let check = |offset: u64, total: u64, expected: &[&str]| {
            let address = Address::of("/a").with("q", Some("x y&z")).with("r", None::<String>);
            assert_eq!(counted_links(&address, offset, Limit(10), total).0, expected);
        };

        check(0, 10, &[]);
        check(0, 11, &["</a?q=x+y%26z&offset=10&limit=10>; rel=\"next\""]);
        check(5, 12, &["</a?q=x+y%26z&offset=0&limit=10>; rel=\"prev\""]);
        check(u64::MAX, 5, &["</a?q=x+y%26z&offset=18446744073709551605&limit=10>; rel=\"prev\""]);
    }

    #[test]
    fn a_page_is_neither_empty_nor_endless() {
        assert_eq!(Limit::try_from(1), Ok(Limit(1)));
        assert_eq!(Limit::try_from(500), Ok(Limit(500)));
        assert!(Limit::try_from(0).is_err() && Limit::try_from(501).is_err());
    }
}
