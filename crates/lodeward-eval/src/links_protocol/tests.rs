use std::path::Path;

use toyweb::world::{Parameters, World};

use super::*;

const SMALL: &str = include_str!("../../../../eval/worlds/small.toml");

/// The small world, recorded and read back.
fn web() -> Arc<Web> {
    let folder = tempfile::tempdir().unwrap();
    let mut parameters = Parameters::from_toml(SMALL).unwrap();
    parameters.hosts = 16;
    toyweb::record::record(&World::new(parameters).unwrap(), folder.path()).unwrap();
    Arc::new(Web::load(Path::new(folder.path())).unwrap())
}

#[test]
fn a_page_leads_to_rdf_if_the_world_was_made_so() {
    let web = web();
    let gold = Gold::of(&web);

    let mut leading = 0;
    for (id, page) in web.ids().filter(|(_, page)| page.is_document()) {
        match page.class {
            // Without RDF inside, it is HR only because it leads to some.
            Class::Hr if !page.is_rdf() => {
                assert!(gold.leads_to_rdf(id), "{}", page.uri);
                leading += 1;
            }
            Class::H | Class::R | Class::N => assert!(!gold.leads_to_rdf(id), "{}", page.uri),
            Class::Hr | Class::Other => {}
        }
    }
    assert!(leading > 50, "{leading}");
}

#[test]
fn sites_are_crawled_one_at_a_time_and_predictions_are_better_than_none() {
    let web = web();
    let protocol = Protocol { documents_max: 100, documents_min: 40, rdf_min: 8, ..Protocol::default() };

    let sites = crawl(&web, &protocol).unwrap();

    assert!(sites.len() > 3, "{}", sites.len());
    let mut right = Hits::default();
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
    assert!(right.precision().unwrap() > 1.5 * share(rdf_documents, documents), "{right:?}");
}

#[test]
fn a_site_that_is_too_small_is_left_out() {
    let protocol = Protocol { documents_min: 10_000, ..Protocol::default() };

    assert_eq!(crawl(&web(), &protocol).unwrap(), Vec::new());
}

#[test]
fn every_site_is_in_every_form_of_the_report() {
    let protocol = Protocol { documents_max: 60, documents_min: 30, rdf_min: 5, ..Protocol::default() };
    let sites = crawl(&web(), &protocol).unwrap();

    let (text, table, bars) = (page("t", "c", &protocol, &sites), csv(&sites), picture("t", &sites));

    assert!(sites.iter().all(|site| text.contains(&site.host) && bars.contains(&site.host)));
    let mut widths = table.lines().map(|line| line.split(',').count());
    let width = widths.next().unwrap();
    assert!(widths.all(|other| other == width));
    assert_eq!(table.lines().count(), 1 + 3 * sites.len());
}

#[test]
fn gates_are_seeds_and_what_other_hosts_lead_to() {
    let web = web();
    let gates = Gates::of(&web);
    let is_gate = |uri: &Uri| gates.of_host(&web, uri.host()).any(|gate| gate == uri);

    let mut led_to: std::collections::HashSet<&Uri> = web.seeds.iter().collect();
    for (id, page) in web.ids() {
        let targets = web.targets(id).map(|(target, _)| &web.page(target).uri);
        led_to.extend(targets.filter(|target| target.host() != page.uri.host()));
    }

    assert!(led_to.len() > 50 && led_to.iter().all(|uri| is_gate(uri)));
    let within = web.pages.iter().filter(|page| !led_to.contains(&page.uri) && is_gate(&page.uri));
    assert_eq!(within.count(), 0);
}
