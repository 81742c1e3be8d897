//! Clusters of a small input, compared with scikit-learn.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lodeward_eval::search::clusters::adjusted_rand_index;
use lodeward_search::EntityDescription;
use lodeward_search::cluster::{ClusterAlgorithm, ClusterOptions, Clustering, LaplacianKind};
use lodeward_search::entity::{EntityKey, TaggedText};
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Deserialize;
use toyweb::test_data::note_missing_tool;

/// Words of texts about four subjects.
const TOPICS: [&str; 4] = [
    "gothic cathedral church nave tower stone bishop altar choir",
    "silver coin mint emperor denarius hoard legend portrait reverse",
    "river valley mountain lake source glacier bridge ferry harbour",
    "painter sketch canvas museum oil fresco gallery pastel drawing",
];

/// Number of clusters of X-means and spectral clustering: at most this.
const K_MAX: usize = 10;

/// Output of `eval/reference/small_clusters.py`.
#[derive(Deserialize)]
struct ReferenceResult {
    cosines: Vec<Vec<f32>>,
    k_means: Vec<u32>,
    x_means: Vec<u32>,
    unnormalised_k: usize,
    normalised_k: usize,
    normalised: Vec<u32>,
}

fn texts() -> Vec<String> {
    let mut rng = SmallRng::seed_from_u64(7);
    let mut text = |topic: &str| {
        let words: Vec<&str> = topic.split(' ').collect();
        let drawn: Vec<&str> = (0..8).map(|_| words[rng.random_range(0..words.len())]).collect();
        drawn.join(" ")
    };
    TOPICS.iter().flat_map(|topic| (0..15).map(|_| text(topic)).collect::<Vec<_>>()).collect()
}

/// Runs the script. `None`, and counted, without scikit-learn (`make tools`).
fn run_reference(texts: &[String]) -> Option<ReferenceResult> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = || root.join("target/tools/sklearn/bin/python");
    let python = std::env::var_os("LODEWARD_TEST_SKLEARN").map_or_else(installed, PathBuf::from);
    if !python.exists() {
        note_missing_tool("scikit-learn (make tools)");
        return None;
    }
    let mut command = Command::new(python);
    command.arg(root.join("eval/reference/small_clusters.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Python starts");
    let input = serde_json::to_vec(texts).expect("texts are JSON");
    child.stdin.take().expect("it is a pipe").write_all(&input).expect("the script reads its input");
    let output = child.wait_with_output().expect("the script ends");
    assert!(output.status.success(), "the script failed");
    Some(serde_json::from_slice(&output.stdout).expect("the output is JSON"))
}

#[test]
fn clusters_of_texts_match_scikit_learn() {
    let texts = texts();
    let Some(reference) = run_reference(&texts) else { return };
    let entity = |(key, text): (u64, &String)| {
        let mut entity = EntityDescription::new(EntityKey(key), format!("http://example.org/{key}"));
        entity.labels.push(TaggedText::plain(text));
        entity
    };
    let entities: Vec<EntityDescription> = (1..).zip(&texts).map(entity).collect();
    let Ok(vectors) = EntityVectors::read(&entities[..], &VectorOptions::new(VectorFeatures::Published));
    let cluster = |algorithm| {
        let options = ClusterOptions { algorithm, k_max: K_MAX, ..ClusterOptions::default() };
        Clustering::new(&vectors, &options)
    };

    for (row, cosines) in reference.cosines.iter().enumerate() {
        for (column, expected) in cosines.iter().enumerate() {
            let cosine = vectors.dot(row, column);
            assert!((cosine - expected).abs() < 1e-4, "{row}, {column}: {cosine} is not {expected}");
        }
    }
    let is_equal = |ours: &Clustering, theirs: &[u32]| (adjusted_rand_index(&ours.clusters, theirs) - 1.0).abs() < 1e-9;
    assert!(is_equal(&cluster(ClusterAlgorithm::KMeans(4)), &reference.k_means));
    assert!(is_equal(&cluster(ClusterAlgorithm::XMeans), &reference.x_means));
    assert_eq!(cluster(ClusterAlgorithm::Spectral(LaplacianKind::Unnormalised)).count, reference.unnormalised_k);
    let normalised = cluster(ClusterAlgorithm::Spectral(LaplacianKind::Normalised));
    assert_eq!(normalised.count, reference.normalised_k);
    assert!(is_equal(&normalised, &reference.normalised));
}
