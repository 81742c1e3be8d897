//! CKAN catalogues, as CKAN 2.9 answers: pages for people, and the action API.
//!
//! There is one dataset for each link to another node, with one resource,
//! which is that node.

use std::fmt::Write as _;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::node::{Node, uuid};
use super::parameters::Ckan;
use crate::message::{Body, Request, Response};
use crate::world::answer::{failure, html, text, with_body};
use crate::world::chance::{Chance, Matter};

/// What CKAN's own robots.txt asks for.
pub(super) const CRAWL_DELAY_S: u32 = 10;
const ROBOTS: &str = "User-agent: *\nDisallow: /dataset/rate/\nDisallow: /revision/\nDisallow: /dataset/*/history\n\
                      Disallow: /api/\nCrawl-Delay: 10\n";
const VERSION: &str = "2.9.9";
const ROWS_DEFAULT: usize = 10;
const ROWS_MAX: usize = 1_000;
const DATASETS_PER_PAGE: usize = 20;

/// One dataset of a catalogue.
struct Dataset {
    name: String,
    id: String,
    resource_id: String,
    /// What its resource is.
    url: String,
}

impl Dataset {
    fn title(&self) -> String {
        title(&self.url)
    }
}

/// What a dataset is called.
pub(super) fn title(url: &str) -> String {
    format!("Dataset {url}")
}

/// The answer of a catalogue.
pub(super) fn respond(parameters: &Ckan, nodes: &[Node], node: &Node, request: &Request) -> Response {
    let path = request.url.path();
    let action = ["/api/3/action/", "/api/action/"].iter().find_map(|prefix| path.strip_prefix(prefix));
    if let Some(action) = action {
        return Call::read(request, &datasets(nodes, node), node)
            .map_or_else(|refusal| *refusal, |call| call.answer(action));
    }
    if request.method == http::Method::POST {
        return failure(StatusCode::METHOD_NOT_ALLOWED);
    }
    let datasets = datasets(nodes, node);
    match path {
        "/robots.txt" if parameters.robots => text(Some("text/plain"), ROBOTS.to_owned()),
        "/" => html(page("Welcome", &front(&datasets))),
        "/dataset" | "/dataset/" => html(page("Dataset", &listing(&datasets, &request.url))),
        "/api/3" | "/api/3/" => json_response(StatusCode::OK, &json!({"version": 3})),
        path => {
            let found = named(&datasets, path.strip_prefix("/dataset/").unwrap_or_default().trim_end_matches('/'));
            found.map_or_else(|| failure(StatusCode::NOT_FOUND), |it| html(page(&it.title(), &shown(it))))
        }
    }
}

/// The dataset of `name`, or of `name/resource/id`, which is a page of its own
/// and says the same.
fn named<'a>(datasets: &'a [Dataset], path: &str) -> Option<&'a Dataset> {
    let (name, resource) = path.split_once("/resource/").map_or((path, None), |(name, id)| (name, Some(id)));
    let mut datasets = datasets.iter();
    datasets.find(|it| (it.name == name || it.id == name) && resource.is_none_or(|id| id == it.resource_id))
}

fn datasets(nodes: &[Node], node: &Node) -> Vec<Dataset> {
    let links = node.links.iter().zip(1..);
    links
        .map(|((_, to), number)| {
            let chance = &mut Chance::of(u64::from(node.number), Matter::Manner, number, *to);
            let name = format!("dataset-{number}");
            Dataset { name, id: uuid(chance), resource_id: uuid(chance), url: nodes[*to as usize].access() }
        })
        .collect()
}

/// A call of the action API.
struct Call<'a> {
    datasets: &'a [Dataset],
    parameters: Map<String, Value>,
    site: String,
}

/// Why a call has no result.
struct Refusal {
    status: StatusCode,
    error: Value,
}

type Outcome = Result<Value, Refusal>;

impl<'a> Call<'a> {
    /// Parameters come in the URL, or as a JSON object that is posted.
    fn read(request: &Request, datasets: &'a [Dataset], node: &Node) -> Result<Self, Box<Response>> {
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

    fn answer(&self, action: &str) -> Response {
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
            Err(Refusal { status, error }) => {
                json_response(status, &json!({"help": help, "success": false, "error": error}))
            }
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.parameters.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    fn number(&self, name: &str, default: usize) -> Result<usize, Refusal> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.trim().parse().map_err(|_| {
            let problem = if text.trim().starts_with('-') { "Must be a natural number" } else { "Invalid integer" };
            invalid(name, problem)
        })
    }

    fn package_search(&self) -> Outcome {
        let rows = self.number("rows", ROWS_DEFAULT)?.min(ROWS_MAX);
        let start = self.number("start", 0)?;
        let query = self.text("q").unwrap_or_default().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().filter(|word| *word != "*:*").collect();
        let matches = |dataset: &&Dataset| {
            let text = format!("{} {}", dataset.name, dataset.title()).to_lowercase();
            words.iter().all(|word| text.contains(word.trim_matches('"')))
        };
        let mut found: Vec<&Dataset> = self.datasets.iter().filter(matches).collect();
        let sort = self.text("sort").filter(|sort| !sort.trim().is_empty());
        let sort = sort.unwrap_or_else(|| "score desc, metadata_modified desc".to_owned());
        sort_by(&mut found, &sort)?;
        let results: Vec<Value> = found.iter().skip(start).take(rows).map(|dataset| described(dataset)).collect();
        Ok(json!({
            "count": found.len(), "facets": {}, "results": results, "sort": sort, "search_facets": {},
        }))
    }

    fn package_list(&self) -> Outcome {
        let (offset, limit) = (self.number("offset", 0)?, self.number("limit", usize::MAX)?);
        let mut names: Vec<&str> = self.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
        names.sort_unstable();
        Ok(names.into_iter().skip(offset).take(limit).collect())
    }

    fn package_show(&self) -> Outcome {
        let Some(id) = self.text("id").or_else(|| self.text("name_or_id")) else {
            return Err(invalid("name_or_id", "Missing value"));
        };
        let found = self.datasets.iter().find(|dataset| dataset.name == id || dataset.id == id);
        found.map(described).ok_or_else(|| Refusal {
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

fn sort_by(found: &mut [&Dataset], sort: &str) -> Result<(), Refusal> {
    for part in sort.split(',').rev() {
        let mut words = part.split_whitespace();
        let (field, direction) = (words.next().unwrap_or_default(), words.next().unwrap_or("asc"));
        match field {
            "name" | "id" => found.sort_by(|one, other| one.name.cmp(&other.name)),
            "title" | "title_string" => found.sort_by_key(|dataset| dataset.title()),
            // All are as relevant and as old as each other.
            "score" | "metadata_modified" | "metadata_created" => continue,
            _ => {
                let message = format!("Search Query is invalid: sort field `{field}`");
                let error = json!({"__type": "Search Query Error", "message": message});
                return Err(Refusal { status: StatusCode::CONFLICT, error });
            }
        }
        if direction == "desc" {
            found.reverse();
        }
    }
    Ok(())
}

fn invalid(name: &str, problem: &str) -> Refusal {
    Refusal { status: StatusCode::CONFLICT, error: json!({name: [problem], "__type": "Validation Error"}) }
}

const DATE: &str = "2020-03-18T12:00:00.000000";

fn described(dataset: &Dataset) -> Value {
    json!({
        "id": dataset.id, "name": dataset.name, "title": dataset.title(), "type": "dataset", "state": "active",
        "private": false, "isopen": false, "license_id": null, "author": null, "maintainer": null, "notes": null,
        "url": null, "version": null, "owner_org": null, "organization": null, "metadata_created": DATE,
        "metadata_modified": DATE, "num_resources": 1, "num_tags": 0, "tags": [], "groups": [], "extras": [],
        "resources": [resource(dataset)],
    })
}

fn resource(dataset: &Dataset) -> Value {
    json!({
        "id": dataset.resource_id, "package_id": dataset.id, "url": dataset.url, "name": null, "description": "",
        "format": "", "mimetype": null, "hash": "", "position": 0, "state": "active", "size": null,
        "created": DATE, "last_modified": null, "metadata_modified": DATE, "url_type": null, "resource_type": null,
    })
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    let body = Body::Whole(value.to_string().into());
    Response { status, ..with_body(Some("application/json;charset=utf-8"), body) }
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

fn front(datasets: &[Dataset]) -> String {
    format!("<h1>Welcome to CKAN</h1>\n<p><a href=\"/dataset/\">{} datasets</a></p>", datasets.len())
}

fn listing(datasets: &[Dataset], url: &url::Url) -> String {
    let asked = url.query_pairs().find(|(name, _)| name == "page").and_then(|(_, value)| value.parse().ok());
    let number: usize = asked.unwrap_or(1).max(1);
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

fn shown(dataset: &Dataset) -> String {
    let Dataset { name, resource_id, url, .. } = dataset;
    let title = dataset.title();
    format!(
        "<h1>{title}</h1>\n<ul>\n<li><a href=\"/dataset/{name}/resource/{resource_id}\">Unnamed resource</a> <a \
         class=\"resource-url-analytics\" href=\"{url}\">Go to resource</a></li>\n</ul>"
    )
}
