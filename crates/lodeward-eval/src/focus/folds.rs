//! Training and test halves for the ranker that learns from marks.

use std::collections::HashSet;

use lodeward::select::feature_hash::murmur3;

use super::FocusTask;

/// The judgments of a task in two halves, each as marks: an IRI, and whether it is relevant.
///
/// As many entities are marked as not relevant as there are targets and seeds: first those that were
/// judged, then, if these are too few, random other candidates. The latter were not judged, but hardly
/// any of them is relevant.
#[must_use]
pub fn folds<'a>(task: &FocusTask, within_reach: impl IntoIterator<Item = &'a str>) -> [Vec<(String, bool)>; 2] {
    let mut kept: Vec<&str> = task.targets.keys().map(String::as_str).collect();
    let mut dropped: Vec<&str> = task.nonrelevant.iter().map(String::as_str).collect();
    sort_by_hash(&mut kept, &task.id);
    sort_by_hash(&mut dropped, &task.id);
    let known: HashSet<&str> =
        kept.iter().chain(&dropped).copied().chain(task.seeds.iter().map(String::as_str)).collect();
    let mut others: Vec<&str> = within_reach.into_iter().filter(|name| !known.contains(name)).collect();
    sort_by_hash(&mut others, &task.id);
    dropped.extend(others);
    dropped.truncate(kept.len() + task.seeds.len());

    let mut halves = [Vec::new(), Vec::new()];
    let marks = [(kept, true), (dropped, false)];
    for (names, keep) in marks {
        for (index, name) in names.into_iter().enumerate() {
            halves[index % 2].push((name.to_owned(), keep));
        }
    }
    halves
}

/// A pseudorandom order that is the same in every run.
fn sort_by_hash(names: &mut [&str], task: &str) {
    let salt = murmur3(task.as_bytes(), 0);
    names.sort_by_key(|name| (murmur3(name.as_bytes(), salt), *name));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn both_halves_have_both_kinds_and_are_disjoint() {
        let names = |letter: char, count: u32| (0..count).map(move |number| format!("{letter}{number}"));
        let targets: BTreeMap<String, f64> = names('t', 5).map(|name| (name, 1.0)).collect();
        let task = FocusTask {
            id: "a".to_owned(),
            seeds: vec!["s".to_owned()],
            targets,
            nonrelevant: names('n', 1).collect(),
            coherence: None,
        };
        let others: Vec<String> = names('o', 40).chain(["s".to_owned(), "t1".to_owned()]).collect();

        let halves = folds(&task, others.iter().map(String::as_str));

        let all: HashSet<&str> = halves.iter().flatten().map(|(name, _)| name.as_str()).collect();
        assert_eq!(all.len(), halves.iter().map(Vec::len).sum::<usize>());
        let kept = |half: &[(String, bool)]| half.iter().filter(|(_, keep)| *keep).count();
        assert_eq!((kept(&halves[0]), kept(&halves[1])), (3, 2));
        assert_eq!(halves.each_ref().map(Vec::len), [6, 5], "as many dropped entities as targets and seeds");
        assert!(all.contains("n0") && !all.contains("s"));
        assert_eq!(halves, folds(&task, others.iter().rev().map(String::as_str)), "independent of the order");
    }
}
