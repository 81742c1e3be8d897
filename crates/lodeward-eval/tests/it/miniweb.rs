//! The mini web: the extractor finds the links that the study found.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use lodeward::model::Uri;
use lodeward::model::rdf_likelihood::is_non_rdf_extension;
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{PageId, RecordedWeb, Trial, TrialStart, WebGraph};

/// Hosts that are small enough for a test: blogs, a vocabulary, a test suite whose JSON-LD context is in
/// the recording.
const HOSTS: &[&str] = &[
    "json-ld.org",
    "0kelvins.github.io",
    "oeg-upm.github.io",
    "i-adopt.github.io",
    "technicalbuildingsystems.github.io",
];

/// The links that were published with the recording, between loaded pages.
fn published(web: &RecordedWeb, directory: &std::path::Path) -> HashMap<PageId, HashSet<PageId>> {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(directory.join("links.tsv.gz")).unwrap()).read_to_string(&mut text).unwrap();
    let page = |text: &str| {
        let uri = Uri::parse(text).ok()?;
        let is_non_rdf = uri.extension().is_some_and(|extension| is_non_rdf_extension(&extension));
        web.find(&uri).filter(|_| !is_non_rdf)
    };
    let mut links: HashMap<PageId, HashSet<PageId>> = HashMap::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split('\t');
        if let (Some(source), Some(target)) = (cells.next().and_then(page), cells.next().and_then(page))
            && source != target
        {
            links.entry(source).or_default().insert(target);
        }
    }
    links
}

#[test]
fn the_extractor_finds_the_published_links_of_the_mini_web() {
    let Some(directory) = toyweb::test_data::find("data/miniweb") else { return };
    let hosts = HOSTS.iter().map(|host| (*host).to_owned()).collect();
    let options = WebLoadOptions { recorded_contexts: true, hosts: Some(hosts), ..WebLoadOptions::default() };
    let web = Arc::new(RecordedWeb::load_with(&directory, &options).unwrap());
    let published = published(&web, &directory);

    let (mut found, mut all) = (0, 0);
    for (source, targets) in &published {
        let ours: HashSet<PageId> = web.targets(*source).map(|(target, _)| target).collect();
        found += targets.intersection(&ours).count();
        all += targets.len();
    }

    assert!(all > 2_000, "{all} links");
    assert!(found * 100 >= all * 97, "{found} of {all} links");

    // So the number of documents reachable from the seeds is nearly the same.
    let trial = Trial { start: TrialStart::Seeds, obeys_robots: false, ..Trial::default() };
    let graph = WebGraph::new(&web, &trial);
    let ours = graph.count_reachable().documents;
    let theirs = documents_by(&web, &graph.start, &published);
    assert!(ours.abs_diff(theirs) * 100 <= theirs * 3, "{ours} documents, not {theirs}");
}

/// Number of documents reachable by these links and by redirects.
fn documents_by(web: &RecordedWeb, start: &[PageId], links: &HashMap<PageId, HashSet<PageId>>) -> usize {
    let mut known: HashSet<PageId> = start.iter().copied().collect();
    let mut waiting: Vec<PageId> = start.to_vec();
    while let Some(page) = waiting.pop() {
        let redirect = web.page(page).redirect.as_ref().and_then(|target| web.find(target));
        let targets = links.get(&page).into_iter().flatten().copied().chain(redirect);
        waiting.extend(targets.filter(|target| known.insert(*target)));
    }
    known.iter().filter(|page| web.page(**page).is_document()).count()
}
