//! CKAN catalogues like those of CKAN 2.9: HTML pages, and the action API.
//!
//! A catalogue has one dataset for each link to another node. Its only resource is that node.

use std::fmt::Write as _;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::node::{OrcaNode, uuid};
use super::parameters::CkanParameters;
use crate::message::{WebBody, WebRequest, WebResponse};
use crate::world::chance_stream::{ChanceStream, ChanceTopic};
use crate::world::responses::{body_response, error_response, html_response, text_response};

/// The `Crawl-delay` of CKAN's own robots.txt, in seconds.
pub(super) const CRAWL_DELAY_S: u32 = 10;
const ROBOTS: &str = "User-agent: *\nDisallow: /dataset/rate/\nDisallow: /revision/\nDisallow: /dataset/*/history\n\
                      Disallow: /api/\nCrawl-Delay: 10\n";
const VERSION: &str = "2.9.9";
const DEFAULT_ROWS: usize = 10;
const MAX_ROWS: usize = 1_000;
const DATASETS_PER_PAGE: usize = 20;

/// One dataset of a catalogue.
struct CkanDataset {
    name: String,
    id: String,
    resource_id: String,
    /// The URL of its resource.
    url: String,
}

impl CkanDataset {
    fn title(&self) -> String {
        dataset_title(&self.url)
    }
}

/// The title of a dataset.
pub(super) fn dataset_title(url: &str) -> String {
    format!("Dataset {url}")
}

/// The response of a catalogue.
pub(super) fn respond(
    parameters: &CkanParameters,
    nodes: &[OrcaNode],
    node: &OrcaNode,
    request: &WebRequest,
) -> WebResponse {
    let path = request.url.path();
    let action = ["/api/3/action/", "/api/action/"].iter().find_map(|prefix| path.strip_prefix(prefix));
    if let Some(action) = action {
        return CkanCall::read(request, &datasets(nodes, node), node)
            .map_or_else(|rejection| *rejection, |call| call.respond(action));
    }
    if request.method == http::Method::POST {
        return error_response(StatusCode::METHOD_NOT_ALLOWED);
    }
    let datasets = datasets(nodes, node);
    match path {
        "/robots.txt" if parameters.robots => text_response(Some("text/plain"), ROBOTS.to_owned()),
        "/" => html_response(page("Welcome", &front_page(&datasets))),
        "/dataset" | "/dataset/" => html_response(page("Dataset", &listing_page(&datasets, &request.url))),
        "/api/3" | "/api/3/" => json_response(StatusCode::OK, &json!({"version": 3})),
        path => {
            let found =
                find_dataset(&datasets, path.strip_prefix("/dataset/").unwrap_or_default().trim_end_matches('/'));
            found.map_or_else(
                || error_response(StatusCode::NOT_FOUND),
                |it| html_response(page(&it.title(), &dataset_page(it))),
            )
        }
    }
}

/// The dataset at `name`, or at `name/resource/id`, a page of its own with the same content.
fn find_dataset<'a>(datasets: &'a [CkanDataset], path: &str) -> Option<&'a CkanDataset> {
    let (name, resource) = path.split_once("/resource/").map_or((path, None), |(name, id)| (name, Some(id)));
    let mut datasets = datasets.iter();
    datasets.find(|it| (it.name == name || it.id == name) && resource.is_none_or(|id| id == it.resource_id))
}

fn datasets(nodes: &[OrcaNode], node: &OrcaNode) -> Vec<CkanDataset> {
    let links = node.links.iter().zip(1..);
    links
        .map(|((_, to), number)| {
            let chance = &mut ChanceStream::new(u64::from(node.number), ChanceTopic::NodeStyle, number, *to);
            let name = format!("dataset-{number}");
            CkanDataset { name, id: uuid(chance), resource_id: uuid(chance), url: nodes[*to as usize].entry_uri() }
        })
        .collect()
}

/// A call of the action API.
struct CkanCall<'a> {
    datasets: &'a [CkanDataset],
    parameters: Map<String, Value>,
    site: String,
}

/// The status and error object of a failed API call.
struct CkanRefusal {
    status: StatusCode,
    error: Value,
}

type CkanOutcome = Result<Value, CkanRefusal>;

impl<'a> CkanCall<'a> {
    /// Reads the parameters from the URL and from a posted JSON object.
    fn read(request: &WebRequest, datasets: &'a [CkanDataset], node: &OrcaNode) -> Result<Self, Box<WebResponse>> {
        let mut parameters = Map::new();
        if request.method == http::Method::POST && !request.body.is_empty() {
            match serde_json::from_slice(&request.body) {
                Ok(Value::Object(object)) => parameters = object,
                _ => {
                    let problem = json!("Bad request - JSON Error: No request body data");
                    return Err(Box::new(json_response(StatusCode::BAD_REQUEST, &problem)));
                }
            }
        }
        parameters.extend(request.url.query_pairs().map(|(name, value)| (name.into_owned(), value.as_ref().into())));
        Ok(Self { datasets, parameters, site: format!("http://{}:5000", node.host()) })
    }

    fn respond(&self, action: &str) -> WebResponse {
        let action = action.trim_end_matches('/');
        let outcome = match action {
            "package_search" => self.package_search(),
            "package_list" => self.package_list(),
            "package_show" => self.package_show(),
            "status_show" => Ok(self.status()),
            "site_read" => Ok(Value::Bool(true)),
            unknown => {
                let problem = json!(format!("Bad request - Action name not known: {unknown}"));
                return json_response(StatusCode::BAD_REQUEST, &problem);
            }
        };
        let help = format!("{}/api/3/action/help_show?name={action}", self.site);
        match outcome {
            Ok(result) => json_response(StatusCode::OK, &json!({"help": help, "success": true, "result": result})),
            Err(CkanRefusal { status, error }) => {
                json_response(status, &json!({"help": help, "success": false, "error": error}))
            }
        }
    }

    fn text_parameter(&self, name: &str) -> Option<String> {
        match self.parameters.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    fn number_parameter(&self, name: &str, default: usize) -> Result<usize, CkanRefusal> {
        let Some(text) = self.text_parameter(name) else { return Ok(default) };
        text.trim().parse().map_err(|_| {
            let problem = if text.trim().starts_with('-') { "Must be a natural number" } else { "Invalid integer" };
            validation_error(name, problem)
        })
    }

    fn package_search(&self) -> CkanOutcome {
        let rows = self.number_parameter("rows", DEFAULT_ROWS)?.min(MAX_ROWS);
        let start = self.number_parameter("start", 0)?;
        let query = self.text_parameter("q").unwrap_or_default().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().filter(|word| *word != "*:*").collect();
        let matches = |dataset: &&CkanDataset| {
            let text = format!("{} {}", dataset.name, dataset.title()).to_lowercase();
            words.iter().all(|word| text.contains(word.trim_matches('"')))
        };
        let mut found: Vec<&CkanDataset> = self.datasets.iter().filter(matches).collect();
        let sort = self.text_parameter("sort").filter(|sort| !sort.trim().is_empty());
        let sort = sort.unwrap_or_else(|| "score desc, metadata_modified desc".to_owned());
        sort_by(&mut found, &sort)?;
        let results: Vec<Value> = found.iter().skip(start).take(rows).map(|dataset| dataset_json(dataset)).collect();
        Ok(json!({
            "count": found.len(), "facets": {}, "results": results, "sort": sort, "search_facets": {},
        }))
    }

    fn package_list(&self) -> CkanOutcome {
        let (offset, limit) = (self.number_parameter("offset", 0)?, self.number_parameter("limit", usize::MAX)?);
        let mut names: Vec<&str> = self.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
        names.sort_unstable();
        Ok(names.into_iter().skip(offset).take(limit).collect())
    }

    fn package_show(&self) -> CkanOutcome {
        let Some(id) = self.text_parameter("id").or_else(|| self.text_parameter("name_or_id")) else {
            return Err(validation_error("name_or_id", "Missing value"));
        };
        let found = self.datasets.iter().find(|dataset| dataset.name == id || dataset.id == id);
        found.map(dataset_json).ok_or_else(|| CkanRefusal {
            status: StatusCode::NOT_FOUND,
            error: json!({"__type": "Not Found Error", "message": "Not found"}),
        })
    }

    fn status(&self) -> Value {
        json!({
            "ckan_version": VERSION, "site_url": self.site, "site_title": "CKAN", "site_description": "",
            "error_emails_to": null, "locale_default": "en", "extensions": ["stats", "text_view", "image_view"],
        })
    }
}

fn sort_by(found: &mut [&CkanDataset], sort: &str) -> Result<(), CkanRefusal> {
    for part in sort.split(',').rev() {
        let mut words = part.split_whitespace();
        let (field, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or("asc"));
        match field {
            "name" | "id" => found.sort_by(|one, other| one.name.cmp(&other.name)),
            "title" | "title_string" => found.sort_by_key(|dataset| dataset.title()),
            // All datasets have the same score and the same dates, so these fields do not change the order.
            "score" | "metadata_modified" | "metadata_created" => continue,
            _ => {
                let message = format!("Search Query is invalid: sort field `{field}`");
                let error = json!({"__type": "Search Query Error", "message": message});
                return Err(CkanRefusal { status: StatusCode::CONFLICT, error });
            }
        }
        if direction == "desc" {
            found.reverse();
        }
    }
    Ok(())
}

fn validation_error(name: &str, problem: &str) -> CkanRefusal {
    CkanRefusal { status: StatusCode::CONFLICT, error: json!({name: [problem], "__type": "Validation Error"}) }
}

const DATE: &str = "2020-03-18T12:00:00.000000";

fn dataset_json(dataset: &CkanDataset) -> Value {
    json!({
        "id": dataset.id, "name": dataset.name, "title": dataset.title(), "type": "dataset", "state": "active",
        "private": false, "isopen": false, "license_id": null, "author": null, "maintainer": null, "notes": null,
        "url": null, "version": null, "owner_org": null, "organization": null, "metadata_created": DATE,
        "metadata_modified": DATE, "num_resources": 1, "num_tags": 0, "tags": [], "groups": [], "extras": [],
        "resources": [resource_json(dataset)],
    })
}

fn resource_json(dataset: &CkanDataset) -> Value {
    json!({
        "id": dataset.resource_id, "package_id": dataset.id, "url": dataset.url, "name": null, "description": "",
        "format": "", "mimetype": null, "hash": "", "position": 0, "state": "active", "size": null,
        "created": DATE, "last_modified": null, "metadata_modified": DATE, "url_type": null, "resource_type": null,
    })
}

fn json_response(status: StatusCode, value: &Value) -> WebResponse {
    let body = WebBody::Whole(value.to_string().into());
    WebResponse { status, ..body_response(Some("application/json;charset=utf-8"), body) }
}

fn page(title: &str, main: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n<meta name=\"generator\" \
         content=\"ckan {VERSION}\" />\n<title>{title} - CKAN</title>\n</head>\n<body \
         data-site-root=\"/\">\n<nav><a href=\"/dataset/\">Datasets</a> <a \
         href=\"/organization/\">Organizations</a> <a href=\"/about\">About</a></nav>\n{main}\n<footer><a \
         href=\"http://docs.ckan.org/en/2.9/api/\">CKAN API</a></footer>\n</body>\n</html>\n"
    )
}

fn front_page(datasets: &[CkanDataset]) -> String {
    format!("<h1>Welcome to CKAN</h1>\n<p><a href=\"/dataset/\">{} datasets</a></p>", datasets.len())
}

fn listing_page(datasets: &[CkanDataset], url: &url::Url) -> String {
    let requested = url.query_pairs().find(|(name, _)| name == "page").and_then(|(_, value)| value.parse().ok());
    let number: usize = requested.unwrap_or(1).max(1);
    let mut list = format!("<h1>{} datasets found</h1>\n<ul>\n", datasets.len());
    for dataset in datasets.iter().skip((number - 1).saturating_mul(DATASETS_PER_PAGE)).take(DATASETS_PER_PAGE) {
        let _ = writeln!(list, "<li><a href=\"/dataset/{}\">{}</a></li>", dataset.name, dataset.title());
    }
    list.push_str("</ul>\n<p>");
    for other in 1..=datasets.len().div_ceil(DATASETS_PER_PAGE) {
        let _ = write!(list, "<a href=\"/dataset/?page={other}\">{other}</a> ");
    }
    list + "</p>"
}

fn dataset_page(dataset: &CkanDataset) -> String {
    let CkanDataset { name, resource_id, url, .. } = dataset;
    let title = dataset.title();
    format!(
        "<h1>{title}</h1>\n<ul>\n<li><a href=\"/dataset/{name}/resource/{resource_id}\">Unnamed resource</a> <a \
         class=\"resource-url-analytics\" href=\"{url}\">Go to resource</a></li>\n</ul>"
    )
}
