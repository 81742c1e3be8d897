//! Changes of a crawl after its start: name, limits, patterns.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use lodeward_app::crawl_change::CHANGEABLE_LIMITS;
use lodeward_app::settings::{SettingProblem, Value};
use regex::RegexBuilder;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::view::CrawlView;
use super::{CrawlPath, crawl_view, require_owned_crawl};
use crate::api::extract::{JsonBody, PathParams, QueryParams};
use crate::jobs::{CrawlChange, CrawlChangeResult, JobError};
use crate::problem::{Problem, ProblemCode, ProblemError};
use crate::role::Caller;
use crate::state::Service;

/// The maximum size of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// New values for a crawl. What is missing stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CrawlPatch {
    /// Name of the crawl.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Limits; null removes a limit.
    limits: Option<LimitPatch>,
    /// Only URIs that match one of these regular expressions are fetched; empty for all.
    include: Option<Vec<String>>,
    /// URIs that match one of these regular expressions are not fetched.
    exclude: Option<Vec<String>>,
}

/// New limits of a crawl. A limit that is missing stays as it is; null removes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_field_names,
    clippy::option_option,
    reason = "names of settings; null differs from a missing value"
)]
struct LimitPatch {
    /// Stop after this many requests.
    #[schema(value_type = Option<u64>, minimum = 1)]
    #[serde(deserialize_with = "present")]
    max_requests: Option<Option<u64>>,
    /// Stop after this many documents; 0 for no limit.
    #[schema(value_type = Option<u64>)]
    #[serde(deserialize_with = "present")]
    max_documents: Option<Option<u64>>,
    /// Stop after this many documents with RDF.
    #[schema(value_type = Option<u64>, minimum = 1)]
    #[serde(deserialize_with = "present")]
    max_rdf_documents: Option<Option<u64>>,
    /// Follow links at most this many steps from the seeds.
    #[schema(value_type = Option<u64>, minimum = 0, maximum = 65_535)]
    #[serde(deserialize_with = "present")]
    max_depth: Option<Option<u64>>,
}

/// A value that is present, and may be null.
#[expect(clippy::option_option, reason = "null differs from a missing value")]
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(deserializer).map(Some)
}

impl CrawlPatch {
    /// The change; an error names each invalid pattern.
    fn into_change(self) -> Result<CrawlChange, Problem> {
        let LimitPatch { max_requests, max_documents, max_rdf_documents, max_depth } = self.limits.unwrap_or_default();
        let limits = [max_requests, max_documents, max_rdf_documents, max_depth];
        let limits = CHANGEABLE_LIMITS.into_iter().zip(limits).filter_map(|(name, limit)| Some((name, limit?)));
        let to_value = |limit: u64| Value::from(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut settings: Vec<(String, Option<Value>)> =
            limits.map(|(name, limit)| (name.to_owned(), limit.map(to_value))).collect();
        let mut errors = Vec::new();
        for (name, patterns) in [("include", self.include), ("exclude", self.exclude)] {
            let Some(patterns) = patterns else { continue };
            errors.extend(patterns.iter().enumerate().filter_map(|(index, pattern)| {
                let built = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build();
                let detail = built.err()?.to_string();
                Some(ProblemError { at: format!("/{name}/{index}"), detail, ..ProblemError::default() })
            }));
            let is_empty = patterns.is_empty();
            settings.push((name.to_owned(), (!is_empty).then(|| patterns.into())));
        }
        if let Some(first) = errors.first() {
            let detail = format!("invalid regular expression: {}", first.detail);
            return Err(Problem::new(ProblemCode::Unprocessable, detail).with_errors(errors));
        }
        Ok(CrawlChange { name: self.name, settings })
    }
}

/// Options of a change.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct ChangeQuery {
    /// Whether nothing is changed, and the response says what the change would do.
    dry_run: bool,
}

/// What a change of a crawl does.
#[derive(Serialize, ToSchema)]
pub(super) struct CrawlChangeView {
    /// The crawl after the change; before it, for a dry run.
    crawl: CrawlView,
    /// Whether nothing was changed.
    dry_run: bool,
    /// The changed settings as text: `max-depth 2 → 5`.
    changes: Vec<String>,
    /// Number of URIs in the queue that are out of scope after the change, and are dropped.
    dropped: u64,
    /// The domains with the most of them, and their number; at most 10.
    dropped_by_domain: BTreeMap<String, u64>,
    /// Some of them, at most 10.
    examples: Vec<String>,
}

/// Change a crawl
///
/// Changes the name, limits and patterns of a crawl, also while it runs. They are stored with its settings. URIs that
/// wait and are out of scope now are dropped; links that were dropped and are in scope now are queued when nothing else
/// waits. A finished crawl can be resumed after a change. With `dry_run=true`, nothing changes.
#[utoipa::path(
    patch, path = "/api/v1/crawls/{id}", tag = "crawls",
    params(CrawlPath, ChangeQuery),
    request_body = CrawlPatch,
    responses(
        (status = 200, description = "What the change does", body = CrawlChangeView),
        (status = 409, description = "A crawl with this name already exists, or the crawl is in use by another process"),
    ),
)]
pub(super) async fn change_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(ChangeQuery { dry_run }): QueryParams<ChangeQuery>,
    JsonBody(patch): JsonBody<CrawlPatch>,
) -> Result<axum::Json<CrawlChangeView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let result = service.jobs.change(id, patch.into_change()?, dry_run).await.map_err(locate)?;
    let CrawlChangeResult { view, changes, preview } = result;
    Ok(axum::Json(CrawlChangeView {
        crawl: crawl_view(&service, view).await?,
        dry_run,
        changes: changes.iter().map(ToString::to_string).collect(),
        dropped: preview.dropped,
        dropped_by_domain: preview.domains.into_iter().collect(),
        examples: preview.examples,
    }))
}

/// A problem that names the part of the request that caused it.
fn locate(error: JobError) -> Problem {
    let place = |SettingProblem { message, hint, key, .. }: &SettingProblem| {
        let key = key.as_deref().and_then(|key| key.strip_prefix("crawl.")).unwrap_or_default();
        let at = if CHANGEABLE_LIMITS.contains(&key) { format!("/limits/{key}") } else { format!("/{key}") };
        ProblemError { at, detail: message.clone(), hint: hint.clone(), ..ProblemError::default() }
    };
    match &error {
        JobError::Config(problems) => {
            let errors: Vec<ProblemError> = problems.0.iter().map(place).collect();
            Problem::from(error).with_errors(errors)
        }
        JobError::NameTaken(_) | JobError::DataDir(_) => Problem::from(error).at("/name"),
        _ => Problem::from(error),
    }
}
