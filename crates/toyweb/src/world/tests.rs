//! Tests of generated worlds: content, truth, reachability, faults and revisions.

use std::collections::{BTreeMap, HashMap, HashSet};

use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, VARY};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, Quad};

use super::*;
use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
use crate::truth::{self, TruthDocument, TruthMode, for_each_document};

const RDF: &str = "application/rdf+xml, text/turtle, application/n-triples, application/ld+json;q=0.9, application/n-quads, \
                   application/trig, text/html;q=0.5, */*;q=0.1";

fn small(change: impl FnOnce(&mut WorldParameters)) -> World {
    let mut parameters = WorldParameters::preset("demo").expect("a preset");
    (parameters.hosts, parameters.documents_per_host) = (13, 30);
    change(&mut parameters);
    World::new(parameters).expect("sound parameters")
}

fn get(world: &World, url: &str, accept: &str) -> WebResponse {
    world.respond(&WebRequest::get(url).with_header(ACCEPT, accept))
}

fn body(response: &WebResponse) -> String {
    match &response.body {
        WebBody::Whole(bytes) => String::from_utf8(bytes.to_vec()).expect("UTF-8"),
        other => panic!("not a whole body: {other:?}"),
    }
}

fn documents(world: &World, mode: TruthMode) -> Vec<TruthDocument> {
    let mut documents = Vec::new();
    for_each_document(world, mode, &mut |document| documents.push(document));
    documents
}

fn parse(media_type: &str, text: &str, base: &str) -> Dataset {
    let in_default_graph = |quad: Quad| Quad { graph_name: GraphName::DefaultGraph, ..quad };
    match media_type {
        "application/rdf+xml" => {
            let parser = oxrdfxml::RdfXmlParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|triple| triple.expect(text).in_graph(GraphName::DefaultGraph)).collect()
        }
        "application/ld+json" => {
            let parser = oxjsonld::JsonLdParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|quad| in_default_graph(quad.expect(text))).collect()
        }
        "text/turtle" | "application/n-triples" => {
            let parser = oxttl::TurtleParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|triple| triple.expect(text).in_graph(GraphName::DefaultGraph)).collect()
        }
        "application/trig" | "application/n-quads" => {
            // N-Quads with a graph are not TriG.
            if media_type == "application/n-quads" {
                return oxttl::NQuadsParser::new()
                    .for_slice(text)
                    .map(|quad| in_default_graph(quad.expect(text)))
                    .collect();
            }
            let parser = oxttl::TriGParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|quad| in_default_graph(quad.expect(text))).collect()
        }
        other => panic!("no parser for {other}"),
    }
}

fn truth_dataset(document: &TruthDocument) -> Dataset {
    let triples: Vec<&str> = document.quads.iter().map(|quad| quad.triple.as_str()).collect();
    let text = triples.join(" .\n") + " .\n";
    parse("application/n-triples", &text, &document.url)
}

fn assert_isomorphic(mut found: Dataset, mut expected: Dataset, about: &str) {
    found.canonicalize(CanonicalizationAlgorithm::Unstable);
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    assert!(found == expected, "{about}\nfound:\n{found}\nexpected:\n{expected}");
}

#[test]
fn equal_seeds_give_equal_bytes_in_any_order_of_requests() {
    let (one, other) = (small(|_| {}), small(|_| {}));
    let urls: Vec<String> = documents(&one, TruthMode::All).into_iter().map(|document| document.url).collect();

    let forwards: Vec<String> = urls.iter().map(|url| format!("{:?}", one.respond(&WebRequest::get(url)))).collect();
    let mut backwards: Vec<String> =
        urls.iter().rev().map(|url| format!("{:?}", other.respond(&WebRequest::get(url)))).collect();
    backwards.reverse();

    assert!(forwards == backwards);
    let reseeded = small(|parameters| parameters.seed += 1);
    assert_ne!(format!("{:?}", reseeded.respond(&WebRequest::get(&urls[0]))), forwards[0]);
}

#[test]
fn every_serialisation_parses_back_to_its_truth() {
    let world = small(|parameters| parameters.hosts = 8);
    let mut seen = HashSet::new();
    for document in documents(&world, TruthMode::All).iter().filter(|document| document.kind.is_serialisation()) {
        let text = body(&get(&world, &document.url, document.kind.media_type()));

        assert_isomorphic(
            parse(document.kind.media_type(), &text, &document.url),
            truth_dataset(document),
            &document.url,
        );
        seen.insert(document.kind);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn a_negotiating_document_has_the_same_triples_in_every_syntax() {
    let world = small(|parameters| parameters.naming.negotiating = 1.0);
    let mut compared = 0;
    for document in
        documents(&world, TruthMode::All).iter().filter(|document| document.kind.is_serialisation()).take(40)
    {
        for kind in [DocumentKind::RdfXml, DocumentKind::Turtle, DocumentKind::NTriples, DocumentKind::JsonLd] {
            let response = get(&world, &document.url, kind.media_type());
            if response.headers.get(VARY).is_none() {
                continue;
            }
            assert_eq!(response.headers[CONTENT_TYPE], kind.media_type());
            let found = parse(kind.media_type(), &body(&response), &document.url);
            assert_isomorphic(found, truth_dataset(document), &document.url);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_json_ld_script_contains_the_truth_of_its_page() {
    let world = small(|parameters| parameters.kinds = KindShares { html_json_ld: 1.0, ..KindShares::NONE });
    for document in
        documents(&world, TruthMode::All).iter().filter(|document| document.kind == DocumentKind::HtmlJsonLd).take(50)
    {
        let page = body(&get(&world, &document.url, "*/*"));
        let script = page.split("<script type=\"application/ld+json\">").nth(1).expect("a script");
        let script = script.split("</script>").next().expect("an end");

        assert_isomorphic(parse("application/ld+json", script, &document.url), truth_dataset(document), &document.url);
    }
}

/// This crate has no parser for RDFa and Microdata, so this test only shows that nothing is missing. The crates that
/// parse the markup test its structure.
#[test]
fn embedded_markup_contains_every_literal_and_link() {
    let world = small(|parameters| {
        parameters.kinds = KindShares { html_rdfa: 1.0, html_microdata: 1.0, html_several: 1.0, ..KindShares::NONE };
    });
    for document in documents(&world, TruthMode::All).iter().filter(|document| document.url.contains("//h")).take(60) {
        let page = body(&get(&world, &document.url, "*/*"));
        let page = page.replace("\\u003c", "<").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        let page = page.replace("&amp;", "&").replace("\\\"", "\"").replace("\\\\", "\\").replace("\\n", "\n");
        for triple in oxttl::NTriplesParser::new()
            .for_slice(&document.quads.iter().fold(String::new(), |text, quad| text + &quad.triple + " .\n"))
        {
            let object = match triple.expect("the truth is N-Triples").object {
                oxrdf::Term::NamedNode(iri) if !iri.as_str().contains("vocab") => iri.into_string(),
                oxrdf::Term::Literal(literal) => literal.value().to_owned(),
                _ => continue,
            };
            let local = object.strip_prefix(&document.url).unwrap_or(&object);
            assert!(page.contains(local), "{} lacks {object:?}\n{page}", document.url);
        }
    }
}

#[test]
fn a_resource_redirects_according_to_the_q_values() {
    let world = small(|_| {});
    let name = world.seeds().into_iter().find(|seed| seed.contains("/resource/")).expect("some home is RDF");
    let check = |accept: &str, section: &str| {
        let response = get(&world, &name, accept);
        assert_eq!(response.status, 303, "{accept}");
        assert_eq!(response.headers[VARY], "Accept");
        let location = response.headers[LOCATION].to_str().expect("ASCII").to_owned();
        assert!(location.contains(section), "{accept} {location}");
        assert_eq!(get(&world, &location, accept).status, 200);
    };

    check("text/turtle", "/data/");
    check("text/html", "/page/");
    check("*/*", "/page/");
    check("text/html;q=0.4, application/rdf+xml;q=0.5", "/data/");
    check("text/html, application/rdf+xml;q=0.5", "/page/");
    check("text/html;q=0, */*;q=0.1", "/data/");
    assert_eq!(get(&world, &name, "image/png").status, 406);
}

/// The URLs that a crawler with links of this mode fetches with 200.
fn crawl(world: &World, mode: TruthMode) -> HashSet<String> {
    let truths: HashMap<String, TruthDocument> =
        documents(world, mode).into_iter().map(|document| (document.url.clone(), document)).collect();
    let accept = if mode == TruthMode::Html { "text/html, */*;q=0.5" } else { RDF };
    let mut queue = world.seeds();
    let mut requested = HashSet::new();
    let mut fetched = HashSet::new();
    while let Some(uri) = queue.pop() {
        let url = Url::parse(uri.split('#').next().expect("a part before the hash")).expect("an absolute URL");
        if !requested.insert(url.to_string()) {
            continue;
        }
        let response = get(world, url.as_str(), accept);
        if let Some(location) = response.headers.get(LOCATION) {
            queue.push(url.join(location.to_str().expect("ASCII")).expect("a URL").to_string());
        }
        if response.status != 200 {
            continue;
        }
        fetched.insert(url.to_string());
        if mode != TruthMode::Html
            && let Some(document) = truths.get(url.as_str())
        {
            let terms = document.quads.iter().flat_map(|quad| quad.triple.split(' '));
            queue.extend(
                terms
                    .filter_map(|term| term.strip_prefix("<http")?.strip_suffix('>'))
                    .map(|rest| format!("http{rest}")),
            );
        }
        let is_html =
            response.headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
        if mode != TruthMode::Rdf && is_html {
            let page = body(&response);
            let hrefs = page.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            queue.extend(hrefs.map(|href| url.join(href).expect("a URL").to_string()));
        }
    }
    fetched
}

#[test]
fn reachable_documents_are_those_that_a_crawl_fetches() {
    let world = small(|parameters| parameters.naming.islands = 0.3);
    for mode in [TruthMode::Rdf, TruthMode::All, TruthMode::Html] {
        let fetched = crawl(&world, mode);
        for document in documents(&world, mode) {
            // RDFa and Microdata contain anchors, too, so a crawl over anchors may find more than the truth states,
            // never less.
            let expected = document.reachable && document.obtainable;
            assert!(!expected || fetched.contains(&document.url), "{mode:?} {document:?}");
            assert!(mode != TruthMode::Rdf || expected == fetched.contains(&document.url), "{mode:?} {document:?}");
        }
    }
}

#[test]
fn every_document_except_orphans_is_reachable() {
    for seed in 1..6 {
        let world = small(|parameters| {
            (parameters.seed, parameters.naming.orphans, parameters.naming.islands) = (seed, 0.0, 0.0);
            (parameters.links.min, parameters.links.max) = (0, 0);
        });
        for mode in [TruthMode::Rdf, TruthMode::All, TruthMode::Html] {
            let without_rdf: HashSet<u32> =
                (0..13).filter(|number| world.site(*number).profile == site::RdfProfile::NoRdf).collect();
            for document in documents(&world, mode).iter().filter(|document| !document.reachable) {
                // A crawl over RDF links does not request pages, and sites without RDF have no RDF links.
                let url = Url::parse(&document.url).expect("a URL");
                let site = world.site_of_host(url.host_str().expect("a host")).expect("a site").0;
                let excused = document.kind == DocumentKind::Page && mode != TruthMode::Html;
                assert!(
                    excused || mode == TruthMode::Rdf && without_rdf.contains(&site.number),
                    "{seed} {mode:?} {document:?}"
                );
            }
        }
    }
}

#[test]
fn orphans_are_only_in_the_sitemap() {
    let world = small(|parameters| parameters.naming.orphans = 0.2);
    let reached: HashSet<String> = documents(&world, TruthMode::All)
        .into_iter()
        .filter(|document| document.reachable)
        .map(|document| document.url)
        .collect();
    let site = world.site(3);
    let map = body(&world.respond(&WebRequest::get(&format!("{}/sitemap.xml", site.origin(HostSide::Pages)))));
    let orphans: Vec<DocumentPlan> =
        (0..30).map(|number| world.plan(site, number)).filter(|plan| plan.orphan).collect();

    assert!(!orphans.is_empty());
    for orphan in orphans {
        let name = orphan.name();
        assert!(!reached.contains(&orphan.url(plan::DocumentUrlKind::Document)));
        assert!(map.contains(&format!("<loc>{}</loc>", name.split('#').next().expect("a URL"))), "{name}");
    }
}

#[test]
fn kinds_have_about_the_requested_shares() {
    let parameters = WorldParameters { hosts: 200, documents_per_host: 100, ..WorldParameters::default() };
    let expected = parameters.kinds.shares();
    let world = World::new(parameters).expect("sound parameters");
    let mut counts: BTreeMap<DocumentKind, f64> = BTreeMap::new();
    let (mut hash, mut serialisations, mut wrong) = (0.0, 0.0, 0.0);
    for site in 0..200 {
        for number in 0..100 {
            let plan = world.plan(world.site(site), number);
            *counts.entry(plan.kind).or_default() += 1.0 / 20_000.0;
            if plan.kind.is_serialisation() {
                serialisations += 1.0;
                hash += f64::from(u8::from(plan.naming == plan::LinkNaming::Hash));
                wrong += f64::from(u8::from(plan.content_type != Some(plan.kind.media_type())));
            }
        }
    }

    for (kind, expected) in DocumentKind::WEIGHTED.into_iter().zip(expected) {
        assert!(
            (counts[&kind] - expected).abs() < 0.02 + expected * 0.15,
            "{kind:?}: {} for {expected}",
            counts[&kind]
        );
    }
    assert!((hash / serialisations - 0.2_f64).abs() < 0.02);
    // Carriers and negotiating documents always have the correct content type.
    assert!((0.02..0.07).contains(&(wrong / serialisations)), "{}", wrong / serialisations);
}

#[test]
fn documents_have_about_the_requested_size() {
    for (preset, low, high) in [("mixed", 10_000, 14_000), ("tiny", 300, 600), ("rdfxml", 10_000, 14_000)] {
        let world = World::new(WorldParameters::preset(preset).expect("a preset")).expect("sound");
        let mut sizes: BTreeMap<DocumentKind, Vec<usize>> = BTreeMap::new();
        for number in 0..150 {
            for site in [1, 3, 7, 9] {
                let plan = world.plan(world.site(site), number);
                let response = world.respond(&WebRequest::get(&plan.url(plan::DocumentUrlKind::Document)));
                let WebBody::Whole(bytes) = response.body else { panic!("not whole") };
                sizes.entry(plan.kind).or_default().push(bytes.len());
            }
        }
        let means: BTreeMap<DocumentKind, usize> =
            sizes.iter().map(|(kind, sizes)| (*kind, sizes.iter().sum::<usize>() / sizes.len())).collect();
        let all = sizes.values().flatten().sum::<usize>() / sizes.values().flatten().count();
        assert!((low..high).contains(&all), "{preset}: {all} of {means:?}");
    }
}

#[test]
fn every_fault_has_a_gallery_document_under_its_name() {
    let world = World::new(WorldParameters::preset("faults").expect("a preset")).expect("sound");
    let delivery = |name: &str| world.respond(&WebRequest::get(&format!("http://faults.example/{name}"))).delivery;
    let status = |url: &str| world.respond(&WebRequest::get(url)).status.as_u16();

    assert!(
        matches!(delivery("slow"), DeliveryFault::Slow(_)) && matches!(delivery("drip"), DeliveryFault::Dripping(_))
    );
    assert_eq!((delivery("drop"), delivery("truncated")), (DeliveryFault::Dropped, DeliveryFault::Truncated));
    assert!(matches!(delivery("wrong-length"), DeliveryFault::UnderstatedLength(_)));
    assert_eq!((status("http://faults.example/429"), status("http://faults.example/503-retry-after")), (429, 503));
    assert_eq!(status("http://faults.example/redirect-loop"), 302);
    assert_eq!(status("http://robots-error.example/robots.txt"), 500);
    let robots = |host: &str| world.respond(&WebRequest::get(&format!("http://{host}.example/robots.txt")));
    assert_eq!(robots("robots-dropped").delivery, DeliveryFault::Dropped);
    assert!(body(&robots("robots-huge")).len() > 500 << 10);
    assert_eq!(world.respond(&WebRequest::get("https://broken-tls.example/data")).delivery, DeliveryFault::BrokenTls);
    assert!(matches!(world.respond(&WebRequest::get("http://faults.example/endless")).body, WebBody::Endless(_)));
    assert!(world.respond(&WebRequest::get("http://faults.example/huge-header")).headers.len() > 64);
    for (fault, url) in fault_gallery::fault_urls() {
        assert_ne!(status(&url), 404, "{fault:?}");
    }
}

#[test]
fn robots_txt_disallows_private_paths_and_the_world_knows_it() {
    let world = small(|parameters| (parameters.robots.missing, parameters.robots.crawl_delay_share) = (0.0, 1.0));
    let site = world.site(3).origin(HostSide::Data);
    let robots = body(&world.respond(&WebRequest::get(&format!("{site}/robots.txt"))));

    assert!(robots.contains("Disallow: /private/\n") && robots.contains("Crawl-delay: 0.2\n"), "{robots}");
    let url = |path: &str| Url::parse(&format!("{site}{path}")).expect("a URL");
    assert!(!world.allows(&url("/private/7")) && world.allows(&url("/data/7")));
    assert_eq!(world.crawl_delay_s(url("/").host_str().expect("a host")), Some(0.2));
}

#[test]
fn large_sites_have_a_sitemap_index_with_compressed_parts() {
    let parameters =
        WorldParameters { documents_per_host: 2_500, ..WorldParameters::preset("tiny").expect("a preset") };
    let world = World::new(parameters).expect("sound");
    let index = body(&world.respond(&WebRequest::get("http://h1.example/sitemap.xml")));

    assert!(index.contains("<loc>http://h1.example/sitemap-1.xml.gz</loc>"), "{index}");
    let WebBody::Whole(compressed) = world.respond(&WebRequest::get("http://h1.example/sitemap-1.xml.gz")).body else {
        panic!("not whole")
    };
    let mut map = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*compressed), &mut map).expect("gzip");
    assert_eq!(map.matches("<loc>").count(), 1_000);
}

#[test]
fn links_stay_within_their_topic_according_to_the_affinity() {
    let share = |affinity: f64| {
        let world = small(|parameters| {
            parameters.topics.affinity = affinity;
            parameters.documents_per_host = 200;
        });
        let plans: Vec<plan::DocumentPlan> = (0..200).map(|number| world.plan(world.site(1), number)).collect();
        let pairs = plans.iter().flat_map(|plan| world.links(plan).into_iter().map(move |link| (plan.topic, link)));
        let same: Vec<bool> = pairs
            .filter_map(|(topic, link)| match link.target {
                links::WorldLinkTarget::Document(target) => Some(target.topic == topic),
                _ => None,
            })
            .collect();
        f64::from(u32::try_from(same.iter().filter(|same| **same).count()).expect("few"))
            / f64::from(u32::try_from(same.len()).expect("few"))
    };

    assert!(share(0.9) > 0.6 && share(0.0) < 0.25, "{} {}", share(0.9), share(0.0));
}

#[test]
fn the_truth_round_trips_through_ndjson() {
    let world = small(|parameters| parameters.hosts = 2);
    let mut lines = Vec::new();
    truth::write_ndjson(&world, TruthMode::All, &mut lines).expect("writing to memory cannot fail");
    let read = serde_json::Deserializer::from_slice(&lines).into_iter();
    let read: Vec<TruthDocument> = read.map(|document| document.expect("a document")).collect();

    assert_eq!(read, documents(&world, TruthMode::All));
    let mut quads = Vec::new();
    truth::write_n_quads(&world, TruthMode::All, &mut quads).expect("writing to memory cannot fail");
    let count = oxttl::NQuadsParser::new().for_slice(&quads).flatten().count();
    assert_eq!(
        count,
        read.iter().filter(|document| document.is_expected()).map(|document| document.quads.len()).sum::<usize>()
    );
}

#[test]
fn a_revision_changes_a_share_of_documents_and_nothing_else() {
    let revision_of = |revision| {
        small(|parameters| {
            parameters.changes = ChangeParameters {
                revision,
                changed_share: 0.1,
                deleted_share: 0.1,
                etag_share: 1.0,
                last_modified_share: 1.0,
            };
        })
    };
    let (before, after) = (revision_of(0), revision_of(1));
    let (mut changed, mut deleted, mut count) = (0, 0, 0);
    for (old, new) in documents(&before, TruthMode::All).into_iter().zip(documents(&after, TruthMode::All)) {
        assert_eq!(old.url, new.url);
        let (was, is) = (get(&before, &old.url, RDF), get(&after, &old.url, RDF));
        if was.status != 200 || was.delivery != DeliveryFault::Plain {
            continue;
        }
        count += 1;
        if !new.obtainable {
            assert!(matches!(is.status.as_u16(), 404 | 410), "{}", old.url);
            deleted += 1;
        } else if old.quads == new.quads {
            assert_eq!(format!("{:?}", was.body), format!("{:?}", is.body), "{}", old.url);
            assert_eq!(was.headers, is.headers, "{}", old.url);
        } else {
            assert!(old.quads.iter().any(|quad| !new.quads.contains(quad)), "{}", old.url);
            assert!(new.quads.iter().any(|quad| !old.quads.contains(quad)), "{}", old.url);
            assert_ne!(was.headers[http::header::ETAG], is.headers[http::header::ETAG]);
            assert_ne!(was.headers[http::header::LAST_MODIFIED], is.headers[http::header::LAST_MODIFIED]);
            changed += 1;
        }
    }

    assert!((count / 30..count / 8).contains(&changed), "{changed} of {count} changed");
    assert!((count / 20..count / 6).contains(&deleted), "{deleted} of {count} deleted");
}

#[test]
fn a_changed_document_parses_back_to_its_truth() {
    let world = small(|parameters| {
        parameters.changes = ChangeParameters { revision: 3, changed_share: 1.0, ..ChangeParameters::default() };
        parameters.naming.wrong_content_type = 0.0;
        parameters.naming.missing_content_type = 0.0;
    });
    let mut read = 0;
    for document in documents(&world, TruthMode::All) {
        let response = get(&world, &document.url, RDF);
        let media_type = response.headers.get(CONTENT_TYPE).map(|it| it.to_str().expect("ASCII").to_owned());
        let Some(media_type) = media_type.filter(|_| document.is_expected() && document.kind.is_serialisation()) else {
            continue;
        };
        let text = body(&response);
        assert_isomorphic(parse(&media_type, &text, &document.url), truth_dataset(&document), &document.url);
        assert!(text.contains("new in revision 3") || document.topic.is_none(), "{text}");
        read += 1;
    }
    assert!(read > 50, "{read}");
}

#[test]
fn an_unchanged_document_yields_304_for_its_validators() {
    use http::header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
    let revision_of = |revision| {
        small(|parameters| {
            let shares = ChangeParameters { etag_share: 1.0, last_modified_share: 1.0, ..ChangeParameters::default() };
            parameters.changes = ChangeParameters { revision, changed_share: 1.0, ..shares };
        })
    };
    let (before, after) = (revision_of(0), revision_of(1));
    let documents = documents(&before, TruthMode::All);
    let document = documents.iter().find(|it| it.is_expected() && it.kind.is_serialisation()).expect("one with RDF");
    let first = get(&before, &document.url, RDF);
    let revalidate = |world: &World, condition: http::HeaderName, validator: http::HeaderName| {
        let value = first.headers[validator].to_str().expect("ASCII");
        world.respond(&WebRequest::get(&document.url).with_header(ACCEPT, RDF).with_header(condition, value))
    };

    let unchanged = revalidate(&before, IF_NONE_MATCH, ETAG);
    assert_eq!((unchanged.status.as_u16(), body(&unchanged).as_str()), (304, ""));
    assert_eq!(unchanged.headers[ETAG], first.headers[ETAG]);
    assert_eq!(revalidate(&before, IF_MODIFIED_SINCE, LAST_MODIFIED).status, 304);
    assert_eq!(revalidate(&after, IF_NONE_MATCH, ETAG).status, 200);
    assert_eq!(revalidate(&after, IF_MODIFIED_SINCE, LAST_MODIFIED).status, 200);
}
