//! What users think of candidates.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::State;
use lodeward::open::CandidatesError;
use lodeward::rank::marks::{By, Marked};
use lodeward::rank::{Marks, Opinion};
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list::matching;
use super::{filter, harvest};
use crate::api::crawls::{CrawlPath, changeable};
use crate::api::extract::{Json, Path};
use crate::api::moment::Moment;
use crate::beside::{beside, in_turn};
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

/// How many candidates can be named at a time; a filter has no such bound.
const ENTITIES_MAX: usize = 10_000;

/// What is thought of some candidates.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMarks {
    /// Their IRIs. They need not be in the ranking.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    entities: Option<Vec<String>>,
    /// Those in the ranking of whom this is true, in the language of filters; an empty
    /// one is true of all.
    #[serde(default)]
    #[schema(max_length = 4_000)]
    filter: Option<String>,
    /// What is thought of them.
    opinion: Wanted,
}

/// What is thought of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NewOpinion)]
enum Wanted {
    /// It is relevant.
    Keep,
    /// It is not: it is no longer listed, nor visited by later runs.
    Drop,
    /// Neither: marks are taken back.
    None,
}

/// What a user thinks of a candidate.
#[derive(Serialize, ToSchema)]
pub(super) struct Mark {
    /// What.
    opinion: ToldOpinion,
    /// Who thinks so.
    by: Option<String>,
    /// Since when.
    at: Option<Moment>,
}

/// What a user thinks of a candidate, in a word.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Opinion)]
enum ToldOpinion {
    /// It is relevant.
    Keep,
    /// It is not.
    Drop,
}

impl From<Marked> for Mark {
    fn from(Marked { opinion, by }: Marked) -> Self {
        let opinion = match opinion {
            Opinion::Keep => ToldOpinion::Keep,
            Opinion::Drop => ToldOpinion::Drop,
        };
        Self { opinion, by: by.who, at: by.at_ms.map(Moment::of_ms) }
    }
}

/// What has changed, and how many marks there are.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Marking {
    /// How many are marked otherwise than before.
    changed: usize,
    /// How many are kept by now.
    kept: usize,
    /// How many are dropped by now.
    dropped: usize,
}

/// Marks candidates.
///
/// They are named, chosen by a filter, or both. When this is answered, the marks are
/// kept. They are of entities, not of places in a ranking, and survive ranking again.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath), request_body = NewMarks,
    responses(
        (status = 200, description = "They are marked", body = Marking),
        (status = 409, description = "There is no ranking yet that could be filtered"),
    ),
)]
pub(super) async fn mark_candidates(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Json(wanted): Json<NewMarks>,
) -> Result<axum::Json<Marking>, Problem> {
    changeable(&service, &caller, id)?;
    let NewMarks { entities, filter: text, opinion } = wanted;
    let mut names = entities.unwrap_or_default();
    if names.is_empty() && text.is_none() {
        let problem = Problem::new(Code::Invalid, "nobody was named");
        return Err(problem.hint("give `entities`, or a `filter`; an empty filter is true of all"));
    }
    check(&names)?;
    let by = By { who: Some(caller.name), at_ms: Some((service.now)()) };
    let chosen = match text {
        Some(text) => {
            let filter = filter(Some(&text))?;
            let harvest = harvest(&service, id, &filter).await?;
            Some((filter, harvest))
        }
        None => None,
    };
    let (directory, files) = service.fleet.files(id).await?;
    in_turn(move || {
        let _files = files;
        if let Some((filter, harvest)) = chosen {
            names.extend(matching(&directory, &filter, harvest)?);
        }
        change(&directory, |marks| marks.set(names.iter().map(String::as_str), opinion.opinion(), &by))
    })
    .await
    .map(axum::Json)
}

/// Takes back the last change of marks.
///
/// And the one before that, if it is asked for once more. When there is nothing to take
/// back, nothing changes.
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath), responses((status = 200, description = "Marks are as before", body = Marking)),
)]
pub(super) async fn undo_marks(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<Marking>, Problem> {
    changeable(&service, &caller, id)?;
    let by = By { who: Some(caller.name), at_ms: Some((service.now)()) };
    let (directory, files) = service.fleet.files(id).await?;
    beside(move || {
        let _files = files;
        change(&directory, |marks| marks.undo(&by))
    })
    .await
    .map(axum::Json)
}

impl Wanted {
    fn opinion(self) -> Option<Opinion> {
        match self {
            Self::Keep => Some(Opinion::Keep),
            Self::Drop => Some(Opinion::Drop),
            Self::None => None,
        }
    }
}

fn check(entities: &[String]) -> Result<(), Problem> {
    if entities.len() > ENTITIES_MAX {
        let problem = Problem::new(Code::Invalid, format!("{} candidates are too many", entities.len()));
        return Err(problem.hint(format!("name {ENTITIES_MAX} at a time, or choose them by a filter")));
    }
    match entities.iter().find(|entity| NamedNode::new(entity.as_str()).is_err()) {
        Some(wrong) => Err(Problem::new(Code::Invalid, format!("`{wrong}` is no IRI"))),
        None => Ok(()),
    }
}

/// Makes a change, which is on disk when this returns.
fn change<E: Into<CandidatesError>>(
    directory: &FilePath,
    change: impl FnOnce(&mut Marks) -> Result<usize, E>,
) -> Result<Marking, Problem> {
    let mut marks = Marks::of_crawl(directory).map_err(CandidatesError::from)?;
    let changed = change(&mut marks).map_err(Into::into)?;
    let of = |opinion: Opinion| marks.iter().filter(|(_, marked)| marked.opinion == opinion).count();
    Ok(Marking { changed, kept: of(Opinion::Keep), dropped: of(Opinion::Drop) })
}
