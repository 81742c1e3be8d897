//! Tests of ORCA worlds: responses, truth and score.

use std::collections::HashSet;

use http::header::{ACCEPT, CONTENT_TYPE, RANGE};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{Quad, Triple};
use serde_json::Value;

use super::*;
use crate::access_log::AccessLogEntry;
use crate::ranges::apply_range;

fn world(change: impl FnOnce(&mut OrcaParameters)) -> OrcaWeb {
    let mut parameters = OrcaParameters::preset("data-web-small").expect("a preset");
    parameters.rdfa = RdfaParameters { pages: RdfaPageSource::Generated, ..RdfaParameters::default() };
    change(&mut parameters);
    OrcaWeb::new(parameters).expect("sound parameters")
}

fn node(web: &OrcaWeb, kind: NodeKind) -> &OrcaNode {
    web.nodes.iter().find(|node| node.kind == kind).expect("a node of every kind")
}

fn get(web: &OrcaWeb, url: &str, accept: &str) -> WebResponse {
    web.respond(&WebRequest::get(url).with_header(ACCEPT, accept))
}

fn body(response: &WebResponse) -> Vec<u8> {
    let WebBody::Whole(bytes) = &response.body else { panic!("a whole body") };
    bytes.to_vec()
}

fn media_type(response: &WebResponse) -> &str {
    response.headers[CONTENT_TYPE].to_str().expect("ASCII")
}

fn triples(format: RdfFormat, bytes: &[u8], base: &str) -> HashSet<Triple> {
    let parser = RdfParser::from_format(format).with_base_iri(base).expect("a base");
    parser.for_slice(bytes).map(|quad| quad.expect("sound").into()).collect()
}

fn truth(web: &OrcaWeb) -> Vec<Quad> {
    let mut quads = Vec::new();
    web.for_each_quad(&mut |quad| quads.push(quad));
    quads
}

#[test]
fn a_resource_has_the_same_triples_in_every_syntax() {
    let web = world(|_| {});
    let node = node(&web, NodeKind::Dereferencing);
    let url = node.resource_iri(3);
    let expected: HashSet<Triple> = node.resource_triples(&web.nodes, 3).into_iter().collect();

    for syntax in DumpSyntax::ALL {
        let response = get(&web, &url, syntax.media_type());
        assert_eq!((response.status.as_u16(), media_type(&response)), (200, syntax.media_type()));
        assert_eq!(triples(syntax.format(), &body(&response), &url), expected, "{syntax:?}");
    }
    assert_eq!(get(&web, &url, "text/turtle;q=0.5, application/rdf+xml").headers[CONTENT_TYPE], "application/rdf+xml");
    assert_eq!(get(&web, &url, "*/*").status, 200);
    assert_eq!(get(&web, &url, "image/png").status, 406);
    assert_eq!(get(&web, node.property().as_str(), "*/*").status, 404);
    assert_eq!(get(&web, &node.resource_iri(100_000), "*/*").status, 404);
}

#[test]
fn robots_txt_requests_a_delay_and_disallows_extra_resources() {
    let web = world(|parameters| (parameters.crawl_delay_seconds, parameters.disallowed_ratio) = (10, 0.1));
    let node = node(&web, NodeKind::Dereferencing);
    let resources = node.graph.as_ref().expect("a graph").resources;
    let robots = get(&web, &format!("http://{}/robots.txt", node.host()), "*/*");

    let rules = String::from_utf8(body(&robots)).expect("text");
    assert!(rules.starts_with("User-agent: *\nCrawl-delay: 10\n"), "{rules}");
    assert_eq!(rules.matches("Disallow: ").count(), (resources as usize * 2 + 9) / 18);
    let disallowed = node.resource_iri(resources);
    assert!(rules.contains(&format!("Disallow: /dataset-0/resource-{resources}\n")));
    assert!(!web.allows(&Url::parse(&disallowed).expect("a URL")));
    assert!(web.allows(&Url::parse(&node.resource_iri(resources - 1)).expect("a URL")));
    let response = get(&web, &disallowed, "*/*");
    assert_eq!((response.status.as_u16(), body(&response).len()), (200, 0));
    assert!(truth(&web).iter().any(|quad| quad.object.to_string() == format!("<{disallowed}>")), "it is linked");
    assert_eq!(web.crawl_delay_s(&node.host()), Some(10));
    let none = world(|_| {});
    assert_eq!(get(&none, &format!("http://{}/robots.txt", node.host()), "*/*").status, 404);
}

#[test]
fn a_dump_is_one_file_with_the_extension_of_its_format() {
    let web = world(|parameters| {
        parameters.nodes = 60;
        parameters.compressed_ratio = 0.5;
        parameters.dump.compressions = vec![DumpPacking::Gz, DumpPacking::Zip];
    });
    let (mut compressed, mut plain) = (0, 0);
    for node in web.nodes.iter().filter(|node| node.kind == NodeKind::Dump) {
        let url = node.entry_uri();
        let file = url.split('#').next().expect("a URL");
        let response = get(&web, file, "*/*");
        assert_eq!(response.status, 200, "{file}");
        match node.packing {
            Some(packing) => {
                compressed += 1;
                assert_eq!(media_type(&response), packing.media_type());
                assert!(file.ends_with(&format!(".{}.{}", node.syntax.extension(), packing.extension())), "{file}");
            }
            None => {
                plain += 1;
                assert_eq!(media_type(&response), node.syntax.media_type());
                let expected: HashSet<Triple> = node.triples(&web.nodes).collect();
                assert_eq!(triples(node.syntax.format(), &body(&response), file), expected);
            }
        }
        assert_eq!(get(&web, &format!("http://{}/", node.host()), "*/*").status, 404);
    }
    assert!(compressed > 5 && plain > 5, "{compressed} compressed, {plain} not");
}

#[test]
fn a_dump_whose_first_download_is_truncated_can_be_resumed() {
    let web = world(|parameters| parameters.dump.truncated_share = 1.0);
    let url = node(&web, NodeKind::Dump).entry_uri();
    let first = get(&web, &url, "*/*");
    let all = body(&first);
    let DeliveryFault::TruncatedAfter(received) = first.delivery else { panic!("truncated: {:?}", first.delivery) };

    let request = WebRequest::get(&url).with_header(RANGE, &format!("bytes={received}-"));
    let rest = apply_range(&request, web.respond(&request));

    assert_eq!((rest.status.as_u16(), rest.delivery), (206, DeliveryFault::Plain));
    assert_eq!([&all[..usize::try_from(received).expect("small")], &body(&rest)].concat(), all);
}

#[test]
fn an_endpoint_listens_on_its_port_only_and_stores_its_triples_in_one_graph() {
    let web = world(|_| {});
    let node = node(&web, NodeKind::Sparql);
    let query =
        "?query=SELECT+DISTINCT+%3Fg+%28COUNT%28*%29+AS+%3Fn%29+%7BGRAPH+%3Fg+%7B%3Fs+%3Fp+%3Fo%7D%7D+GROUP+BY+%3Fg";
    let response = get(&web, &format!("{}{query}", node.entry_uri()), "text/csv");

    let expected = format!("g,n\r\n{},{}\r\n", node.named_graph, node.triples(&web.nodes).count());
    assert_eq!(String::from_utf8(body(&response)).expect("text"), expected);
    assert!(web.is_expensive(&WebRequest::get(&node.entry_uri())));
    for other in [node.resource_iri(0), format!("http://{}/sparql", node.host()), format!("https://{}/", node.host())] {
        assert_eq!(get(&web, &other, "*/*").delivery, DeliveryFault::Dropped, "{other}");
    }
    assert_eq!(get(&web, &format!("http://{}:8890/", node.host()), "*/*").status, 404);
}

#[test]
fn the_endpoint_cache_is_bounded() {
    let web = world(|parameters| (parameters.nodes, parameters.triples_per_node) = (150, 4));
    let mut requested = 0;
    for node in web.nodes.iter().filter(|node| node.kind == NodeKind::Sparql) {
        assert_eq!(get(&web, &format!("{}?query=ASK+%7B%7D", node.entry_uri()), "*/*").status, 200);
        requested += 1;
    }

    assert!(requested > MAX_CACHED_ENDPOINTS);
    assert_eq!(web.memory.lock().expect("no panic").endpoints.len(), MAX_CACHED_ENDPOINTS);
}

/// A catalogue with more datasets than a page of results.
fn catalogue() -> (OrcaWeb, String, usize) {
    let web = world(|parameters| (parameters.nodes, parameters.node_degree) = (100, 40));
    let node = web.nodes.iter().filter(|node| node.kind == NodeKind::Ckan).max_by_key(|node| node.links.len());
    let node = node.expect("a catalogue");
    let (site, links) = (node.entry_uri(), node.links.len());
    (web, site, links)
}

fn call(web: &OrcaWeb, url: &str) -> (u16, Value) {
    let response = get(web, url, "*/*");
    (response.status.as_u16(), serde_json::from_slice(&body(&response)).expect("JSON"))
}

#[test]
fn package_search_is_paged_and_every_dataset_is_found_once() {
    let (web, site, links) = catalogue();
    assert!(links > 10, "{links}");
    let mut urls = Vec::new();
    for start in (0..).step_by(4) {
        let (status, reply) =
            call(&web, &format!("{site}api/3/action/package_search?rows=4&start={start}&sort=name+asc"));
        assert_eq!((status, &reply["success"], &reply["result"]["count"]), (200, &true.into(), &links.into()));
        let results = reply["result"]["results"].as_array().expect("an array");
        for dataset in results {
            let url = dataset["resources"][0]["url"].as_str().expect("a URL");
            assert_eq!(dataset["title"], format!("Dataset {url}"));
            urls.push(url.to_owned());
        }
        if results.is_empty() {
            break;
        }
    }

    let distinct: HashSet<&String> = urls.iter().collect();
    assert_eq!((urls.len(), distinct.len()), (links, links));
    let (_, reply) = call(&web, &format!("{site}api/3/action/package_search"));
    assert_eq!(reply["result"]["results"].as_array().map(Vec::len), Some(10));
    let (_, reply) = call(&web, &format!("{site}api/3/action/package_search?rows=5000&q=*:*"));
    assert_eq!(reply["result"]["results"].as_array().map(Vec::len), Some(links));
    let (_, reply) = call(&web, &format!("{site}api/3/action/package_search?q={}", urls[0].replace(':', "%3A")));
    assert!(reply["result"]["results"].as_array().is_some_and(|results| !results.is_empty()));
}

#[test]
fn the_action_api_responds_like_ckan() {
    let (web, site, links) = catalogue();
    let action = |call: &str| format!("{site}api/3/action/{call}");
    let (_, list) = call(&web, &action("package_list"));
    assert_eq!(list["result"].as_array().map(Vec::len), Some(links));
    let (_, shown) = call(&web, &action("package_show?id=dataset-1"));
    assert_eq!(shown["result"]["name"], "dataset-1");
    assert_eq!(call(&web, &action("status_show")).1["result"]["ckan_version"], "2.9.9");
    assert_eq!(call(&web, &action("site_read")).1["result"], true);
    let check = |call_: &str, status: u16, kind: &str| {
        let (found, reply) = call(&web, &action(call_));
        assert_eq!(
            (found, &reply["success"], &reply["error"]["__type"]),
            (status, &false.into(), &kind.into()),
            "{call_}"
        );
    };
    check("package_show?id=nothing", 404, "Not Found Error");
    check("package_show", 409, "Validation Error");
    check("package_search?rows=many", 409, "Validation Error");
    check("package_search?start=-1", 409, "Validation Error");
    check("package_search?sort=colour+asc", 409, "Search Query Error");
    assert_eq!(call(&web, &action("nonsense")).0, 400);
    let posted = WebRequest::post(&action("package_show"), "application/json", "{\"id\": \"dataset-1\"}");
    assert_eq!(web.respond(&posted).status, 200);
    assert_eq!(web.respond(&WebRequest::post(&action("package_show"), "application/json", "[")).status, 400);
}

#[test]
fn a_catalogue_has_html_pages() {
    let (web, site, _) = catalogue();
    let page = |path: &str| String::from_utf8(body(&get(&web, &format!("{site}{path}"), "text/html"))).expect("text");

    assert!(page("").contains("<meta name=\"generator\" content=\"ckan 2.9.9\" />"));
    assert!(page("dataset/").contains("href=\"/dataset/dataset-1\""));
    let dataset = page("dataset/dataset-1");
    assert!(dataset.contains("Go to resource"));
    let resource = dataset.split("href=\"/dataset/dataset-1/").nth(1).and_then(|it| it.split('"').next());
    let resource = format!("dataset/dataset-1/{}", resource.expect("a link"));
    assert_eq!(get(&web, &format!("{site}{resource}"), "*/*").status, 200);
    assert_eq!(get(&web, &format!("{site}dataset/nothing"), "*/*").status, 404);
    assert_eq!(get(&web, &format!("{site}robots.txt"), "*/*").status, 404);
    let strict = world(|parameters| parameters.ckan.robots = true);
    let node = node(&strict, NodeKind::Ckan);
    let robots = get(&strict, &format!("{}robots.txt", node.entry_uri()), "*/*");
    assert!(String::from_utf8(body(&robots)).expect("text").contains("Disallow: /api/\nCrawl-Delay: 10"));
    let api = format!("{}api/3/action/package_search", node.entry_uri());
    assert!(!strict.allows(&Url::parse(&api).expect("a URL")));
    assert_eq!(strict.crawl_delay_s(&node.host()), Some(10));
}

#[test]
fn an_rdfa_site_links_to_its_pages_and_serves_them_as_html() {
    let web = world(|parameters| parameters.rdfa = RdfaParameters { max_pages: 20, ..RdfaParameters::default() });
    let node = node(&web, NodeKind::Rdfa);
    let entry = get(&web, &node.entry_uri(), "*/*");
    let text = String::from_utf8(body(&entry)).expect("text");

    assert_eq!(text.matches("property=\"rdfs:seeAlso\"").count(), web.pages.len() + node.links.len());
    for page in web.pages.iter() {
        let url = format!("http://{}{}", node.host(), page.path);
        assert!(text.contains(&format!("href=\"{url}\"")), "{url}");
        assert_eq!(media_type(&get(&web, &url, "*/*")), "text/html", "{url}");
    }
}

#[test]
fn hosts_without_a_node_have_only_a_robots_txt() {
    let web = world(|_| {});

    assert_eq!(get(&web, "http://purl.org/robots.txt", "*/*").status, 200);
    assert_eq!(get(&web, "http://purl.org/dc/terms/title", "*/*").status, 404);
    assert_eq!(get(&web, "http://deref-1000.example/dataset-0/resource-0", "*/*").status, 404);
}

#[test]
fn the_presets_have_the_sizes_of_the_paper() {
    let make = |preset: &str| OrcaWeb::new(OrcaParameters::preset(preset).expect("a preset")).expect("sound");
    let efficiency = make("efficiency");
    assert_eq!(efficiency.document_count(), 44_600);
    assert_eq!(truth(&efficiency).len(), 200 * 1_000 + 2_000);
    let robots = make("robots");
    let disallowed: usize = robots.nodes.iter().map(|node| node.disallowed.len()).sum();
    assert_eq!((robots.document_count(), disallowed), (25 * 334, 25 * 37));
}

#[test]
fn every_node_has_its_own_domain() {
    let web = world(|_| {});
    let domains: HashSet<String> =
        web.hosts().map(|(host, _)| psl::domain_str(&host).expect("one").to_owned()).collect();

    assert_eq!(domains.len(), 20);
    assert!(web.hosts().all(|(host, _)| OrcaNode::find_by_host(&web.nodes, &host).is_some()));
}

fn score_quads(web: &OrcaWeb, quads: impl IntoIterator<Item = Quad>) -> OrcaScore {
    let mut scorer = OrcaScorer::new(web);
    quads.into_iter().for_each(|quad| scorer.add_quad(quad));
    scorer.finish()
}

#[test]
fn a_perfect_harvest_has_recall_1_and_an_empty_one_0() {
    let web = world(|_| {});

    let score = score_quads(&web, truth(&web));
    assert_eq!((score.recall.micro, score.recall.macro_), (1.0, 1.0), "{score}");
    assert_eq!(score.kinds.len(), 5);
    assert!(score.nodes.iter().all(|node| node.recall == Some(1.0)));
    let score = score_quads(&web, []);
    assert_eq!((score.recall.micro, score.recall.macro_, score.recall.found), (0.0, 0.0, 0));
}

#[test]
fn graph_names_do_not_change_the_recall() {
    let web = world(|_| {});
    let in_default_graph = |quad: Quad| Triple::from(quad).in_graph(oxigraph::model::GraphName::DefaultGraph);

    let score = score_quads(&web, truth(&web).into_iter().map(in_default_graph));

    assert_eq!(score.recall.found, score.recall.expected, "{score}");
}

#[test]
fn missing_statements_are_counted_exactly() {
    let web = world(|_| {});
    let (dump, ckan, rdfa) = (node(&web, NodeKind::Dump), node(&web, NodeKind::Ckan), node(&web, NodeKind::Rdfa));
    let subject = format!("<http://{}/", dump.host());
    let page = format!("http://{}{}", rdfa.host(), web.pages[2].path);
    let title = "http://purl.org/dc/terms/title";
    let mut removed = 0;
    let harvest = truth(&web).into_iter().filter(|quad| {
        if quad.subject.to_string().starts_with(&subject) && removed < 7 {
            removed += 1;
            return false;
        }
        let in_catalogue = quad.graph_name.to_string() == format!("<{}>", ckan.entry_uri());
        let in_page = quad.graph_name.to_string() == format!("<{page}>");
        !(in_page || in_catalogue && quad.predicate.as_str() == title)
    });
    let score = score_quads(&web, harvest.collect::<Vec<_>>());

    let missing_of = |node: &OrcaNode| {
        let score = &score.nodes[node.number as usize];
        score.expected - score.found
    };
    assert_eq!((missing_of(dump), missing_of(ckan), missing_of(rdfa)), (7, ckan.links.len() as u64, 1));
    assert_eq!(score.nodes[dump.number as usize].missing.len(), 7);
    assert_eq!(score.nodes[rdfa.number as usize].missing.first(), Some(&page));
    let missing = 7 + ckan.links.len() as u64 + 1;
    assert_eq!(score.recall.expected - score.recall.found, missing, "{score}");
    let shares: f64 = score.nodes.iter().filter_map(|node| node.recall).sum();
    assert!((score.recall.macro_ - shares / 20.0).abs() < 1e-12);
}

#[test]
fn the_truth_passes_the_rdfa_test_suite() {
    if crate::test_data::find("suites/rdfa-test-suite.tar.gz").is_none() {
        return;
    }
    let web = world(|parameters| parameters.rdfa = RdfaParameters::default());

    let score = score_quads(&web, truth(&web));

    // The graphs of a few tests do not satisfy their queries.
    assert!(score.kinds["rdfa"].micro > 0.98, "{score}");
    assert_eq!(score.kinds["dump"].found, score.kinds["dump"].expected);
}

#[test]
fn delays_and_disallowed_requests_are_counted_as_orca_does() {
    let web = world(|parameters| (parameters.crawl_delay_seconds, parameters.disallowed_ratio) = (10, 0.1));
    let nodes: Vec<&OrcaNode> = web.nodes.iter().filter(|node| node.kind == NodeKind::Dereferencing).take(2).collect();
    let mut scorer = OrcaScorer::new(&web);
    let mut request = |second: u64, url: String, status: u16| {
        let client = "127.0.0.1:1".parse().expect("a socket address");
        let (start_us, method) = (second * 1_000_000, "GET".to_owned());
        scorer.add_request(&AccessLogEntry { start_us, end_us: start_us, client, method, url, status, bytes: 5 });
    };
    let robots = |node: &OrcaNode| format!("http://{}/robots.txt", node.host());
    for node in &nodes {
        request(0, robots(node), 200);
    }
    for (node, seconds) in nodes.iter().zip([[1, 11, 21], [1, 6, 26]]) {
        for second in seconds {
            request(second, node.resource_iri(1), 200);
        }
    }
    let disallowed = nodes[1].graph.as_ref().expect("a graph").resources;
    (0..3).for_each(|_| request(2, nodes[1].resource_iri(disallowed), 200));
    request(3, "http://purl.org/x".to_owned(), 404);
    request(4, nodes[0].property().into_string(), 404);

    let score = scorer.finish();

    let delays = score.delays.expect("delays were required");
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    close(delays.min, 20.0 / 3.0 / 10.0);
    close(delays.max, 1.25);
    close(delays.min_gap, 0.3);
    assert_eq!((delays.nodes, score.disallowed.requested), (2, 1));
    assert!(score.disallowed.all > 1);
    let deref = &score.requests["deref"];
    assert_eq!((deref.all, deref.robots, deref.not_found, deref.bytes), (12, 2, 1, 60));
    assert_eq!(score.requests["other"].not_found, 1);
}

#[test]
fn equal_parameters_give_equal_worlds() {
    let generate = |seed| {
        let web = world(|parameters| parameters.seed = seed);
        let mut text = Vec::new();
        web.write_truth(&mut text).expect("writing to memory cannot fail");
        (web.seeds(), text)
    };

    assert!(generate(1) == generate(1));
    assert!(generate(1).1 != generate(2).1);
}

#[test]
fn the_truth_of_every_preset_is_unchanged() {
    let digest = |preset: &str| {
        let mut parameters = OrcaParameters::preset(preset).expect("a preset");
        parameters.rdfa.pages = RdfaPageSource::Generated;
        let web = OrcaWeb::new(parameters).expect("sound parameters");
        let mut text = web.seeds().join("\n").into_bytes();
        web.write_truth(&mut text).expect("writing to memory cannot fail");
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&text))
    };

    let found = ["data-web", "data-web-small", "efficiency-small", "robots-small"].map(digest);

    assert_eq!(found, ["a0b17bec018ba94f", "82c19672bdca49d0", "67e0b099454de174", "c002a4d8cf4612be"]);
}
