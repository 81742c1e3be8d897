//! Tests of the promises of links.

use lodeward_markup::links::PageLink;

use super::*;

const VOID: &str = "http://rdfs.org/ns/void#";
const DCAT: &str = "http://www.w3.org/ns/dcat#";

fn promised(target: &str, via: LinkKind) -> Option<Promise> {
    from_link(&Link { target: Uri::parse(target).unwrap(), via })
}

fn triple(hint: Option<&str>) -> LinkKind {
    LinkKind::Triple {
        properties: Vec::new(),
        vocabulary: false,
        siblings: Vec::new(),
        type_hint: hint.map(Into::into),
    }
}

fn header(rel: &str, media_type: Option<&str>) -> LinkKind {
    LinkKind::Header { rel: rel.to_owned(), media_type: media_type.map(str::to_owned) }
}

#[test]
fn properties_state_what_their_objects_are() {
    let check = |property: &str, target: &str, expected| {
        assert_eq!(promised(target, triple(Some(property))), expected, "{property} {target}");
    };
    let void = |name: &str| format!("{VOID}{name}");
    let dcat = |name: &str| format!("{DCAT}{name}");

    check(&void("sparqlEndpoint"), "http://a.example/ask", Some(Promise::Endpoint));
    check("http://www.w3.org/ns/sparql-service-description#endpoint", "http://a.example/", Some(Promise::Endpoint));
    check(&dcat("endpointURL"), "http://a.example/wfs", None);
    check(&dcat("endpointURL"), "http://a.example/sparql/v2", Some(Promise::Endpoint));
    check(&void("dataDump"), "http://a.example/get?id=7", Some(Promise::Dump));
    check(&dcat("downloadURL"), "http://a.example/get?id=7", Some(Promise::Dump));
    check(&dcat("downloadURL"), "http://a.example/all.zip", Some(Promise::Dump));
    check(&dcat("downloadURL"), "http://a.example/all.ttl", Some(Promise::Rdf));
    check(&dcat("downloadURL"), "http://a.example/table.csv", None);
    check(&dcat("downloadURL"), "http://a.example/sparql", Some(Promise::Endpoint));
    check(&dcat("accessURL"), "http://a.example/about", None);
    check(&dcat("accessURL"), "http://a.example:8890/sparql", Some(Promise::Endpoint));
    check(&dcat("dataset"), "http://a.example/set/1", Some(Promise::Description));
    check("https://schema.org/contentUrl", "http://a.example/film.webm", None);
    check("http://schema.org/contentUrl", "http://a.example/all.nq.gz", Some(Promise::Dump));
    check(&void("inDataset"), "http://a.example/about", Some(Promise::Description));
    check(&void("inDataset"), "http://a.example/about.html", None);
    check("http://www.w3.org/ns/hydra/core#next", "http://a.example/catalog.ttl?page=2", Some(Promise::Description));
    check("http://www.w3.org/2000/01/rdf-schema#seeAlso", "http://a.example/bob", Some(Promise::Rdf));
    check("http://www.w3.org/2000/01/rdf-schema#seeAlso", "http://a.example/bob.html", None);
    check("http://xmlns.com/foaf/0.1/knows", "http://a.example/bob", None);
}

#[test]
fn relations_and_media_types_state_what_links_lead_to() {
    let check = |rel: &str, media_type: Option<&str>, expected| {
        let target = "http://a.example/it";
        assert_eq!(promised(target, header(rel, media_type)), expected, "{rel} {media_type:?}");
        let (rel, media_type) = (Some(rel.to_owned()), media_type.map(str::to_owned));
        let html = PageLink { element: "link".into(), rel, media_type, ..PageLink::default() };
        assert_eq!(promised(target, LinkKind::Html(Box::new(html))), expected, "an element has the same meaning");
    };

    check("alternate", Some("text/turtle"), Some(Promise::Rdf));
    check("alternate", Some("application/rss+xml"), None);
    check("alternate", None, None);
    check("describedby", Some("application/ld+json"), Some(Promise::Description));
    check("describedBy", None, Some(Promise::Description));
    check("describedby", Some("text/html"), None);
    check("item", Some("application/zip"), Some(Promise::Dump));
    check("item", Some("application/n-triples; charset=utf-8"), Some(Promise::Rdf));
    check("item", Some("application/pdf"), None);
    check("linkset", Some("application/linkset+json"), Some(Promise::Description));
    check("next", Some("application/linkset"), Some(Promise::Description));
    check("cite-as", None, None);
    check("license", None, None);
    check("start sitemap", Some("application/xml"), Some(Promise::Sitemap));
    check("http://rdfs.org/ns/void#sparqlEndpoint", None, Some(Promise::Endpoint));
    check("", Some("application/zip"), None);
}

#[test]
fn typical_urls_have_promises() {
    let check = |target: &str, expected| assert_eq!(promised(target, triple(None)), expected, "{target}");

    for endpoint in [
        "http://a.example:8890/sparql",
        "https://a.example/sparql/",
        "https://a.example/sparql?",
        "http://a.example/blazegraph/namespace/kb/sparql",
        "http://a.example/sparql-endpoint",
        "http://a.example:3030/ds/query",
        "https://sparql.a.example/query",
        "http://a.example:7200/repositories/all",
        "http://a.example/rdf4j-server/repositories/all",
    ] {
        check(endpoint, Some(Promise::Endpoint));
    }
    for page in [
        "http://a.example/sparql?query=ASK%7B%7D",
        "http://a.example/sparql?help=intro",
        "http://a.example/wiki/sparql",
        "http://a.example/query",
        "http://a.example/repositories/all",
        "http://a.example/sparql/examples",
        "http://a.example/sparql.html",
        "http://a.example/",
        "http://a.example/x.zip",
        "http://a.example/gz",
        "http://a.example/.ttl",
        "http://a.example/sitemap.html",
        "http://a.example/dataset/bees",
    ] {
        check(page, None);
    }
    check("http://a.example/x.TTL", Some(Promise::Rdf));
    check("http://a.example/x.nt.gz", Some(Promise::Dump));
    check("http://a.example/x.nt.tar.bz2", Some(Promise::Dump));
    check("http://a.example/.well-known/void", Some(Promise::Description));
    check("http://a.example/void.ttl", Some(Promise::Description));
    check("http://a.example/catalog.rdf?page=3", Some(Promise::Description));
    check("http://a.example/sitemap.xml", Some(Promise::Sitemap));
    check("http://a.example/wp-sitemap-posts-1.xml.gz", Some(Promise::Sitemap));
    check("http://a.example/api/3/action/package_list", Some(Promise::Catalogue));
    check("http://a.example/data/dataset/", Some(Promise::Catalogue));
}

#[test]
fn media_types_of_lists_have_promises() {
    let listed = |list, media_type: Option<&str>| LinkKind::Listed { list, media_type: media_type.map(str::to_owned) };
    let check = |list, media_type, expected| {
        assert_eq!(promised("http://a.example/it", listed(list, media_type)), expected, "{media_type:?}");
    };

    check(LinkListKind::WellKnown, None, Some(Promise::Description));
    check(LinkListKind::Sitemap, None, None);
    check(LinkListKind::Catalogue, Some("application/x-tar"), Some(Promise::Dump));
    check(LinkListKind::Catalogue, Some("text/turtle"), Some(Promise::Rdf));
    check(LinkListKind::Catalogue, Some("text/csv"), None);
    check(LinkListKind::Catalogue, Some(ENDPOINT_MEDIA_TYPE), Some(Promise::Endpoint));
    assert_eq!(promised("http://a.example/sparql", LinkKind::Seed), Some(Promise::Endpoint));
}

#[test]
fn most_endpoints_of_the_lod_cloud_are_recognised_by_url() {
    let Some(path) = toyweb::test_data::find("data/urls/lod-cloud-declared.tsv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let (mut endpoints, mut recognised, mut mistaken) = (0, 0, Vec::new());
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t').skip(2);
        let (Some(field), Some(url)) = (columns.next(), columns.next()) else { continue };
        let Ok(target) = Uri::parse(url) else { continue };
        let is_recognised = from_link(&Link { target, via: triple(None) }) == Some(Promise::Endpoint);
        match (field, is_recognised) {
            ("sparql", _) => (endpoints, recognised) = (endpoints + 1, recognised + i32::from(is_recognised)),
            (_, true) => mistaken.push(url.to_owned()),
            _ => {}
        }
    }

    assert!(recognised * 100 >= endpoints * 90, "{recognised} of {endpoints}");
    mistaken.retain(|url| !url.contains("sparql") && !url.ends_with("/query"));
    assert!(mistaken.is_empty(), "{mistaken:?}");
}
