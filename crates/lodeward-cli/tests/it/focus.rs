//! Focused crawls of a small web of entities, over loopback sockets.

use std::fmt::Write as _;

use serde_json::Value;

use crate::entity_web::EntityServer;
use crate::sandbox::{CommandOutput, sorted};

const SEED: &str = "http://e.example/id/0";

/// A generated web of towers.
struct TowerWeb(EntityServer);

impl TowerWeb {
    /// Sixty entities: each is linked to three others, and all are in one scheme.
    fn new() -> Self {
        let iri = |number: u32| format!("http://e.example/id/{number}");
        let (mut table, mut links) = ("uri\tlabel\n".to_owned(), "subject\tpredicate\tobject\n".to_owned());
        for number in 0..60 {
            writeln!(table, "{}\ttower {} of town {}", iri(number), number / 7, number % 11).unwrap();
            for (predicate, other) in [("near", number * 2 + 1), ("like", number + 7), ("by", number / 5)] {
                writeln!(links, "{}\thttp://e.example/{predicate}\t{}", iri(number), iri(other % 60)).unwrap();
            }
            writeln!(links, "{}\thttp://e.example/in\thttp://e.example/scheme", iri(number)).unwrap();
        }
        Self(EntityServer::new(&table, &links))
    }

    fn crawl(&self, seeds: &[&str], data: &str, arguments: &[&str]) -> CommandOutput {
        let mut all = vec!["crawl", "--strategy", "focus", "--proxy", &self.0.proxy, "--delay", "0", "--data", data];
        all.extend(seeds.iter().chain(arguments));
        self.0.sandbox.run(&all)
    }

    /// The lines of a ranking without its timestamp.
    fn ranking(&self, data: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.0.sandbox.path(data).join("crawls/1/ranking.jsonl")).unwrap();
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines[0].as_object_mut().unwrap().remove("created_at");
        lines
    }
}

#[test]
fn a_resumed_focused_crawl_gives_the_same_ranking() {
    let web = TowerWeb::new();
    let depth = ["--max-hops", "2"];

    let whole = web.crawl(&[SEED], "whole", &[&depth[..], &["-o", "whole.nq", "--report", "whole.json"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.errors);
    for limit in ["2", "6", "9"] {
        let part = web.crawl(&[SEED], "parts", &[&depth[..], &["--max-requests", limit]].concat());
        assert_eq!(part.code, 0, "{}", part.errors);
    }
    // The crawl remembers its limit.
    web.crawl(&[], "parts", &[&depth[..], &["--reset-settings", "-o", "parts.nq"]].concat());

    let [whole_quads, parts_quads] =
        ["whole.nq", "parts.nq"].map(|name| std::fs::read_to_string(web.0.sandbox.path(name)).unwrap());
    assert_eq!(sorted(whole_quads.lines()), sorted(parts_quads.lines()));
    let (whole_ranking, parts_ranking) = (web.ranking("whole"), web.ranking("parts"));
    assert!(whole_ranking.len() > 10, "{whole_ranking:?}");
    assert_eq!(whole_ranking, parts_ranking);
    assert!(whole.errors.contains("ranked  "), "{}", whole.errors);
    assert!(whole.errors.contains("lodeward candidates --data whole"), "{}", whole.errors);

    let explained = web.0.sandbox.succeed(&["explain", "http://e.example/id/1", "--data", "whole"]);
    assert!(explained.contains("relevant to the seeds"), "{explained}");
    assert!(explained.contains("candidate ") && explained.contains("because it "), "{explained}");

    let report: Value = serde_json::from_slice(&std::fs::read(web.0.sandbox.path("whole.json")).unwrap()).unwrap();
    assert_eq!(report["ranking"]["ranker"], "hybrid");
    assert_eq!(report["ranking"]["max_hops"], 2);
    let reason = report["ranking"]["reason"].as_str().unwrap();
    assert!(reason.contains("one seed") && reason.contains("requested"), "{reason}");
}

#[test]
fn unusual_seed_lists_are_reported() {
    let web = TowerWeb::new();
    let check = |data: &str, seeds: &[&str], code: i32, words: &[&str]| {
        let crawled = web.crawl(seeds, data, &["--max-requests", "12"]);
        assert_eq!(crawled.code, code, "{}", crawled.errors);
        for words in words {
            assert!(crawled.errors.contains(words), "{words:?} is missing in\n{}", crawled.errors);
        }
    };

    check("one", &[SEED], 0, &["one seed: its weight is 1"]);
    check("none", &["http://e.example/id/999"], 4, &["no seed was fetched"]);
    check("some", &[SEED, "http://e.example/id/999"], 0, &["not fetched, so ignored: http://e.example/id/999"]);
}

#[test]
fn results_of_a_search_are_candidates_and_no_seeds() {
    let iri = |number: u32| format!("http://e.example/id/{number}");
    let entities = format!(
        "uri\tlabel\n{}\ttown hall\n{}\tmarket\n{}\tgothic spire\n{}\tnave\n",
        iri(0),
        iri(1),
        iri(50),
        iri(51)
    );
    let near = "http://e.example/near";
    let links =
        format!("subject\tpredicate\tobject\n{}\t{near}\t{}\n{}\t{near}\t{}\n", iri(0), iri(1), iri(50), iri(51));
    let web = TowerWeb(EntityServer::new(&entities, &links));
    let label = "<http://e.example/id/50> <http://www.w3.org/2000/01/rdf-schema#label> \"Gothic spire\" .";
    web.0.sandbox.write("own.nt", label);
    let words = ["--candidate-words", "gothic spires", "--max-hops", "2"];
    let candidates = |data: &str| -> Vec<(String, u64)> {
        let row = |row: &Value| (row["entity"].as_str().unwrap().to_owned(), row["hop"].as_u64().unwrap());
        let mut rows: Vec<_> = web.ranking(data)[1..].iter().map(row).collect();
        rows.sort_unstable();
        rows
    };

    for data in ["with", "without", "off"] {
        web.0.sandbox.succeed(&["import", "own.nt", "--data", data, "--graph", "http://e.example/own"]);
    }
    let crawl = web.crawl(&[SEED], "with", &words);
    assert_eq!(crawl.code, 0, "{}", crawl.errors);
    let plain = web.crawl(&[SEED], "without", &words[2..]);
    assert_eq!(plain.code, 0, "{}", plain.errors);

    assert_eq!(candidates("without"), [(iri(1), 1)]);
    // The seed does not lead to the spire; its neighbour is two links away, like that of a linked one.
    assert_eq!(candidates("with"), [(iri(1), 1), (iri(50), 1), (iri(51), 2)]);
    // The results are stored: ranking again, and resuming without the words, give the same.
    web.0.sandbox.succeed(&["rank", "--data", "with"]);
    assert_eq!(candidates("with").len(), 3);
    assert!(web.crawl(&[], "with", &["--reset-settings", "--max-hops", "2"]).code == 0);
    assert_eq!(candidates("with").len(), 3);

    let refused = web.crawl(&[SEED], "off", &[&words[..], &["--set", "search.index=false"]].concat());
    assert!(refused.code != 0 && refused.errors.contains("hint: set `search.index = true`"), "{}", refused.errors);
}
