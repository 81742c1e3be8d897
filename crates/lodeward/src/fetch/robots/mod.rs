//! Parses and evaluates robots.txt (RFC 9309).
//!
//! The file is compiled once, for one product token, into the applicable rules; a query scans them in order of
//! precedence. Where the RFC leaves a case open, the parser follows Google's (missing colons, misspelt keys, other
//! lines within a group, `index.html` for its directory), because site owners test against it. `Crawl-delay`, which
//! neither defines, is obeyed.

mod line;
mod pattern;
mod response;

use std::time::Duration;

use line::RobotsLine;
use pattern::PathPattern;

pub(super) use line::product_token;

pub(crate) use response::{RobotsResponse, read_response};

/// Maximum number of bytes read of a robots.txt; RFC 9309 §2.5 requires at least this.
pub(crate) const MAX_ROBOTS_BYTES: usize = 500 * 1_024;

/// Maximum `Crawl-delay`. A longer one is reduced to this, so that the site is fetched once an hour rather than never.
const MAX_CRAWL_DELAY: Duration = Duration::from_hours(1);

/// Maximum number of stored sitemaps per site.
const MAX_SITEMAPS: usize = 100;

/// The rules of a site for one crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RobotsRules {
    /// Sorted by decreasing length, `Allow` before `Disallow` if lengths are equal, so that the first match decides
    /// (RFC 9309 §2.2.2).
    rules: Vec<RobotsRule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RobotsRule {
    pattern: PathPattern,
    effect: RuleEffect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RuleEffect {
    Allow,
    Disallow,
}

impl RobotsRules {
    /// Parses a robots.txt for the crawler with this product token: `lodeward`.
    #[must_use]
    pub fn parse(text: &[u8], product_token: &str) -> Self {
        let text = &text[..text.len().min(MAX_ROBOTS_BYTES)];
        let mut reading = RobotsParser { product_token, ..RobotsParser::default() };
        for line in line::lines(text) {
            reading.add_line(line);
        }
        reading.finish()
    }

    /// Rules that allow everything, used if there is no robots.txt.
    #[must_use]
    pub(crate) fn allow_all() -> Self {
        Self::default()
    }

    /// Whether a document may be requested, given its path and query as in [`crate::model::Uri::path_and_query`].
    #[must_use]
    pub fn allows(&self, path_and_query: &str) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let path = pattern::normalise_path(path_and_query.as_bytes());
        self.rules.iter().find(|rule| rule.pattern.matches(&path)).is_none_or(|rule| rule.effect == RuleEffect::Allow)
    }

    /// The delay requested between two requests, at most [`MAX_CRAWL_DELAY`].
    #[must_use]
    pub(crate) fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The URLs of the site's sitemaps, as written.
    #[must_use]
    pub(crate) fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// The merged lines of the groups of one agent.
#[derive(Default)]
struct AgentGroup {
    seen: bool,
    rules: Vec<RobotsRule>,
    crawl_delay: Option<Duration>,
}

/// The state of the parser: the agents of the current group, and the merged groups for this crawler and for all.
#[derive(Default)]
struct RobotsParser<'a> {
    product_token: &'a str,
    for_crawler: bool,
    for_all: bool,
    /// Whether rules have been read since the last `User-agent` line. If so, the next `User-agent` line begins a new
    /// group. Other lines do not end a group.
    group_is_open: bool,
    own: AgentGroup,
    wildcard: AgentGroup,
    sitemaps: Vec<String>,
}

impl RobotsParser<'_> {
    fn add_line(&mut self, line: RobotsLine<'_>) {
        match line {
            RobotsLine::UserAgent(agent) => self.add_agent(agent),
            RobotsLine::Allow(path) => self.add_rule(path, RuleEffect::Allow),
            RobotsLine::Disallow(path) => self.add_rule(path, RuleEffect::Disallow),
            RobotsLine::CrawlDelay(delay) => {
                let delay = delay.min(MAX_CRAWL_DELAY);
                if let Some(group) = self.current_group() {
                    group.crawl_delay = group.crawl_delay.max(Some(delay));
                }
            }
            RobotsLine::Sitemap(url) if self.sitemaps.len() < MAX_SITEMAPS => {
                self.sitemaps.push(String::from_utf8_lossy(url).into_owned());
            }
            RobotsLine::Sitemap(_) => {}
        }
    }

    fn add_agent(&mut self, agent: &[u8]) {
        if self.group_is_open {
            (self.for_crawler, self.for_all, self.group_is_open) = (false, false, false);
        }
        match agent {
            [b'*'] => self.for_all = true,
            [b'*', next, ..] if next.is_ascii_whitespace() => self.for_all = true,
            _ if line::product_token(agent).eq_ignore_ascii_case(self.product_token.as_bytes()) => {
                self.for_crawler = true;
                self.own.seen = true;
            }
            _ => {}
        }
    }

    fn add_rule(&mut self, path: &[u8], effect: RuleEffect) {
        if !self.for_crawler && !self.for_all {
            return;
        }
        self.group_is_open = true;
        let Some(group) = self.current_group() else { return };
        // An empty rule matches nothing: `Disallow:` allows everything.
        if path.is_empty() {
            return;
        }
        group.rules.push(RobotsRule { pattern: PathPattern::new(path), effect });
        if effect == RuleEffect::Allow
            && let Some(directory) = pattern::directory_of_index(path)
        {
            group.rules.push(RobotsRule { pattern: directory, effect });
        }
    }

    /// The group that the current line belongs to. If the group names both this crawler and all crawlers, it is treated
    /// as a group for this crawler.
    fn current_group(&mut self) -> Option<&mut AgentGroup> {
        if self.for_crawler {
            Some(&mut self.own)
        } else if self.for_all {
            Some(&mut self.wildcard)
        } else {
            None
        }
    }

    fn finish(self) -> RobotsRules {
        let mut group = if self.own.seen { self.own } else { self.wildcard };
        group.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.len()), rule.effect));
        // Checked by fuzzing.
        debug_assert!(self.sitemaps.len() <= MAX_SITEMAPS, "sitemaps are bounded");
        debug_assert!(group.crawl_delay.is_none_or(|delay| delay <= MAX_CRAWL_DELAY), "delays are bounded");
        RobotsRules { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps: self.sitemaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, path: &str, allowed: bool) {
        assert_eq!(RobotsRules::parse(text.as_bytes(), "lodeward").allows(path), allowed, "{text:?} {path}");
    }

    #[test]
    fn longest_rule_decides_and_allow_wins_a_tie() {
        let text = "User-agent: *\nDisallow: /\nAllow: /open\nDisallow: /open/not\nAllow: /x\nDisallow: /x";

        check(text, "/", false);
        check(text, "/open/door", true);
        check(text, "/open/nothing", false);
        check(text, "/x", true);
    }

    #[test]
    fn own_groups_are_merged_and_replace_wildcard_groups() {
        let text = "User-agent: lodeward/1.0\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\nCrawl-delay: 9\n\n\
                    User-agent: other\nuser-agent: LODEWARD\nDisallow: /b\nCrawl-delay: 2.5";
        let robots = RobotsRules::parse(text.as_bytes(), "lodeward");

        assert!(!robots.allows("/a"));
        assert!(!robots.allows("/b"));
        assert!(robots.allows("/c"));
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2_500)));
    }

    #[test]
    fn crawl_delay_is_parsed_with_fraction_and_bounded() {
        let check = |value: &str, expected: Option<Duration>| {
            let text = format!("User-agent: *\nCrawl-delay: {value}\n");
            assert_eq!(RobotsRules::parse(text.as_bytes(), "lodeward").crawl_delay(), expected, "{value}");
        };

        check("10", Some(Duration::from_secs(10)));
        check("0.25", Some(Duration::from_millis(250)));
        check(".5", Some(Duration::from_millis(500)));
        check("10 # seconds", Some(Duration::from_secs(10)));
        check("1e99", Some(MAX_CRAWL_DELAY));
        check("inf", None);
        check("-1", None);
        check("NaN", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn sitemaps_belong_to_no_group_and_end_none() {
        let text = "\u{feff}User-agent: other\nSitemap: https://a.org/map.xml\nUser-agent: *\nDisallow: /x";
        let robots = RobotsRules::parse(text.as_bytes(), "lodeward");

        assert_eq!(robots.sitemaps(), ["https://a.org/map.xml"]);
        assert!(!robots.allows("/x"));
    }

    #[test]
    fn only_the_first_500_kib_are_read() {
        let mut text = b"User-agent: *\nDisallow: /a\n".to_vec();
        text.resize(MAX_ROBOTS_BYTES, b'#');
        text.extend(b"\nDisallow: /b\n");
        let robots = RobotsRules::parse(&text, "lodeward");

        assert!(!robots.allows("/a"));
        assert!(robots.allows("/b"));
    }

    #[test]
    fn allow_all_applies_to_every_path() {
        assert!(RobotsRules::allow_all().allows("/x?y"));
    }

    proptest! {
        #[test]
        fn parser_accepts_any_bytes(text: Vec<u8>, path in "/.*") {
            let _ = RobotsRules::parse(&text, "lodeward").allows(&path);
        }

        #[test]
        fn parser_accepts_any_plausible_text(
            text in r"(((User-agent|dissalow|Allow|Crawl-delay|Sitemap|x)[: ] ?[*/a-c$%é.0-9]{0,9}|#.)[\r\n ]){0,30}",
            path in r"/[abc/%é$*]{0,20}",
        ) {
            let _ = RobotsRules::parse(text.as_bytes(), "a").allows(&path);
        }
    }
}
