//! Tests of the harvest of CKAN catalogues.

use bytes::Bytes;
use oxrdf::QuadRef;

use super::*;
use crate::discover;
use crate::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor};
use crate::fetch::{Representation, ResponseBody};
use crate::model::{Fault, Link, Promise};

/// The output of a step.
#[derive(Default)]
pub(in crate::discover) struct CollectedStep {
    pub(in crate::discover) quads: Vec<String>,
    pub(in crate::discover) links: Vec<Link>,
    pub(in crate::discover) next: Vec<discover::NextStep>,
    pub(in crate::discover) faults: Vec<Fault>,
}

impl ExtractSink for CollectedStep {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(format!("{} {} {}", quad.subject, quad.predicate, quad.object));
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn step(&mut self, next: discover::NextStep) {
        self.next.push(next);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

impl CollectedStep {
    pub(in crate::discover) fn steps(&self) -> Vec<&str> {
        self.next.iter().map(|next| next.uri.as_str()).collect()
    }

    fn contains(&self, statement: &str) -> bool {
        let with_names = statement
            .replace("dcat:", "http://www.w3.org/ns/dcat#")
            .replace("dct:", "http://purl.org/dc/terms/")
            .replace("void:", "http://rdfs.org/ns/void#")
            .replace("rdf:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#");
        self.quads.contains(&with_names)
    }
}

/// Takes a step with this response body.
pub(in crate::discover) fn run_step(step: &discover::Step, uri: &Uri, body: ResponseBody) -> CollectedStep {
    let mut collected = CollectedStep::default();
    let representation = Representation::new(uri.clone(), None, body);
    DocumentReader::new(ExtractOptions::default()).extract_step(step, representation, &mut collected);
    collected
}

pub(in crate::discover) fn body(text: &str) -> ResponseBody {
    ResponseBody::Buffered { bytes: Bytes::copy_from_slice(text.as_bytes()), truncation: None }
}

fn root() -> Uri {
    Uri::parse("http://a.example:5000/").unwrap()
}

fn ask(ask: CkanRequest, response: &str) -> CollectedStep {
    let next = api_url::next(&root(), ask).unwrap();
    run_step(&next.step, &next.uri, body(response))
}

fn step(request: CkanRequest) -> CkanStep {
    CkanStep { root: root(), request }
}

fn search(count: u64, packages: &[&str]) -> String {
    let packages = packages.join(",");
    format!(
        r#"{{"help": "http://a.example:5000/api/3/action/help_show?name=package_search", "success": true,
            "result": {{"count": {count}, "facets": {{}}, "results": [{packages}], "sort": "id asc"}}}}"#
    )
}

fn failure(kind: FaultKind, status: Option<u16>) -> FetchFailure {
    FetchFailure { fault: Fault::new(kind, "no"), status, retry_after_s: None, sent: true }
}

fn urls(steps: &[NextStep]) -> Vec<&str> {
    steps.iter().map(|next| next.uri.path_and_query()).collect()
}

/// As written by CKAN 2.9.
const BEES: &str = r#"{"author": "", "creator_user_id": "7f", "id": "0b1e", "isopen": true, "license_id": "cc-by",
    "license_title": "CC BY", "license_url": "http://www.opendefinition.org/licenses/cc-by", "maintainer_email": null,
    "metadata_created": "2021-03-04T05:06:07.123456", "metadata_modified": "2022-01-02T03:04:05", "name": "bees",
    "notes": "<p>All bees.</p>", "num_resources": 4, "private": false, "state": "active", "title": "Bees of the north",
    "type": "dataset", "url": "http://bees.example/", "version": null,
    "organization": {"id": "o1", "name": "hive", "title": "The Hive", "is_organization": true},
    "groups": [{"name": "insects", "title": "Insects", "display_name": "Insects"}],
    "tags": [{"display_name": "bees", "name": "bees", "state": "active"}, {"name": "honey"}],
    "extras": [{"key": "uri", "value": "http://bees.example/id/set"}, {"key": "x", "value": 7}],
    "resources": [
      {"id": "r1", "name": "Dump", "format": "gzip::ntriples", "mimetype": "application/gzip", "size": 123, "url": "http://bees.example/all.nt.gz", "url_type": null},
      {"id": "r2", "name": "Ask", "format": "api/sparql", "url": "http://bees.example/ask", "size": null},
      {"id": "r3", "format": "CSV", "url": "http://a.example:5000/dataset/0b1e/resource/r3/download/bees of 2020.csv", "url_type": "upload"},
      {"id": "r4", "format": "HTML", "url": "http://bees.example/about"},
      {"id": "r5", "format": "RDF", "url": "http://bees.example/set?id=7"}]}"#;

#[test]
fn packages_are_written_as_dcat() {
    let collected = ask(CkanRequest::Search(CkanPage::FIRST), &search(1, &[BEES]));

    let dataset = "<http://a.example:5000/dataset/0b1e>";
    let resource = |id: &str| format!("<http://a.example:5000/dataset/0b1e/resource/{id}>");
    let check = |statement: String| assert!(collected.contains(&statement), "{statement}\n{:#?}", collected.quads);
    check(format!("<http://a.example:5000/> <dcat:dataset> {dataset}"));
    check(format!("{dataset} <rdf:type> <dcat:Dataset>"));
    check(format!("{dataset} <dct:title> \"Bees of the north\""));
    check(format!("{dataset} <dct:description> \"<p>All bees.</p>\""));
    check(format!("{dataset} <dct:identifier> \"bees\""));
    check(format!("{dataset} <dcat:keyword> \"honey\""));
    check(format!("{dataset} <dcat:landingPage> <http://bees.example/>"));
    check(format!("{dataset} <dct:publisher> <http://a.example:5000/organization/hive>"));
    check(format!("{dataset} <dcat:theme> <http://a.example:5000/group/insects>"));
    check(format!("{dataset} <dct:license> <http://www.opendefinition.org/licenses/cc-by>"));
    check(format!("{dataset} <http://www.w3.org/2002/07/owl#sameAs> <http://bees.example/id/set>"));
    let time = "<http://www.w3.org/2001/XMLSchema#dateTime>";
    check(format!("{dataset} <dct:issued> \"2021-03-04T05:06:07.123456\"^^{time}"));
    check(format!("{dataset} <void:sparqlEndpoint> <http://bees.example/ask>"));
    check(format!("{dataset} <dcat:distribution> {}", resource("r1")));
    check(format!("{} <rdf:type> <dcat:Distribution>", resource("r1")));
    check(format!("{} <dcat:accessURL> <http://bees.example/all.nt.gz>", resource("r1")));
    check(format!("{} <dcat:downloadURL> <http://bees.example/all.nt.gz>", resource("r1")));
    check(format!("{} <dcat:mediaType> \"application/gzip\"", resource("r1")));
    let number = "<http://www.w3.org/2001/XMLSchema#nonNegativeInteger>";
    check(format!("{} <dcat:byteSize> \"123\"^^{number}", resource("r1")));
    let upload = "<http://a.example:5000/dataset/0b1e/resource/r3/download/bees%20of%202020.csv>";
    check(format!("{} <dcat:downloadURL> {upload}", resource("r3")));
    check(format!("{} <dcat:downloadURL> <http://bees.example/set?id=7>", resource("r5")));
    let is_download = |quad: &String| quad.contains("downloadURL") && quad.contains("about");
    assert!(!collected.quads.iter().any(is_download), "a page is not a download");
    assert!(collected.faults.is_empty(), "{:?}", collected.faults);
    assert!(collected.steps().is_empty(), "there is no further page");
}

#[test]
fn links_to_resources_have_promises() {
    let collected = ask(CkanRequest::Search(CkanPage::FIRST), &search(1, &[BEES]));

    let check = |target: &str, expected| {
        let link = collected.links.iter().find(|link| link.target.as_str() == target).unwrap();
        assert_eq!(discover::promise::from_link(link), expected, "{target}");
    };
    check("http://bees.example/all.nt.gz", Some(Promise::Dump));
    check("http://bees.example/ask", Some(Promise::Endpoint));
    check("http://bees.example/set?id=7", Some(Promise::Dump));
    check("http://bees.example/about", None);
    check("http://a.example:5000/dataset/0b1e/resource/r3/download/bees%20of%202020.csv", None);
}

#[test]
fn catalogue_of_the_orca_benchmark_matches_its_pattern() {
    let uri = "http://dump-3.example/dumpFile.ttl.tar.gz#dataset-0-resource-0";
    let package = format!(
        r#"{{"id": "1", "name": "dataset-1", "title": "Dataset {uri}", "resources": [{{"id": "2", "url": "{uri}"}}]}}"#
    );

    let collected = ask(CkanRequest::Search(CkanPage::FIRST), &search(1, &[&package]));

    let check = |statement: &str| assert!(collected.contains(statement), "{statement}");
    check("<http://a.example:5000/dataset/1> <rdf:type> <dcat:Dataset>");
    check(&format!("<http://a.example:5000/dataset/1> <dct:title> \"Dataset {uri}\""));
    let resource = "<http://a.example:5000/dataset/1/resource/2>";
    check(&format!("<http://a.example:5000/dataset/1> <dcat:distribution> {resource}"));
    check(&format!("{resource} <rdf:type> <dcat:Distribution>"));
    check(&format!("{resource} <dcat:accessURL> <{uri}>"));
    assert!(collected.links.iter().any(|link| link.target.as_str() == "http://dump-3.example/dumpFile.ttl.tar.gz"));
}

#[test]
fn malformed_packages_are_tolerated() {
    let odd = [
        "null",
        "7",
        "[[]]",
        r#"{"title": "no id"}"#,
        r#"{"id": "gone", "state": "deleted", "title": "gone"}"#,
        r#"{"id": 7, "title": {"de": "Bienen", "en": "Bees", "x y": "?", "fr": null}, "tags": "none", "resources": [
            null, 3, {"url": null}, {"url": "N/A"}, {"url": "see description"}, {"url": "www.b.example/x.ttl"},
            {"url": "/local.rdf"}, {"url": "ftp://b.example/y"}, {"url": "http://"}, {"url": "http://b.example/a|b c"},
            {"url": "C:\\x.csv"}], "organization": "hive", "groups": {"a": 1}, "extras": [[], "x"]}"#,
    ];

    let collected = ask(CkanRequest::Search(CkanPage::FIRST), &search(6, &odd));

    let accessed: Vec<_> = collected.quads.iter().filter(|quad| quad.contains("accessURL")).collect();
    let targets: Vec<_> = accessed.iter().map(|quad| quad.rsplit(' ').next().unwrap()).collect();
    let expected = [
        "<http://www.b.example/x.ttl>",
        "<http://a.example:5000/local.rdf>",
        "<ftp://b.example/y>",
        "<http://b.example/a%7Cb%20c>",
    ];
    assert_eq!(targets, expected);
    assert!(collected.contains("<http://a.example:5000/dataset/7> <dct:title> \"Bienen\"@de"));
    assert!(collected.contains("<http://a.example:5000/dataset/7> <dct:title> \"?\""));
    assert!(!collected.quads.iter().any(|quad| quad.contains("gone") || quad.contains("no id")));
    assert_eq!(collected.faults.len(), 1, "{:?}", collected.faults);
    assert!(collected.faults[0].detail.starts_with("4 invalid resource URLs"), "{:?}", collected.faults);
}

#[test]
fn pages_follow_until_the_end_of_the_catalogue() {
    let check = |page: CkanPage, count, packages: usize, expected: &[&str]| {
        let packages: Vec<_> = (0..packages).map(|id| format!("{{\"id\": \"{id}\"}}")).collect();
        let packages: Vec<_> = packages.iter().map(String::as_str).collect();
        let collected = ask(CkanRequest::Search(page), &search(count, &packages));
        let steps = collected.steps();
        let queries: Vec<_> = steps.iter().map(|step| step.split_once('?').unwrap().1).collect();
        assert_eq!(queries, expected, "{page:?} {count}");
    };
    let page = |start, rows, end| CkanPage { start, rows, end, count: Some(250) };

    check(CkanPage::FIRST, 250, 100, &["rows=100&start=100&sort=id+asc"]);
    check(page(100, 100, None), 250, 100, &["rows=100&start=200&sort=id+asc"]);
    check(page(200, 100, None), 250, 50, &[]);
    check(page(200, 100, None), 999, 0, &[]);
    // A server that returns at most ten is requested for ten.
    check(CkanPage::FIRST, 250, 10, &["rows=10&start=10&sort=id+asc"]);
    // Small pages grow again, and a part of a page ends at its end.
    check(page(25, 25, None), 250, 25, &["rows=50&start=50&sort=id+asc"]);
    check(page(25, 25, Some(50)), 250, 25, &[]);
}

#[test]
fn failed_page_is_requested_in_halves() {
    let check = |page: CkanPage, kind, status, expected: &[&str]| {
        let steps = step(CkanRequest::Search(page)).after_failure(&failure(kind, status));
        assert_eq!(urls(&steps), expected, "{page:?} {kind:?} {status:?}");
    };
    let page = |start, rows, end| CkanPage { start, rows, end, count: Some(250) };
    let search = |rows: u32, start: u32| format!("/api/3/action/package_search?rows={rows}&start={start}&sort=id+asc");

    check(page(100, 100, None), FaultKind::Status, Some(500), &[&search(50, 100), &search(50, 150)]);
    check(page(100, 3, Some(103)), FaultKind::Timeout, None, &[&search(1, 100), &search(2, 101)]);
    // The broken package is skipped, the following ones are not.
    check(page(102, 1, None), FaultKind::Status, Some(500), &[&search(2, 103)]);
    check(page(102, 1, Some(103)), FaultKind::Status, Some(500), &[]);
    check(page(249, 1, None), FaultKind::Status, Some(500), &[]);
    // If the first page fails, a smaller page is requested, then the list of names.
    check(CkanPage::FIRST, FaultKind::Timeout, None, &[&search(10, 0)]);
    let single = CkanPage { rows: 1, ..CkanPage::FIRST };
    check(single, FaultKind::Status, Some(500), &["/api/3/action/package_list?limit=1000&offset=0"]);
    // A server that rejects searches may have a list.
    for status in [400, 403, 404, 409] {
        check(CkanPage::FIRST, FaultKind::Status, Some(status), &["/api/3/action/package_list?limit=1000&offset=0"]);
        check(page(100, 100, None), FaultKind::Status, Some(status), &[]);
    }
    check(CkanPage::FIRST, FaultKind::Dns, None, &[]);
}

#[test]
fn every_package_is_received_once_or_found_broken() {
    // Requests that include package 17 or 140 of 230 fail.
    let (count, broken) = (230_u64, [17, 140]);
    let mut waiting = vec![CkanPage::FIRST];
    let mut received = vec![0_u32; 230];
    let mut requests = 0;
    while let Some(page) = waiting.pop() {
        requests += 1;
        let end = (page.start + u64::from(page.rows)).min(count);
        let fails = broken.iter().any(|&id| (page.start..end).contains(&id)) && page != CkanPage::FIRST;
        let steps = if fails {
            page.fallback_pages()
        } else {
            (page.start..end).for_each(|id| received[usize::try_from(id).unwrap()] += 1);
            page.next_page(end - page.start, count).into_iter().collect()
        };
        waiting.extend(steps);
    }

    let missing: Vec<_> = (0..230).filter(|&id| received[id] == 0).collect();
    assert_eq!(missing, [140], "the first page was received");
    assert!(received.iter().all(|&times| times <= 1));
    assert!(requests < 30, "{requests}");
}

#[test]
fn truncated_response_is_continued_where_it_ended() {
    let text = search(250, &[r#"{"id": "a"}"#, r#"{"id": "b"}"#]);
    let end = text.find(r#"{"id": "b"}"#).unwrap() + 5;
    let fault = Fault::new(FaultKind::Truncated, "the connection broke");
    let body = ResponseBody::Buffered {
        bytes: Bytes::copy_from_slice(&text.as_bytes()[..end]),
        truncation: Some(fault.clone()),
    };
    let next = api_url::next(&root(), CkanRequest::Search(CkanPage::FIRST)).unwrap();

    let collected = run_step(&next.step, &next.uri, body);

    assert!(collected.contains("<http://a.example:5000/dataset/a> <rdf:type> <dcat:Dataset>"));
    assert_eq!(collected.faults, [fault]);
    assert_eq!(collected.steps(), ["http://a.example:5000/api/3/action/package_search?rows=50&start=1&sort=id+asc"]);
}

#[test]
fn invalid_json_is_a_fault_and_requested_differently() {
    let check = |request: CkanRequest, response: &str, expected: &[&str]| {
        let collected = ask(request, response);
        assert_eq!(collected.steps(), expected, "{response}");
        assert_eq!(collected.faults.len(), 1, "{response}");
        assert!(collected.quads.is_empty());
    };
    let less = "http://a.example:5000/api/3/action/package_search?rows=10&start=0&sort=id+asc";
    let list = "http://a.example:5000/api/3/action/package_list?limit=1000&offset=0";

    check(CkanRequest::Search(CkanPage::FIRST), "<html>Please log in</html>", &[less]);
    check(CkanRequest::Search(CkanPage::FIRST), "", &[less]);
    check(CkanRequest::Search(CkanPage::FIRST), "[1, 2]", &[less]);
    check(CkanRequest::Search(CkanPage::FIRST), r#"{"success": false, "error": {"message": "no"}}"#, &[list]);
    check(CkanRequest::Show { name: "x".to_owned() }, &"[".repeat(10_000), &[]);
}

#[test]
fn names_lead_to_packages() {
    let names = |count: usize| {
        let names: Vec<_> = (0..count).map(|number| format!("\"n{number}\"")).collect();
        format!(r#"{{"success": true, "result": [{}]}}"#, names.join(","))
    };
    let list = |offset, first: Option<&str>| CkanRequest::List { offset, first: first.map(str::to_owned) };
    let show = |name: &str| format!("http://a.example:5000/api/3/action/package_show?id={name}");

    let few = r#"{"result": ["a b", "", null, {"x": 1}, "c"], "success": true}"#;
    assert_eq!(ask(list(0, None), few).steps(), [show("a+b"), show("c")]);
    let full = ask(list(0, None), &names(1000));
    assert_eq!(full.steps().len(), 1001);
    assert_eq!(full.steps()[1000], "http://a.example:5000/api/3/action/package_list?limit=1000&offset=1000");
    assert!(ask(list(1000, Some("n0")), &names(1000)).steps().is_empty(), "a repeated list is the last");
    assert_eq!(ask(list(0, None), &names(1001)).steps().len(), 1001, "a list with more than requested is complete");

    let dkan = format!(r#"{{"success": true, "result": [{BEES}]}}"#);
    let ckan = format!(r#"{{"success": true, "result": {BEES}}}"#);
    for response in [dkan, ckan] {
        let collected = ask(CkanRequest::Show { name: "bees".to_owned() }, &response);
        assert!(collected.contains("<http://a.example:5000/dataset/0b1e> <rdf:type> <dcat:Dataset>"));
    }
}

#[test]
fn page_of_a_catalogue_shows_the_location_of_its_api() {
    let check = |page: &str, generator: Option<&str>, site_root: Option<&str>, expected: Option<&str>| {
        let next = detect_catalogue(&Uri::parse(page).unwrap(), generator, site_root);
        let root = next.map(|next| next.step.service().to_owned());
        assert_eq!(root.as_deref(), expected, "{page} {generator:?} {site_root:?}");
    };
    let ckan = Some("ckan 2.9.5");

    check("http://a.example:5000/", ckan, None, Some("http://a.example:5000/"));
    check("http://a.example/", Some("WordPress 6"), None, None);
    check("http://a.example/", None, Some("http://a.example/"), None);
    check(
        "https://a.example/data/en/dataset/x?page=2",
        ckan,
        Some("http://a.example/data/"),
        Some("https://a.example/data/"),
    );
    check("http://a.example/data/dataset/x", ckan, None, Some("http://a.example/data/"));
    check("http://a.example/datasets/x", ckan, None, Some("http://a.example/"));
    check("http://a.example/", ckan, Some("http://internal:8080/"), Some("http://a.example/"));
    check("http://a.example/", ckan, Some("::"), Some("http://a.example/"));
}

#[test]
fn link_to_the_api_or_its_redirect_shows_its_location() {
    let root_at = |uri: &str| CkanStep::first(&Uri::parse(uri).unwrap()).map(|step| step.root.to_string());

    assert_eq!(root_at("http://b.example/data/api/3/action/package_show?id=7").unwrap(), "http://b.example/data/");
    assert_eq!(root_at("http://b.example/api/3").unwrap(), "http://b.example/");
    assert_eq!(root_at("http://b.example/api/action/package_list").unwrap(), "http://b.example/");
    assert_eq!(root_at("http://b.example/api/30/x"), None);
    assert_eq!(root_at("http://b.example/dataset"), None);

    let linked = step(CkanRequest::Linked);
    let collected = run_step(&discover::Step::from(linked.clone()), &root(), body("{\"version\": 3}"));
    assert_eq!(collected.steps(), ["http://a.example:5000/api/3/action/package_search?rows=100&start=0&sort=id+asc"]);
    assert_eq!(linked.after_failure(&failure(FaultKind::Status, Some(404))).len(), 1);

    let search = step(CkanRequest::Search(CkanPage::FIRST));
    let target = Uri::parse("https://www.b.example/api/3/action/package_search?rows=100").unwrap();
    assert_eq!(search.redirect_to(&target).unwrap().root.as_str(), "https://www.b.example/");
    assert_eq!(search.redirect_to(&Uri::parse("https://b.example/login").unwrap()), None);
}
