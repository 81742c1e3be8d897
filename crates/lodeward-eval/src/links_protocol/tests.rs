//! Tests of the link-analysis protocol on a generated web.

use std::path::Path;

use toyweb::world::{World, WorldParameters};

use super::*;

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");

/// The small world, recorded and loaded.
fn web() -> Arc<RecordedWeb> {
    let directory = tempfile::tempdir().unwrap();
    let mut parameters = WorldParameters::from_toml(SMALL).unwrap();
    parameters.hosts = 16;
    toyweb::record::record(&World::new(parameters).unwrap(), directory.path()).unwrap();
    Arc::new(RecordedWeb::load(Path::new(directory.path())).unwrap())
}

#[test]
fn gold_hub_pages_match_the_classes_of_the_world() {
    let web = web();
    let gold = GoldHubPages::from_web(&web);

    let mut hubs = 0;
    for (id, page) in web.pages_with_ids().filter(|(_, page)| page.is_document()) {
        match page.class {
            // Without embedded RDF, a page is HR only if it links to RDF.
            GoldClass::Hr if !page.is_rdf() => {
                assert!(gold.leads_to_rdf(id), "{}", page.uri);
                hubs += 1;
            }
            GoldClass::H | GoldClass::R | GoldClass::N => assert!(!gold.leads_to_rdf(id), "{}", page.uri),
            GoldClass::Hr | GoldClass::Other => {}
        }
    }
    assert!(hubs > 50, "{hubs}");
}

#[test]
fn sites_are_crawled_one_at_a_time_and_predictions_are_better_than_chance() {
    let web = web();
    let protocol =
        LinksProtocol { max_documents: 100, min_documents: 40, min_rdf_documents: 8, ..LinksProtocol::default() };

    let sites = crawl(&web, &protocol).unwrap();

    assert!(sites.len() > 3, "{}", sites.len());
    let mut right = PredictionHits::default();
    for site in &sites {
        assert!(site.documents <= 100 && site.documents >= 40 && site.rdf >= 8);
        assert!(site.focused.discovery.documents <= site.counted_at);
        let of_host = web.pages.iter().filter(|page| page.is_document() && page.uri.host() == site.host).count();
        assert!(site.documents <= of_host, "{} has only {of_host}", site.host);
        for heuristic in Heuristic::ALL {
            let fired = site.focused.heuristics[heuristic.number() as usize];
            assert!(fired.right <= fired.predicted);
            assert!(site.focused.recall(*heuristic).is_none_or(|recall| recall <= 1.0));
        }
        right.predicted += site.focused.r.predicted;
        right.right += site.focused.r.right;
    }
    let documents: usize = sites.iter().map(|site| site.documents).sum();
    let rdf_documents: usize = sites.iter().map(|site| site.rdf_documents).sum();
    assert!(right.precision().unwrap() > 1.5 * ratio(rdf_documents, documents), "{right:?}");
}

#[test]
fn a_site_that_is_too_small_is_skipped() {
    let protocol = LinksProtocol { min_documents: 10_000, ..LinksProtocol::default() };

    assert_eq!(crawl(&web(), &protocol).unwrap(), Vec::new());
}

#[test]
fn every_site_is_in_every_format_of_the_report() {
    let protocol =
        LinksProtocol { max_documents: 60, min_documents: 30, min_rdf_documents: 5, ..LinksProtocol::default() };
    let sites = crawl(&web(), &protocol).unwrap();

    let (text, table, bars) = (page("t", "c", &protocol, &sites), csv(&sites), render_svg("t", &sites));

    assert!(sites.iter().all(|site| text.contains(&site.host) && bars.contains(&site.host)));
    let mut widths = table.lines().map(|line| line.split(',').count());
    let width = widths.next().unwrap();
    assert!(widths.all(|other| other == width));
    assert_eq!(table.lines().count(), 1 + 3 * sites.len());
}

#[test]
fn entry_pages_are_seeds_and_targets_of_other_hosts() {
    let web = web();
    let entry_pages = SiteEntryPages::from_web(&web);
    let is_entry = |uri: &Uri| entry_pages.for_host(&web, uri.host()).any(|page| page == uri);

    let mut expected: std::collections::HashSet<&Uri> = web.seeds.iter().collect();
    for (id, page) in web.pages_with_ids() {
        let targets = web.targets(id).map(|(target, _)| &web.page(target).uri);
        expected.extend(targets.filter(|target| target.host() != page.uri.host()));
    }

    assert!(expected.len() > 50 && expected.iter().all(|uri| is_entry(uri)));
    let others = web.pages.iter().filter(|page| !expected.contains(&page.uri) && is_entry(&page.uri));
    assert_eq!(others.count(), 0);
}
