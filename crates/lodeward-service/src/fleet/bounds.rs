//! What the service allows a crawl, whatever its order says.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward::config::Config;
use regex::RegexSetBuilder;
use toml::{Table, Value};

use super::Refused;
use crate::service::Current;

/// The most seeds that a crawl is begun with.
const SEEDS_MAX: usize = 100_000;

/// The most that patterns of a crawl may take together: of text, and of memory when
/// they are compiled.
const PATTERNS_LENGTH_MAX: usize = 64_000;
const PATTERNS_BYTES_MAX: usize = 1 << 20;

/// How deep a pattern may be nested.
const PATTERN_NESTING_MAX: u32 = 100;

/// The settings of a crawl, within the bounds of the service.
#[derive(Clone)]
pub(super) struct Bounded {
    pub(super) config: Config,
    /// After how many documents the service stops it, where its own order would let it
    /// go on.
    pub(super) cap: Option<u64>,
}

/// Lays the bounds of the service over the settings of a crawl.
pub(super) fn within(mut config: Config) -> Bounded {
    let bound = config.service.documents_max;
    let asked = config.crawl.documents_max();
    // Every document takes a request.
    let has_few_requests = config.crawl.max_requests.is_some_and(|requests| requests <= bound);
    let is_capped = asked.is_none_or(|asked| asked > bound) && !has_few_requests;
    config.crawl.max_documents = Some(asked.map_or(bound, |asked| asked.min(bound)));
    Bounded { config, cap: is_capped.then_some(bound) }
}

/// What the settings of a crawl come to, for as long as those of the service stay the
/// same: it takes a while to find out, and many ask.
#[derive(Default)]
pub(super) struct Settled(Mutex<Option<(Arc<Current>, Bounded)>>);

impl Settled {
    pub(super) fn get(
        &self,
        current: &Arc<Current>,
        resolve: impl FnOnce() -> Result<Bounded, Refused>,
    ) -> Result<Bounded, Refused> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, bounded)) if Arc::ptr_eq(of, current) => Ok(bounded.clone()),
            _ => {
                let bounded = resolve()?;
                *known = Some((Arc::clone(current), bounded.clone()));
                Ok(bounded)
            }
        }
    }
}

/// Says if there are too many seeds.
pub(super) fn check_seeds(count: usize) -> Result<(), String> {
    if count <= SEEDS_MAX {
        return Ok(());
    }
    Err(format!("{count} seeds are too many: a crawl is begun with {SEEDS_MAX} at most"))
}

/// Says if the patterns of a crawl are wrong, or would take long to compile: whoever
/// may begin a crawl may write any.
pub(super) fn check_patterns(settings: &Table) -> Result<(), String> {
    let crawl = settings.get("crawl").and_then(Value::as_table);
    let lists = ["include", "exclude"].into_iter().filter_map(|key| crawl?.get(key)?.as_array());
    let patterns: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
    let length: usize = patterns.iter().map(|pattern| pattern.len()).sum();
    if length > PATTERNS_LENGTH_MAX || patterns.len() > PATTERNS_LENGTH_MAX / 16 {
        return Err(
            "crawl.include and crawl.exclude have more patterns, or longer ones, than a crawl may have".to_owned()
        );
    }
    let mut set = RegexSetBuilder::new(patterns);
    let built = set.size_limit(PATTERNS_BYTES_MAX).nest_limit(PATTERN_NESTING_MAX).build();
    built.map(drop).map_err(|error| format!("crawl.include and crawl.exclude: {error}"))
}

/// What somebody is told whose crawl may come to the bound.
pub(super) fn remark(cap: u64) -> String {
    format!(
        "this service allows {cap} documents a crawl: it will be stopped there, and can be resumed when an admin has \
         raised documents_max in the section [service] of lodeward.toml"
    )
}

/// What they are told when it has.
pub(super) fn reason(cap: u64) -> String {
    format!(
        "this service allows {cap} documents a crawl: it can be resumed when an admin has raised documents_max in the \
         section [service] of lodeward.toml"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_would_take_long_are_refused() {
        let check = |patterns: &[&str]| {
            let crawl = Table::from_iter([("include".to_owned(), patterns.to_vec().into())]);
            check_patterns(&Table::from_iter([("crawl".to_owned(), crawl.into())]))
        };

        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[r"^https?://(www\.)?e\.example/\w+/[0-9]{1,8}$"; 20]), Ok(()));
        assert!(check(&[r"\pL{100}0"]).unwrap_err().contains("size limit"));
        assert!(check(&["("]).unwrap_err().contains("unclosed group"));
        assert!(check(&vec!["a"; 10_000]).is_err());
        assert!(check(&[&"a".repeat(70_000)]).is_err());
    }

    #[test]
    fn a_crawl_is_capped_where_its_order_asks_for_more() {
        let check = |documents: Option<u64>, requests: Option<u64>, bound: u64, expected: (u64, Option<u64>)| {
            let mut config = Config::default();
            config.service.documents_max = bound;
            (config.crawl.max_documents, config.crawl.max_requests) = (documents, requests);
            let Bounded { config, cap } = within(config);
            assert_eq!((config.crawl.max_documents, cap), (Some(expected.0), expected.1), "{documents:?} {requests:?}");
        };

        check(Some(300), None, 50, (50, Some(50)));
        check(Some(50), None, 50, (50, None));
        check(Some(7), None, 50, (7, None));
        check(Some(0), None, 50, (50, Some(50)));
        check(None, None, 50, (50, Some(50)));
        check(None, None, 100_000, (100_000, None));
        check(None, Some(51), 50, (50, Some(50)));
        check(None, Some(50), 50, (50, None));
    }
}
