//! Measures the CPU time of seed analysis and of every ranker.
//!
//! `rank_speed [CANDIDATES] [SEEDS] [TRIPLES]` generates entities with labels, descriptions,
//! classes and links around the seeds; some are hubs. It analyses the seeds and ranks all
//! candidates with each ranker. Target: 40,000 candidates and 20 seeds in 491,425 triples, as
//! in the crawls of the paper, take less than one CPU-second (paper: 548 s, mostly waiting).
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use lodeward::select::Facts;
use lodeward::select::facts::EntityText;
use lodeward_focus::rank::terms::Tokeniser;
use lodeward_focus::rank::{FactBase, FactLimits, RankerKind, RankingOptions, plan_ranking};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of predicates of links.
const PREDICATES: u32 = 60;
/// Number of classes. Every entity has class 0 and one other.
const CLASSES: u32 = 30;
/// Number of distinct words in texts. Words with low numbers are far more frequent.
const WORDS: f64 = 30_000.0;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|number| number.parse().expect("a number"));
    let mut next = |default: u32| arguments.next().unwrap_or(default);
    let (candidates, seeds, triples) = (next(40_000), next(20), next(491_425));

    let facts = generate(candidates, seeds, triples);
    let (fact_base, gather_s) = timed(|| {
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        fact_base.add(&facts);
        for entity in 0..candidates + seeds {
            let entity = fact_base.find(&facts.names[entity as usize]);
            fact_base.mark_described(entity.expect("every entity is linked"));
        }
        fact_base.dedup();
        fact_base
    });
    let (graph, graph_s) = timed(|| fact_base.graph());
    let names: Vec<&str> = facts.names[..seeds as usize].iter().map(AsRef::as_ref).collect();
    println!("{} entities, {} links, {triples} triples", graph.len(), graph.links_len());
    println!("facts added in {gather_s:.3} s, graph built in {graph_s:.3} s of CPU\n");
    println!("| ranker | candidates | seeds analysed | ranked | together | 1,000 explained |");
    println!("|---|--:|--:|--:|--:|--:|");
    for &kind in RankerKind::ALL {
        let options = RankingOptions { ranker: Some(kind), max_hops: Some(3), ..RankingOptions::default() };
        // Trained rankers need both classes: seeds are marked as kept, this one as dropped.
        let marks = [(facts.names[seeds as usize].to_string(), false)];
        let (plan, analysis_s) = timed(|| plan_ranking(&graph, &names, &options, &marks, None));
        let (ranking, ranking_s) = timed(|| plan.ranking());
        assert!(ranking.scores().iter().all(|score| score.is_finite()), "{kind} scores every candidate");
        let (_, explained_s) = timed(|| {
            let indices = 0..plan.candidates.len().min(1_000);
            indices.map(|index| ranking.explain(index).len()).sum::<usize>()
        });
        let (count, together_s) = (plan.candidates.len(), analysis_s + ranking_s);
        println!(
            "| {} | {count} | {analysis_s:.3} | {ranking_s:.3} | **{together_s:.3}** | {explained_s:.3} |",
            plan.choice.ranker
        );
    }
}

/// Generates facts: seeds first, then candidates. One entity in ten thousand is a hub; a tenth
/// of all links lead to hubs.
fn generate(candidates: u32, seeds: u32, triples: u32) -> Facts {
    let mut rng = SmallRng::seed_from_u64(7);
    let count = candidates + seeds;
    let named = |kind: &str, number: u32| format!("http://world.example/{kind}/{number}").into_boxed_str();
    let mut names: Vec<Box<str>> = (0..count).map(|number| named("id", number)).collect();
    names.extend((0..PREDICATES).map(|number| named("property", number)));
    names.extend((0..CLASSES).map(|number| named("class", number)));

    let types: Vec<[u32; 2]> = (0..count)
        .flat_map(|entity| [0, 1 + entity % (CLASSES - 1)].map(|class| [entity, count + PREDICATES + class]))
        .collect();
    let texts: Vec<EntityText> = (0..count)
        .flat_map(|entity| [(Some(0), 3), (None, 20)].map(|(rank, words)| (entity, rank, words)))
        .map(|(entity, label_rank, words)| text(entity, label_rank, words, &mut rng))
        .collect();
    let type_and_text_count = types.len() + texts.len();
    let links_len = (triples as usize).saturating_sub(type_and_text_count).max(count as usize);
    let hubs = (count / 10_000).max(1);
    // A sixteenth of the candidates are linked to a seed, and every other candidate to one of
    // these.
    let near = (candidates / 16).max(1);
    let mut links: Vec<[u32; 3]> = (seeds..count)
        .map(|entity| {
            let is_near = entity < seeds + near;
            let next = if is_near { 0..seeds.max(1) } else { seeds..seeds + near };
            [entity, count, rng.random_range(next)]
        })
        .collect();
    while links.len() < links_len {
        let subject = rng.random_range(0..count);
        let is_to_hub = rng.random_range(0..10) == 0;
        let object = if is_to_hub { seeds + rng.random_range(0..hubs) } else { rng.random_range(0..count) };
        links.push([subject, count + rng.random_range(0..PREDICATES), object]);
    }
    Facts { names, links, types, texts, omitted: 0 }
}

/// A text of `words` words.
fn text(entity: u32, label_rank: Option<u8>, words: usize, rng: &mut SmallRng) -> EntityText {
    let words = (0..words).map(|_| format!("w{:.0}", WORDS.powf(rng.random::<f64>())));
    let text = words.collect::<Vec<_>>().join(" ").into();
    EntityText { entity, label_rank, language_rank: Some(0), language: "en".into(), text }
}

/// Runs a task. Returns its result and its CPU time in seconds.
fn timed<T>(task: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu_nanoseconds();
    let result = task();
    (result, (cpu_nanoseconds() - before) as f64 / 1e9)
}

fn cpu_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split_whitespace().next().and_then(|number| number.parse().ok()).expect("nanoseconds come first")
}
