//! Focused crawls of a small web of entities, over loopback sockets.

use std::fmt::Write as _;

use serde_json::Value;

use crate::desk::{Said, sorted};
use crate::entity_web::Entities;

const SEED: &str = "http://e.example/id/0";

/// A web of towers.
struct Towers(Entities);

impl Towers {
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
        Self(Entities::new(&table, &links))
    }

    fn crawl(&self, seeds: &[&str], data: &str, arguments: &[&str]) -> Said {
        let mut all = vec!["crawl", "--strategy", "focus", "--proxy", &self.0.proxy, "--delay", "0", "--data", data];
        all.extend(seeds.iter().chain(arguments));
        self.0.desk.run(&all)
    }

    /// The lines of a ranking but for the moment it was made.
    fn ranking(&self, data: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.0.desk.path(data).join("crawls/1/ranking.jsonl")).unwrap();
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines[0].as_object_mut().unwrap().remove("made_at_ms");
        lines
    }
}

#[test]
fn a_focused_crawl_that_was_cut_short_goes_on_and_ranks_the_same() {
    let web = Towers::new();
    let depth = ["--depth", "2"];

    let whole = web.crawl(&[SEED], "whole", &[&depth[..], &["-o", "whole.nq", "--report", "whole.json"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.errors);
    for limit in ["2", "6", "9"] {
        let part = web.crawl(&[SEED], "parts", &[&depth[..], &["--max-requests", limit]].concat());
        assert_eq!(part.code, 0, "{}", part.errors);
    }
    web.crawl(&[], "parts", &[&depth[..], &["-o", "parts.nq"]].concat());

    let [whole_quads, parts_quads] =
        ["whole.nq", "parts.nq"].map(|name| std::fs::read_to_string(web.0.desk.path(name)).unwrap());
    assert_eq!(sorted(whole_quads.lines()), sorted(parts_quads.lines()));
    let (whole_ranking, parts_ranking) = (web.ranking("whole"), web.ranking("parts"));
    assert!(whole_ranking.len() > 10, "{whole_ranking:?}");
    assert_eq!(whole_ranking, parts_ranking);
    assert!(whole.errors.contains("ranked  "), "{}", whole.errors);
    assert!(whole.errors.contains("lodeward candidates --data whole"), "{}", whole.errors);

    let explained = web.0.desk.succeed(&["explain", "http://e.example/id/1", "--data", "whole"]);
    assert!(explained.contains("it matters to the seeds"), "{explained}");
    assert!(explained.contains("candidate ") && explained.contains("because it "), "{explained}");

    let report: Value = serde_json::from_slice(&std::fs::read(web.0.desk.path("whole.json")).unwrap()).unwrap();
    assert_eq!(report["ranking"]["ranker"], "hybrid");
    assert_eq!(report["ranking"]["depth"], 2);
    let reason = report["ranking"]["reason"].as_str().unwrap();
    assert!(reason.contains("one seed") && reason.contains("asked for"), "{reason}");
}

#[test]
fn odd_seed_lists_are_told_of_in_plain_words() {
    let web = Towers::new();
    let check = |data: &str, seeds: &[&str], words: &[&str]| {
        let said = web.crawl(seeds, data, &["--max-requests", "12"]);
        assert_eq!(said.code, 0, "{}", said.errors);
        for words in words {
            assert!(said.errors.contains(words), "{words:?} is missing in\n{}", said.errors);
        }
    };

    check("one", &[SEED], &["there is one seed"]);
    check("none", &["http://e.example/id/999"], &["no seed was reached"]);
    check("some", &[SEED, "http://e.example/id/999"], &["http://e.example/id/999 is not reached"]);
}
