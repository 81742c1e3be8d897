//! What crawls have gathered, as files.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};
use lodeward::engine::{Ending, Report};
use lodeward::open::Shelf;
use lodeward::provenance::Names;
use lodeward::store::Store as _;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Path, Query};
use super::stream::streamed;
use crate::beside::beside;
use crate::fleet::{REPORT, View};
use crate::problem::{Code, Problem};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(nquads))
        .routes(routes!(nquads_gz))
        .routes(routes!(list_warc))
        .routes(routes!(warc))
        .routes(routes!(report))
}

/// What is written with the harvest.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Whether it is followed by where its documents come from.
    #[serde(default)]
    provenance: bool,
}

/// How the lines are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
}

/// Download the harvest
///
/// All statements of a crawl as N-Quads, as they are now; packed if the client takes
/// `gzip`.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/nquads", tag = "downloads",
    params(("id" = u32, Path, description = "The number of the crawl"), Wanted),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The harvest", body = String, content_type = "application/n-quads"),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "Another process has it"),
    ),
)]
async fn nquads(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<u32>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let packing = if takes_gzip(&headers) { Packing::Gzip } else { Packing::Plain };
    let body = harvest(&service, id, &wanted, packing).await?;
    let mut response = file(body, "application/n-quads", &format!("crawl-{id}.nq"));
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    if packing == Packing::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Download the harvest, packed
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/nquads.gz", tag = "downloads",
    params(("id" = u32, Path, description = "The number of the crawl"), Wanted),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The harvest as N-Quads in a gzip file", body = Vec<u8>, content_type = "application/gzip"),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "Another process has it"),
    ),
)]
async fn nquads_gz(
    State(service): State<Arc<Service>>,
    Path(id): Path<u32>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let body = harvest(&service, id, &wanted, Packing::Gzip).await?;
    Ok(file(body, "application/gzip", &format!("crawl-{id}.nq.gz")))
}

async fn harvest(service: &Service, id: u32, wanted: &Wanted, packing: Packing) -> Result<Body, Problem> {
    let config = service.fleet.config(id)?;
    let names = wanted.provenance.then(|| Names::new(&config.store.base, id));
    let shelf = service.fleet.shelf(id).await?;
    let seat = service.downloads.seat()?;
    Ok(streamed(seat, move |into| match packing {
        Packing::Plain => write_harvest(&shelf, names.as_ref(), into),
        Packing::Gzip => {
            let mut packed = GzEncoder::new(into, Compression::fast());
            write_harvest(&shelf, names.as_ref(), &mut packed)?;
            packed.finish().map(drop)
        }
    }))
}

fn write_harvest(shelf: &Shelf, names: Option<&Names>, into: &mut dyn Write) -> io::Result<()> {
    shelf.segments.export(into).map_err(io::Error::other)?;
    if let Some(names) = names {
        shelf.segments.export_provenance(names, into).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Whether a client says that it takes gzip (RFC 9110 §12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings = fields.flat_map(|field| field.split(','));
    codings.map(|coding| coding.trim().split(';').map(str::trim)).any(|mut parts| {
        let name = parts.next().unwrap_or_default();
        let is_refused = parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)));
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !is_refused
    })
}

fn file(body: Body, media_type: &'static str, name: &str) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    response
}

/// The recordings of a crawl.
#[derive(Serialize, Deserialize, ToSchema)]
struct Recordings {
    /// Its files, in order.
    files: Vec<Recording>,
}

/// A file with what a crawl was answered.
#[derive(Serialize, Deserialize, ToSchema)]
struct Recording {
    /// Its name.
    #[schema(examples("lodeward-00001.warc.gz"))]
    name: String,
    /// How large it is now: the last one grows while the crawl runs.
    bytes: u64,
}

/// List the recordings
///
/// The WARC files of a crawl that was begun with `warc`; none of another one.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/warc", tag = "downloads",
    params(("id" = u32, Path, description = "The number of the crawl")),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "Its files", body = Recordings),
        (status = 404, description = "There is no such crawl"),
    ),
)]
async fn list_warc(
    State(service): State<Arc<Service>>,
    Path(id): Path<u32>,
) -> Result<axum::Json<Recordings>, Problem> {
    let folder = service.fleet.directory(id)?.join("warc");
    let files = beside(move || Ok(recordings(&folder)?)).await?;
    Ok(axum::Json(Recordings { files: files.into_iter().map(|(recording, _)| recording).collect() }))
}

/// Which recording is meant.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct RecordingPath {
    /// The number of the crawl.
    id: u32,
    /// The name of the file, as it is listed.
    name: String,
}

/// Download a recording
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/warc/{name}", tag = "downloads",
    params(RecordingPath),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The file", body = Vec<u8>, content_type = "application/gzip"),
        (status = 404, description = "There is no such crawl, or no such file"),
    ),
)]
async fn warc(
    State(service): State<Arc<Service>>,
    Path(RecordingPath { id, name }): Path<RecordingPath>,
) -> Result<Response, Problem> {
    let folder = service.fleet.directory(id)?.join("warc");
    let found = beside(move || {
        // Looked up, never put together: a name is not a path.
        let found = recordings(&folder)?.into_iter().find(|(recording, _)| recording.name == name);
        found.map(|(recording, path)| Ok((recording, File::open(path)?))).transpose()
    });
    let Some((recording, opened)) = found.await? else {
        let problem = Problem::new(Code::NotFound, format!("the crawl {id} has no such file"));
        return Err(problem.hint(format!("GET /api/v1/crawls/{id}/download/warc lists what it has")));
    };
    let seat = service.downloads.seat()?;
    // As much as there was when it was looked at: it may grow.
    let body = streamed(seat, move |into| {
        let copied = io::copy(&mut opened.take(recording.bytes), into)?;
        if copied == recording.bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    });
    let mut response = file(body, "application/gzip", &recording.name);
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(recording.bytes));
    Ok(response)
}

/// The recordings in a folder, by name.
fn recordings(folder: &FilePath) -> io::Result<Vec<(Recording, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let about = entry.metadata()?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if about.is_file() && name.ends_with(".warc.gz") {
            found.push((Recording { name, bytes: about.len() }, entry.path()));
        }
    }
    found.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    Ok(found)
}

/// Download the report
///
/// The summary of a crawl: of its last run, or of what it has done so far if it runs.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/download/report", tag = "downloads",
    params(("id" = u32, Path, description = "The number of the crawl")),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The report, as `lodeward crawl --report` writes it", body = Object, content_type = "application/json"),
        (status = 404, description = "There is no such crawl, or it never ran"),
    ),
)]
async fn report(State(service): State<Arc<Service>>, Path(id): Path<u32>) -> Result<Response, Problem> {
    let view = service.fleet.get(id)?;
    let report = tokio::task::spawn_blocking(move || report_of(&service, view));
    let report = report.await.map_err(|error| Problem::internal(&error))??;
    let body = serde_json::to_vec_pretty(&report).map_err(|error| Problem::internal(&error))?;
    Ok(file(Body::from(body), "application/json", &format!("crawl-{id}.json")))
}

fn report_of(service: &Service, view: View) -> Result<Report, Problem> {
    let registry = service.fleet.registry();
    let kept = || registry.kept(view.id, REPORT).map_err(|error| Problem::internal(&error));
    if !view.state.is_active()
        && let Some(report) = kept()?
    {
        return Ok(report);
    }
    let Some(snapshot) = view.snapshot else {
        return Err(Problem::new(Code::NotFound, format!("the crawl {} has not run yet", view.id)));
    };
    let records = registry.list().map_err(|error| Problem::internal(&error))?;
    let seed = records.iter().find(|record| record.id == view.id).map_or(0, |record| record.seed);
    // One that runs could be stopped now.
    let ending = view.ending.unwrap_or(Ending::Stopped);
    Ok(Report::new(&view.name, &view.strategy, seed, ending, snapshot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_for_those_who_take_it() {
        let takes = |value: &'static str| {
            takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };

        assert!(takes("gzip") && takes("br, GZIP;q=0.5") && takes("*"));
        assert!(!takes("identity") && !takes("gzip;q=0, br") && !takes("gzip; q=0.0") && !takes(""));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
