//! Creates a crawl from an order.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lodeward::model::Uri;
use lodeward_app::assemble;
use lodeward_app::data_dir::{self, CrawlRecord};
use lodeward_app::seed_note::{SeedNote, SeedOrigin};
use lodeward_app::seeds::check::{SeedCheck, SeedCheckRequest, check_seeds};
use lodeward_app::seeds::instance::{InstanceOptions, InstanceReader, InstanceRole, InstanceValues, select_roles};
use lodeward_app::seeds::labels;
use lodeward_app::seeds::labels::LabelIndex;
use lodeward_app::seeds::template::{Template, TemplateDirs, check_settings};
use lodeward_app::seeds::{self, ResolvedSeeds, SeedRequest};
use lodeward_app::settings::{self, Config};
use toml::Table;

use super::events::JobEventKind;
use super::job::Job;
use super::order::{CrawlOrder, InstanceFile, ORDER_FILE, OrderRecord};
use super::settings_bounds::{self, BoundedSettings};
use super::state::{DesiredState, JobView};
use super::{JobError, JobTable, domain_policy};
use crate::live_settings::CurrentSettings;

/// A validated order.
struct CrawlPlan {
    name: Option<String>,
    config: Config,
    notes: Vec<SeedNote>,
    seeds: Vec<Uri>,
    remarks: Vec<String>,
    order_record: OrderRecord,
    settings: Table,
}

impl JobTable {
    /// Creates a crawl. The creation completes even if the client disconnects.
    pub(crate) async fn create(self: &Arc<Self>, order: CrawlOrder) -> Result<(JobView, Vec<String>), JobError> {
        let table = Arc::clone(self);
        tokio::spawn(async move { table.create_inner(order).await }).await.unwrap_or(Err(JobError::Closing))
    }

    async fn create_inner(self: &Arc<Self>, order: CrawlOrder) -> Result<(JobView, Vec<String>), JobError> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(JobError::Closing);
        }
        let permit = self.plan_slots.acquire().await;
        let table = Arc::clone(self);
        // Reading labels and instance data may take long: other requests must not wait for it.
        let planning = tokio::task::spawn_blocking(move || table.plan(order));
        let plan = planning.await.expect("validating an order does not panic")?;
        drop(permit);
        let creating = self.creating.lock().await;
        let table = Arc::clone(self);
        let storing = tokio::task::spawn_blocking(move || table.store_crawl(plan));
        let (job, remarks) = storing.await.expect("storing a crawl does not panic")?;
        drop(creating);
        let view = job.view();
        self.hub.publish(view.id, JobEventKind::State(view.state));
        self.start_queued();
        Ok((job.view(), remarks))
    }

    fn plan(&self, order: CrawlOrder) -> Result<CrawlPlan, JobError> {
        let current = self.settings.current();
        let template = order.template.as_deref().map(|name| self.find_template(name)).transpose()?;
        let (settings, BoundedSettings { config, cap }) = merge_settings(&current, template.as_ref(), &order.settings)?;
        let resolved = self.resolve_seeds(&order, template.as_ref(), &config);
        let resolved = resolved.map_err(|error| with_policy_violations(error, &order, &config))?;
        let seeds = seed_uris(&resolved.notes);
        if seeds.is_empty() {
            return Err(JobError::NoSeeds);
        }
        settings_bounds::check_seeds(seeds.len()).map_err(JobError::Settings)?;
        let violations = domain_policy::violations(&config, &seeds, &order.seeds);
        if !violations.is_empty() {
            return Err(JobError::Policy(violations));
        }
        if !assemble::has_required_contact(&config.fetch, &seeds) {
            return Err(JobError::NoContact);
        }
        let template = template.map(|template| template.name);
        let CrawlOrder { name, user, on_behalf_of, has_quota, record_warc, .. } = order;
        let (user, desired_state) = (Some(user), DesiredState::Run);
        let order_record = OrderRecord {
            user,
            on_behalf_of,
            desired_state,
            has_quota,
            template,
            record_warc,
            ..OrderRecord::default()
        };
        let mut remarks: Vec<String> = resolved.warnings.iter().map(ToString::to_string).collect();
        remarks.extend(cap.map(settings_bounds::cap_warning));
        Ok(CrawlPlan { name, config, notes: resolved.notes, seeds, remarks, order_record, settings })
    }

    /// The seeds, own settings and recording of a crawl, for another crawl like it. Blocks.
    pub(crate) fn order_like(&self, id: u32) -> Result<(Vec<String>, Table, bool), JobError> {
        let job = self.job(id)?;
        let dir = self.data_dir.crawl(id);
        // A document may describe several seeds.
        let notes = dir.seed_notes()?;
        let noted: std::collections::HashSet<&Uri> = notes.iter().map(|note| &note.uri).collect();
        let seeds = dir.seeds()?;
        let plain = seeds.iter().filter(|uri| !noted.contains(uri)).map(ToString::to_string);
        let seeds = notes.iter().map(|note| note.entity().to_owned()).chain(plain).collect();
        let settings = settings::public_settings(&job.settings());
        let strategy = Table::from_iter([("strategy".to_owned(), job.record().strategy.into())]);
        let base = Table::from_iter([("crawl".to_owned(), strategy.into())]);
        Ok((seeds, overlaid(base, &settings), job.order_record().record_warc))
    }

    /// Checks the seeds of an order, and starts nothing. Blocks.
    pub(crate) fn check_seeds(&self, order: &CrawlOrder) -> Result<(SeedCheck, Config), JobError> {
        let current = self.settings.current();
        let template = order.template.as_deref().map(|name| self.find_template(name)).transpose()?;
        let (_, BoundedSettings { config, .. }) = merge_settings(&current, template.as_ref(), &order.settings)?;
        if let Some(name) = &order.name {
            data_dir::check_name(name)?;
        }
        settings_bounds::check_seeds(order.seeds.len() + order.labels.len()).map_err(JobError::Settings)?;
        let others = CrawlOrder { seeds: Vec::new(), labels: Vec::new(), ..order.clone() };
        let others = match self.resolve_seeds(&others, template.as_ref(), &config) {
            Ok(resolved) => Ok(resolved),
            Err(JobError::Seeds(problems)) => Err(problems),
            Err(error) => return Err(error),
        };
        let policy = settings::domain_policy(&config);
        let violation = |uri: &Uri| domain_policy::violation(&config, &policy, uri);
        let request = SeedCheckRequest { uris: &order.seeds, labels: &order.labels, others, violation: &violation };
        let check = check_seeds(&config, &self.archive, request, &*self.label_index(&config)?)?;
        Ok((check, config))
    }

    /// The labels of entities: of the archive, or of the configured endpoint.
    pub(crate) fn label_index(&self, config: &Config) -> Result<Box<dyn LabelIndex>, JobError> {
        match &config.seeds.labels_endpoint {
            Some(endpoint) => Ok(labels::endpoint_labels(config, endpoint)?),
            None => Ok(labels::archive_labels(config, &self.archive, &self.targets)),
        }
    }

    /// Checks that future crawls can use a template and settings.
    pub(crate) fn check_settings(&self, template: Option<&str>, settings: &Table) -> Result<(), JobError> {
        let template = template.map(|name| self.find_template(name)).transpose()?;
        merge_settings(&self.settings.current(), template.as_ref(), settings).map(drop)
    }

    /// Fails if the user has reached the quota of unfinished crawls.
    pub(super) fn check_quota(&self, user: Option<&str>) -> Result<(), JobError> {
        let counts = |view: &JobView| view.user.as_deref() == user && view.state.is_unfinished();
        let count = self.jobs().values().map(|job| job.view()).filter(counts).count();
        let max = self.settings.current().config.service.max_crawls_per_user;
        if count >= max { Err(JobError::Quota(count)) } else { Ok(()) }
    }

    fn choose_name(&self, plan: &CrawlPlan) -> Result<String, JobError> {
        let records = self.data_dir.list()?;
        let is_taken = |name: &str| records.iter().any(|record| record.name == name);
        match &plan.name {
            Some(name) if is_taken(name) => Err(JobError::NameTaken(name.clone())),
            Some(name) => Ok(name.clone()),
            None => {
                let first = records.last().map_or(1, |record| record.id + 1);
                let names = (first..).map(|number| format!("crawl {number}"));
                Ok(names.into_iter().find(|name| !is_taken(name)).expect("a free number exists"))
            }
        }
    }

    /// Finds a template by its name. Paths are rejected, so that clients cannot access other files.
    pub(super) fn find_template(&self, name: &str) -> Result<Template, JobError> {
        if name.contains(['/', '\\']) || name.contains("..") || name.contains(".toml") {
            return Err(JobError::Settings(format!("invalid template name: `{name}`")));
        }
        Ok(TemplateDirs::new(vec![self.data.join("templates")]).find(name)?.template)
    }

    fn resolve_seeds(
        &self,
        order: &CrawlOrder,
        template: Option<&Template>,
        config: &Config,
    ) -> Result<ResolvedSeeds, JobError> {
        let parsed = seeds::parse_uris(&order.seeds);
        let request = SeedRequest {
            seeds: parsed.as_ref().cloned().unwrap_or_default(),
            labels: order.labels.clone(),
            template: template.map(|template| (template.clone(), order.values.clone())),
            instances: if order.instances.is_empty() {
                InstanceValues::default()
            } else {
                read_instances(order, config)?
            },
            max_matches: config.seeds.max_matches_per_label,
        };
        let labels = || self.label_index(config);
        // All problems are reported at once: labels are looked up although a URI is invalid.
        match (parsed, request.resolve(&[], labels)) {
            (Err(problems), Err(JobError::Seeds(more))) => Err(problems.merge(more).into()),
            (Err(problems), _) => Err(problems.into()),
            (Ok(_), resolved) => resolved,
        }
    }

    /// Stores a crawl. Its record is written last, so that an interruption leaves no incomplete
    /// crawl.
    fn store_crawl(&self, plan: CrawlPlan) -> Result<(Arc<Job>, Vec<String>), JobError> {
        if plan.order_record.has_quota {
            self.check_quota(plan.order_record.user.as_deref())?;
        }
        let name = self.choose_name(&plan)?;
        let strategy = plan.config.crawl.strategy.name();
        let record = self.data_dir.reserve(&name, strategy, plan.config.crawl.rng_seed, (self.now)())?;
        let notes: Vec<SeedNote> =
            plan.notes.into_iter().filter(|note| note.origin != SeedOrigin::Given || note.entity.is_some()).collect();
        self.data_dir.crawl(record.id).add_seed_notes(&notes)?;
        self.data_dir.crawl(record.id).add_seeds(&plan.seeds)?;
        self.data_dir.crawl(record.id).write_settings(&plan.settings)?;
        self.data_dir.crawl(record.id).write_json(ORDER_FILE, &plan.order_record)?;
        self.data_dir.write_record(&record)?;
        let job = Arc::new(Job::new(record, plan.order_record, plan.settings));
        job.set_seeds(&plan.seeds);
        // The settings are resolved and cached here, on a blocking thread. Errors are reported when the crawl runs.
        let _ = self.crawl_config(&job);
        self.jobs().insert(job.id(), Arc::clone(&job));
        Ok((job, plan.remarks))
    }

    /// The settings of a crawl: those of the service, overridden by its own, within the
    /// bounds of the service.
    pub(super) fn crawl_config(&self, job: &Job) -> Result<BoundedSettings, JobError> {
        let current = self.settings.current();
        job.settled.get_or_resolve(&current, || self.resolve_config(job, &current))
    }

    fn resolve_config(&self, job: &Job, current: &CurrentSettings) -> Result<BoundedSettings, JobError> {
        let order_record = job.order_record();
        let CrawlRecord { id, strategy, rng_seed, .. } = job.record();
        let BoundedSettings { mut config, cap } = config_with_settings(current, &job.settings())
            .map_err(|problems| JobError::SettingsConflict { id, problems })?;
        if let Ok(strategy) = strategy.parse() {
            config.crawl.strategy = strategy;
        }
        config.crawl.rng_seed = rng_seed;
        let warc_dir = self.data_dir.crawl(id).path().join("warc");
        config.fetch.warc_dir = order_record.record_warc.then(|| warc_dir.to_string_lossy().into_owned());
        Ok(BoundedSettings { config, cap })
    }
}

/// The crawl's own settings, which override those of its template, and the resolved settings.
pub(super) fn merge_settings(
    current: &CurrentSettings,
    template: Option<&Template>,
    own: &Table,
) -> Result<(Table, BoundedSettings), JobError> {
    check_settings(own).map_err(JobError::Settings)?;
    let mut settings = template.map(|template| template.settings.clone()).unwrap_or_default();
    overlay_settings(&mut settings, own);
    // Patterns are checked before they are compiled, because compiling them may take long.
    settings_bounds::check_patterns(&settings).map_err(JobError::Settings)?;
    let bounded = config_with_settings(current, &settings)?;
    // A strategy that cannot be assembled is rejected now, not when the crawl runs.
    assemble::strategy(&bounded.config, None).map_err(|error| JobError::Settings(error.to_string()))?;
    Ok((settings, bounded))
}

/// Adds policy violations to the problems with seeds, so that all problems are reported at once.
fn with_policy_violations(error: JobError, order: &CrawlOrder, config: &Config) -> JobError {
    let JobError::Seeds(problems) = error else { return error };
    let valid: Vec<Uri> = order.seeds.iter().filter_map(|seed| Uri::parse(seed).ok()).collect();
    let violations = domain_policy::violations(config, &valid, &order.seeds);
    if violations.is_empty() { JobError::Seeds(problems) } else { JobError::SeedsAndPolicy(problems, violations) }
}

/// The settings of the service, overridden by `settings` within the bounds of the service.
fn config_with_settings(
    current: &CurrentSettings,
    settings: &Table,
) -> Result<BoundedSettings, settings::SettingProblems> {
    let mut sources = current.sources.clone();
    sources.crawl = Some(("settings".to_owned(), settings.clone()));
    Ok(settings_bounds::apply_bounds(settings::resolve(&sources)?.config))
}

/// Settings that are overridden by others.
pub(crate) fn overlaid(mut lower: Table, upper: &Table) -> Table {
    overlay_settings(&mut lower, upper);
    lower
}

/// Overrides settings with others, recursively in subsections.
fn overlay_settings(lower: &mut Table, upper: &Table) {
    for (key, value) in upper {
        match (lower.get_mut(key).and_then(toml::Value::as_table_mut), value.as_table()) {
            (Some(lower), Some(upper)) => overlay_settings(lower, upper),
            _ => {
                lower.insert(key.clone(), value.clone());
            }
        }
    }
}

fn read_instances(order: &CrawlOrder, config: &Config) -> Result<InstanceValues, JobError> {
    let mut roles = Vec::new();
    if order.properties.is_empty() || !order.roles.is_empty() {
        roles = select_roles(&order.roles, &config.seeds.roles)?;
    }
    if !order.properties.is_empty() {
        roles.push(InstanceRole { name: "properties".to_owned(), properties: order.properties.clone() });
    }
    let mut instances = InstanceReader::new(InstanceOptions {
        roles,
        resolve_literals: order.resolve_literals,
        include_subjects: order.include_subjects,
        max_seeds: config.seeds.max_from_records,
        max_unpacked_bytes: settings_bounds::MAX_UNPACKED_BYTES,
    });
    for InstanceFile { name, media_type, content } in &order.instances {
        instances.read(name, media_type.clone(), Box::new(Cursor::new(content.clone())));
    }
    Ok(instances.finish()?)
}

/// The URIs of seeds, without duplicates.
fn seed_uris(notes: &[SeedNote]) -> Vec<Uri> {
    let mut known = std::collections::HashSet::new();
    notes.iter().map(|note| note.uri.clone()).filter(|uri| known.insert(uri.clone())).collect()
}
