//! From an order to a crawl.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lodeward::config::{self, Config};
use lodeward::model::Uri;
use lodeward::open;
use lodeward::registry::Record;
use lodeward::seed::instance::{Extracted, Instances, Options, Role, chosen};
use lodeward::seed::labels::LabelIndex;
use lodeward::seed::template::{Shelf, Template, check_settings};
use lodeward::seed::{self, Granted, Note, Origin, Request};
use toml::Table;

use super::berth::Berth;
use super::bounds::{self, Bounded};
use super::events::What;
use super::order::{FILE, Instance, Kept, Order};
use super::state::{View, Wish};
use super::{Refused, Yard, policy};
use crate::service::Current;

/// A crawl that can be begun.
struct Plan {
    name: Option<String>,
    config: Config,
    notes: Vec<Note>,
    seeds: Vec<Uri>,
    remarks: Vec<String>,
    kept: Kept,
}

impl Yard {
    /// Begins a crawl. Whoever asked may have gone: it goes on all the same.
    pub(super) async fn create(self: &Arc<Self>, order: Order) -> Result<(View, Vec<String>), Refused> {
        let yard = Arc::clone(self);
        tokio::spawn(async move { yard.create_now(order).await }).await.unwrap_or(Err(Refused::Closing))
    }

    async fn create_now(self: &Arc<Self>, order: Order) -> Result<(View, Vec<String>), Refused> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(Refused::Closing);
        }
        let seat = self.plans.acquire().await.map_err(|_| Refused::Closing)?;
        let yard = Arc::clone(self);
        // Labels and instance data may take long to read: nobody else has to wait.
        let planning = tokio::task::spawn_blocking(move || yard.plan(order));
        let plan = planning.await.expect("planning does not panic")?;
        drop(seat);
        let turn = self.creating.lock().await;
        let yard = Arc::clone(self);
        let beginning = tokio::task::spawn_blocking(move || yard.begin(plan));
        let (berth, remarks) = beginning.await.expect("beginning does not panic")?;
        drop(turn);
        let view = berth.view();
        self.hub.tell(view.id, What::State(view.state));
        self.pump();
        Ok((berth.view(), remarks))
    }

    fn plan(&self, order: Order) -> Result<Plan, Refused> {
        let current = self.settings.now();
        let template = order.template.as_deref().map(|name| self.template(name)).transpose()?;
        let (settings, Bounded { config, cap }) = settings_of(&current, template.as_ref(), &order.settings)?;
        let granted = self.seeds_of(&order, template.as_ref(), &config);
        let granted = granted.map_err(|refused| with_policy(refused, &order, &config))?;
        let seeds = uris(&granted.notes);
        if seeds.is_empty() {
            return Err(Refused::NoSeeds);
        }
        bounds::check_seeds(seeds.len()).map_err(Refused::Settings)?;
        if let Some(against) = policy::against(&config, &seeds) {
            return Err(Refused::Policy(against));
        }
        if !open::names_contact(&config.fetch, &seeds) {
            return Err(Refused::NoContact);
        }
        let template = template.map(|template| template.name);
        let Order { name, user, on_behalf_of, has_quota, warc, .. } = order;
        let (user, wish) = (Some(user), Wish::Run);
        let kept = Kept { user, on_behalf_of, wish, has_quota, template, settings, warc, ..Kept::default() };
        let mut remarks: Vec<String> = granted.remarks.iter().map(ToString::to_string).collect();
        remarks.extend(cap.map(bounds::remark));
        Ok(Plan { name, config, notes: granted.notes, seeds, remarks, kept })
    }

    /// Says what is wrong with settings for crawls to come, before anybody begins one.
    pub(super) fn check_settings(&self, template: Option<&str>, settings: &Table) -> Result<(), Refused> {
        let template = template.map(|name| self.template(name)).transpose()?;
        settings_of(&self.settings.now(), template.as_ref(), settings).map(drop)
    }

    /// Whether this user may have another crawl that is not done.
    pub(super) fn check_quota(&self, user: Option<&str>) -> Result<(), Refused> {
        let is_theirs = |view: &View| view.user.as_deref() == user && view.state.is_open();
        let count = self.berths().values().map(|berth| berth.view()).filter(is_theirs).count();
        let max = self.settings.now().config.service.crawls_per_user;
        if count >= max { Err(Refused::Quota(count)) } else { Ok(()) }
    }

    fn name_for(&self, plan: &Plan) -> Result<String, Refused> {
        let records = self.registry.list()?;
        let is_taken = |name: &str| records.iter().any(|record| record.name == name);
        match &plan.name {
            Some(name) if is_taken(name) => Err(Refused::NameTaken(name.clone())),
            Some(name) => Ok(name.clone()),
            None => {
                let first = records.last().map_or(1, |record| record.id + 1);
                let names = (first..).map(|number| format!("crawl {number}"));
                Ok(names.into_iter().find(|name| !is_taken(name)).expect("numbers do not end"))
            }
        }
    }

    /// A template by its name. Whoever asks over the network names no files.
    pub(super) fn template(&self, name: &str) -> Result<Template, Refused> {
        if name.contains(['/', '\\']) || name.contains("..") || name.contains(".toml") {
            return Err(Refused::Settings(format!("`{name}` cannot be the name of a template")));
        }
        Ok(Shelf::new(vec![self.data.join("templates")]).find(name)?.template)
    }

    fn seeds_of(&self, order: &Order, template: Option<&Template>, config: &Config) -> Result<Granted, Refused> {
        let request = Request {
            given: seed::written(&order.seeds)?,
            texts: order.texts.clone(),
            template: template.map(|template| (template.clone(), order.values.clone())),
            instances: if order.instances.is_empty() { Extracted::default() } else { instances(order, config)? },
            matches: config.seeds.matches,
        };
        let labels = || -> Result<Box<dyn LabelIndex>, Refused> {
            match &config.seeds.labels_at {
                Some(endpoint) => Ok(open::labels_at(config, endpoint)?),
                None => Ok(open::labels(config, &self.archive)),
            }
        };
        request.grant(&[], labels)
    }

    /// Keeps a crawl. Its record comes last: cut short, there is no such crawl.
    fn begin(&self, plan: Plan) -> Result<(Arc<Berth>, Vec<String>), Refused> {
        if plan.kept.has_quota {
            self.check_quota(plan.kept.user.as_deref())?;
        }
        let name = self.name_for(&plan)?;
        let strategy = plan.config.crawl.strategy.name();
        let record = self.registry.reserve(&name, strategy, plan.config.crawl.seed, (self.now)())?;
        let told: Vec<Note> =
            plan.notes.into_iter().filter(|note| note.origin != Origin::Given || note.entity.is_some()).collect();
        self.registry.add_seed_notes(record.id, &told)?;
        self.registry.add_seeds(record.id, &plan.seeds)?;
        self.registry.keep(record.id, FILE, &plan.kept)?;
        self.registry.begin(&record)?;
        let berth = Arc::new(Berth::new(record, plan.kept));
        // Here, where it may take a while. What is wrong is told when it runs.
        let _ = self.config_of(&berth);
        self.berths().insert(berth.id(), Arc::clone(&berth));
        Ok((berth, plan.remarks))
    }

    /// The settings under which a crawl runs: those of the service, its own over
    /// them, and the bounds of the service over all.
    pub(super) fn config_of(&self, berth: &Berth) -> Result<Bounded, Refused> {
        let current = self.settings.now();
        berth.settled.get(&current, || self.resolved(berth, &current))
    }

    fn resolved(&self, berth: &Berth, current: &Current) -> Result<Bounded, Refused> {
        let kept = berth.kept();
        let Record { id, strategy, seed, .. } = berth.record().clone();
        let Bounded { mut config, cap } =
            config_with(current, &kept.settings).map_err(|problems| Refused::Unsettled { id, problems })?;
        if let Ok(strategy) = config::Strategy::try_from(strategy) {
            config.crawl.strategy = strategy;
        }
        config.crawl.seed = seed;
        let folder = self.registry.directory_of(id).join("warc");
        config.fetch.warc = kept.warc.then(|| folder.to_string_lossy().into_owned());
        Ok(Bounded { config, cap })
    }
}

/// The settings of a crawl, those of its template below its own, and what they come to.
fn settings_of(current: &Current, template: Option<&Template>, own: &Table) -> Result<(Table, Bounded), Refused> {
    check_settings(own).map_err(Refused::Settings)?;
    let mut settings = template.map(|template| template.settings.clone()).unwrap_or_default();
    lay_over(&mut settings, own);
    // Before they are looked at one by one, which takes as long as they make it.
    bounds::check_patterns(&settings).map_err(Refused::Settings)?;
    let bounded = config_with(current, &settings)?;
    // What cannot be furnished is not begun.
    open::strategy(&bounded.config, None).map_err(|error| Refused::Settings(error.to_string()))?;
    Ok((settings, bounded))
}

/// Adds to what is wrong with seeds which others may not be crawled: it is all told at
/// once.
fn with_policy(refused: Refused, order: &Order, config: &Config) -> Refused {
    let Refused::Seeds(problems) = refused else { return refused };
    let sound: Vec<Uri> = order.seeds.iter().filter_map(|seed| Uri::parse(seed).ok()).collect();
    match policy::against(config, &sound) {
        Some(against) => Refused::SeedsAndPolicy(problems, against),
        None => Refused::Seeds(problems),
    }
}

/// The settings of the service, with others over them, within its bounds.
fn config_with(current: &Current, settings: &Table) -> Result<Bounded, config::Problems> {
    let mut sources = current.sources.clone();
    sources.template = Some(("settings".to_owned(), settings.clone()));
    Ok(bounds::within(config::resolve(&sources)?.config))
}

fn lay_over(settings: &mut Table, upper: &Table) {
    for (section, keys) in upper {
        match (settings.get_mut(section).and_then(toml::Value::as_table_mut), keys.as_table()) {
            (Some(lower), Some(keys)) => lower.extend(keys.clone()),
            _ => {
                settings.insert(section.clone(), keys.clone());
            }
        }
    }
}

fn instances(order: &Order, config: &Config) -> Result<Extracted, Refused> {
    let mut roles = Vec::new();
    if order.properties.is_empty() || !order.roles.is_empty() {
        roles = chosen(&order.roles, &config.seeds.roles)?;
    }
    if !order.properties.is_empty() {
        roles.push(Role { name: "properties".to_owned(), properties: order.properties.clone() });
    }
    let mut instances = Instances::new(Options {
        roles,
        resolve_literals: order.resolve_literals,
        with_subjects: order.with_subjects,
        seeds_max: config.seeds.max,
        unpacked_bytes_max: crate::enrichment::UNPACKED_BYTES_MAX,
    });
    for Instance { name, media_type, content } in &order.instances {
        instances.read(name, media_type.clone(), Box::new(Cursor::new(content.clone())));
    }
    Ok(instances.finish()?)
}

/// The documents of seeds, each once.
fn uris(notes: &[Note]) -> Vec<Uri> {
    let mut known = std::collections::HashSet::new();
    notes.iter().map(|note| note.uri.clone()).filter(|uri| known.insert(uri.clone())).collect()
}
