//! From what was said of seeds to seeds.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use lodeward::config::Config;
use lodeward::model::Uri;
use lodeward::open;
use lodeward::registry::Registry;
use lodeward::seed::instance::{Extracted, Instances, Options, chosen};
use lodeward::seed::labels::LabelIndex;
use lodeward::seed::template::{Shelf, Template, TemplateError, Values};
use lodeward::seed::{self, Granted, Note, Origin, Remark, Request};

use crate::archive::Keeper;
use crate::arguments::{NamedSeeds, Place};
use crate::failure::Usage;
use crate::interrupt::Interrupt;
use crate::progress::say;

/// What was said of seeds.
pub(crate) struct Asked<'a> {
    /// URIs and files of them.
    pub(crate) given: &'a [String],
    pub(crate) named: &'a NamedSeeds,
    /// The template that was named.
    pub(crate) template: Option<&'a Template>,
    pub(crate) place: &'a Place,
    pub(crate) config: &'a Config,
    pub(crate) quiet: bool,
}

/// Where templates are looked for: the folder that was named, then the data
/// directory, then what is shipped.
pub(crate) fn shelf(templates: Option<&Path>, data: &Path) -> anyhow::Result<Shelf> {
    if let Some(missing) = templates.filter(|folder| !folder.is_dir()) {
        let message = format!("--templates {}: there is no such folder", missing.display());
        return Err(Usage { message, hint: None }.into());
    }
    let folders = templates.map(Path::to_owned).into_iter().chain([data.join("templates")]);
    Ok(Shelf::new(folders.collect()))
}

/// The template that was named.
pub(crate) fn template(named: &NamedSeeds, data: &Path) -> anyhow::Result<Option<Template>> {
    let Some(name) = &named.template else { return Ok(None) };
    let shelf = shelf(named.templates.as_deref(), data)?;
    Ok(Some(shelf.find(name).map_err(explained)?.template))
}

/// Tells what to do about a template that cannot be had.
pub(crate) fn explained(error: TemplateError) -> anyhow::Error {
    let hint = match &error {
        TemplateError::Unknown { known, .. } => {
            Some(format!("there are {}; a file is named with its path", known.join(", ")))
        }
        TemplateError::Format { .. } => Some("`lodeward templates show geography` shows how one is written".to_owned()),
        _ => return error.into(),
    };
    Usage { message: error.to_string(), hint }.into()
}

impl Asked<'_> {
    /// The seeds, with where each comes from.
    pub(crate) fn gather(&self) -> anyhow::Result<Vec<Note>> {
        self.check_standard_input()?;
        // A statement of its own: standard input is free again for instance data.
        let given = seed::gather(self.given, &mut io::stdin().lock())?;
        let request = Request {
            given,
            texts: self.named.seed_text.clone(),
            template: self.template.map(|template| (template.clone(), self.values())),
            instances: if self.named.seeds_from.is_empty() { Extracted::default() } else { self.instances()? },
            matches: self.config.seeds.matches,
        };
        let Granted { notes, remarks } = request.grant(&self.known()?, || self.labels())?;
        self.tell(&remarks);
        Ok(notes)
    }

    /// Standard input can be read once.
    fn check_standard_input(&self) -> anyhow::Result<()> {
        let lists = self.given.iter().filter(|seed| *seed == "-").count();
        let records = self.named.seeds_from.iter().filter(|path| *path == Path::new("-")).count();
        if lists == 0 || records == 0 {
            return Ok(());
        }
        let message = "standard input cannot be both a list of seeds and instance data".to_owned();
        Err(Usage { message, hint: Some("put one of them into a file: @FILE, or --seeds-from FILE".to_owned()) }.into())
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        for (name, value) in &self.named.set {
            values.entry(name.clone()).or_default().push(value.clone());
        }
        values
    }

    fn instances(&self) -> anyhow::Result<Extracted> {
        let NamedSeeds { roles, resolve_literals, with_subjects, .. } = self.named;
        let mut instances = Instances::new(Options {
            roles: chosen(roles, &self.config.seeds.roles)?,
            resolve_literals: *resolve_literals,
            with_subjects: *with_subjects,
            seeds_max: self.config.seeds.max,
            // Whoever names a file of their own wants all of it.
            unpacked_bytes_max: u64::MAX,
        });
        for path in &self.named.seeds_from {
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

    /// Where the seeds come from that the crawl already has.
    fn known(&self) -> anyhow::Result<Vec<Note>> {
        let Place { data, name } = self.place;
        if !data.join("crawls").is_dir() {
            return Ok(Vec::new());
        }
        let registry = Registry::open(data)?;
        let record = registry.find(name)?;
        Ok(record.map(|record| registry.seed_notes(record.id)).transpose()?.unwrap_or_default())
    }

    /// Labels. The archive is open for as long as they are used.
    fn labels(&self) -> anyhow::Result<Box<dyn LabelIndex>> {
        if let Some(endpoint) = &self.config.seeds.labels_at {
            return Ok(open::labels_at(self.config, endpoint)?);
        }
        let data = &self.place.data;
        if !data.join("archive").is_dir() && !data.join("crawls").is_dir() {
            return Err(anyhow::Error::new(Usage {
                message: format!("texts are looked up in the archive of {}, and there is none", data.display()),
                hint: Some("`crawl` or `import` something first, or ask a SPARQL endpoint with --labels-at".to_owned()),
            }));
        }
        let interrupt = Interrupt::default();
        let keeper = Keeper { config: self.config, data, interrupt: &interrupt, quiet: self.quiet };
        let archive = keeper.open()?;
        keeper.catch_up(&archive)?;
        Ok(open::labels(self.config, &archive))
    }

    fn tell(&self, remarks: &[Remark]) {
        if self.quiet {
            return;
        }
        for remark in remarks {
            say(&format!("seeds: {remark}\n"));
        }
        let hints: BTreeSet<&str> = remarks.iter().filter_map(advice).collect();
        for hint in hints {
            say(&format!("hint: {hint}\n"));
        }
    }
}

/// What can be done about a remark, on a command line.
fn advice(remark: &Remark) -> Option<&'static str> {
    match remark {
        Remark::Chosen { others, .. } if !others.is_empty() => {
            Some("give a URI as a seed to choose another one, or --seed-matches N to take several")
        }
        Remark::Literals { .. } => Some("--resolve-literals looks texts up among labels"),
        Remark::Cut { .. } => Some("--seeds-max N takes more values"),
        Remark::LeftOut { .. } => Some("--set NAME=VALUE puts something in for a placeholder"),
        _ => None,
    }
}

/// The documents of seeds, each once.
pub(crate) fn uris(notes: &[Note]) -> Vec<Uri> {
    let mut known = std::collections::HashSet::new();
    notes.iter().map(|note| note.uri.clone()).filter(|uri| known.insert(uri.clone())).collect()
}

/// Where seeds come from, in a few words: `2 by address, 3 from the template
/// geography`.
pub(crate) fn told(seeds: usize, notes: &[Note]) -> String {
    let mut ways: Vec<(String, usize)> = Vec::new();
    let named: std::collections::HashSet<&Uri> = notes.iter().map(|note| &note.uri).collect();
    let given = seeds.saturating_sub(named.len());
    if given > 0 {
        ways.push(("by address".to_owned(), given));
    }
    for note in notes {
        let way = match &note.origin {
            Origin::Given => "by address".to_owned(),
            Origin::Text => "by text".to_owned(),
            Origin::Template { template, .. } => format!("from the template {template}"),
            Origin::Instance { file, .. } | Origin::Subject { file } => format!("from {file}"),
        };
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, count)) => *count += 1,
            None => ways.push((way, 1)),
        }
    }
    ways.iter().map(|(way, count)| format!("{count} {way}")).collect::<Vec<_>>().join(", ")
}
