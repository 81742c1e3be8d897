//! Converts settings into the options of the library.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::provenance::GraphNames;
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{DomainPolicy, EngineOptions, FollowedLinks, HopLimits, Scope, with_margin};
use lodeward::extract::ExtractOptions;
use lodeward::fetch::{FetchOptions, FetchOptionsError};
use lodeward::frontier::embedded::EmbeddedFrontierOptions;
use lodeward::model::{RefreshIntervals, Uri};
use lodeward::select::ldcoc;
use regex::RegexSet;

use super::{Config, ProvenanceStorage, RefreshSettings, StayScope};
use crate::prefixes::expand_name;

/// Number of queue entries that a focused crawl holds in memory, as a multiple of the default.
const FOCUS_HEADS_FACTOR: usize = 4;

/// Returns the options of the frontier.
pub(crate) fn frontier_options(config: &Config, now: fn() -> u64) -> EmbeddedFrontierOptions {
    let defaults = EmbeddedFrontierOptions::default();
    let is_focused = config.crawl.strategy.traits().is_focused;
    let focused_heads = FOCUS_HEADS_FACTOR * defaults.max_heads;
    EmbeddedFrontierOptions {
        max_documents_per_domain: config
            .crawl
            .max_documents_per_domain
            .map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
        delay_on_open: if config.fetch.replay.is_empty() {
            with_margin(config.politeness.delay)
        } else {
            Duration::ZERO
        },
        opened_at_ms: now(),
        max_delay: defaults.max_delay.max(config.politeness.max_retry_after).max(config.politeness.delay),
        // A focused crawl is ranked repeatedly, and a new order applies only to the entries in
        // memory, which may all be in one domain.
        max_heads: if is_focused { focused_heads } else { defaults.max_heads },
        max_heads_per_domain: if is_focused { focused_heads } else { defaults.max_heads_per_domain },
        expected_uris: defaults.expected_uris,
        progress: None,
    }
}

/// Returns the options of HTTP requests.
pub(crate) fn fetch_options(config: &Config) -> Result<FetchOptions, FetchOptionsError> {
    let fetch = &config.fetch;
    Ok(FetchOptions {
        user_agent: fetch.user_agent.clone(),
        contact: fetch.contact.clone(),
        accept: fetch.accept.clone(),
        connect_timeout_ms: to_ms(fetch.connect_timeout),
        read_timeout_ms: to_ms(fetch.read_timeout),
        document_timeout_ms: to_ms(fetch.document_timeout),
        max_body_bytes: fetch.max_document_size.0,
        max_dump_bytes: fetch.max_dump_size.0,
        resume_delay_ms: to_ms(config.politeness.delay),
        max_bytes_per_second: config.politeness.max_rate.map(|rate| rate.0),
        proxy: fetch.proxy.clone(),
        resolve: fetch.resolve.iter().map(|rule| rule.parse()).collect::<Result<_, _>>()?,
        ca_certificates: fetch.ca_certificates.iter().map(PathBuf::from).collect(),
        allow_private_addresses: fetch.allow_private_addresses,
        ..FetchOptions::default()
    })
}

/// Returns the options for reading documents, as configured.
#[must_use]
pub fn extract_options(config: &Config) -> ExtractOptions {
    ExtractOptions {
        named_graphs: config.extract.named_graphs,
        obey_nofollow: config.extract.obey_nofollow,
        obey_noindex: config.extract.obey_noindex,
        obey_tdm_reservation: config.extract.obey_tdm_reservation,
        microformats: config.extract.microformats,
        product_token: product_token(config),
        max_siblings: max_siblings(config),
        max_dump_bytes: config.fetch.max_dump_size.0,
        ..ExtractOptions::default()
    }
}

/// Returns the name of the crawler in robots meta elements. Invalid options are reported when the fetcher is built.
fn product_token(config: &Config) -> String {
    fetch_options(config).map_or_else(|_| ExtractOptions::default().product_token, |fetch| fetch.product_token())
}

/// Returns which data sources other than documents are read.
pub(crate) fn discover_policy(config: &Config) -> DiscoverPolicy {
    let discover = &config.discover;
    DiscoverPolicy {
        sparql_endpoints: discover.sparql_endpoints,
        endpoint_graph: discover.endpoint_graph.clone(),
        endpoint_class: discover.endpoint_class.clone(),
        follow_harvested: discover.follow_harvested,
        ckan: discover.ckan,
        sitemaps: discover.sitemaps,
        well_known_void: discover.well_known_void,
        max_quads_per_service: discover.max_quads_per_service,
        max_requests_per_service: discover.max_requests_per_service,
        ..DiscoverPolicy::default()
    }
}

/// Returns which links are followed.
#[must_use]
pub fn followed_links(config: &Config) -> FollowedLinks {
    config.crawl.strategy.traits().links.unwrap_or(config.crawl.links)
}

/// Returns which domains the users of a service may crawl.
#[must_use]
pub fn domain_policy(config: &Config) -> DomainPolicy {
    let set = |domains: &[String]| {
        let bare = |domain: &String| domain.trim_matches('.').to_ascii_lowercase();
        domains.iter().map(bare).collect()
    };
    DomainPolicy {
        allowed: set(&config.service.allowed_domains),
        denied: set(&config.service.denied_domains),
        ..DomainPolicy::default()
    }
}

/// Returns which URIs belong to the crawl.
pub(crate) fn scope(config: &Config, seeds: &[Uri]) -> Result<Scope, regex::Error> {
    let crawl = &config.crawl;
    Ok(Scope {
        domain_policy: DomainPolicy::default(),
        links: followed_links(config),
        max_depth: crawl.max_depth,
        domains: (crawl.stay != StayScope::Off).then(|| seeds.iter().map(Uri::pld).collect()),
        hosts: (crawl.stay == StayScope::Host).then(|| seeds.iter().map(|seed| seed.host().to_owned()).collect()),
        include: if crawl.include.is_empty() { None } else { Some(RegexSet::new(&crawl.include)?) },
        exclude: RegexSet::new(&crawl.exclude)?,
        follow_predicates: crawl.follow_predicates.iter().filter_map(|name| expand_name(name)).collect::<HashSet<_>>(),
        skips_vocabularies: !crawl.follow_vocabularies,
        skipped_extensions: crawl
            .skip_extensions
            .as_ref()
            .map(|extensions| extensions.iter().map(|extension| extension.to_ascii_lowercase()).collect()),
    })
}

/// Returns when documents are revalidated.
#[must_use]
pub fn refresh_intervals(config: &Config) -> RefreshIntervals {
    let RefreshSettings { first_interval, min_interval, max_interval, .. } = config.refresh;
    RefreshIntervals {
        first_ms: to_ms(first_interval),
        min_ms: to_ms(min_interval),
        max_ms: to_ms(max_interval),
        ..RefreshIntervals::default()
    }
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the options of the engine.
pub(crate) fn engine_options(config: &Config, product_token: String, now: fn() -> u64) -> EngineOptions {
    let Config { crawl, politeness, fetch, refresh, .. } = config;
    EngineOptions {
        max_concurrent_requests: politeness.max_concurrent_requests,
        delay: if fetch.replay.is_empty() { config.politeness.delay } else { Duration::ZERO },
        product_token,
        max_retry_after: politeness.max_retry_after,
        max_consecutive_failures: politeness.max_consecutive_failures,
        max_redirects: fetch.max_redirects,
        max_requests: crawl.max_requests,
        max_documents: crawl.effective_max_documents(),
        max_rdf_documents: crawl.max_rdf_documents,
        max_time: crawl.max_time,
        max_bytes: crawl.max_bytes.map(|bytes| bytes.0),
        hours: crawl.hours.as_deref().and_then(|hours| hours.parse().ok()),
        strict_hops: config.crawl.has_strict_hops(),
        hops: HopLimits {
            max_documents: crawl.hops.max_documents,
            max_documents_per_domain: crawl.hops.max_documents_per_domain,
            max_domains: crawl.hops.max_domains,
            min_domains: crawl.hops.min_domains,
        },
        provenance_agent: (config.store.provenance != ProvenanceStorage::Off).then(|| fetch.user_agent()),
        max_hold: config.strategy.learned.max_hold,
        follower_timeout: config.store.follower_timeout,
        rng_seed: crawl.rng_seed,
        in_order: !fetch.replay.is_empty(),
        intervals: refresh_intervals(config),
        keep_deleted: refresh.keep_deleted,
        now_ms: now,
        ..EngineOptions::default()
    }
}

/// Returns the number of siblings of a link that the strategy uses.
#[must_use]
pub fn max_siblings(config: &Config) -> usize {
    let uses_siblings =
        |features: &ldcoc::FeatureSet| config.crawl.strategy.traits().uses_feature_sets && features.siblings;
    let features = config.strategy.ldcoc.features.parse().ok();
    features.filter(uses_siblings).map_or(0, |_| ldcoc::MAX_SIBLINGS)
}

/// The names of provenance graphs, if provenance is stored.
pub(crate) fn graph_names(config: &Config, crawl: u32) -> Option<GraphNames> {
    (config.store.provenance != ProvenanceStorage::Off).then(|| GraphNames::new(&config.store.graph_base_iri, crawl))
}
