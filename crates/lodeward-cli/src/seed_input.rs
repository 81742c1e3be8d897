//! Resolves the seeds of the command line.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lodeward::model::Uri;
use lodeward_app::data_dir::DataDir;
use lodeward_app::seed_note::{SeedNote, SeedOrigin};
use lodeward_app::seeds::instance::{InstanceOptions, InstanceReader, InstanceValues, select_roles};
use lodeward_app::seeds::labels;
use lodeward_app::seeds::labels::LabelIndex;
use lodeward_app::seeds::template::{PlaceholderValues, Template, TemplateDirs, TemplateError};
use lodeward_app::seeds::{self, ResolvedSeeds, SeedRequest, SeedWarning};
use lodeward_app::settings::Config;

use crate::args::{CrawlSelectorArgs, SeedSourceArgs};
use crate::catch_up::ArchiveOpener;
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::progress::{ProgressMode, print_stderr};

/// The seeds of the command line and what is needed to resolve them.
pub(crate) struct SeedInput<'a> {
    /// URIs, and files that list them.
    pub(crate) seeds: &'a [String],
    pub(crate) sources: &'a SeedSourceArgs,
    /// The template of `--template`.
    pub(crate) template: Option<&'a Template>,
    pub(crate) selector: &'a CrawlSelectorArgs,
    pub(crate) config: &'a Config,
    pub(crate) quiet: bool,
}

/// Where templates are searched: the given directory, then the data directory, then the built-in ones.
pub(crate) fn template_dirs(templates: Option<&Path>, data: &Path) -> anyhow::Result<TemplateDirs> {
    if let Some(missing) = templates.filter(|directory| !directory.is_dir()) {
        let message = format!("--template-dir {}: no such directory", missing.display());
        return Err(UsageError { message, hint: None }.into());
    }
    let directories = templates.map(Path::to_owned).into_iter().chain([data.join("templates")]);
    Ok(TemplateDirs::new(directories.collect()))
}

/// The template of `--template`.
pub(crate) fn load_template(named: &SeedSourceArgs, data: &Path) -> anyhow::Result<Option<Template>> {
    let Some(name) = &named.template else { return Ok(None) };
    let templates = template_dirs(named.template_dir.as_deref(), data)?;
    Ok(Some(templates.find(name).map_err(explain_template)?.template))
}

/// Adds a hint to the error of a template that cannot be used.
pub(crate) fn explain_template(error: TemplateError) -> anyhow::Error {
    let hint = match &error {
        TemplateError::Unknown { known, .. } => {
            Some(format!("known templates: {}; pass a template file by its path", known.join(", ")))
        }
        TemplateError::Format { .. } => Some("`lodeward templates show geography` prints an example".to_owned()),
        _ => return error.into(),
    };
    UsageError { message: error.to_string(), hint }.into()
}

impl SeedInput<'_> {
    /// The seeds with their origins.
    pub(crate) fn resolve(&self) -> anyhow::Result<Vec<SeedNote>> {
        self.check_standard_input()?;
        // This is a separate statement, so that standard input is unlocked before instance data is
        // read from it.
        let seeds = seeds::read_arguments(self.seeds, &mut io::stdin().lock())?;
        let request = SeedRequest {
            seeds,
            labels: self.sources.seed_label.clone(),
            template: self.template.map(|template| (template.clone(), self.template_values())),
            instances: if self.sources.seeds_from.is_empty() {
                InstanceValues::default()
            } else {
                self.read_instances()?
            },
            max_matches: self.config.seeds.max_matches_per_label,
        };
        let ResolvedSeeds { notes, warnings } = request.resolve(&self.known_notes()?, || self.label_index())?;
        self.print_warnings(&warnings);
        Ok(notes)
    }

    /// Rejects `-` as both a list of seeds and instance data: standard input can be read only once.
    fn check_standard_input(&self) -> anyhow::Result<()> {
        let lists = self.seeds.iter().filter(|seed| *seed == "-").count();
        let records = self.sources.seeds_from.iter().filter(|path| *path == Path::new("-")).count();
        if lists == 0 || records == 0 {
            return Ok(());
        }
        let message = "standard input cannot be a list of seeds and instance data at once".to_owned();
        Err(UsageError { message, hint: Some("put one of them into a file: @FILE, or --seeds-from FILE".to_owned()) }
            .into())
    }

    fn template_values(&self) -> PlaceholderValues {
        let mut values = PlaceholderValues::new();
        for (name, value) in &self.sources.value {
            values.entry(name.clone()).or_default().push(value.clone());
        }
        values
    }

    fn read_instances(&self) -> anyhow::Result<InstanceValues> {
        let SeedSourceArgs { roles, resolve_literals, include_subjects, .. } = self.sources;
        let mut instances = InstanceReader::new(InstanceOptions {
            roles: select_roles(roles, &self.config.seeds.roles)?,
            resolve_literals: *resolve_literals,
            include_subjects: *include_subjects,
            max_seeds: self.config.seeds.max_from_records,
            // No size limit for the user's own files.
            max_unpacked_bytes: u64::MAX,
        });
        for path in &self.sources.seeds_from {
            let body: Box<dyn Read + Send> = if path == Path::new("-") {
                Box::new(io::stdin())
            } else {
                Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
            };
            let name = if path == Path::new("-") { PathBuf::from("stdin") } else { path.clone() };
            instances.read(&name.display().to_string(), None, body);
        }
        Ok(instances.finish()?)
    }

    /// The origins of the seeds that the crawl already has.
    fn known_notes(&self) -> anyhow::Result<Vec<SeedNote>> {
        let CrawlSelectorArgs { data, name } = self.selector;
        if !data.join("crawls").is_dir() {
            return Ok(Vec::new());
        }
        let data_dir = DataDir::open(data)?;
        let record = data_dir.find(name)?;
        Ok(record.map(|record| data_dir.crawl(record.id).seed_notes()).transpose()?.unwrap_or_default())
    }

    /// The index of labels; it keeps the archive open.
    fn label_index(&self) -> anyhow::Result<Box<dyn LabelIndex>> {
        if let Some(endpoint) = &self.config.seeds.labels_endpoint {
            return Ok(labels::endpoint_labels(self.config, endpoint)?);
        }
        let data = &self.selector.data;
        if !data.join("archive").is_dir() && !data.join("crawls").is_dir() {
            return Err(anyhow::Error::new(UsageError {
                message: format!("cannot look up labels: {} has no archive", data.display()),
                hint: Some("run `lodeward crawl` or `lodeward import` first, or set --labels-endpoint".to_owned()),
            }));
        }
        let interrupt = Interrupt::default();
        let opener = ArchiveOpener {
            config: self.config,
            data,
            interrupt: &interrupt,
            quiet: self.quiet,
            progress: ProgressMode::None,
        };
        let (targets, archive) = opener.open()?;
        opener.catch_up(&targets)?;
        Ok(labels::archive_labels(self.config, &archive, &targets))
    }

    fn print_warnings(&self, warnings: &[SeedWarning]) {
        if self.quiet {
            return;
        }
        for warning in warnings {
            print_stderr(&format!("seeds: {warning}\n"));
        }
        let hints: BTreeSet<&str> = warnings.iter().filter_map(warning_hint).collect();
        for hint in hints {
            print_stderr(&format!("hint: {hint}\n"));
        }
    }
}

/// The hint for a warning, with flags of the command line.
fn warning_hint(warning: &SeedWarning) -> Option<&'static str> {
    match warning {
        SeedWarning::Chosen { others, .. } if !others.is_empty() => {
            Some("pass a URI as a seed to choose another match, or --set seeds.max_matches_per_label=N to use several")
        }
        SeedWarning::Literals { .. } => Some("--resolve-literals looks up texts among labels"),
        SeedWarning::Truncated { .. } => Some("--set seeds.max_from_records=N uses more values"),
        SeedWarning::LeftOut { .. } => Some("--value NAME=VALUE sets the value of a placeholder"),
        _ => None,
    }
}

/// The URIs of seeds without duplicates.
pub(crate) fn seed_uris(notes: &[SeedNote]) -> Vec<Uri> {
    let mut known = std::collections::HashSet::new();
    notes.iter().map(|note| note.uri.clone()).filter(|uri| known.insert(uri.clone())).collect()
}

/// The origins of seeds with counts: `2 by URI, 3 from template geography`.
pub(crate) fn origins_summary(seeds: usize, notes: &[SeedNote]) -> String {
    let mut origins: Vec<(String, usize)> = Vec::new();
    let named: std::collections::HashSet<&Uri> = notes.iter().map(|note| &note.uri).collect();
    let given = seeds.saturating_sub(named.len());
    if given > 0 {
        origins.push(("by URI".to_owned(), given));
    }
    for note in notes {
        let origin = match &note.origin {
            SeedOrigin::Given => "by URI".to_owned(),
            SeedOrigin::Text => "by label".to_owned(),
            SeedOrigin::Template { template, .. } => format!("from template {template}"),
            SeedOrigin::Instance { file, .. } | SeedOrigin::Subject { file } => format!("from {file}"),
        };
        match origins.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, count)) => *count += 1,
            None => origins.push((origin, 1)),
        }
    }
    origins.iter().map(|(origin, count)| format!("{count} {origin}")).collect::<Vec<_>>().join(", ")
}
