//! A crawl, put together from its parts.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::discover::DiscoverPolicy;
use crate::engine::{
    self, CrawlCommand, CrawlError, CrawlParts, CrawlSnapshot, DiskSpace, DomainPolicy, EngineOptions, ModelStore,
    Observer, Scope, SharedPoliteness, StopReason, WaitReasons,
};
use crate::extract::Extractor;
use crate::fetch::Fetcher;
use crate::frontier::{Frontier, UriRecord};
use crate::model::Uri;
use crate::select::Strategy;
use crate::store::Store;
use crate::store::follow::Followers;

/// A crawl that is ready to run.
pub struct Crawl(CrawlParts);

/// Puts a crawl together. All parts but those of [`CrawlBuilder::new`] have defaults.
#[must_use]
pub struct CrawlBuilder(CrawlParts);

impl CrawlBuilder {
    /// A crawl with the default options: it follows all links to documents, without followers, observers and steps of
    /// services.
    pub fn new(
        frontier: Arc<dyn Frontier>,
        strategy: Box<dyn Strategy>,
        fetcher: Arc<dyn Fetcher>,
        extractor: Arc<dyn Extractor>,
        store: Arc<dyn Store>,
    ) -> Self {
        Self(CrawlParts {
            frontier,
            strategy,
            model_store: None,
            fetcher,
            extractor,
            store,
            followers: Followers::default(),
            scope: Scope::default(),
            discover: DiscoverPolicy::documents_only(),
            options: EngineOptions::default(),
            requeued: Vec::new(),
            observers: Vec::new(),
            politeness: Arc::default(),
            wait_reasons: Arc::default(),
            disk_space: None,
        })
    }

    /// Sets limits and politeness.
    pub fn options(mut self, options: EngineOptions) -> Self {
        self.0.options = options;
        self
    }

    /// Changes the options set so far.
    pub fn change_options(mut self, change: impl FnOnce(&mut EngineOptions)) -> Self {
        change(&mut self.0.options);
        self
    }

    /// Sets which links are followed.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.0.scope = scope;
        self
    }

    /// Sets which domains may be requested at all, as part of the scope set so far.
    pub fn domain_policy(mut self, policy: DomainPolicy) -> Self {
        self.0.scope.domain_policy = policy;
        self
    }

    /// Sets what is requested besides documents.
    pub fn discover(mut self, policy: DiscoverPolicy) -> Self {
        self.0.discover = policy;
        self
    }

    /// Sets where the model of the strategy is stored.
    pub fn model_store(mut self, model_store: Arc<dyn ModelStore>) -> Self {
        self.0.model_store = Some(model_store);
        self
    }

    /// Sets the followers, which receive the harvest from the store.
    pub fn followers(mut self, followers: Followers) -> Self {
        self.0.followers = followers;
        self
    }

    /// Names documents that were counted and are fetched again because their statements were lost.
    pub fn requeued(mut self, records: Vec<UriRecord>) -> Self {
        self.0.requeued = records;
        self
    }

    /// Adds observers, which receive every finished request.
    pub fn observers(mut self, observers: Vec<Box<dyn Observer>>) -> Self {
        self.0.observers.extend(observers);
        self
    }

    /// Shares the delays of domains and IP addresses with other crawls.
    pub fn shared_politeness(mut self, politeness: Arc<SharedPoliteness>) -> Self {
        self.0.politeness = politeness;
        self
    }

    /// Pauses the crawl while there is not enough space on the disk.
    pub fn disk_space(mut self, space: Arc<dyn DiskSpace>) -> Self {
        self.0.disk_space = Some(space);
        self
    }

    /// The crawl.
    #[must_use]
    pub fn build(self) -> Crawl {
        Crawl(self.0)
    }
}

impl Crawl {
    /// Why URIs wait, readable while the crawl runs.
    #[must_use]
    pub fn wait_reasons(&self) -> Arc<WaitReasons> {
        Arc::clone(&self.0.wait_reasons)
    }

    /// The followers of the harvest.
    #[must_use]
    pub fn followers(&self) -> &Followers {
        &self.0.followers
    }

    /// Runs the crawl until no URIs are left, a limit is reached, or a command stops it.
    ///
    /// Seeds that are already known, as in a resumed crawl, are ignored. The crawl continues when
    /// `commands` is closed.
    pub async fn run(
        self,
        seeds: Vec<Uri>,
        commands: mpsc::Receiver<CrawlCommand>,
        progress: watch::Sender<CrawlSnapshot>,
    ) -> Result<(StopReason, CrawlSnapshot), CrawlError> {
        engine::run(self.0, seeds, commands, progress).await
    }
}
