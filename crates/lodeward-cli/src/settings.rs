//! From flags, environment and file to the settings that hold.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use lodeward::config::{self, Config, Effective, Override, Sources, Value};
use lodeward::seed::template::Template;

use crate::arguments::{Data, NamedSeeds, Settings};

/// Lays flags over the environment over the file over the defaults.
pub(crate) fn resolve(settings: &Settings) -> anyhow::Result<Effective> {
    resolve_with(settings, None, None)
}

/// The same, with what is said of seeds, and what their template says.
pub(crate) fn resolve_with(
    settings: &Settings,
    seeds: Option<&NamedSeeds>,
    template: Option<&Template>,
) -> anyhow::Result<Effective> {
    let mut overrides = overrides(settings);
    overrides.extend(seeds.into_iter().flat_map(overrides_of_seeds));
    let sources = Sources {
        file: file(settings)?,
        environment: environment(),
        template: template.map(|template| (format!("template {}", template.name), template.settings.clone())),
        overrides,
    };
    Ok(config::resolve(&sources)?)
}

/// The settings for a command that has no flags for them.
pub(crate) fn of(data: &Data) -> anyhow::Result<Config> {
    Ok(resolve(&Settings { config: data.config.clone(), ..Settings::default() })?.config)
}

/// What is said about settings, for a command that reads it again while it runs.
pub(crate) fn sources(data: &Data) -> anyhow::Result<Sources> {
    let settings = Settings { config: data.config.clone(), ..Settings::default() };
    Ok(Sources { file: file(&settings)?, environment: environment(), ..Sources::default() })
}

/// The file that was named, which must exist, or else the usual one, which
/// need not.
fn file(settings: &Settings) -> anyhow::Result<Option<(PathBuf, String)>> {
    let path = settings.config.clone().unwrap_or_else(|| PathBuf::from(config::FILE_NAME));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if settings.config.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    };
    let mut variables: Vec<_> = std::env::vars_os().filter_map(text).collect();
    variables.sort();
    variables
}

fn overrides(settings: &Settings) -> Vec<Override> {
    let name = |name: Option<String>| name.map(Value::from);
    let number = |number: Option<i64>| number.map(Value::from);
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let list = |list: &[String]| (!list.is_empty()).then(|| Value::from(list.to_vec()));
    let switch = |on: bool| on.then(|| Value::from(true));
    let said = [
        ("--strategy", "crawl.strategy", name(settings.strategy.as_ref().map(value_name))),
        ("--model", "select.model", text(&settings.model)),
        ("--max-requests", "crawl.max_requests", number(settings.max_requests)),
        ("--max-documents", "crawl.max_documents", number(settings.max_documents)),
        ("--max-relevant", "crawl.max_relevant", number(settings.max_relevant)),
        ("--max-depth", "crawl.max_depth", number(settings.max_depth)),
        ("--max-per-pld", "crawl.max_per_pld", number(settings.max_per_pld)),
        ("--strict-hops", "crawl.strict_hops", switch(settings.hops.strict_hops)),
        ("--max-per-hop", "crawl.max_per_hop", number(settings.hops.max_per_hop)),
        ("--max-per-pld-hop", "crawl.max_per_pld_hop", number(settings.hops.max_per_pld_hop)),
        ("--max-plds", "crawl.max_plds", number(settings.hops.max_plds)),
        ("--min-plds", "crawl.min_plds", number(settings.hops.min_plds)),
        ("--ranker", "focus.ranker", name(settings.focus.ranker.as_ref().map(value_name))),
        ("--depth", "focus.depth", number(settings.focus.depth)),
        ("--keep", "focus.keep", number(settings.focus.keep)),
        ("--reference", "focus.reference", text(&settings.focus.reference)),
        ("--describe-at", "focus.endpoint", text(&settings.focus.describe_at)),
        ("--delay", "politeness.delay_ms", number(settings.delay)),
        ("--concurrency", "politeness.requests_in_flight", number(settings.concurrency)),
        ("--timeout", "fetch.document_timeout_s", number(settings.timeout)),
        ("--include", "crawl.include", list(&settings.include)),
        ("--exclude", "crawl.exclude", list(&settings.exclude)),
        ("--stay", "crawl.stay", switch(settings.stay.is_some())),
        ("--stay", "crawl.stay_on", name(settings.stay.as_ref().map(value_name))),
        ("--follow", "crawl.follow", list(&settings.follow)),
        ("--links", "crawl.links", name(settings.links.as_ref().map(value_name))),
        ("--no-vocabularies", "crawl.vocabularies", settings.no_vocabularies.then(|| Value::from(false))),
        ("--skip-extensions", "crawl.skip_extensions", extensions(settings.skip_extensions.as_deref())),
        ("--accept", "fetch.accept", text(&settings.accept)),
        ("--seed", "crawl.seed", number(settings.seed)),
        ("--contact", "fetch.contact", text(&settings.contact)),
        ("--proxy", "fetch.proxy", text(&settings.proxy)),
        ("--resolve", "fetch.resolve", list(&settings.resolve)),
        ("--ca-cert", "fetch.ca_certs", list(&settings.ca_cert)),
        ("--allow-private", "fetch.allow_private", switch(settings.allow_private)),
        ("--warc", "fetch.warc", text(&settings.warc)),
        ("--replay", "fetch.replay", list(&settings.replay)),
        ("--contexts", "extract.contexts", text(&settings.contexts)),
        ("--endpoints", "discover.endpoints", name(settings.endpoints.as_ref().map(value_name))),
        ("--no-catalogues", "discover.catalogues", settings.no_catalogues.then(|| Value::from(false))),
        ("--sitemaps", "discover.sitemaps", switch(settings.sitemaps)),
        ("--well-known", "discover.well_known", switch(settings.well_known)),
        ("--keep-vanished", "refresh.keep_vanished", switch(settings.keep_vanished)),
        ("--no-archive", "store.archive", settings.no_archive.then(|| Value::from(false))),
        ("--sparql", "sparql.update", text(&settings.sparql)),
        ("--graph-store", "sparql.graph_store", text(&settings.graph_store)),
        ("--provenance", "store.provenance", name(settings.provenance.as_ref().map(value_name))),
    ];
    said.into_iter().filter_map(|(flag, key, value)| Some(Override { key, value: value?, flag })).collect()
}

fn overrides_of_seeds(seeds: &NamedSeeds) -> Vec<Override> {
    let said = [
        ("--seed-matches", "seeds.matches", seeds.seed_matches.map(Value::from)),
        ("--labels-at", "seeds.labels_at", seeds.labels_at.as_deref().map(Value::from)),
        ("--seeds-max", "seeds.max", seeds.seeds_max.map(Value::from)),
    ];
    said.into_iter().filter_map(|(flag, key, value)| Some(Override { key, value: value?, flag })).collect()
}

/// A list of extensions, with or without their dots.
fn extensions(list: Option<&str>) -> Option<Value> {
    let extensions = list?.split(',').map(|extension| extension.trim().trim_start_matches('.'));
    Some(Value::from(extensions.filter(|extension| !extension.is_empty()).map(str::to_owned).collect::<Vec<_>>()))
}

fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().expect("no value is hidden").get_name().to_owned()
}
