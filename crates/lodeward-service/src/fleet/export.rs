//! Crawls in the archive, each as a graph of its own.

use std::sync::Arc;

use lodeward::config::Strategy;
use lodeward::open::{self, CandidatesError, ExportError, Exported, Part, Shown, Source, Wish};
use lodeward::rank::{Filter, ListingError, Opinion};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::events::What;
use super::{Fleet, Refused, Yard};
use crate::crowd::{Crowd, Place};

/// Exports at a time; others wait.
const EXPORTS_MAX: usize = 2;

/// Those who export, and those who wait to.
pub(super) struct Exports {
    seats: tokio::sync::Semaphore,
    crowd: Crowd,
}

impl Default for Exports {
    fn default() -> Self {
        Self { seats: tokio::sync::Semaphore::new(EXPORTS_MAX), crowd: Crowd::of_two() }
    }
}

impl Exports {
    fn join(&self, id: u32) -> Result<Place, Refused> {
        self.crowd.join(id).ok_or(Refused::Exporting(id))
    }
}

/// Which candidates are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Only {
    /// Those that were kept.
    Kept,
    /// All but those that were dropped.
    Undropped,
    /// All.
    All,
}

impl Only {
    fn shown(self) -> Shown {
        match self {
            Self::Kept => Shown::Only(Some(Opinion::Keep)),
            Self::Undropped => Shown::Undropped,
            Self::All => Shown::All,
        }
    }
}

/// What of a crawl is exported. If nothing is said: of a focused crawl the candidates
/// that were not dropped, of another one everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// Which candidates.
    pub(crate) only: Option<Only>,
    /// What they are like.
    pub(crate) filter: Option<Filter>,
}

impl Fleet {
    /// Puts a crawl into the archive as its graph, in the place of what was there.
    /// When this returns, it is there to stay.
    pub(crate) async fn export(&self, id: u32, choice: Choice) -> Result<Exported, Refused> {
        let (yard, place) = (Arc::clone(&self.yard), self.yard.exports.join(id)?);
        // Whoever asked may have gone: it goes on all the same.
        let exporting = tokio::spawn(async move {
            let exported = yard.export(id, choice).await;
            drop(place);
            exported
        });
        exporting.await.unwrap_or(Err(Refused::Closing))
    }

    /// Takes the graph of a crawl out of the archive. Tells whether there was one.
    pub(crate) async fn unexport(&self, id: u32) -> Result<bool, Refused> {
        let (yard, place) = (Arc::clone(&self.yard), self.yard.exports.join(id)?);
        let removing = tokio::spawn(async move {
            let removed = yard.unexport(id).await;
            drop(place);
            removed
        });
        removing.await.unwrap_or(Err(Refused::Closing))
    }

    /// What is known of the last export of a crawl. Reads a small file.
    pub(crate) fn exported(&self, id: u32) -> Result<Option<Exported>, Refused> {
        self.yard.berth(id)?;
        Ok(open::exported(&self.yard.registry, id)?)
    }
}

impl Yard {
    async fn export(self: Arc<Self>, id: u32, choice: Choice) -> Result<Exported, Refused> {
        let berth = self.berth(id)?;
        let _turn = berth.exporting.lock().await;
        // It may have been deleted meanwhile.
        self.berth(id)?;
        let _seat = self.exports.seats.acquire().await.map_err(|_| Refused::Closing)?;
        let shelf = self.shelf(&berth).await?;
        let yard = Arc::clone(&self);
        let work = tokio::task::spawn_blocking(move || yard.export_now(&shelf, id, &choice));
        let exported = work.await.map_err(|_| Refused::Closing)??;
        self.hub.tell(id, What::Exported);
        Ok(exported)
    }

    fn export_now(&self, shelf: &open::Shelf, id: u32, choice: &Choice) -> Result<Exported, Refused> {
        let config = self.config_of(&*self.berth(id)?)?.config;
        let everything = Filter::default();
        let wants_candidates = choice.only.is_some() || choice.filter.is_some();
        let part = if wants_candidates || config.crawl.strategy == Strategy::Focus {
            let filter = choice.filter.as_ref().unwrap_or(&everything);
            let shown = choice.only.unwrap_or(Only::Undropped).shown();
            Part::Candidates(Wish { filter, shown, offset: 0, limit: u64::MAX })
        } else {
            Part::Harvest
        };
        let source = Source { config: &config, registry: &self.registry, crawl: id, segments: &shelf.segments };
        Ok(open::export_crawl(&source, &self.archive, part, (self.now)())?)
    }

    async fn unexport(self: Arc<Self>, id: u32) -> Result<bool, Refused> {
        let berth = self.berth(id)?;
        let _turn = berth.exporting.lock().await;
        self.berth(id)?;
        let yard = Arc::clone(&self);
        let work = tokio::task::spawn_blocking(move || yard.remove_export(id));
        work.await.map_err(|_| Refused::Closing)?
    }

    /// Takes what was exported of a crawl out of the archive.
    pub(super) fn remove_export(&self, id: u32) -> Result<bool, Refused> {
        Ok(open::remove_export(&self.settings.now().config, &self.registry, &self.archive, id)?)
    }
}

impl From<ExportError> for Refused {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Candidates(CandidatesError::Listing(
                ListingError::Missing | ListingError::Damaged { .. } | ListingError::Version { .. },
            )) => Self::Unranked,
            ExportError::Nobody => Self::Nobody,
            ExportError::Archive(error) => Self::Archive(error),
            ExportError::Registry(error) => Self::Registry(error),
            error => Self::Export(Box::new(error)),
        }
    }
}
