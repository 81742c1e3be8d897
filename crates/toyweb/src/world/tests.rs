//! Claims about whole worlds.

use std::collections::{BTreeMap, HashMap, HashSet};

use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, VARY};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, Quad};

use super::*;
use crate::message::{Body, Conduct, Request, Response, Web};
use crate::truth::{self, Document, Mode, truth};

const RDF: &str = "application/rdf+xml, text/turtle, application/n-triples, application/ld+json;q=0.9, application/n-quads, \
                   application/trig, text/html;q=0.5, */*;q=0.1";

fn small(change: impl FnOnce(&mut Parameters)) -> World {
    let mut parameters = Parameters::preset("demo").expect("a preset");
    (parameters.hosts, parameters.documents_per_host) = (13, 30);
    change(&mut parameters);
    World::new(parameters).expect("sound parameters")
}

fn get(world: &World, url: &str, accept: &str) -> Response {
    world.respond(&Request::get(url).with(ACCEPT, accept))
}

fn body(response: &Response) -> String {
    match &response.body {
        Body::Whole(bytes) => String::from_utf8(bytes.to_vec()).expect("UTF-8"),
        other => panic!("not a whole body: {other:?}"),
    }
}

fn documents(world: &World, mode: Mode) -> Vec<Document> {
    let mut documents = Vec::new();
    truth(world, mode, &mut |document| documents.push(document));
    documents
}

fn parse(media_type: &str, text: &str, base: &str) -> Dataset {
    let fold = |quad: Quad| Quad { graph_name: GraphName::DefaultGraph, ..quad };
    match media_type {
        "application/rdf+xml" => {
            let parser = oxrdfxml::RdfXmlParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|triple| triple.expect(text).in_graph(GraphName::DefaultGraph)).collect()
        }
        "application/ld+json" => {
            let parser = oxjsonld::JsonLdParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|quad| fold(quad.expect(text))).collect()
        }
        "text/turtle" | "application/n-triples" => {
            let parser = oxttl::TurtleParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|triple| triple.expect(text).in_graph(GraphName::DefaultGraph)).collect()
        }
        "application/trig" | "application/n-quads" => {
            // N-Quads with a graph are not TriG.
            if media_type == "application/n-quads" {
                return oxttl::NQuadsParser::new().for_slice(text).map(|quad| fold(quad.expect(text))).collect();
            }
            let parser = oxttl::TriGParser::new().with_base_iri(base).expect("a base");
            parser.for_slice(text).map(|quad| fold(quad.expect(text))).collect()
        }
        other => panic!("no parser for {other}"),
    }
}

fn of_truth(document: &Document) -> Dataset {
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
fn the_same_uri_gives_the_same_bytes_in_any_order_and_from_any_world_of_the_seed() {
    let (one, other) = (small(|_| {}), small(|_| {}));
    let urls: Vec<String> = documents(&one, Mode::All).into_iter().map(|document| document.url).collect();

    let forwards: Vec<String> = urls.iter().map(|url| format!("{:?}", one.respond(&Request::get(url)))).collect();
    let mut backwards: Vec<String> =
        urls.iter().rev().map(|url| format!("{:?}", other.respond(&Request::get(url)))).collect();
    backwards.reverse();

    assert!(forwards == backwards);
    let reseeded = small(|parameters| parameters.seed += 1);
    assert_ne!(format!("{:?}", reseeded.respond(&Request::get(&urls[0]))), forwards[0]);
}

#[test]
fn every_serialisation_parses_back_to_its_truth() {
    let world = small(|parameters| parameters.hosts = 8);
    let mut seen = HashSet::new();
    for document in documents(&world, Mode::All).iter().filter(|document| document.kind.is_serialisation()) {
        let text = body(&get(&world, &document.url, document.kind.media_type()));

        assert_isomorphic(parse(document.kind.media_type(), &text, &document.url), of_truth(document), &document.url);
        seen.insert(document.kind);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn a_negotiating_document_says_the_same_in_every_syntax() {
    let world = small(|parameters| parameters.naming.negotiating = 1.0);
    let mut compared = 0;
    for document in documents(&world, Mode::All).iter().filter(|document| document.kind.is_serialisation()).take(40) {
        for kind in [Kind::RdfXml, Kind::Turtle, Kind::NTriples, Kind::JsonLd] {
            let response = get(&world, &document.url, kind.media_type());
            if response.headers.get(VARY).is_none() {
                continue;
            }
            assert_eq!(response.headers[CONTENT_TYPE], kind.media_type());
            let found = parse(kind.media_type(), &body(&response), &document.url);
            assert_isomorphic(found, of_truth(document), &document.url);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_json_ld_script_holds_the_truth_of_its_page() {
    let world = small(|parameters| parameters.kinds = Kinds { html_json_ld: 1.0, ..Kinds::NONE });
    for document in documents(&world, Mode::All).iter().filter(|document| document.kind == Kind::HtmlJsonLd).take(50) {
        let page = body(&get(&world, &document.url, "*/*"));
        let script = page.split("<script type=\"application/ld+json\">").nth(1).expect("a script");
        let script = script.split("</script>").next().expect("an end");

        assert_isomorphic(parse("application/ld+json", script, &document.url), of_truth(document), &document.url);
    }
}

/// Nothing here reads RDFa or Microdata, so this only shows that nothing is
/// left out; that it is well put is for those who parse it to say.
#[test]
fn embedded_markup_leaves_no_word_and_no_link_out() {
    let world = small(|parameters| {
        parameters.kinds = Kinds { html_rdfa: 1.0, html_microdata: 1.0, html_several: 1.0, ..Kinds::NONE };
    });
    for document in documents(&world, Mode::All).iter().filter(|document| document.url.contains("//h")).take(60) {
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
fn a_resource_sends_its_visitor_where_the_q_values_point() {
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

/// What a visitor that follows links of this mode gets with 200, by asking.
fn crawl(world: &World, mode: Mode) -> HashSet<String> {
    let truths: HashMap<String, Document> =
        documents(world, mode).into_iter().map(|document| (document.url.clone(), document)).collect();
    let accept = if mode == Mode::Html { "text/html, */*;q=0.5" } else { RDF };
    let mut waiting = world.seeds();
    let mut asked = HashSet::new();
    let mut got = HashSet::new();
    while let Some(uri) = waiting.pop() {
        let url = Url::parse(uri.split('#').next().expect("a part before the hash")).expect("an absolute URL");
        if !asked.insert(url.to_string()) {
            continue;
        }
        let response = get(world, url.as_str(), accept);
        if let Some(location) = response.headers.get(LOCATION) {
            waiting.push(url.join(location.to_str().expect("ASCII")).expect("a URL").to_string());
        }
        if response.status != 200 {
            continue;
        }
        got.insert(url.to_string());
        if mode != Mode::Html
            && let Some(document) = truths.get(url.as_str())
        {
            let terms = document.quads.iter().flat_map(|quad| quad.triple.split(' '));
            waiting.extend(
                terms
                    .filter_map(|term| term.strip_prefix("<http")?.strip_suffix('>'))
                    .map(|rest| format!("http{rest}")),
            );
        }
        let is_html =
            response.headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
        if mode != Mode::Rdf && is_html {
            let page = body(&response);
            let hrefs = page.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            waiting.extend(hrefs.map(|href| url.join(href).expect("a URL").to_string()));
        }
    }
    got
}

#[test]
fn what_is_said_to_be_reachable_is_what_a_visitor_reaches() {
    let world = small(|parameters| parameters.naming.islands = 0.3);
    for mode in [Mode::Rdf, Mode::All, Mode::Html] {
        let got = crawl(&world, mode);
        for document in documents(&world, mode) {
            // RDFa and Microdata link with anchors, too, so reading anchors
            // may find more than is promised, never less.
            let promised = document.reachable && document.obtainable;
            assert!(!promised || got.contains(&document.url), "{mode:?} {document:?}");
            assert!(mode != Mode::Rdf || promised == got.contains(&document.url), "{mode:?} {document:?}");
        }
    }
}

#[test]
fn everything_but_orphans_can_be_reached() {
    for seed in 1..6 {
        let world = small(|parameters| {
            (parameters.seed, parameters.naming.orphans, parameters.naming.islands) = (seed, 0.0, 0.0);
            (parameters.links.min, parameters.links.max) = (0, 0);
        });
        for mode in [Mode::Rdf, Mode::All, Mode::Html] {
            let without_rdf: HashSet<u32> =
                (0..13).filter(|number| world.site(*number).profile == site::Profile::NoRdf).collect();
            for document in documents(&world, mode).iter().filter(|document| !document.reachable) {
                // Where RDF links are followed, pages are not asked for, and
                // sites without RDF have no RDF links.
                let url = Url::parse(&document.url).expect("a URL");
                let site = world.site_of_host(url.host_str().expect("a host")).expect("a site").0;
                let excused = document.kind == Kind::Page && mode != Mode::Html;
                assert!(
                    excused || mode == Mode::Rdf && without_rdf.contains(&site.number),
                    "{seed} {mode:?} {document:?}"
                );
            }
        }
    }
}

#[test]
fn orphans_are_in_the_sitemap_alone() {
    let world = small(|parameters| parameters.naming.orphans = 0.2);
    let reached: HashSet<String> = documents(&world, Mode::All)
        .into_iter()
        .filter(|document| document.reachable)
        .map(|document| document.url)
        .collect();
    let site = world.site(3);
    let map = body(&world.respond(&Request::get(&format!("{}/sitemap.xml", site.origin(Side::Pages)))));
    let orphans: Vec<Plan> = (0..30).map(|number| world.plan(site, number)).filter(|plan| plan.orphan).collect();

    assert!(!orphans.is_empty());
    for orphan in orphans {
        let name = orphan.name();
        assert!(!reached.contains(&orphan.url(plan::Face::Document)));
        assert!(map.contains(&format!("<loc>{}</loc>", name.split('#').next().expect("a URL"))), "{name}");
    }
}

#[test]
fn shares_are_about_as_asked() {
    let parameters = Parameters { hosts: 200, documents_per_host: 100, ..Parameters::default() };
    let asked = parameters.kinds.shares();
    let world = World::new(parameters).expect("sound parameters");
    let mut counts: BTreeMap<Kind, f64> = BTreeMap::new();
    let (mut hash, mut serialisations, mut wrong) = (0.0, 0.0, 0.0);
    for site in 0..200 {
        for number in 0..100 {
            let plan = world.plan(world.site(site), number);
            *counts.entry(plan.kind).or_default() += 1.0 / 20_000.0;
            if plan.kind.is_serialisation() {
                serialisations += 1.0;
                hash += f64::from(u8::from(plan.naming == plan::Naming::Hash));
                wrong += f64::from(u8::from(plan.content_type != Some(plan.kind.media_type())));
            }
        }
    }

    for (kind, asked) in Kind::DRAWN.into_iter().zip(asked) {
        assert!((counts[&kind] - asked).abs() < 0.02 + asked * 0.15, "{kind:?}: {} for {asked}", counts[&kind]);
    }
    assert!((hash / serialisations - 0.2_f64).abs() < 0.02);
    // Carriers and negotiating documents are always labelled well.
    assert!((0.02..0.07).contains(&(wrong / serialisations)), "{}", wrong / serialisations);
}

#[test]
fn documents_are_about_as_large_as_asked() {
    for (preset, low, high) in [("mixed", 10_000, 14_000), ("tiny", 300, 600), ("rdfxml", 10_000, 14_000)] {
        let world = World::new(Parameters::preset(preset).expect("a preset")).expect("sound");
        let mut sizes: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for number in 0..150 {
            for site in [1, 3, 7, 9] {
                let plan = world.plan(world.site(site), number);
                let response = world.respond(&Request::get(&plan.url(plan::Face::Document)));
                let Body::Whole(bytes) = response.body else { panic!("not whole") };
                sizes.entry(plan.kind).or_default().push(bytes.len());
            }
        }
        let means: BTreeMap<Kind, usize> =
            sizes.iter().map(|(kind, sizes)| (*kind, sizes.iter().sum::<usize>() / sizes.len())).collect();
        let all = sizes.values().flatten().sum::<usize>() / sizes.values().flatten().count();
        assert!((low..high).contains(&all), "{preset}: {all} of {means:?}");
    }
}

#[test]
fn every_fault_is_on_show_under_its_name() {
    let world = World::new(Parameters::preset("faults").expect("a preset")).expect("sound");
    let conduct = |name: &str| world.respond(&Request::get(&format!("http://faults.example/{name}"))).conduct;
    let status = |url: &str| world.respond(&Request::get(url)).status.as_u16();

    assert!(matches!(conduct("slow"), Conduct::Slow(_)) && matches!(conduct("drip"), Conduct::Dripping(_)));
    assert_eq!((conduct("drop"), conduct("truncated")), (Conduct::Dropped, Conduct::Truncated));
    assert!(matches!(conduct("wrong-length"), Conduct::UnderstatedLength(_)));
    assert_eq!((status("http://faults.example/429"), status("http://faults.example/503-retry-after")), (429, 503));
    assert_eq!(status("http://faults.example/redirect-loop"), 302);
    assert_eq!(status("http://robots-error.example/robots.txt"), 500);
    let robots = |host: &str| world.respond(&Request::get(&format!("http://{host}.example/robots.txt")));
    assert_eq!(robots("robots-dropped").conduct, Conduct::Dropped);
    assert!(body(&robots("robots-huge")).len() > 500 << 10);
    assert_eq!(world.respond(&Request::get("https://broken-tls.example/data")).conduct, Conduct::BrokenTls);
    assert!(matches!(world.respond(&Request::get("http://faults.example/endless")).body, Body::Endless(_)));
    assert!(world.respond(&Request::get("http://faults.example/huge-header")).headers.len() > 64);
    for (fault, url) in gallery::exhibits() {
        assert_ne!(status(&url), 404, "{fault:?}");
    }
}

#[test]
fn robots_forbids_what_it_says_and_the_score_knows() {
    let world = small(|parameters| (parameters.robots.missing, parameters.robots.crawl_delay) = (0.0, 1.0));
    let site = world.site(3).origin(Side::Data);
    let robots = body(&world.respond(&Request::get(&format!("{site}/robots.txt"))));

    assert!(robots.contains("Disallow: /private/\n") && robots.contains("Crawl-delay: 0.2\n"), "{robots}");
    let url = |path: &str| Url::parse(&format!("{site}{path}")).expect("a URL");
    assert!(!world.allows(&url("/private/7")) && world.allows(&url("/data/7")));
    assert_eq!(world.crawl_delay_s(url("/").host_str().expect("a host")), Some(0.2));
}

#[test]
fn large_sites_have_a_sitemap_index_with_packed_parts() {
    let parameters = Parameters { documents_per_host: 2_500, ..Parameters::preset("tiny").expect("a preset") };
    let world = World::new(parameters).expect("sound");
    let index = body(&world.respond(&Request::get("http://h1.example/sitemap.xml")));

    assert!(index.contains("<loc>http://h1.example/sitemap-1.xml.gz</loc>"), "{index}");
    let Body::Whole(packed) = world.respond(&Request::get("http://h1.example/sitemap-1.xml.gz")).body else {
        panic!("not whole")
    };
    let mut map = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*packed), &mut map).expect("gzip");
    assert_eq!(map.matches("<loc>").count(), 1_000);
}

#[test]
fn links_mostly_keep_to_their_topic_when_asked() {
    let share = |affinity: f64| {
        let world = small(|parameters| {
            parameters.topics.affinity = affinity;
            parameters.documents_per_host = 200;
        });
        let plans: Vec<plan::Plan> = (0..200).map(|number| world.plan(world.site(1), number)).collect();
        let pairs = plans.iter().flat_map(|plan| world.links(plan).into_iter().map(move |link| (plan.topic, link)));
        let same: Vec<bool> = pairs
            .filter_map(|(topic, link)| match link.target {
                links::Target::Document(target) => Some(target.topic == topic),
                _ => None,
            })
            .collect();
        f64::from(u32::try_from(same.iter().filter(|same| **same).count()).expect("few"))
            / f64::from(u32::try_from(same.len()).expect("few"))
    };

    assert!(share(0.9) > 0.6 && share(0.0) < 0.25, "{} {}", share(0.9), share(0.0));
}

#[test]
fn the_truth_survives_being_written() {
    let world = small(|parameters| parameters.hosts = 2);
    let mut lines = Vec::new();
    truth::write_ndjson(&world, Mode::All, &mut lines).expect("memory takes all writes");
    let read: Vec<Document> = truth::read_ndjson(&*lines).map(|document| document.expect("a document")).collect();

    assert_eq!(read, documents(&world, Mode::All));
    let mut quads = Vec::new();
    truth::write_n_quads(&world, Mode::All, &mut quads).expect("memory takes all writes");
    let count = oxttl::NQuadsParser::new().for_slice(&quads).flatten().count();
    assert_eq!(
        count,
        read.iter().filter(|document| document.counts()).map(|document| document.quads.len()).sum::<usize>()
    );
}

#[test]
fn a_revision_changes_a_share_of_documents_and_nothing_else() {
    let of = |revision| {
        small(|parameters| {
            parameters.changes = Changes {
                revision,
                changed_share: 0.1,
                vanished_share: 0.1,
                etag_share: 1.0,
                last_modified_share: 1.0,
            };
        })
    };
    let (before, after) = (of(0), of(1));
    let (mut changed, mut gone, mut count) = (0, 0, 0);
    for (old, new) in documents(&before, Mode::All).into_iter().zip(documents(&after, Mode::All)) {
        assert_eq!(old.url, new.url);
        let (was, is) = (get(&before, &old.url, RDF), get(&after, &old.url, RDF));
        if was.status != 200 || was.conduct != Conduct::Plain {
            continue;
        }
        count += 1;
        if !new.obtainable {
            assert!(matches!(is.status.as_u16(), 404 | 410), "{}", old.url);
            gone += 1;
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
    assert!((count / 20..count / 6).contains(&gone), "{gone} of {count} gone");
}

#[test]
fn what_a_changed_document_says_is_what_the_truth_tells_of_it() {
    let world = small(|parameters| {
        parameters.changes = Changes { revision: 3, changed_share: 1.0, ..Changes::default() };
        parameters.naming.wrong_content_type = 0.0;
        parameters.naming.missing_content_type = 0.0;
    });
    let mut read = 0;
    for document in documents(&world, Mode::All) {
        let response = get(&world, &document.url, RDF);
        let media_type = response.headers.get(CONTENT_TYPE).map(|it| it.to_str().expect("ASCII").to_owned());
        let Some(media_type) = media_type.filter(|_| document.counts() && document.kind.is_serialisation()) else {
            continue;
        };
        let text = body(&response);
        assert_isomorphic(parse(&media_type, &text, &document.url), of_truth(&document), &document.url);
        assert!(text.contains("new in revision 3") || document.topic.is_none(), "{text}");
        read += 1;
    }
    assert!(read > 50, "{read}");
}

#[test]
fn a_document_that_is_known_is_answered_with_304() {
    use http::header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
    let of = |revision| {
        small(|parameters| {
            let shares = Changes { etag_share: 1.0, last_modified_share: 1.0, ..Changes::default() };
            parameters.changes = Changes { revision, changed_share: 1.0, ..shares };
        })
    };
    let (before, after) = (of(0), of(1));
    let documents = documents(&before, Mode::All);
    let document = documents.iter().find(|it| it.counts() && it.kind.is_serialisation()).expect("one with RDF");
    let known = get(&before, &document.url, RDF);
    let again = |world: &World, condition: http::HeaderName, validator: http::HeaderName| {
        let value = known.headers[validator].to_str().expect("ASCII");
        world.respond(&Request::get(&document.url).with(ACCEPT, RDF).with(condition, value))
    };

    let unchanged = again(&before, IF_NONE_MATCH, ETAG);
    assert_eq!((unchanged.status.as_u16(), body(&unchanged).as_str()), (304, ""));
    assert_eq!(unchanged.headers[ETAG], known.headers[ETAG]);
    assert_eq!(again(&before, IF_MODIFIED_SINCE, LAST_MODIFIED).status, 304);
    assert_eq!(again(&after, IF_NONE_MATCH, ETAG).status, 200);
    assert_eq!(again(&after, IF_MODIFIED_SINCE, LAST_MODIFIED).status, 200);
}
