use std::sync::Arc;
use lodeward_eval::*;
use lodeward_eval::metrics::*;
use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let dir = args.next().unwrap();
    let t = Instant::now();
    let web = Arc::new(Web::load(std::path::Path::new(&dir)).unwrap());
    eprintln!("loaded {} pages in {:?}, seeds {} entries {} misses {}", web.pages.len(), t.elapsed(), web.seeds.len(), web.entries.len(), web.misses());
    for (start, cap) in [(Start::Seeds, None), (Start::SeedsAndEntries, None), (Start::SeedsAndEntries, Some(150))] {
        let trial = Trial { start, documents_per_pld_max: cap, ..Trial::default() };
        let t = Instant::now();
        let graph = Graph::new(&web, &trial);
        let reach = graph.reach();
        eprintln!("{reach:?} {:?}", t.elapsed());
        let t = Instant::now();
        let oracle = oracle::crawl(&graph);
        eprintln!("oracle {:?} redirects {} docs {}", t.elapsed(), oracle.count(Kind::Redirect), oracle.count(Kind::Document));
        let n = reach.documents as f64;
        let oracle = Harvest::of(&web, &oracle);
        let t = Instant::now();
        let config = lodeward::config::Config::default();
        let ledger = run(&web, &trial, lodeward::open::strategy(&config, None).unwrap()).unwrap();
        let h = Harvest::of(&web, &ledger);
        eprintln!("bfs {:?} AUC {:.3} docs {} redirects {} robots {} strategy {:?}/uri", t.elapsed(), h.area(n) / oracle.area(n), h.documents().len(), ledger.count(Kind::Redirect), ledger.robots, ledger.time_per_uri());
        for h in [&oracle, &h] {
        for b in [0.05, 0.1, 0.25, 0.5, 0.75] {
            let c = h.counts(b * n);
            eprint!(" {:.3}/{:.3}/{:.3}", c.share(), c.hard_share(), c.rdf as f64 / reach.rdf as f64);
        } eprintln!(); }
    }
}
