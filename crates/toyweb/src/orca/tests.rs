//! Claims about whole worlds.

use std::collections::HashSet;

use http::header::{ACCEPT, CONTENT_TYPE, RANGE};
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{Quad, Triple};
use serde_json::Value;

use super::*;
use crate::access_log::Entry;
use crate::ranges::cut_out;

fn world(change: impl FnOnce(&mut Parameters)) -> OrcaWeb {
    let mut parameters = Parameters::preset("data-web-small").expect("a preset");
    parameters.rdfa = Rdfa { pages: RdfaPages::Generated, ..Rdfa::default() };
    change(&mut parameters);
    OrcaWeb::new(parameters).expect("sound parameters")
}

fn node(web: &OrcaWeb, kind: Kind) -> &Node {
    web.nodes.iter().find(|node| node.kind == kind).expect("a node of every kind")
}

fn get(web: &OrcaWeb, url: &str, accept: &str) -> Response {
    web.respond(&Request::get(url).with(ACCEPT, accept))
}

fn body(response: &Response) -> Vec<u8> {
    let Body::Whole(bytes) = &response.body else { panic!("a whole body") };
    bytes.to_vec()
}

fn media_type(response: &Response) -> &str {
    response.headers[CONTENT_TYPE].to_str().expect("ASCII")
}

fn triples(format: RdfFormat, bytes: &[u8], base: &str) -> HashSet<Triple> {
    let parser = RdfParser::from_format(format).with_base_iri(base).expect("a base");
    parser.for_slice(bytes).map(|quad| quad.expect("sound").into()).collect()
}

fn truth(web: &OrcaWeb) -> Vec<Quad> {
    let mut quads = Vec::new();
    web.truth(&mut |quad| quads.push(quad));
    quads
}

#[test]
fn a_resource_comes_in_every_syntax_and_says_the_same_in_each() {
    let web = world(|_| {});
    let node = node(&web, Kind::Dereferencing);
    let url = node.resource(3);
    let expected: HashSet<Triple> = node.triples_of(&web.nodes, 3).into_iter().collect();

    for syntax in Syntax::ALL {
        let response = get(&web, &url, syntax.media_type());
        assert_eq!((response.status.as_u16(), media_type(&response)), (200, syntax.media_type()));
        assert_eq!(triples(syntax.format(), &body(&response), &url), expected, "{syntax:?}");
    }
    assert_eq!(get(&web, &url, "text/turtle;q=0.5, application/rdf+xml").headers[CONTENT_TYPE], "application/rdf+xml");
    assert_eq!(get(&web, &url, "*/*").status, 200);
    assert_eq!(get(&web, &url, "image/png").status, 406);
    assert_eq!(get(&web, node.property().as_str(), "*/*").status, 404);
    assert_eq!(get(&web, &node.resource(100_000), "*/*").status, 404);
}

#[test]
fn robots_txt_asks_for_a_delay_and_forbids_resources_that_are_extra() {
    let web = world(|parameters| (parameters.crawl_delay_s, parameters.disallowed_ratio) = (10, 0.1));
    let node = node(&web, Kind::Dereferencing);
    let resources = node.graph.as_ref().expect("a graph").resources;
    let robots = get(&web, &format!("http://{}/robots.txt", node.host()), "*/*");

    let rules = String::from_utf8(body(&robots)).expect("text");
    assert!(rules.starts_with("User-agent: *\nCrawl-delay: 10\n"), "{rules}");
    assert_eq!(rules.matches("Disallow: ").count(), (resources as usize * 2 + 9) / 18);
    let forbidden = node.resource(resources);
    assert!(rules.contains(&format!("Disallow: /dataset-0/resource-{resources}\n")));
    assert!(!web.allows(&Url::parse(&forbidden).expect("a URL")));
    assert!(web.allows(&Url::parse(&node.resource(resources - 1)).expect("a URL")));
    let response = get(&web, &forbidden, "*/*");
    assert_eq!((response.status.as_u16(), body(&response).len()), (200, 0));
    assert!(truth(&web).iter().any(|quad| quad.object.to_string() == format!("<{forbidden}>")), "it is linked");
    assert_eq!(web.crawl_delay_s(&node.host()), Some(10));
    let none = world(|_| {});
    assert_eq!(get(&none, &format!("http://{}/robots.txt", node.host()), "*/*").status, 404);
}

#[test]
fn a_dump_is_one_file_named_for_what_it_is() {
    let web = world(|parameters| {
        parameters.nodes = 60;
        parameters.compressed_ratio = 0.5;
        parameters.dump.compressions = vec![Packing::Gz, Packing::Zip];
    });
    let (mut packed, mut plain) = (0, 0);
    for node in web.nodes.iter().filter(|node| node.kind == Kind::Dump) {
        let url = node.access();
        let file = url.split('#').next().expect("a URL");
        let response = get(&web, file, "*/*");
        assert_eq!(response.status, 200, "{file}");
        match node.packing {
            Some(packing) => {
                packed += 1;
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
    assert!(packed > 5 && plain > 5, "{packed} packed, {plain} not");
}

#[test]
fn a_dump_that_is_cut_off_once_can_be_resumed() {
    let web = world(|parameters| parameters.dump.cut_share = 1.0);
    let url = node(&web, Kind::Dump).access();
    let first = get(&web, &url, "*/*");
    let all = body(&first);
    let Conduct::Cut(had) = first.conduct else { panic!("cut off: {:?}", first.conduct) };

    let request = Request::get(&url).with(RANGE, &format!("bytes={had}-"));
    let rest = cut_out(&request, web.respond(&request));

    assert_eq!((rest.status.as_u16(), rest.conduct), (206, Conduct::Plain));
    assert_eq!([&all[..usize::try_from(had).expect("small")], &body(&rest)].concat(), all);
}

#[test]
fn an_endpoint_listens_on_its_port_only_and_has_its_triples_in_one_graph() {
    let web = world(|_| {});
    let node = node(&web, Kind::Sparql);
    let query =
        "?query=SELECT+DISTINCT+%3Fg+%28COUNT%28*%29+AS+%3Fn%29+%7BGRAPH+%3Fg+%7B%3Fs+%3Fp+%3Fo%7D%7D+GROUP+BY+%3Fg";
    let response = get(&web, &format!("{}{query}", node.access()), "text/csv");

    let expected = format!("g,n\r\n{},{}\r\n", node.named_graph, node.triples(&web.nodes).count());
    assert_eq!(String::from_utf8(body(&response)).expect("text"), expected);
    assert!(web.is_laborious(&Request::get(&node.access())));
    for other in [node.resource(0), format!("http://{}/sparql", node.host()), format!("https://{}/", node.host())] {
        assert_eq!(get(&web, &other, "*/*").conduct, Conduct::Dropped, "{other}");
    }
    assert_eq!(get(&web, &format!("http://{}:8890/", node.host()), "*/*").status, 404);
}

#[test]
fn endpoints_kept_at_hand_are_bounded() {
    let web = world(|parameters| (parameters.nodes, parameters.triples_per_node) = (150, 4));
    let mut asked = 0;
    for node in web.nodes.iter().filter(|node| node.kind == Kind::Sparql) {
        assert_eq!(get(&web, &format!("{}?query=ASK+%7B%7D", node.access()), "*/*").status, 200);
        asked += 1;
    }

    assert!(asked > ENDPOINTS_MAX);
    assert_eq!(web.memory.lock().expect("no panic").endpoints.len(), ENDPOINTS_MAX);
}

/// A catalogue with more datasets than a page of results.
fn catalogue() -> (OrcaWeb, String, usize) {
    let web = world(|parameters| (parameters.nodes, parameters.node_degree) = (100, 40));
    let node = web.nodes.iter().filter(|node| node.kind == Kind::Ckan).max_by_key(|node| node.links.len());
    let node = node.expect("a catalogue");
    let (access, links) = (node.access(), node.links.len());
    (web, access, links)
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
        let (status, answer) =
            call(&web, &format!("{site}api/3/action/package_search?rows=4&start={start}&sort=name+asc"));
        assert_eq!((status, &answer["success"], &answer["result"]["count"]), (200, &true.into(), &links.into()));
        let results = answer["result"]["results"].as_array().expect("an array");
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
    let (_, answer) = call(&web, &format!("{site}api/3/action/package_search"));
    assert_eq!(answer["result"]["results"].as_array().map(Vec::len), Some(10));
    let (_, answer) = call(&web, &format!("{site}api/3/action/package_search?rows=5000&q=*:*"));
    assert_eq!(answer["result"]["results"].as_array().map(Vec::len), Some(links));
    let (_, answer) = call(&web, &format!("{site}api/3/action/package_search?q={}", urls[0].replace(':', "%3A")));
    assert!(answer["result"]["results"].as_array().is_some_and(|results| !results.is_empty()));
}

#[test]
fn ckan_answers_calls_as_it_does() {
    let (web, site, links) = catalogue();
    let action = |call: &str| format!("{site}api/3/action/{call}");
    let (_, list) = call(&web, &action("package_list"));
    assert_eq!(list["result"].as_array().map(Vec::len), Some(links));
    let (_, shown) = call(&web, &action("package_show?id=dataset-1"));
    assert_eq!(shown["result"]["name"], "dataset-1");
    assert_eq!(call(&web, &action("status_show")).1["result"]["ckan_version"], "2.9.9");
    assert_eq!(call(&web, &action("site_read")).1["result"], true);
    let check = |call_: &str, status: u16, kind: &str| {
        let (found, answer) = call(&web, &action(call_));
        assert_eq!(
            (found, &answer["success"], &answer["error"]["__type"]),
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
    let posted = Request::post(&action("package_show"), "application/json", "{\"id\": \"dataset-1\"}");
    assert_eq!(web.respond(&posted).status, 200);
    assert_eq!(web.respond(&Request::post(&action("package_show"), "application/json", "[")).status, 400);
}

#[test]
fn a_catalogue_has_pages_for_people_too() {
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
    let node = node(&strict, Kind::Ckan);
    let robots = get(&strict, &format!("{}robots.txt", node.access()), "*/*");
    assert!(String::from_utf8(body(&robots)).expect("text").contains("Disallow: /api/\nCrawl-Delay: 10"));
    let api = format!("{}api/3/action/package_search", node.access());
    assert!(!strict.allows(&Url::parse(&api).expect("a URL")));
    assert_eq!(strict.crawl_delay_s(&node.host()), Some(10));
}

#[test]
fn an_rdfa_site_leads_to_its_pages_and_calls_them_all_html() {
    let web = world(|parameters| parameters.rdfa = Rdfa { pages_max: 20, ..Rdfa::default() });
    let node = node(&web, Kind::Rdfa);
    let entrance = get(&web, &node.access(), "*/*");
    let text = String::from_utf8(body(&entrance)).expect("text");

    assert_eq!(text.matches("property=\"rdfs:seeAlso\"").count(), web.pages.len() + node.links.len());
    for page in web.pages.iter() {
        let url = format!("http://{}{}", node.host(), page.path);
        assert!(text.contains(&format!("href=\"{url}\"")), "{url}");
        assert_eq!(media_type(&get(&web, &url, "*/*")), "text/html", "{url}");
    }
}

#[test]
fn hosts_of_others_have_a_robots_txt_and_nothing_else() {
    let web = world(|_| {});

    assert_eq!(get(&web, "http://purl.org/robots.txt", "*/*").status, 200);
    assert_eq!(get(&web, "http://purl.org/dc/terms/title", "*/*").status, 404);
    assert_eq!(get(&web, "http://deref-1000.example/dataset-0/resource-0", "*/*").status, 404);
}

#[test]
fn the_presets_have_the_sizes_of_the_paper() {
    let make = |preset: &str| OrcaWeb::new(Parameters::preset(preset).expect("a preset")).expect("sound");
    let efficiency = make("efficiency");
    assert_eq!(efficiency.documents(), 44_600);
    assert_eq!(truth(&efficiency).len(), 200 * 1_000 + 2_000);
    let robots = make("robots");
    let disallowed: usize = robots.nodes.iter().map(|node| node.disallowed.len()).sum();
    assert_eq!((robots.documents(), disallowed), (25 * 334, 25 * 37));
}

#[test]
fn every_node_has_a_domain_of_its_own() {
    let web = world(|_| {});
    let domains: HashSet<String> =
        web.hosts().map(|(host, _)| psl::domain_str(&host).expect("one").to_owned()).collect();

    assert_eq!(domains.len(), 20);
    assert!(web.hosts().all(|(host, _)| Node::of_host(&web.nodes, &host).is_some()));
}

fn scored(web: &OrcaWeb, quads: impl IntoIterator<Item = Quad>) -> Score {
    let mut scorer = Scorer::new(web);
    quads.into_iter().for_each(|quad| scorer.quad(quad));
    scorer.finish()
}

#[test]
fn a_perfect_harvest_has_recall_1_and_an_empty_one_0() {
    let web = world(|_| {});

    let score = scored(&web, truth(&web));
    assert_eq!((score.recall.micro, score.recall.macro_), (1.0, 1.0), "{score}");
    assert_eq!(score.kinds.len(), 5);
    assert!(score.nodes.iter().all(|node| node.recall == Some(1.0)));
    let score = scored(&web, []);
    assert_eq!((score.recall.micro, score.recall.macro_, score.recall.found), (0.0, 0.0, 0));
}

#[test]
fn graphs_do_not_matter() {
    let web = world(|_| {});
    let unplaced = |quad: Quad| Triple::from(quad).in_graph(oxigraph::model::GraphName::DefaultGraph);

    let score = scored(&web, truth(&web).into_iter().map(unplaced));

    assert_eq!(score.recall.found, score.recall.expected, "{score}");
}

#[test]
fn what_is_missing_is_missing_exactly() {
    let web = world(|_| {});
    let (dump, ckan, rdfa) = (node(&web, Kind::Dump), node(&web, Kind::Ckan), node(&web, Kind::Rdfa));
    let subject = format!("<http://{}/", dump.host());
    let page = format!("http://{}{}", rdfa.host(), web.pages[2].path);
    let title = "http://purl.org/dc/terms/title";
    let mut lost = 0;
    let harvest = truth(&web).into_iter().filter(|quad| {
        if quad.subject.to_string().starts_with(&subject) && lost < 7 {
            lost += 1;
            return false;
        }
        let of_catalogue = quad.graph_name.to_string() == format!("<{}>", ckan.access());
        let of_page = quad.graph_name.to_string() == format!("<{page}>");
        !(of_page || of_catalogue && quad.predicate.as_str() == title)
    });
    let score = scored(&web, harvest.collect::<Vec<_>>());

    let of = |node: &Node| {
        let score = &score.nodes[node.number as usize];
        score.expected - score.found
    };
    assert_eq!((of(dump), of(ckan), of(rdfa)), (7, ckan.links.len() as u64, 1));
    assert_eq!(score.nodes[dump.number as usize].missing.len(), 7);
    assert_eq!(score.nodes[rdfa.number as usize].missing.first(), Some(&page));
    let missing = 7 + ckan.links.len() as u64 + 1;
    assert_eq!(score.recall.expected - score.recall.found, missing, "{score}");
    let shares: f64 = score.nodes.iter().filter_map(|node| node.recall).sum();
    assert!((score.recall.macro_ - shares / 20.0).abs() < 1e-12);
}

#[test]
fn the_suite_can_be_passed() {
    if crate::shared::find("suites/rdfa-test-suite.tar.gz").is_none() {
        return;
    }
    let web = world(|parameters| parameters.rdfa = Rdfa::default());

    let score = scored(&web, truth(&web));

    // The graphs beside a few queries do not say what the queries ask for.
    assert!(score.kinds["rdfa"].micro > 0.98, "{score}");
    assert_eq!(score.kinds["dump"].found, score.kinds["dump"].expected);
}

#[test]
fn delays_and_disallowed_requests_are_counted_as_orca_does() {
    let web = world(|parameters| (parameters.crawl_delay_s, parameters.disallowed_ratio) = (10, 0.1));
    let nodes: Vec<&Node> = web.nodes.iter().filter(|node| node.kind == Kind::Dereferencing).take(2).collect();
    let mut scorer = Scorer::new(&web);
    let mut request = |second: u64, url: String, status: u16| {
        let client = "127.0.0.1:1".parse().expect("an address");
        let (start_us, method) = (second * 1_000_000, "GET".to_owned());
        scorer.request(&Entry { start_us, end_us: start_us, client, method, url, status, bytes: 5 });
    };
    let robots = |node: &Node| format!("http://{}/robots.txt", node.host());
    for node in &nodes {
        request(0, robots(node), 200);
    }
    for (node, seconds) in nodes.iter().zip([[1, 11, 21], [1, 6, 26]]) {
        for second in seconds {
            request(second, node.resource(1), 200);
        }
    }
    let forbidden = nodes[1].graph.as_ref().expect("a graph").resources;
    (0..3).for_each(|_| request(2, nodes[1].resource(forbidden), 200));
    request(3, "http://purl.org/x".to_owned(), 404);
    request(4, nodes[0].property().into_string(), 404);

    let score = scorer.finish();

    let delays = score.delays.expect("delays were asked for");
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    close(delays.min, 20.0 / 3.0 / 10.0);
    close(delays.max, 1.25);
    close(delays.gap_min, 0.3);
    assert_eq!((delays.nodes, score.disallowed.requested), (2, 1));
    assert!(score.disallowed.all > 1);
    let deref = &score.requests["deref"];
    assert_eq!((deref.all, deref.robots, deref.not_found, deref.bytes), (12, 2, 1, 60));
    assert_eq!(score.requests["elsewhere"].not_found, 1);
}

#[test]
fn the_same_parameters_make_the_same_world() {
    let of = |seed| {
        let web = world(|parameters| parameters.seed = seed);
        let mut text = Vec::new();
        web.write_truth(&mut text).expect("memory takes all writes");
        (web.seeds(), text)
    };

    assert!(of(1) == of(1));
    assert!(of(1).1 != of(2).1);
}

#[test]
fn every_preset_is_still_the_world_it_was() {
    let digest = |preset: &str| {
        let mut parameters = Parameters::preset(preset).expect("a preset");
        parameters.rdfa.pages = RdfaPages::Generated;
        let web = OrcaWeb::new(parameters).expect("sound parameters");
        let mut text = web.seeds().join("\n").into_bytes();
        web.write_truth(&mut text).expect("memory takes all writes");
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&text))
    };

    let found = ["data-web", "data-web-small", "efficiency-small", "robots-small"].map(digest);

    assert_eq!(found, ["e22fbdbd9711f6fc", "a0fc6694a39f8c1a", "67e0b099454de174", "c002a4d8cf4612be"]);
}
