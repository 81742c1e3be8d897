//! Evaluation of focused crawls: on a small world and on real data.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use lodeward_eval::focus::{
    EntityTables, EntityWorld, FocusReport, RankerEntry, WorldSources, crawls, csv, curves, direct, report,
};
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{Contender, RecordedWeb};
use toyweb::entities::{EntityWeb, EntityWebSources};

/// Coins of one mint, and a chair:
///
/// ```text
///        s1 ──▶ chair
///   s2 ─▶ │ ┌── t1 ──▶ far
///      └▶ mint ◀── t2
/// ```
const ENTITIES: &str = "uri\tlabel
http://a.example/s1\tsilver Roman coin
http://a.example/s2\tbronze Roman coin
http://a.example/mint\tmint of Rome
http://a.example/chair\tgarden chair
http://a.example/t1\tgolden Roman coin
http://a.example/t2\tcopper Roman coin
http://a.example/far\tcopy
";
const LINKS: &str = "subject\tpredicate\tobject
http://a.example/s1\thttp://a.example/by\thttp://a.example/mint
http://a.example/s1\thttp://a.example/on\thttp://a.example/chair
http://a.example/s2\thttp://a.example/by\thttp://a.example/mint
http://a.example/t1\thttp://a.example/by\thttp://a.example/mint
http://a.example/t2\thttp://a.example/by\thttp://a.example/mint
http://a.example/t1\thttp://a.example/of\thttp://a.example/far
";
const TASKS: &str = r#"[{"id": "coins", "seeds": ["http://a.example/s1", "http://a.example/s2"],
  "relevant": {"http://a.example/t1": 2, "http://a.example/t2": 1, "http://a.example/far": 1},
  "judged_nonrelevant": ["http://a.example/chair"]}]"#;

fn sources(directory: &Path) -> WorldSources {
    let file = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let tables = EntityTables {
        entities: vec![file("entities.tsv", ENTITIES)],
        links: vec![file("links.tsv", LINKS)],
        hidden: Vec::new(),
    };
    WorldSources { name: "coins".to_owned(), tables, tasks: file("tasks.json", TASKS) }
}

fn rankers(names: &[&str]) -> Vec<RankerEntry> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn the_ranking_of_a_small_world_matches_a_manual_calculation() {
    let directory = tempfile::tempdir().unwrap();
    let world = sources(directory.path()).load().unwrap();
    let rankers = rankers(RankerEntry::DEFAULT_NAMES);
    let runs = [2, 3].map(|depth| direct::run(&world, &rankers, depth, None, |_, _| {}));

    let [two, three] = runs.each_ref().map(|run| &run.tasks[0]);
    // The seeds are two links from each other: Γ = 2·1 / (2·2).
    near(two.coherence, 0.5, 1e-9);
    assert_eq!((two.candidates, two.targets, two.reachable_targets), (4, 3, 2));
    assert_eq!((three.candidates, three.reachable_targets), (5, 3));
    // By their own texts and those of their neighbours: t2 (4/8 + 4/6) / 2, the mint
    // (5/10 + 5/8) / 2, t1 (4/9 + 4/7) / 2, the chair (5/7 + 2/8) / 2. So t2, with
    // grade 1, is first, and t1, with grade 2, third; the third target is too far.
    let ejsim = &two.scores[1];
    let log3 = 3.0_f64.log2();
    let ideal = 2.0 + 1.0 + 1.0 / log3;
    near(ejsim.ndcg_at(10), (1.0 + 2.0 / log3) / ideal, 1e-9);
    near(ejsim.recall, 2.0 / 3.0, 1e-9);
    near(ejsim.ndcg_judged.unwrap(), (1.0 + 2.0) / ideal, 1e-9);
    for (ranker, score) in rankers.iter().zip(&two.scores) {
        assert!(score.ndcg_at(100) > 0.0 && score.recall > 0.6, "{} finds both", ranker.name);
    }

    let report = FocusReport {
        command: "lodeward-eval focus".to_owned(),
        entries: &rankers,
        direct: &runs,
        feedback: &[],
        crawls: &[],
        requests: &[],
        seed: 0,
    };
    let page = report::page(&report);
    assert!(page.contains("1 tasks, 3 targets, 2 of them within 2 links; 4 candidates on average"), "{page}");
    assert!(page.contains("| Γ ≥ 0.5 (1 tasks) | "), "{page}");
    assert_eq!(csv::rows(&report).matches(",ndcg@100,").count(), 2 * rankers.len());
    let picture = curves::render_svg(&report);
    assert_eq!(
        picture.matches("<polyline").count(),
        2 * rankers.len() + 2 * 3,
        "with the chart of attrition at both depths"
    );
}

/// Further chairs, which s1 links to first.
fn chairs(directory: &Path) -> EntityTables {
    let (mut entities, mut links) = ("uri\tlabel\n".to_owned(), "subject\tpredicate\tobject\n".to_owned());
    for number in 0..20 {
        let chair = format!("http://a.example/chair{number}");
        writeln!(entities, "{chair}\tchair {number}").unwrap();
        writeln!(links, "http://a.example/s1\thttp://a.example/on\t{chair}").unwrap();
    }
    let (all, on) = (directory.join("chairs.tsv"), directory.join("on.tsv"));
    std::fs::write(&all, entities).unwrap();
    std::fs::write(&on, links).unwrap();
    EntityTables { entities: vec![all], links: vec![on], hidden: Vec::new() }
}

#[test]
fn a_focused_crawl_fetches_the_targets_first() {
    let directory = tempfile::tempdir().unwrap();
    let sources = sources(directory.path());
    let tasks = sources.load().unwrap().tasks;
    let EntityTables { mut entities, mut links, .. } = chairs(directory.path());
    entities.extend(sources.tables.entities);
    links.extend(sources.tables.links);
    let entity_web = EntityWeb::load(&EntityWebSources { entities, links, ..EntityWebSources::default() }).unwrap();
    toyweb::record::record_entities(&entity_web, &directory.path().join("web")).unwrap();
    let options = WebLoadOptions { keeps_statements: true, ..WebLoadOptions::default() };
    let web = Arc::new(RecordedWeb::load_with(&directory.path().join("web"), &options).unwrap());
    let strategies = ["focus:ranker=hybrid,max_hops=3", "bfs"].map(|name| Contender::parse(name, &[]).unwrap());

    assert!(crawls::contains_seeds(&web, &tasks[0]));
    let crawled = crawls::run("coins", &web, &tasks, &strategies, 20, None, |_, _| {}).unwrap();

    // Breadth first: two seeds and 18 of 20 chairs.
    let [focus, bfs] = &crawled.tasks[0].crawls[..] else { panic!("two strategies") };
    assert_eq!((&bfs.found_at[..], bfs.requests), (&[][..], 20));
    // The focused crawl: two seeds, the mint that both link to, and the other coins of the mint.
    assert_eq!((&focus.found_at[..2], focus.requests), (&[4, 5][..], 20));
    near(crawled.recall(0, 4), 1.0 / 3.0, 1e-9);
    near(crawled.recall(0, 5), 2.0 / 3.0, 1e-9);
    near(crawled.recall(1, 20), 0.0, 1e-9);
}

/// Checks the numbers of entities, links and tasks against those of another program. Classes are entities,
/// too.
fn check_size(world: &EntityWorld, entities: usize, links: usize, tasks: usize) {
    let graph = world.fact_base.graph();
    assert!(graph.len() >= entities && graph.len() < entities + 100, "{}: {} entities", world.name, graph.len());
    assert_eq!((graph.links_len(), world.tasks.len()), (links, tasks), "{}", world.name);
    let is_known = |seed: &String| graph.find(seed).is_some();
    assert!(world.tasks.iter().all(|task| task.seeds.iter().all(is_known)), "{}", world.name);
}

#[test]
fn nomisma_is_loaded_completely_with_its_parts_merged() {
    let Some(directory) = toyweb::test_data::find("data/entities") else { return };
    let world = WorldSources::from_dir(&directory).swap_remove(1).load().unwrap();

    assert_eq!(world.name, "nomisma");
    check_size(&world, 24_324, 44_896, 14);
}

#[test]
fn published_rankers_match_an_independent_implementation() {
    let Some(directory) = toyweb::test_data::find("data/entities") else { return };
    let mut world = WorldSources::from_dir(&directory).swap_remove(0).load().unwrap();
    check_size(&world, 45_051, 303_607, 50);
    // nDCG@100 of EJSim and PageRank, computed by an independent program in another language.
    let simulated = [("QALD2_tr-41", 0.665, 0.374), ("SemSearch_LS-35", 0.128, 0.434), ("INEX_XER-100", 0.460, 0.126)];
    world.tasks.retain(|task| simulated.iter().any(|(id, ..)| *id == task.id));

    let run = direct::run(&world, &rankers(&["ejsim", "pagerank"]), 2, None, |_, _| {});

    assert_eq!(run.tasks.len(), simulated.len());
    for (task, known) in run.tasks.iter().zip(&world.tasks) {
        let (_, ejsim, pagerank) = *simulated.iter().find(|(id, ..)| *id == task.id).unwrap();
        near(task.scores[0].ndcg_at(100), ejsim, 0.02);
        near(task.scores[1].ndcg_at(100), pagerank, 0.005);
        near(task.coherence, known.coherence.unwrap(), 1e-4);
    }
}
