//! What a site asks of its visitors: robots.txt (RFC 9309).
//!
//! The file is compiled once, for one product token, into the rules that
//! concern us; a query then is a scan in order of precedence. Where the RFC is
//! silent we read as Google's parser does (missing colons, misspelt keys, a
//! group's other lines, `index.html` standing for its directory), because
//! that is what site owners test against. `Crawl-delay`, which neither knows,
//! is obeyed.

mod line;
mod pattern;
mod answer;

use std::time::Duration;

use line::Line;
use pattern::Pattern;

pub(super) use line::product_token;

pub use answer::{RobotsAnswer, read_answer};

/// The part of a robots.txt that is read; RFC 9309 §2.5 asks for at least this.
pub const ROBOTS_BYTES_MAX: usize = 500 * 1_024;

/// The longest `Crawl-delay` that is taken at its word. A longer one counts as
/// this: the site is visited once an hour rather than never.
pub const CRAWL_DELAY_MAX: Duration = Duration::from_hours(1);

/// Sitemaps kept per site.
pub const SITEMAPS_MAX: usize = 100;

/// What a site allows one visitor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    /// Longest first, and of equal ones `Allow` first: the first that matches
    /// decides (RFC 9309 §2.2.2).
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    pattern: Pattern,
    effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Allow,
    Disallow,
}

impl Robots {
    /// Reads the text of a robots.txt, on behalf of the visitor that is known
    /// by `product_token`: `lodeward`.
    #[must_use]
    pub fn parse(text: &[u8], product_token: &str) -> Self {
        let text = &text[..text.len().min(ROBOTS_BYTES_MAX)];
        let mut reading = Reading { product_token, ..Reading::default() };
        for line in line::lines(text) {
            reading.take(line);
        }
        reading.finish()
    }

    /// No restriction: there is no robots.txt.
    #[must_use]
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// No entry: for as long as the robots.txt cannot be had.
    #[must_use]
    pub fn deny_all() -> Self {
        let everything = Rule { pattern: Pattern::new(b"/"), effect: Effect::Disallow };
        Self { rules: vec![everything], ..Self::default() }
    }

    /// Whether a document may be asked for, given its path and query as
    /// [`crate::model::Uri::path_and_query`] has them.
    #[must_use]
    pub fn allows(&self, path_and_query: &str) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let path = pattern::normalise_path(path_and_query.as_bytes());
        self.rules.iter().find(|rule| rule.pattern.matches(&path)).is_none_or(|rule| rule.effect == Effect::Allow)
    }

    /// The pause the site wants between two requests, at most
    /// [`CRAWL_DELAY_MAX`].
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The addresses of the site's sitemaps, as written.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// What the lines of one agent's groups, merged, have said so far.
#[derive(Default)]
struct Group {
    seen: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

/// The state of reading: whom the current group is for, and what both sorts of
/// group have said.
#[derive(Default)]
struct Reading<'a> {
    product_token: &'a str,
    for_us: bool,
    for_all: bool,
    /// Rules have been seen since the last `User-agent`: the next begins a
    /// new group. Other lines do not end a group.
    group_is_open: bool,
    ours: Group,
    everyones: Group,
    sitemaps: Vec<String>,
}

impl Reading<'_> {
    fn take(&mut self, line: Line<'_>) {
        match line {
            Line::UserAgent(agent) => self.take_agent(agent),
            Line::Allow(path) => self.take_rule(path, Effect::Allow),
            Line::Disallow(path) => self.take_rule(path, Effect::Disallow),
            Line::CrawlDelay(delay) => {
                let delay = delay.min(CRAWL_DELAY_MAX);
                if let Some(group) = self.group() {
                    group.crawl_delay = group.crawl_delay.max(Some(delay));
                }
            }
            Line::Sitemap(address) if self.sitemaps.len() < SITEMAPS_MAX => {
                self.sitemaps.push(String::from_utf8_lossy(address).into_owned());
            }
            Line::Sitemap(_) => {}
        }
    }

    fn take_agent(&mut self, agent: &[u8]) {
        if self.group_is_open {
            (self.for_us, self.for_all, self.group_is_open) = (false, false, false);
        }
        match agent {
            [b'*'] => self.for_all = true,
            [b'*', next, ..] if next.is_ascii_whitespace() => self.for_all = true,
            _ if line::product_token(agent).eq_ignore_ascii_case(self.product_token.as_bytes()) => {
                self.for_us = true;
                self.ours.seen = true;
            }
            _ => {}
        }
    }

    fn take_rule(&mut self, path: &[u8], effect: Effect) {
        if !self.for_us && !self.for_all {
            return;
        }
        self.group_is_open = true;
        let Some(group) = self.group() else { return };
        // An empty rule matches nothing: `Disallow:` allows everything.
        if path.is_empty() {
            return;
        }
        group.rules.push(Rule { pattern: Pattern::new(path), effect });
        if effect == Effect::Allow
            && let Some(directory) = pattern::directory_of_index(path)
        {
            group.rules.push(Rule { pattern: directory, effect });
        }
    }

    /// The group that the current line belongs to. A group for us and for all
    /// counts as ours.
    fn group(&mut self) -> Option<&mut Group> {
        if self.for_us {
            Some(&mut self.ours)
        } else if self.for_all {
            Some(&mut self.everyones)
        } else {
            None
        }
    }

    fn finish(self) -> Robots {
        let mut group = if self.ours.seen { self.ours } else { self.everyones };
        group.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.len()), rule.effect));
        Robots { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps: self.sitemaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, path: &str, allowed: bool) {
        assert_eq!(Robots::parse(text.as_bytes(), "lodeward").allows(path), allowed, "{text:?} {path}");
    }

    #[test]
    fn the_longest_rule_decides_and_allow_wins_a_draw() {
        let text = "User-agent: *\nDisallow: /\nAllow: /open\nDisallow: /open/not\nAllow: /x\nDisallow: /x";

        check(text, "/", false);
        check(text, "/open/door", true);
        check(text, "/open/nothing", false);
        check(text, "/x", true);
    }

    #[test]
    fn our_own_groups_are_merged_and_replace_those_for_everyone() {
        let text = "User-agent: lodeward/1.0\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\nCrawl-delay: 9\n\n\
                    User-agent: other\nuser-agent: LODEWARD\nDisallow: /b\nCrawl-delay: 2.5";
        let robots = Robots::parse(text.as_bytes(), "lodeward");

        assert!(!robots.allows("/a"));
        assert!(!robots.allows("/b"));
        assert!(robots.allows("/c"));
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2_500)));
    }

    #[test]
    fn a_delay_is_read_with_its_fraction_and_bounded() {
        let check = |value: &str, expected: Option<Duration>| {
            let text = format!("User-agent: *\nCrawl-delay: {value}\n");
            assert_eq!(Robots::parse(text.as_bytes(), "lodeward").crawl_delay(), expected, "{value}");
        };

        check("10", Some(Duration::from_secs(10)));
        check("0.25", Some(Duration::from_millis(250)));
        check(".5", Some(Duration::from_millis(500)));
        check("10 # seconds", Some(Duration::from_secs(10)));
        check("1e99", Some(CRAWL_DELAY_MAX));
        check("inf", None);
        check("-1", None);
        check("NaN", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn sitemaps_belong_to_nobody_and_end_no_group() {
        let text = "\u{feff}User-agent: other\nSitemap: https://a.org/map.xml\nUser-agent: *\nDisallow: /x";
        let robots = Robots::parse(text.as_bytes(), "lodeward");

        assert_eq!(robots.sitemaps(), ["https://a.org/map.xml"]);
        assert!(!robots.allows("/x"));
    }

    #[test]
    fn only_the_first_half_megabyte_is_read() {
        let mut text = b"User-agent: *\nDisallow: /a\n".to_vec();
        text.resize(ROBOTS_BYTES_MAX, b'#');
        text.extend(b"\nDisallow: /b\n");
        let robots = Robots::parse(&text, "lodeward");

        assert!(!robots.allows("/a"));
        assert!(robots.allows("/b"));
    }

    #[test]
    fn all_and_nothing() {
        assert!(Robots::allow_all().allows("/x?y"));
        assert!(!Robots::deny_all().allows("/x?y"));
        assert!(!Robots::deny_all().allows("/"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text: Vec<u8>, path in "/.*") {
            let _ = Robots::parse(&text, "lodeward").allows(&path);
        }

        #[test]
        fn no_plausible_text_breaks_the_reader(
            text in r"(((User-agent|dissalow|Allow|Crawl-delay|Sitemap|x)[: ] ?[*/a-c$%é.0-9]{0,9}|#.)[\r\n ]){0,30}",
            path in r"/[abc/%é$*]{0,20}",
        ) {
            let _ = Robots::parse(text.as_bytes(), "a").allows(&path);
        }
    }
}
