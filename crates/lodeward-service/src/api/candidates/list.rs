//! Candidates, as somebody wants to see them.

use std::io;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use lodeward::open::{self, Candidate, CandidatesError, Shown, Wish};
use lodeward::rank::{Filter, Listing, Opinion};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::marks::Mark;
use super::ranking::Ranking;
use super::{filter, harvest};
use crate::api::accept;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{Path, Query};
use crate::api::page::{Address, Limit, counted_links};
use crate::api::stream::streamed;
use crate::beside::in_turn;
use crate::problem::Problem;
use crate::service::Service;

const JSON: &str = "application/json";
const CSV: &str = "text/csv";

/// Which candidates are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// What they are like, in the language of filters.
    #[param(max_length = 4_000, example = "type = dbo:Building and score >= 0.3")]
    filter: Option<String>,
    /// How they are marked.
    #[param(inline)]
    marked: Marked,
    /// So many are passed over.
    offset: u32,
    /// How many are listed.
    #[param(inline)]
    limit: Limit,
}

/// Which candidates are downloaded.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct AllWanted {
    /// What they are like, in the language of filters.
    #[param(max_length = 4_000, example = "type = dbo:Building and score >= 0.3")]
    filter: Option<String>,
    /// How they are marked.
    #[param(inline)]
    marked: Marked,
}

/// How candidates are marked that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Marked {
    /// Not as dropped; if the filter speaks of marks, it decides alone.
    #[default]
    Undropped,
    /// In any way, or not at all.
    All,
    /// As relevant.
    Kept,
    /// As not relevant.
    Dropped,
    /// Not at all.
    Unmarked,
}

impl Marked {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Undropped => None,
            Self::All => Some("all"),
            Self::Kept => Some("kept"),
            Self::Dropped => Some("dropped"),
            Self::Unmarked => Some("unmarked"),
        }
    }

    fn shown(self) -> Shown {
        match self {
            Self::Undropped => Shown::Undropped,
            Self::All => Shown::All,
            Self::Kept => Shown::Only(Some(Opinion::Keep)),
            Self::Dropped => Shown::Only(Some(Opinion::Drop)),
            Self::Unmarked => Shown::Only(None),
        }
    }
}

/// Some candidates of a crawl, the best first.
#[derive(Serialize, ToSchema)]
#[schema(as = Candidates)]
struct Page {
    /// How their ranking came about.
    ranking: Ranking,
    /// How many there are that were asked for.
    total: u64,
    /// How many more there would be that were dropped.
    dropped: u64,
    /// So many of them are passed over.
    offset: u32,
    /// How many are listed at most.
    #[schema(value_type = u16)]
    limit: Limit,
    /// Those that follow.
    candidates: Vec<ToldCandidate>,
}

/// An entity that may matter to the seeds.
#[derive(Serialize, ToSchema)]
#[schema(as = Candidate)]
struct ToldCandidate {
    /// Its place, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// Its IRI.
    entity: String,
    /// Its score. Those of two rankers cannot be compared.
    score: f64,
    /// Links from the nearest seed.
    hop: u8,
    /// What it is called, if anybody said so.
    label: Option<String>,
    /// Its classes.
    types: Vec<String>,
    /// Whether a document about it was read.
    described: bool,
    /// What spoke for it, strongest first.
    why: Vec<Reason>,
    /// What users think of it.
    mark: Option<Mark>,
}

/// What spoke for a candidate.
#[derive(Serialize, ToSchema)]
pub(crate) struct Reason {
    /// In words that finish the sentence “because it …”.
    words: String,
    /// How much it added to the score, in the ranker's own measure.
    weight: f64,
}

impl From<lodeward::rank::Reason> for Reason {
    fn from(lodeward::rank::Reason { words, weight }: lodeward::rank::Reason) -> Self {
        Self { words, weight }
    }
}

impl From<Candidate> for ToldCandidate {
    fn from(Candidate { row, mark }: Candidate) -> Self {
        let lodeward::rank::listing::Row { rank, entity, score, hop, label, types, described, why } = row;
        let why = why.into_iter().map(Reason::from).collect();
        Self { rank, entity, score, hop, label, types, described, why, mark: mark.map(Mark::from) }
    }
}

/// Lists candidates.
///
/// Those of the last ranking, the best first. A crawl that runs can be ranked, too.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates", tag = "candidates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Wanted),
    responses(
        (
            status = 200, description = "Some of them",
            content((Page = "application/json"), (String = "text/csv")),
            headers(("Link" = String, description = "The pages before (`prev`) and behind (`next`) this one")),
        ),
        (status = 406, description = "Neither JSON nor CSV is wanted"),
        (status = 409, description = "There is no ranking yet"),
        (status = 422, description = "The filter is wrong"),
    ),
)]
pub(super) async fn list_candidates(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let directory = service.fleet.directory(id)?;
    let form = accept::chosen(&headers, &[JSON, CSV])?;
    let filter = filter(wanted.filter.as_deref())?;
    let harvest = harvest(&service, id, &filter).await?;
    let (offset, limit) = (u64::from(wanted.offset), u64::from(wanted.limit.get()));
    let shown = wanted.marked.shown();
    let found = in_turn(move || {
        let wish = Wish { filter: &filter, shown, offset, limit };
        Ok(open::candidates_with(&directory, &wish, || Ok(harvest.open()))?)
    })
    .await?;
    let address = Address::of(format!("/api/v1/crawls/{id}/candidates"))
        .with("filter", wanted.filter.as_ref())
        .with("marked", wanted.marked.name());
    let links = counted_links(&address, offset, wanted.limit, found.wanted);
    if form == CSV {
        return Ok(links.around(csv(&found.found)?));
    }
    Ok(links.around(axum::Json(Page {
        ranking: Ranking::of(&found.heading),
        total: found.wanted,
        dropped: found.dropped,
        offset: wanted.offset,
        limit: wanted.limit,
        candidates: found.found.into_iter().map(ToldCandidate::from).collect(),
    })))
}

fn csv(found: &[Candidate]) -> Result<Response, Problem> {
    let mut text = Vec::new();
    let written = open::write_csv_head(&mut text)
        .and_then(|()| found.iter().try_for_each(|candidate| open::write_csv_line(candidate, &mut text)));
    written.map_err(|error| Problem::internal(&error))?;
    Ok(([(axum::http::header::CONTENT_TYPE, CSV)], text).into_response())
}

/// Downloads all candidates.
///
/// As CSV, the best first, for spreadsheets: before what one would take for a formula
/// is a `'`.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates.csv", tag = "candidates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, AllWanted),
    responses(
        (status = 200, description = "All that were asked for", body = String, content_type = "text/csv"),
        (status = 409, description = "There is no ranking yet"),
        (status = 422, description = "The filter is wrong"),
    ),
)]
pub(super) async fn download_candidates(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<AllWanted>,
) -> Result<Response, Problem> {
    let directory = service.fleet.directory(id)?;
    let filter = filter(wanted.filter.as_deref())?;
    let harvest = harvest(&service, id, &filter).await?;
    let place = directory.clone();
    // What cannot be had is told before the answer begins.
    let looked = tokio::task::spawn_blocking(move || Listing::open(&place).map(drop));
    looked.await.expect("looking does not panic").map_err(CandidatesError::from)?;
    let shown = wanted.marked.shown();
    let body = streamed(service.downloads.seat()?, move |out| {
        open::write_csv_head(out)?;
        let wish = Wish { filter: &filter, shown, offset: 0, limit: u64::MAX };
        open::each_candidate::<Failure>(&directory, &filter, || Ok(harvest.open()), &mut |candidate| {
            if wish.shows(&candidate) {
                open::write_csv_line(&candidate, out)?;
            }
            Ok(())
        })
        .map(drop)
        .map_err(|Failure(error)| error)
    });
    Ok(([(axum::http::header::CONTENT_TYPE, CSV)], body).into_response())
}

/// Why a download broke off.
struct Failure(io::Error);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

impl From<CandidatesError> for Failure {
    fn from(error: CandidatesError) -> Self {
        Self(io::Error::other(error))
    }
}

/// Those whom a filter wants, however they are marked. Blocks.
pub(super) fn matching(
    directory: &std::path::Path,
    filter: &Filter,
    harvest: super::Harvest,
) -> Result<Vec<String>, Problem> {
    let mut names = Vec::new();
    let found = open::each_candidate::<CandidatesError>(directory, filter, || Ok(harvest.open()), &mut |candidate| {
        names.push(candidate.row.entity);
        Ok(())
    });
    found?;
    Ok(names)
}
