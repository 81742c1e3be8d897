//! Collects the sources of settings: flags, environment and file.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use lodeward_app::seeds::template::Template;
use lodeward_app::settings::{
    self, Assignment, Config, EffectiveSettings, FlagOverride, SettingProblems, SettingSources, Value,
};

use crate::args::{ConfigSourceArgs, DataDirArgs, SeedSourceArgs, SettingArgs};

/// The settings in effect: flags override the environment, which overrides the file.
pub(crate) fn resolve(settings: &SettingArgs) -> anyhow::Result<EffectiveSettings> {
    resolve_with_seeds(settings, None, None)
}

/// The settings in effect, with the flags of seeds and the settings of their template.
pub(crate) fn resolve_with_seeds(
    settings: &SettingArgs,
    seeds: Option<&SeedSourceArgs>,
    template: Option<&Template>,
) -> anyhow::Result<EffectiveSettings> {
    let mut overrides = overrides(settings);
    overrides.extend(seeds.and_then(labels_endpoint));
    let sources = SettingSources {
        file: read_config_file(settings)?,
        environment: environment(),
        template: template.map(|template| (format!("template {}", template.name), template.settings.clone())),
        overrides,
        assignments: assignments(settings)?,
    };
    Ok(settings::resolve(&sources)?)
}

/// The settings of a command that has no flags for single settings.
pub(crate) fn load_source(source: &ConfigSourceArgs) -> anyhow::Result<Config> {
    Ok(resolve(&source.into())?.config)
}

/// The settings of a command that uses the archive.
pub(crate) fn load_config(data: &DataDirArgs) -> anyhow::Result<Config> {
    load_source(&data.source)
}

/// The sources of settings, for a command that reads them again while it runs.
pub(crate) fn sources(data: &DataDirArgs) -> anyhow::Result<SettingSources> {
    let settings = SettingArgs::from(&data.source);
    Ok(SettingSources {
        file: read_config_file(&settings)?,
        environment: environment(),
        assignments: assignments(&settings)?,
        ..SettingSources::default()
    })
}

/// The file of --config, which must exist, or the default file, which need not.
fn read_config_file(settings: &SettingArgs) -> anyhow::Result<Option<(PathBuf, String)>> {
    let path = settings.config.clone().unwrap_or_else(|| PathBuf::from(settings::FILE_NAME));
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

fn assignments(settings: &SettingArgs) -> Result<Vec<Assignment>, SettingProblems> {
    let (mut assignments, mut problems) = (Vec::new(), Vec::new());
    for text in &settings.set {
        match Assignment::parse(text) {
            Ok(assignment) => assignments.push(assignment),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(assignments) } else { Err(SettingProblems(problems)) }
}

fn overrides(settings: &SettingArgs) -> Vec<FlagOverride> {
    let name = |name: Option<String>| name.map(Value::from);
    let number = |number: Option<i64>| number.map(Value::from);
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let list = |list: &[String]| (!list.is_empty()).then(|| Value::from(list.to_vec()));
    let switch = |on: bool| on.then(|| Value::from(true));
    let focus = &settings.focus;
    let flags = [
        ("--contact", "fetch.contact", text(&settings.contact)),
        ("--strategy", "crawl.strategy", name(settings.strategy.as_ref().map(value_name))),
        ("--max-requests", "crawl.max_requests", number(settings.max_requests)),
        ("--max-documents", "crawl.max_documents", number(settings.max_documents)),
        ("--max-depth", "crawl.max_depth", number(settings.max_depth)),
        ("--stay", "crawl.stay", name(settings.stay.as_ref().map(value_name))),
        ("--include", "crawl.include", list(&settings.include)),
        ("--exclude", "crawl.exclude", list(&settings.exclude)),
        ("--max-rdf-documents", "crawl.max_rdf_documents", number(settings.max_rdf_documents)),
        ("--max-documents-per-domain", "crawl.max_documents_per_domain", number(settings.max_documents_per_domain)),
        ("--follow", "crawl.follow_predicates", list(&settings.follow)),
        ("--endpoints", "discover.sparql_endpoints", name(settings.endpoints.as_ref().map(value_name))),
        ("--sitemaps", "discover.sitemaps", switch(settings.sitemaps)),
        ("--delay", "politeness.delay", text(&settings.delay)),
        ("--concurrency", "politeness.max_concurrent_requests", number(settings.concurrency)),
        ("--timeout", "fetch.document_timeout", text(&settings.timeout)),
        ("--proxy", "fetch.proxy", text(&settings.proxy)),
        ("--resolve", "fetch.resolve", list(&settings.resolve)),
        ("--ca-cert", "fetch.ca_certificates", list(&settings.ca_cert)),
        ("--allow-private", "fetch.allow_private_addresses", switch(settings.allow_private)),
        ("--replay", "fetch.replay", list(&settings.replay)),
        ("--ranker", "ranking.ranker", name(focus.ranker.as_ref().map(value_name))),
        ("--max-hops", "ranking.max_hops", number(focus.max_hops)),
        ("--max-candidates-per-hop", "ranking.max_candidates_per_hop", number(focus.max_candidates_per_hop)),
        ("--reference-graph", "ranking.reference_graph", text(&focus.reference_graph)),
        ("--descriptions-endpoint", "ranking.descriptions_endpoint", text(&focus.descriptions_endpoint)),
        ("--warc-dir", "fetch.warc_dir", text(&settings.warc_dir)),
        ("--keep-deleted", "refresh.keep_deleted", switch(settings.keep_deleted)),
        ("--no-archive", "store.archive", settings.no_archive.then(|| Value::from(false))),
        ("--provenance", "store.provenance", name(settings.provenance.as_ref().map(value_name))),
        ("--remote-store", "remote_store.update_url", text(&settings.remote_store)),
        ("--model", "strategy.initial_model", text(&settings.model)),
        ("--rng-seed", "crawl.rng_seed", number(settings.rng_seed)),
        ("--contexts", "extract.contexts", text(&settings.contexts)),
    ];
    flags.into_iter().filter_map(|(flag, key, value)| Some(FlagOverride { key, value: value?, flag })).collect()
}

fn labels_endpoint(seeds: &SeedSourceArgs) -> Option<FlagOverride> {
    let value = Value::from(seeds.labels_endpoint.as_deref()?);
    Some(FlagOverride { key: "seeds.labels_endpoint", value, flag: "--labels-endpoint" })
}

fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().expect("no variant is skipped").get_name().to_owned()
}
