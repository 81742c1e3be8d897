//! What the service allows a crawl, whatever its order says.

use lodeward::config::Config;

/// The settings of a crawl, within the bounds of the service.
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
