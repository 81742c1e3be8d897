//! Bounds that the service sets for the settings of a crawl.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward::engine::StopReason;
use lodeward_app::settings::Config;
use regex::RegexSetBuilder;
use toml::{Table, Value};

use super::JobError;
use crate::live_settings::CurrentSettings;

/// The maximum number of seeds of a crawl.
const MAX_SEEDS: usize = 100_000;

/// The maximum unpacked size of an import, or of the instances of an order, in bytes.
pub(crate) const MAX_UNPACKED_BYTES: u64 = 256 << 20;

/// The maximum total size of all patterns of a crawl: as text, and in memory when compiled.
const MAX_PATTERNS_LENGTH: usize = 64_000;
const MAX_PATTERNS_BYTES: usize = 1 << 20;

/// The maximum nesting depth of a pattern.
const MAX_PATTERN_NESTING: u32 = 100;

/// The settings of a crawl, within the bounds of the service.
#[derive(Clone)]
pub(super) struct BoundedSettings {
    pub(super) config: Config,
    /// The document limit of the service, if it is below the crawl's own limits.
    pub(super) cap: Option<u64>,
}

/// Applies the bounds of the service to the settings of a crawl.
pub(super) fn apply_bounds(mut config: Config) -> BoundedSettings {
    let bound = config.service.max_documents_per_crawl;
    let requested = config.crawl.effective_max_documents();
    // Every document needs a request, so a lower limit on requests also limits documents.
    let has_few_requests = config.crawl.max_requests.is_some_and(|requests| requests <= bound);
    let is_capped = requested.is_none_or(|requested| requested > bound) && !has_few_requests;
    config.crawl.max_documents = Some(requested.map_or(bound, |requested| requested.min(bound)));
    BoundedSettings { config, cap: is_capped.then_some(bound) }
}

/// The resolved settings of a crawl, cached until the settings of the service change: they
/// are expensive to resolve, and requested often.
#[derive(Default)]
pub(super) struct CachedSettings(Mutex<Option<(Arc<CurrentSettings>, BoundedSettings)>>);

impl CachedSettings {
    /// Forgets the settings, after a change of those of the crawl.
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn get_or_resolve(
        &self,
        current: &Arc<CurrentSettings>,
        resolve: impl FnOnce() -> Result<BoundedSettings, JobError>,
    ) -> Result<BoundedSettings, JobError> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some((of, bounded)) if Arc::ptr_eq(of, current) => Ok(bounded.clone()),
            _ => {
                let bounded = resolve()?;
                *cached = Some((Arc::clone(current), bounded.clone()));
                Ok(bounded)
            }
        }
    }
}

/// Fails if there are too many seeds.
pub(super) fn check_seeds(count: usize) -> Result<(), String> {
    if count <= MAX_SEEDS {
        return Ok(());
    }
    Err(format!("too many seeds: {count}, at most {MAX_SEEDS} are allowed"))
}

/// Fails if the patterns of a crawl are invalid, or would take long to compile: operators can send
/// arbitrary patterns.
pub(super) fn check_patterns(settings: &Table) -> Result<(), String> {
    let crawl = settings.get("crawl").and_then(Value::as_table);
    let lists = ["include", "exclude"].into_iter().filter_map(|key| crawl?.get(key)?.as_array());
    let patterns: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
    let length: usize = patterns.iter().map(|pattern| pattern.len()).sum();
    if length > MAX_PATTERNS_LENGTH || patterns.len() > MAX_PATTERNS_LENGTH / 16 {
        let length = MAX_PATTERNS_LENGTH / 1_000;
        return Err(format!(
            "crawl.include and crawl.exclude: too many or too long patterns (the limit is {length} kB in total)"
        ));
    }
    let mut set = RegexSetBuilder::new(patterns);
    let built = set.size_limit(MAX_PATTERNS_BYTES).nest_limit(MAX_PATTERN_NESTING).build();
    built.map(drop).map_err(|error| format!("crawl.include and crawl.exclude: {error}"))
}

/// The remark for a new crawl that may reach the document limit of the service.
pub(super) fn cap_warning(cap: u64) -> String {
    format!(
        "the service allows {cap} documents per crawl (`service.max_documents_per_crawl`): the crawl stops there, and \
         can be resumed after an admin has raised the limit"
    )
}

/// Why a crawl was stopped at the document limit of the service.
pub(super) fn cap_stop_reason(cap: u64) -> String {
    format!(
        "the service allows {cap} documents per crawl (`service.max_documents_per_crawl`): the crawl can be resumed \
         after an admin has raised the limit"
    )
}

/// Why a crawl was stopped at a limit of a run.
pub(super) fn run_limit_reason(reason: StopReason) -> String {
    let limit = if reason == StopReason::MaxTime { "crawl.max_time" } else { "crawl.max_bytes" };
    format!("the run has reached its limit (`{limit}`): resume the crawl to continue it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_expensive_to_compile_are_rejected() {
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
    fn a_crawl_is_capped_if_it_requests_more_than_the_service_allows() {
        let check = |documents: Option<u64>, requests: Option<u64>, bound: u64, expected: (u64, Option<u64>)| {
            let mut config = Config::default();
            config.service.max_documents_per_crawl = bound;
            (config.crawl.max_documents, config.crawl.max_requests) = (documents, requests);
            let BoundedSettings { config, cap } = apply_bounds(config);
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
