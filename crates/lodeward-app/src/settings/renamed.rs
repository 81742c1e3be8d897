//! Former names of settings, for hints. They are not accepted.

/// Sections that were renamed, or removed (`None`).
const SECTIONS: &[(&str, Option<&str>)] =
    &[("select", Some("strategy")), ("focus", Some("ranking")), ("sparql", Some("remote_store")), ("frontier", None)];

/// Keys that were renamed.
pub(super) const KEYS: &[(&str, &str)] = &[
    ("crawl.max_relevant", "crawl.max_rdf_documents"),
    ("crawl.max_per_pld", "crawl.max_documents_per_domain"),
    ("crawl.stay_on", "crawl.stay"),
    ("crawl.follow", "crawl.follow_predicates"),
    ("crawl.vocabularies", "crawl.follow_vocabularies"),
    ("crawl.seed", "crawl.rng_seed"),
    ("crawl.strict_hops", "crawl.hops.strict"),
    ("crawl.max_per_hop", "crawl.hops.max_documents"),
    ("crawl.max_per_pld_hop", "crawl.hops.max_documents_per_domain"),
    ("crawl.max_plds", "crawl.hops.max_domains"),
    ("crawl.min_plds", "crawl.hops.min_domains"),
    ("select.model", "strategy.initial_model"),
    ("select.prior", "strategy.learned.prior"),
    ("select.hold_s", "strategy.learned.max_hold"),
    ("select.features", "strategy.ldcoc.features"),
    ("select.tau", "strategy.ldcoc.tau"),
    ("select.epsilon", "strategy.ldcoc.epsilon"),
    ("select.epsilon_by_ratio", "strategy.ldcoc.epsilon_by_ratio"),
    ("select.alpha", "strategy.ldcoc.alpha"),
    ("select.beta", "strategy.ldcoc.beta"),
    ("select.l1", "strategy.ldcoc.l1"),
    ("select.l2", "strategy.ldcoc.l2"),
    ("select.lists", "strategy.link-analysis.term_lists_dir"),
    ("select.embedded", "strategy.link-analysis.learn_from_embedded"),
    ("focus.ranker", "ranking.ranker"),
    ("focus.depth", "ranking.max_hops"),
    ("focus.keep", "ranking.max_candidates_per_hop"),
    ("focus.listed", "ranking.max_listed"),
    ("focus.reference", "ranking.reference_graph"),
    ("focus.endpoint", "ranking.descriptions_endpoint"),
    ("focus.text_properties", "ranking.text_properties"),
    ("focus.languages", "ranking.languages"),
    ("focus.stop_words", "ranking.stop_words"),
    ("focus.attrition", "ranking.published.attrition"),
    ("focus.jaccard", "ranking.published.jaccard"),
    ("focus.katz_alpha", "ranking.published.katz_alpha"),
    ("focus.katz_length", "ranking.published.katz_length"),
    ("focus.path_max", "ranking.published.path_max"),
    ("seeds.matches", "seeds.max_matches_per_label"),
    ("seeds.labels_at", "seeds.labels_endpoint"),
    ("seeds.max", "seeds.max_from_records"),
    ("politeness.delay_ms", "politeness.delay"),
    ("politeness.requests_in_flight", "politeness.max_concurrent_requests"),
    ("politeness.retry_after_max_s", "politeness.max_retry_after"),
    ("politeness.give_up_after", "politeness.max_consecutive_failures"),
    ("fetch.connect_timeout_s", "fetch.connect_timeout"),
    ("fetch.read_timeout_s", "fetch.read_timeout"),
    ("fetch.document_timeout_s", "fetch.document_timeout"),
    ("fetch.body_bytes_max", "fetch.max_document_size"),
    ("fetch.dump_bytes_max", "fetch.max_dump_size"),
    ("fetch.redirects_max", "fetch.max_redirects"),
    ("fetch.ca_certs", "fetch.ca_certificates"),
    ("fetch.allow_private", "fetch.allow_private_addresses"),
    ("fetch.warc", "fetch.warc_dir"),
    ("extract.respect_nofollow", "extract.obey_nofollow"),
    ("discover.endpoints", "discover.sparql_endpoints"),
    ("discover.catalogues", "discover.ckan"),
    ("discover.well_known", "discover.well_known_void"),
    ("discover.quads_max", "discover.max_quads_per_service"),
    ("discover.requests_max", "discover.max_requests_per_service"),
    ("refresh.first_days", "refresh.first_interval"),
    ("refresh.min_hours", "refresh.min_interval"),
    ("refresh.max_days", "refresh.max_interval"),
    ("refresh.keep_vanished", "refresh.keep_deleted"),
    ("store.archive_cache_mb", "store.archive_cache"),
    ("store.base", "store.graph_base_iri"),
    ("store.patience_s", "store.follower_timeout"),
    ("service.crawls_running", "service.max_running_crawls"),
    ("service.crawls_per_user", "service.max_crawls_per_user"),
    ("service.documents_max", "service.max_documents_per_crawl"),
    ("service.allow_domains", "service.allowed_domains"),
    ("service.deny_domains", "service.denied_domains"),
    ("service.requests_per_minute", "service.rate_limit_per_minute"),
    ("service.body_mb", "service.max_body_size"),
    ("service.request_timeout_s", "service.request_timeout"),
    ("service.query_timeout_s", "service.query_timeout"),
    ("service.queries", "service.max_concurrent_queries"),
    ("service.session_hours", "service.session_lifetime"),
    ("service.backup_folder", "service.backup_dir"),
    ("sparql.update", "remote_store.update_url"),
    ("sparql.graph_store", "remote_store.graph_store_url"),
    ("sparql.user", "remote_store.username"),
    ("sparql.password_file", "remote_store.password_file"),
    ("sparql.token_file", "remote_store.token_file"),
    ("sparql.batch_kb", "remote_store.max_batch_size"),
    ("sparql.timeout_s", "remote_store.timeout"),
    ("sparql.provenance", "remote_store.include_provenance"),
];

/// Keys whose values are constants now.
pub(super) const REMOVED: &[&str] = &[
    "select.bits",
    "select.names",
    "select.noise",
    "select.keep_s",
    "strategy.learned.noise",
    "focus.entities_max",
    "focus.links_max",
    "politeness.robots_ttl_h",
    "fetch.ratio_max",
    "frontier.cache_mb",
    "frontier.heads_total",
    "frontier.heads_per_pld",
    "frontier.bloom_expected",
    "frontier.group_documents",
    "frontier.group_ms",
    "frontier.sync_ms",
    "extract.links_per_document_max",
    "discover.page_rows",
    "refresh.factor",
    "store.frontier_cache",
    "store.segment_mb",
    "sparql.batch_documents",
];

/// Whether a key was removed.
pub(super) fn is_removed(section: &str, key: &str) -> bool {
    REMOVED.contains(&format!("{section}.{key}").as_str())
}

/// Returns the new name of a section that has been renamed.
pub(super) fn section(old: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|(name, _)| *name == old).and_then(|(_, new)| *new)
}

/// Returns the new name of a key that has been renamed, with its section.
pub(super) fn key(section: &str, key: &str) -> Option<&'static str> {
    let written = format!("{section}.{key}");
    KEYS.iter().find(|(old, _)| *old == written).map(|(_, new)| *new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_lead_to_names_of_today() {
        let exists = |name: &str| super::super::ROWS.iter().any(|row| row.name() == name);

        for (old, new) in KEYS {
            assert!(!exists(old), "{old} is a key");
            assert!(exists(new), "{new} is not a key");
        }
        for removed in REMOVED {
            assert!(!exists(removed) && !KEYS.iter().any(|(old, _)| old == removed), "{removed}");
        }
        for new in SECTIONS.iter().filter_map(|(_, new)| *new) {
            assert!(super::super::SECTIONS.iter().any(|(known, _)| *known == new), "{new}");
        }
    }
}
