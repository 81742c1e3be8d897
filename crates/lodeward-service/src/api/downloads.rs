//! Downloads: harvest, recordings and report of a crawl.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};
use lodeward::engine::StopReason;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::file_export::write_harvest_to;
use lodeward_app::provenance::GraphNames;
use lodeward_app::report::CrawlReport;
use lodeward_rdf::RdfFormat;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{PathParams, QueryParams};
use super::streaming::{download_slot, stream_body};
use crate::blocking::run_blocking;
use crate::jobs::JobView;
use crate::json_encoding::accepts_gzip;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;
use lodeward_app::session::REPORT_FILE;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new()
        .routes(reads.on(routes!(download_nquads)))
        .routes(reads.on(routes!(download_nquads_gz)))
        .routes(reads.on(routes!(list_recordings)))
        .routes(reads.on(routes!(download_recording)))
        .routes(reads.on(routes!(download_report)))
}

/// Options of a download of the harvest.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct HarvestQuery {
    /// Whether to include the provenance of the documents.
    #[serde(default)]
    provenance: bool,
}

/// Compression of the download.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DownloadPacking {
    Plain,
    Gzip,
}

/// Download the harvest
///
/// All current statements of a crawl as N-Quads, compressed if the client accepts `gzip`.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/nquads", tag = "downloads",
    params(("id" = u32, Path, description = "ID of the crawl"), HarvestQuery),
    responses(
        (status = 200, description = "The harvest", body = String, content_type = "application/n-quads"),
        (status = 404, description = "No such crawl"),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
async fn download_nquads(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    PathParams(id): PathParams<u32>,
    QueryParams(query): QueryParams<HarvestQuery>,
) -> Result<Response, Problem> {
    let packing = if accepts_gzip(&headers) { DownloadPacking::Gzip } else { DownloadPacking::Plain };
    let body = harvest_body(&service, id, &query, packing).await?;
    let mut response = attachment(body, "application/n-quads", &format!("crawl-{id}.nq"));
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    if packing == DownloadPacking::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Download the harvest as a gzip file
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/nquads.gz", tag = "downloads",
    params(("id" = u32, Path, description = "ID of the crawl"), HarvestQuery),
    responses(
        (status = 200, description = "The harvest as N-Quads in a gzip file", body = Vec<u8>, content_type = "application/gzip"),
        (status = 404, description = "No such crawl"),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
async fn download_nquads_gz(
    State(service): State<Arc<Service>>,
    PathParams(id): PathParams<u32>,
    QueryParams(query): QueryParams<HarvestQuery>,
) -> Result<Response, Problem> {
    let body = harvest_body(&service, id, &query, DownloadPacking::Gzip).await?;
    Ok(attachment(body, "application/gzip", &format!("crawl-{id}.nq.gz")))
}

async fn harvest_body(
    service: &Service,
    id: u32,
    query: &HarvestQuery,
    packing: DownloadPacking,
) -> Result<Body, Problem> {
    let config = service.jobs.config(id)?;
    let names = query.provenance.then(|| GraphNames::new(&config.store.graph_base_iri, id));
    let open_crawl = service.jobs.open_crawl(id).await?;
    let slot = download_slot(&service.downloads)?;
    Ok(stream_body(slot, move |into| match packing {
        DownloadPacking::Plain => write_harvest(&open_crawl, names.as_ref(), into),
        DownloadPacking::Gzip => {
            let mut encoder = GzEncoder::new(into, Compression::fast());
            write_harvest(&open_crawl, names.as_ref(), &mut encoder)?;
            encoder.finish().map(drop)
        }
    }))
}

fn write_harvest(open_crawl: &OpenCrawl, names: Option<&GraphNames>, into: &mut dyn Write) -> io::Result<()> {
    write_harvest_to(&open_crawl.segments, into, RdfFormat::NQuads, names).map(drop).map_err(io::Error::other)
}

fn attachment(body: Body, media_type: &'static str, name: &str) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    response
}

/// The recordings of a crawl.
#[derive(Serialize, Deserialize, ToSchema)]
struct RecordingList {
    /// WARC files, in order.
    files: Vec<RecordingView>,
}

/// A WARC file with the responses of a crawl.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Recording)]
struct RecordingView {
    /// File name.
    #[schema(examples("lodeward-00001.warc.gz"))]
    name: String,
    /// Current size in bytes; the last file grows while the crawl runs.
    bytes: u64,
}

/// List the recordings
///
/// The WARC files of a crawl that was started with `record_warc`; empty for other crawls.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/warc", tag = "downloads",
    params(("id" = u32, Path, description = "ID of the crawl")),
    responses(
        (status = 200, description = "WARC files", body = RecordingList),
        (status = 404, description = "No such crawl"),
    ),
)]
async fn list_recordings(
    State(service): State<Arc<Service>>,
    PathParams(id): PathParams<u32>,
) -> Result<axum::Json<RecordingList>, Problem> {
    let dir = service.jobs.crawl_dir(id)?.join("warc");
    let files = run_blocking(move || Ok(find_recordings(&dir)?)).await?;
    Ok(axum::Json(RecordingList { files: files.into_iter().map(|(recording, _)| recording).collect() }))
}

/// Path parameters that select a recording.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct RecordingPath {
    /// ID of the crawl.
    id: u32,
    /// File name, as listed.
    name: String,
}

/// Download a recording
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/warc/{name}", tag = "downloads",
    params(RecordingPath),
    responses(
        (status = 200, description = "The file", body = Vec<u8>, content_type = "application/gzip"),
        (status = 404, description = "No such crawl, or no such file"),
    ),
)]
async fn download_recording(
    State(service): State<Arc<Service>>,
    PathParams(RecordingPath { id, name }): PathParams<RecordingPath>,
) -> Result<Response, Problem> {
    let dir = service.jobs.crawl_dir(id)?.join("warc");
    let found = run_blocking(move || {
        // The name is compared with existing files, never used as a path.
        let found = find_recordings(&dir)?.into_iter().find(|(recording, _)| recording.name == name);
        found.map(|(recording, path)| Ok((recording, File::open(path)?))).transpose()
    });
    let Some((recording, opened)) = found.await? else {
        let problem = Problem::new(ProblemCode::NotFound, format!("crawl {id} has no such file"));
        return Err(problem.hint(format!("GET /api/v1/crawls/{id}/download/warc lists its files")));
    };
    let slot = download_slot(&service.downloads)?;
    // The size is determined once, because the file may grow during the download.
    let body = stream_body(slot, move |into| {
        let copied = io::copy(&mut opened.take(recording.bytes), into)?;
        if copied == recording.bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    });
    let mut response = attachment(body, "application/gzip", &recording.name);
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(recording.bytes));
    Ok(response)
}

/// The recordings in a directory, by name.
fn find_recordings(dir: &FilePath) -> io::Result<Vec<(RecordingView, PathBuf)>> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if metadata.is_file() && name.ends_with(".warc.gz") {
            found.push((RecordingView { name, bytes: metadata.len() }, entry.path()));
        }
    }
    found.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    Ok(found)
}

/// Download the report
///
/// The report of the last run, or the current counters if the crawl runs.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/report", tag = "downloads",
    params(("id" = u32, Path, description = "ID of the crawl")),
    responses(
        (status = 200, description = "The report, as `lodeward crawl --report` writes it", body = Object, content_type = "application/json"),
        (status = 404, description = "No such crawl, or it never ran"),
    ),
)]
async fn download_report(
    State(service): State<Arc<Service>>,
    PathParams(id): PathParams<u32>,
) -> Result<Response, Problem> {
    let view = service.jobs.get(id)?;
    let report = tokio::task::spawn_blocking(move || crawl_report(&service, view));
    let report = report.await.map_err(|error| Problem::internal(&error))??;
    let body = serde_json::to_vec_pretty(&report).map_err(|error| Problem::internal(&error))?;
    Ok(attachment(Body::from(body), "application/json", &format!("crawl-{id}.json")))
}

fn crawl_report(service: &Service, view: JobView) -> Result<CrawlReport, Problem> {
    let data_dir = service.jobs.data_dir();
    let stored = || data_dir.crawl(view.id).read_json(REPORT_FILE).map_err(|error| Problem::internal(&error));
    if !view.state.is_active()
        && let Some(report) = stored()?
    {
        return Ok(report);
    }
    let Some(snapshot) = view.snapshot else {
        return Err(Problem::new(ProblemCode::NotFound, format!("crawl {} has not run yet", view.id)));
    };
    let records = data_dir.list().map_err(|error| Problem::internal(&error))?;
    let seed = records.iter().find(|record| record.id == view.id).map_or(0, |record| record.rng_seed);
    // A running crawl is reported as if it were stopped now.
    let ending = view.stop_reason.unwrap_or(StopReason::Stopped);
    Ok(CrawlReport::new(&view.name, &view.strategy, seed, ending, snapshot))
}
