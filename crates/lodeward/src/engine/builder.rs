//! The parts of a crawl.

use std::sync::Arc;

use super::{DiskSpace, EngineOptions, ModelStore, Observer, Scope, SharedPoliteness, WaitReasons};
use crate::discover::DiscoverPolicy;
use crate::extract::Extractor;
use crate::fetch::Fetcher;
use crate::frontier::{Frontier, UriRecord};
use crate::select::Strategy;
use crate::store::Store;
use crate::store::follow::Followers;

/// The parts of a crawl. All but those of [`CrawlBuilder::new`] have defaults, which may be replaced:
/// `CrawlBuilder { scope, ..CrawlBuilder::new(…) }`.
#[must_use]
pub struct CrawlBuilder {
    /// The queue of URIs.
    pub frontier: Arc<dyn Frontier>,
    /// Decides which URIs are requested, and in which order.
    pub strategy: Box<dyn Strategy>,
    /// Where the model of the strategy is stored.
    pub model_store: Option<Arc<dyn ModelStore>>,
    /// Sends the requests.
    pub fetcher: Arc<dyn Fetcher>,
    /// Reads the documents.
    pub extractor: Arc<dyn Extractor>,
    /// Stores the harvest.
    pub store: Arc<dyn Store>,
    /// The followers, which receive the harvest from the store.
    pub followers: Followers,
    /// Which links are followed.
    pub scope: Scope,
    /// What is requested besides documents.
    pub discover: DiscoverPolicy,
    /// Limits and politeness.
    pub options: EngineOptions,
    /// Documents that were counted and are fetched again because their statements were lost.
    pub requeued: Vec<UriRecord>,
    /// The observers, which receive every finished request.
    pub observers: Vec<Box<dyn Observer>>,
    /// The rate limits shared with other crawls.
    pub politeness: Arc<SharedPoliteness>,
    /// Records why domains are delayed.
    pub wait_reasons: Arc<WaitReasons>,
    /// Reports whether there is room for the harvest.
    pub disk_space: Option<Arc<dyn DiskSpace>>,
}

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
        Self {
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
        }
    }
}
