use bytes::Bytes;
use oxrdf::QuadRef;

use super::*;
use crate::discover;
use crate::extract::{Extractor, Options, Reader, Sink};
use crate::fetch::{Body, Representation};
use crate::model::{Fault, Link, Via};

/// What came out of an answer.
#[derive(Default)]
pub(in crate::discover) struct Basket {
    pub(in crate::discover) quads: Vec<String>,
    pub(in crate::discover) links: Vec<Link>,
    pub(in crate::discover) faults: Vec<Fault>,
}

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(format!("{} {} {}", quad.subject, quad.predicate, quad.object));
    }

    fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

impl Basket {
    pub(in crate::discover) fn steps(&self) -> Vec<&str> {
        self.links.iter().filter(|link| link.via.step().is_some()).map(|link| link.target.as_str()).collect()
    }

    fn says(&self, statement: &str) -> bool {
        let with_names = statement
            .replace("dcat:", "http://www.w3.org/ns/dcat#")
            .replace("dct:", "http://purl.org/dc/terms/")
            .replace("void:", "http://rdfs.org/ns/void#")
            .replace("rdf:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#");
        self.quads.contains(&with_names)
    }
}

/// Takes a step that is answered with this.
pub(in crate::discover) fn take(step: &discover::Step, uri: &Uri, body: Body) -> Basket {
    let mut basket = Basket::default();
    let representation = Representation {
        uri: uri.clone(),
        status: 200,
        content_type: None,
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body,
    };
    Reader::new(Options::default()).take_step(step, representation, &mut basket);
    basket
}

pub(in crate::discover) fn whole(text: &str) -> Body {
    Body::Whole { bytes: Bytes::copy_from_slice(text.as_bytes()), cut: None }
}

fn root() -> Uri {
    Uri::parse("http://a.example:5000/").unwrap()
}

fn ask(ask: Ask, answer: &str) -> Basket {
    let next = place::next(&root(), ask).unwrap();
    take(&next.step, &next.uri, whole(answer))
}

fn step(ask: Ask) -> Step {
    Step { root: root(), ask }
}

fn search(count: u64, packages: &[&str]) -> String {
    let packages = packages.join(",");
    format!(
        r#"{{"help": "http://a.example:5000/api/3/action/help_show?name=package_search", "success": true,
            "result": {{"count": {count}, "facets": {{}}, "results": [{packages}], "sort": "id asc"}}}}"#
    )
}

fn refusal(kind: FaultKind, status: Option<u16>) -> Refusal {
    Refusal { fault: Fault::new(kind, "no"), status, retry_after_s: None, sent: true }
}

fn addresses(nexts: &[Next]) -> Vec<&str> {
    nexts.iter().map(|next| next.uri.path_and_query()).collect()
}

/// As CKAN 2.9 writes it.
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
fn packages_are_written_down_as_dcat() {
    let found = ask(Ask::Search(Page::FIRST), &search(1, &[BEES]));

    let dataset = "<http://a.example:5000/dataset/0b1e>";
    let resource = |id: &str| format!("<http://a.example:5000/dataset/0b1e/resource/{id}>");
    let check = |statement: String| assert!(found.says(&statement), "{statement}\n{:#?}", found.quads);
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
    assert!(!found.quads.iter().any(is_download), "a page is nothing to download");
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    assert!(found.steps().is_empty(), "that was all");
}

#[test]
fn what_resources_are_is_told_by_the_links_to_them() {
    let found = ask(Ask::Search(Page::FIRST), &search(1, &[BEES]));

    let check = |target: &str, expected| {
        let link = found.links.iter().find(|link| link.target.as_str() == target).unwrap();
        assert_eq!(discover::promise::of(link), expected, "{target}");
    };
    check("http://bees.example/all.nt.gz", Some(discover::promise::Promise::Dump));
    check("http://bees.example/ask", Some(discover::promise::Promise::Endpoint));
    check("http://bees.example/set?id=7", Some(discover::promise::Promise::Dump));
    check("http://bees.example/about", None);
    check("http://a.example:5000/dataset/0b1e/resource/r3/download/bees%20of%202020.csv", None);
}

#[test]
fn a_catalogue_of_the_orca_benchmark_is_found_again_by_its_pattern() {
    let uri = "http://dump-3.example/dumpFile.ttl.tar.gz#dataset-0-resource-0";
    let package = format!(
        r#"{{"id": "1", "name": "dataset-1", "title": "Dataset {uri}", "resources": [{{"id": "2", "url": "{uri}"}}]}}"#
    );

    let found = ask(Ask::Search(Page::FIRST), &search(1, &[&package]));

    let check = |statement: &str| assert!(found.says(statement), "{statement}");
    check("<http://a.example:5000/dataset/1> <rdf:type> <dcat:Dataset>");
    check(&format!("<http://a.example:5000/dataset/1> <dct:title> \"Dataset {uri}\""));
    let resource = "<http://a.example:5000/dataset/1/resource/2>";
    check(&format!("<http://a.example:5000/dataset/1> <dcat:distribution> {resource}"));
    check(&format!("{resource} <rdf:type> <dcat:Distribution>"));
    check(&format!("{resource} <dcat:accessURL> <{uri}>"));
    assert!(found.links.iter().any(|link| link.target.as_str() == "http://dump-3.example/dumpFile.ttl.tar.gz"));
}

#[test]
fn odd_packages_do_no_harm() {
    let odd = [
        "null",
        "7",
        "[[]]",
        r#"{"title": "nobody"}"#,
        r#"{"id": "gone", "state": "deleted", "title": "gone"}"#,
        r#"{"id": 7, "title": {"de": "Bienen", "en": "Bees", "x y": "?", "fr": null}, "tags": "none", "resources": [
            null, 3, {"url": null}, {"url": "N/A"}, {"url": "see description"}, {"url": "www.b.example/x.ttl"},
            {"url": "/local.rdf"}, {"url": "ftp://b.example/y"}, {"url": "http://"}, {"url": "http://b.example/a|b c"},
            {"url": "C:\\x.csv"}], "organization": "hive", "groups": {"a": 1}, "extras": [[], "x"]}"#,
    ];

    let found = ask(Ask::Search(Page::FIRST), &search(6, &odd));

    let accessed: Vec<_> = found.quads.iter().filter(|quad| quad.contains("accessURL")).collect();
    let targets: Vec<_> = accessed.iter().map(|quad| quad.rsplit(' ').next().unwrap()).collect();
    let expected = [
        "<http://www.b.example/x.ttl>",
        "<http://a.example:5000/local.rdf>",
        "<ftp://b.example/y>",
        "<http://b.example/a%7Cb%20c>",
    ];
    assert_eq!(targets, expected);
    assert!(found.says("<http://a.example:5000/dataset/7> <dct:title> \"Bienen\"@de"));
    assert!(found.says("<http://a.example:5000/dataset/7> <dct:title> \"?\""));
    assert!(!found.quads.iter().any(|quad| quad.contains("gone") || quad.contains("nobody")));
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
    assert!(found.faults[0].detail.starts_with("4 addresses of resources are none"), "{:?}", found.faults);
}

#[test]
fn pages_go_on_until_there_are_no_more() {
    let check = |page: Page, count, packages: usize, expected: &[&str]| {
        let packages: Vec<_> = (0..packages).map(|id| format!("{{\"id\": \"{id}\"}}")).collect();
        let packages: Vec<_> = packages.iter().map(String::as_str).collect();
        let found = ask(Ask::Search(page), &search(count, &packages));
        let steps = found.steps();
        let queries: Vec<_> = steps.iter().map(|step| step.split_once('?').unwrap().1).collect();
        assert_eq!(queries, expected, "{page:?} {count}");
    };
    let page = |start, rows, end| Page { start, rows, end, count: Some(250) };

    check(Page::FIRST, 250, 100, &["rows=100&start=100&sort=id+asc"]);
    check(page(100, 100, None), 250, 100, &["rows=100&start=200&sort=id+asc"]);
    check(page(200, 100, None), 250, 50, &[]);
    check(page(200, 100, None), 999, 0, &[]);
    // A server that gives ten at most is asked for ten.
    check(Page::FIRST, 250, 10, &["rows=10&start=10&sort=id+asc"]);
    // Small pages grow again, and a part of a page ends where it ends.
    check(page(25, 25, None), 250, 25, &["rows=50&start=50&sort=id+asc"]);
    check(page(25, 25, Some(50)), 250, 25, &[]);
}

#[test]
fn a_page_that_cannot_be_had_is_asked_for_in_halves() {
    let check = |page: Page, kind, status, expected: &[&str]| {
        let nexts = step(Ask::Search(page)).after_failure(&refusal(kind, status));
        assert_eq!(addresses(&nexts), expected, "{page:?} {kind:?} {status:?}");
    };
    let page = |start, rows, end| Page { start, rows, end, count: Some(250) };
    let search = |rows: u32, start: u32| format!("/api/3/action/package_search?rows={rows}&start={start}&sort=id+asc");

    check(page(100, 100, None), FaultKind::Status, Some(500), &[&search(50, 100), &search(50, 150)]);
    check(page(100, 3, Some(103)), FaultKind::Timeout, None, &[&search(1, 100), &search(2, 101)]);
    // The one that is broken is left out, and what follows is not.
    check(page(102, 1, None), FaultKind::Status, Some(500), &[&search(2, 103)]);
    check(page(102, 1, Some(103)), FaultKind::Status, Some(500), &[]);
    check(page(249, 1, None), FaultKind::Status, Some(500), &[]);
    // One that never answered is asked for less, and then for names.
    check(Page::FIRST, FaultKind::Timeout, None, &[&search(10, 0)]);
    let single = Page { rows: 1, ..Page::FIRST };
    check(single, FaultKind::Status, Some(500), &["/api/3/action/package_list?limit=1000&offset=0"]);
    // Who does not want to be searched may have a list.
    for status in [400, 403, 404, 409] {
        check(Page::FIRST, FaultKind::Status, Some(status), &["/api/3/action/package_list?limit=1000&offset=0"]);
        check(page(100, 100, None), FaultKind::Status, Some(status), &[]);
    }
    check(Page::FIRST, FaultKind::Dns, None, &[]);
}

#[test]
fn every_package_is_asked_for_once_or_found_broken_whatever_fails() {
    // Packages 17 and 140 of 230 cannot be had; whoever asks for them fails.
    let (count, broken) = (230_u64, [17, 140]);
    let mut waiting = vec![Page::FIRST];
    let mut had = vec![0_u32; 230];
    let mut requests = 0;
    while let Some(page) = waiting.pop() {
        requests += 1;
        let end = (page.start + u64::from(page.rows)).min(count);
        let fails = broken.iter().any(|&id| (page.start..end).contains(&id)) && page != Page::FIRST;
        let nexts = if fails {
            page.instead()
        } else {
            (page.start..end).for_each(|id| had[usize::try_from(id).unwrap()] += 1);
            page.after(end - page.start, count).into_iter().collect()
        };
        waiting.extend(nexts);
    }

    let missing: Vec<_> = (0..230).filter(|&id| had[id] == 0).collect();
    assert_eq!(missing, [140], "the first page was had");
    assert!(had.iter().all(|&times| times <= 1));
    assert!(requests < 30, "{requests}");
}

#[test]
fn an_answer_that_is_cut_short_goes_on_where_it_ended() {
    let text = search(250, &[r#"{"id": "a"}"#, r#"{"id": "b"}"#]);
    let cut = text.find(r#"{"id": "b"}"#).unwrap() + 5;
    let fault = Fault::new(FaultKind::Truncated, "the connection broke");
    let body = Body::Whole { bytes: Bytes::copy_from_slice(&text.as_bytes()[..cut]), cut: Some(fault.clone()) };
    let next = place::next(&root(), Ask::Search(Page::FIRST)).unwrap();

    let found = take(&next.step, &next.uri, body);

    assert!(found.says("<http://a.example:5000/dataset/a> <rdf:type> <dcat:Dataset>"));
    assert_eq!(found.faults, [fault]);
    assert_eq!(found.steps(), ["http://a.example:5000/api/3/action/package_search?rows=50&start=1&sort=id+asc"]);
}

#[test]
fn what_is_not_json_is_a_fault_and_asked_for_differently() {
    let check = |ask_: Ask, answer: &str, expected: &[&str]| {
        let found = ask(ask_, answer);
        assert_eq!(found.steps(), expected, "{answer}");
        assert_eq!(found.faults.len(), 1, "{answer}");
        assert!(found.quads.is_empty());
    };
    let less = "http://a.example:5000/api/3/action/package_search?rows=10&start=0&sort=id+asc";
    let list = "http://a.example:5000/api/3/action/package_list?limit=1000&offset=0";

    check(Ask::Search(Page::FIRST), "<html>Please log in</html>", &[less]);
    check(Ask::Search(Page::FIRST), "", &[less]);
    check(Ask::Search(Page::FIRST), "[1, 2]", &[less]);
    check(Ask::Search(Page::FIRST), r#"{"success": false, "error": {"message": "no"}}"#, &[list]);
    check(Ask::Show { name: "x".to_owned() }, &"[".repeat(10_000), &[]);
}

#[test]
fn names_lead_to_packages() {
    let names = |count: usize| {
        let names: Vec<_> = (0..count).map(|number| format!("\"n{number}\"")).collect();
        format!(r#"{{"success": true, "result": [{}]}}"#, names.join(","))
    };
    let list = |offset, first: Option<&str>| Ask::List { offset, first: first.map(str::to_owned) };
    let show = |name: &str| format!("http://a.example:5000/api/3/action/package_show?id={name}");

    let few = r#"{"result": ["a b", "", null, {"x": 1}, "c"], "success": true}"#;
    assert_eq!(ask(list(0, None), few).steps(), [show("a+b"), show("c")]);
    let full = ask(list(0, None), &names(1000));
    assert_eq!(full.steps().len(), 1001);
    assert_eq!(full.steps()[1000], "http://a.example:5000/api/3/action/package_list?limit=1000&offset=1000");
    assert!(ask(list(1000, Some("n0")), &names(1000)).steps().is_empty(), "the same page again is the last");
    assert_eq!(ask(list(0, None), &names(1001)).steps().len(), 1001, "who sends more sends all");

    let dkan = format!(r#"{{"success": true, "result": [{BEES}]}}"#);
    let ckan = format!(r#"{{"success": true, "result": {BEES}}}"#);
    for answer in [dkan, ckan] {
        let found = ask(Ask::Show { name: "bees".to_owned() }, &answer);
        assert!(found.says("<http://a.example:5000/dataset/0b1e> <rdf:type> <dcat:Dataset>"));
    }
}

#[test]
fn a_page_of_a_catalogue_says_where_its_api_is() {
    let check = |page: &str, generator: Option<&str>, site_root: Option<&str>, expected: Option<&str>| {
        let next = recognised(&Uri::parse(page).unwrap(), generator, site_root);
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
fn a_link_to_the_api_or_a_redirect_of_it_shows_where_it_is() {
    let root_at = |uri: &str| Step::first(&Uri::parse(uri).unwrap()).map(|step| step.root.to_string());

    assert_eq!(root_at("http://b.example/data/api/3/action/package_show?id=7").unwrap(), "http://b.example/data/");
    assert_eq!(root_at("http://b.example/api/3").unwrap(), "http://b.example/");
    assert_eq!(root_at("http://b.example/api/action/package_list").unwrap(), "http://b.example/");
    assert_eq!(root_at("http://b.example/api/30/x"), None);
    assert_eq!(root_at("http://b.example/dataset"), None);

    let linked = step(Ask::Linked);
    let basket = take(&discover::Step::Ckan(linked.clone()), &root(), whole("{\"version\": 3}"));
    assert_eq!(basket.steps(), ["http://a.example:5000/api/3/action/package_search?rows=100&start=0&sort=id+asc"]);
    assert!(matches!(basket.links[0].via, Via::Step(_)));
    assert_eq!(linked.after_failure(&refusal(FaultKind::Status, Some(404))).len(), 1);

    let search = step(Ask::Search(Page::FIRST));
    let target = Uri::parse("https://www.b.example/api/3/action/package_search?rows=100").unwrap();
    assert_eq!(search.redirected(&target).unwrap().root.as_str(), "https://www.b.example/");
    assert_eq!(search.redirected(&Uri::parse("https://b.example/login").unwrap()), None);
}
