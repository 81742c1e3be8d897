//! Changes of the name, the scope and the limits of a crawl after its start.

use std::sync::Arc;

use lodeward::engine::CrawlCommand;
use lodeward::model::Uri;
use lodeward_app::crawl_change::{ChangePreview, change_command, preview_change};
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::data_dir::{self, CrawlRecord};
use lodeward_app::settings::{Config, SettingChange, changed_settings};
use toml::{Table, Value};

use super::create::merge_settings;
use super::job::Job;
use super::state::JobView;
use super::{JobError, JobTable, domain_policy};

/// A change of a crawl.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrawlChange {
    /// The new name.
    pub(crate) name: Option<String>,
    /// New values of settings of the section `crawl`; `None` removes the value.
    pub(crate) settings: Vec<(String, Option<Value>)>,
}

/// What a change does.
#[derive(Clone, Debug)]
pub(crate) struct CrawlChangeResult {
    /// The crawl after the change; before it, if nothing was changed.
    pub(crate) view: JobView,
    /// The changed settings.
    pub(crate) changes: Vec<SettingChange>,
    /// What is dropped of the queue.
    pub(crate) preview: ChangePreview,
}

impl JobTable {
    /// Changes a crawl; with `dry_run`, returns only what the change would do.
    pub(crate) async fn change(
        self: &Arc<Self>,
        id: u32,
        change: CrawlChange,
        dry_run: bool,
    ) -> Result<CrawlChangeResult, JobError> {
        let job = self.job(id)?;
        let changing = job.lock_changes().await;
        let creating = self.creating.lock().await;
        let open_crawl = self.open_job(&job).await?;
        let (table, changed) = (Arc::clone(self), Arc::clone(&job));
        let applying = tokio::task::spawn_blocking(move || {
            let (record, settings, config) = table.plan_change(&changed, &change)?;
            let changes = changed_settings(&changed.settings(), &settings);
            let seeds = table.data_dir.crawl(id).seeds()?;
            let preview = preview_change(&config, &seeds, &open_crawl).map_err(into_job_error)?;
            if !dry_run {
                table.store_change(&changed, record, settings)?;
            }
            let command = change_command(&config, &seeds, table.now);
            let command = command.map_err(|error| JobError::Settings(error.to_string()))?;
            Ok::<_, JobError>((changes, preview, command))
        });
        let (changes, preview, command) = applying.await.expect("changing a crawl does not panic")?;
        drop(creating);
        if !dry_run {
            self.send_and_forget_domains(&job, command).await;
        }
        drop(changing);
        Ok(CrawlChangeResult { view: job.view(), changes, preview })
    }

    /// Adds a URI to the seeds of a crawl. A running crawl requests it before other URIs of its domain.
    pub(crate) async fn add_seed(self: &Arc<Self>, id: u32, uri: Uri) -> Result<JobView, JobError> {
        let job = self.job(id)?;
        let changing = job.lock_changes().await;
        let (table, changed, seed) = (Arc::clone(self), Arc::clone(&job), uri.clone());
        let storing = tokio::task::spawn_blocking(move || {
            let config = table.config(id)?;
            let violations =
                domain_policy::violations(&config, std::slice::from_ref(&seed), &[seed.as_str().to_owned()]);
            if !violations.is_empty() {
                return Err(JobError::Policy(violations));
            }
            let seeds = table.data_dir.crawl(id).add_seeds(&[seed])?;
            changed.set_seeds(&seeds);
            changed.record_scope_change(&table.data_dir, (table.now)())?;
            Ok(())
        });
        storing.await.expect("storing a seed does not panic")?;
        self.send_and_forget_domains(&job, CrawlCommand::AddSeeds(vec![uri])).await;
        drop(changing);
        Ok(job.view())
    }

    /// Sends a command to a crawl if it runs. If it is about to end, its next run applies the change.
    async fn send_and_forget_domains(&self, job: &Job, command: CrawlCommand) {
        if let Some(sender) = job.command_sender() {
            let _ = sender.send(command).await;
        }
        job.domains.clear().await;
    }

    /// The record, the settings and the resolved settings after a change.
    fn plan_change(&self, job: &Job, change: &CrawlChange) -> Result<(CrawlRecord, Table, Config), JobError> {
        let mut record = job.record();
        if let Some(name) = change.name.as_ref().filter(|name| **name != record.name) {
            data_dir::check_name(name)?;
            if self.data_dir.find(name)?.is_some() {
                return Err(JobError::NameTaken(name.clone()));
            }
            record.name.clone_from(name);
        }
        let mut settings = job.settings();
        let section = settings.entry("crawl").or_insert_with(|| Table::new().into());
        let section =
            section.as_table_mut().ok_or_else(|| JobError::Settings("`crawl` is not a section".to_owned()))?;
        for (key, value) in &change.settings {
            match value {
                Some(value) => section.insert(key.clone(), value.clone()),
                None => section.remove(key),
            };
        }
        let (settings, bounded) = merge_settings(&self.settings.current(), None, &settings)?;
        let mut config = bounded.config;
        config.crawl.strategy = record.strategy.parse().unwrap_or(config.crawl.strategy);
        Ok((record, settings, config))
    }

    fn store_change(&self, job: &Job, record: CrawlRecord, settings: Table) -> Result<(), JobError> {
        let dir = self.data_dir.crawl(job.id());
        if settings != job.settings() {
            // Stored first: if the process is killed after the next line, the next run checks its queue.
            job.record_scope_change(&self.data_dir, (self.now)())?;
            dir.write_settings(&settings)?;
        }
        if record != job.record() {
            self.data_dir.write_record(&record)?;
        }
        job.replace(record, settings);
        Ok(())
    }
}

fn into_job_error(error: lodeward_app::crawl_change::ChangeError) -> JobError {
    match error {
        lodeward_app::crawl_change::ChangeError::Frontier(error) => CrawlOpenError::from(error).into(),
        error => JobError::Settings(error.to_string()),
    }
}
