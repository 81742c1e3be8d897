//! What a page states about its use by programs: `robots` and TDM reservation, in meta elements.
//!
//! The names are those of the Robots Exclusion Protocol (meta element `robots`, or the name of a crawler) and of the
//! [TDM Reservation Protocol] of a W3C Community Group.
//!
//! [TDM Reservation Protocol]: https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/

use crate::tokens::{self, HtmlToken, RawTextKind, Tokenizer};

/// The part of a page that is searched for meta elements.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// What a page, or the header of a response, states about its use by programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageDirectives {
    /// Whether its content must not be stored: `noindex` or `none`.
    pub noindex: bool,
    /// Whether its links must not be followed: `nofollow` or `none`.
    pub nofollow: bool,
    /// Whether the rights to text and data mining are reserved, if it says so.
    pub tdm_reservation: Option<bool>,
    /// The URL of the policy by which the rights are licensed.
    pub tdm_policy: Option<String>,
}

impl UsageDirectives {
    /// Adds the directives of a list such as `noindex, nofollow`. Unknown directives are ignored.
    pub fn add_robots(&mut self, list: &str) {
        for directive in list.split([',', ' ']).map(str::trim) {
            let is = |name| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }

    /// Adds a field `X-Robots-Tag`, whose directives may be for one crawler only: `other-bot: noindex`. The product
    /// token is that of this crawler.
    pub fn add_robots_field(&mut self, field: &str, product_token: &str) {
        let mut is_for_us = true;
        for part in field.split(',') {
            let mut list = part;
            // `unavailable_after: <date>` is the only directive with a colon.
            if let Some((agent, rest)) = part.split_once(':')
                && !agent.trim().eq_ignore_ascii_case("unavailable_after")
                && !agent.trim().contains(' ')
            {
                is_for_us = agent.trim().eq_ignore_ascii_case(product_token);
                list = rest;
            }
            if is_for_us {
                self.add_robots(list);
            }
        }
    }

    /// Adds a value of `tdm-reservation`: `1` reserves, `0` does not.
    pub fn add_tdm_reservation(&mut self, value: &str) {
        match value.trim() {
            "1" => self.tdm_reservation = Some(true),
            "0" => self.tdm_reservation = Some(false),
            _ => {}
        }
    }

    /// Reads the meta elements of a page. The product token is that of this crawler.
    #[must_use]
    pub fn from_page(page: &str, product_token: &str) -> Self {
        let mut directives = Self::default();
        // Meta elements are in the head of a page.
        let page = &page[..page.floor_char_boundary(MAX_HEAD_BYTES)];
        let has_word = |word: &str| tokens::contains_ignore_case(page, word.as_bytes(), word.len() / 2);
        if !(has_word("robots") || has_word("tdm-") || (!product_token.is_empty() && has_word(product_token))) {
            return directives;
        }
        let page = tokens::normalize_newlines(page);
        let mut tokenizer = Tokenizer::new(&page);
        while let Some(token) = tokenizer.next() {
            match token {
                HtmlToken::Start(tag) => {
                    if tag.name.eq_ignore_ascii_case("meta") {
                        let value = |name| tokenizer.attributes().get(name).map(tokens::unescape_value);
                        if let (Some(name), Some(content)) = (value("name"), value("content")) {
                            directives.add_meta(name.trim(), &content, product_token);
                        }
                    } else if let Some(raw) = RawTextKind::from_element(&tokens::to_lower_case(tag.name)) {
                        tokenizer.expect_raw(raw, tag.name);
                    }
                }
                HtmlToken::Cdata => {
                    tokenizer.cdata(false);
                }
                _ => {}
            }
        }
        directives
    }

    fn add_meta(&mut self, name: &str, content: &str, product_token: &str) {
        let is = |known: &str| !known.is_empty() && name.eq_ignore_ascii_case(known);
        if is("robots") || is(product_token) {
            self.add_robots(content);
        } else if is("tdm-reservation") {
            self.add_tdm_reservation(content);
        } else if is("tdm-policy") {
            self.tdm_policy = Some(content.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_a_page_are_for_all_robots_or_for_one() {
        let check = |page: &str, noindex, nofollow| {
            let found = UsageDirectives::from_page(page, "lodeward");
            assert_eq!((found.noindex, found.nofollow), (noindex, nofollow), "{page}");
        };

        check("<meta name=robots content='noindex, nofollow'>", true, true);
        check("<META NAME='Robots' CONTENT='NOINDEX'>", true, false);
        check("<meta name=robots content=none>", true, true);
        check("<meta name=Lodeward content=noindex>", true, false);
        check("<meta name=otherbot content=noindex><!-- robots -->", false, false);
        check("<script>'<meta name=robots content=noindex>'</script>", false, false);
        check("<meta name=robots content='index, follow, noarchive'>", false, false);
    }

    #[test]
    fn directives_of_a_field_are_for_all_robots_or_for_one() {
        let check = |field: &str, noindex, nofollow| {
            let mut found = UsageDirectives::default();
            found.add_robots_field(field, "lodeward");
            assert_eq!((found.noindex, found.nofollow), (noindex, nofollow), "{field}");
        };

        check("noindex, nofollow", true, true);
        check("otherbot: noindex, nofollow", false, false);
        check("otherbot: noindex, Lodeward: nofollow", false, true);
        check("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", true, false);
        check("nofollow, otherbot: noindex", false, true);
    }

    #[test]
    fn tdm_reservation_is_read_from_meta_elements() {
        let page = "<meta name='tdm-reservation' content='1'><meta name='tdm-policy' content='https://a.org/p.json'>";
        let found = UsageDirectives::from_page(page, "lodeward");

        assert_eq!(found.tdm_reservation, Some(true));
        assert_eq!(found.tdm_policy.as_deref(), Some("https://a.org/p.json"));
        assert!(!found.noindex);
    }
}
