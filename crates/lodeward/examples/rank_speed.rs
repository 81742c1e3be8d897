//! What it costs to rank: CPU time of seed analysis and of every ranker.
//!
//! `rank_speed [CANDIDATES] [SEEDS] [TRIPLES]` makes a world of entities with
//! labels, descriptions, classes and links, some of which are hubs, around the
//! seeds; then it analyses the seeds and ranks all candidates by each ranker. The
//! question is whether 40,000 candidates and 20 seeds stay below one CPU-second in
//! 491,425 triples, as many as the paper's crawls had (548 s, mostly waiting).
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it is a measurement")]

use lodeward::rank::facts::Text;
use lodeward::rank::terms::Tokeniser;
use lodeward::rank::{Facts, Gathering, Limits, Options, RankerKind, answer};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Predicates that entities are linked by.
const PREDICATES: u32 = 60;
/// Classes; everybody has one of them, and one that all have.
const CLASSES: u32 = 30;
/// Words that texts are made of, the first ones far more often than the last.
const WORDS: f64 = 30_000.0;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|number| number.parse().expect("a number"));
    let mut next = |default: u32| arguments.next().unwrap_or(default);
    let (candidates, seeds, triples) = (next(40_000), next(20), next(491_425));

    let facts = made_up(candidates, seeds, triples);
    let (gathered, gather_s) = timed(|| {
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::default());
        gathered.add(&facts);
        for entity in 0..candidates + seeds {
            let entity = gathered.find(&facts.names[entity as usize]);
            gathered.note_described(entity.expect("everybody is linked"));
        }
        gathered.tidy();
        gathered
    });
    let (graph, graph_s) = timed(|| gathered.graph());
    let names: Vec<&str> = facts.names[..seeds as usize].iter().map(AsRef::as_ref).collect();
    println!("{} entities, {} links, {triples} triples", graph.len(), graph.links_len());
    println!("gathered in {gather_s:.3} s, made a graph in {graph_s:.3} s of CPU\n");
    println!("| ranker | candidates | seeds analysed | ranked | together | 1,000 explained |");
    println!("|---|--:|--:|--:|--:|--:|");
    for &kind in RankerKind::ALL {
        let options = Options { ranker: Some(kind), depth: Some(3), ..Options::default() };
        // Whoever is trained needs both kinds: seeds are kept, this one is dropped.
        let marks = [(facts.names[seeds as usize].to_string(), false)];
        let (answer, analysis_s) = timed(|| answer(&graph, &names, &options, &marks, None));
        let (ranking, ranking_s) = timed(|| answer.ranking());
        assert!(ranking.scores().iter().all(|score| score.is_finite()), "{kind} has a score for everybody");
        let (_, explained_s) = timed(|| {
            let places = 0..answer.candidates.len().min(1_000);
            places.map(|place| ranking.explain(place).len()).sum::<usize>()
        });
        let (count, together_s) = (answer.candidates.len(), analysis_s + ranking_s);
        println!(
            "| {} | {count} | {analysis_s:.3} | {ranking_s:.3} | **{together_s:.3}** | {explained_s:.3} |",
            answer.choice.ranker
        );
    }
}

/// What a made-up web says: seeds first, then candidates. One entity in ten thousand
/// is a hub; a tenth of all links leads to one.
fn made_up(candidates: u32, seeds: u32, triples: u32) -> Facts {
    let mut chance = SmallRng::seed_from_u64(7);
    let count = candidates + seeds;
    let named = |kind: &str, number: u32| format!("http://world.example/{kind}/{number}").into_boxed_str();
    let mut names: Vec<Box<str>> = (0..count).map(|number| named("id", number)).collect();
    names.extend((0..PREDICATES).map(|number| named("property", number)));
    names.extend((0..CLASSES).map(|number| named("class", number)));

    let types: Vec<[u32; 2]> = (0..count)
        .flat_map(|entity| [0, 1 + entity % (CLASSES - 1)].map(|class| [entity, count + PREDICATES + class]))
        .collect();
    let texts: Vec<Text> = (0..count)
        .flat_map(|entity| [(Some(0), 3), (None, 20)].map(|(rank, words)| (entity, rank, words)))
        .map(|(entity, label_rank, words)| text(entity, label_rank, words, &mut chance))
        .collect();
    let said = types.len() + texts.len();
    let links_len = (triples as usize).saturating_sub(said).max(count as usize);
    let hubs = (count / 10_000).max(1);
    // A sixteenth is linked with a seed, and everybody else with one of those.
    let near = (candidates / 16).max(1);
    let mut links: Vec<[u32; 3]> = (seeds..count)
        .map(|entity| {
            let is_near = entity < seeds + near;
            let next = if is_near { 0..seeds.max(1) } else { seeds..seeds + near };
            [entity, count, chance.random_range(next)]
        })
        .collect();
    while links.len() < links_len {
        let subject = chance.random_range(0..count);
        let is_to_hub = chance.random_range(0..10) == 0;
        let object = if is_to_hub { seeds + chance.random_range(0..hubs) } else { chance.random_range(0..count) };
        links.push([subject, count + chance.random_range(0..PREDICATES), object]);
    }
    Facts { names, links, types, texts, left_out: 0 }
}

/// A text of so many words.
fn text(entity: u32, label_rank: Option<u8>, words: usize, chance: &mut SmallRng) -> Text {
    let words = (0..words).map(|_| format!("w{:.0}", WORDS.powf(chance.random::<f64>())));
    let text = words.collect::<Vec<_>>().join(" ").into();
    Text { entity, label_rank, language_rank: Some(0), language: "en".into(), text }
}

/// What something gives, and the CPU time of this thread that it takes, in seconds.
fn timed<T>(task: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu_nanoseconds();
    let result = task();
    (result, (cpu_nanoseconds() - before) as f64 / 1e9)
}

fn cpu_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts CPU time");
    text.split_whitespace().next().and_then(|number| number.parse().ok()).expect("nanoseconds come first")
}
