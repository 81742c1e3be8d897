//! What is to be found: seeds, and the entities that people, or a silver
//! standard, found relevant to them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Deserialize;

use super::FocusError;
use crate::web::manifest::read;

/// One seed list, and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What it is called.
    pub id: String,
    /// The IRIs of its seeds.
    pub seeds: Vec<String>,
    /// The IRIs of the entities that are relevant, each with its grade; no seed
    /// is among them.
    pub targets: BTreeMap<String, f64>,
    /// Entities that somebody looked at, and found not to be relevant. Empty if
    /// nobody did.
    pub nonrelevant: Vec<String>,
    /// The coherence of its seeds, if whoever made the task said so.
    pub coherence: Option<f64>,
}

/// A task as a file has it; whatever else it says is passed over.
#[derive(Deserialize)]
struct Written {
    id: String,
    seeds: Vec<String>,
    relevant: Relevant,
    #[serde(default)]
    judged_nonrelevant: Vec<String>,
    coherence: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Relevant {
    Graded(BTreeMap<String, f64>),
    Alike(Vec<String>),
}

impl Task {
    /// Reads tasks: a JSON list of objects with `id`, `seeds`, `relevant` (a list,
    /// or grades by IRI) and, if there are any, `judged_nonrelevant` and
    /// `coherence`; packed or not.
    pub fn load(path: &Path) -> Result<Vec<Self>, FocusError> {
        let text = read(path)?;
        let wrong = |what: String| FocusError::Tasks { path: path.to_owned(), what };
        let written: Vec<Written> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let tasks: Vec<Self> = written.into_iter().map(Self::from).collect();
        if tasks.is_empty() {
            return Err(wrong("there is no task in it".to_owned()));
        }
        match tasks.iter().find(|task| task.seeds.is_empty() || task.targets.is_empty()) {
            Some(task) => Err(wrong(format!("the task `{}` has no seeds, or nothing to find", task.id))),
            None => Ok(tasks),
        }
    }
}

impl From<Written> for Task {
    fn from(written: Written) -> Self {
        let Written { id, seeds, relevant, judged_nonrelevant: nonrelevant, coherence } = written;
        let mut targets = match relevant {
            Relevant::Graded(grades) => grades,
            Relevant::Alike(targets) => targets.into_iter().map(|target| (target, 1.0)).collect(),
        };
        let known: HashSet<&String> = seeds.iter().collect();
        targets.retain(|target, grade| *grade > 0.0 && !known.contains(target));
        Self { id, seeds, targets, nonrelevant, coherence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Task>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.json");
        std::fs::write(&path, text).unwrap();
        Task::load(&path).map_err(|error| error.to_string().replace(&*path.to_string_lossy(), "FILE"))
    }

    #[test]
    fn grades_may_be_given_or_not() {
        let tasks = read(
            r#"[{"id": "a", "seeds": ["s"], "relevant": {"x": 2, "s": 2, "z": 0}, "judged_nonrelevant": ["y"],
                 "coherence": 0.5, "hop1": 3}, {"id": "b", "seeds": ["s"], "relevant": ["y", "x"]}]"#,
        )
        .unwrap();

        let targets = |task: &Task| task.targets.clone().into_iter().collect::<Vec<_>>();
        assert_eq!(targets(&tasks[0]), [("x".to_owned(), 2.0)], "neither a seed nor what is worth nothing");
        assert_eq!((tasks[0].nonrelevant.len(), tasks[0].coherence), (1, Some(0.5)));
        assert_eq!(targets(&tasks[1]), [("x".to_owned(), 1.0), ("y".to_owned(), 1.0)]);
    }

    #[test]
    fn what_is_no_list_of_tasks_is_refused_with_its_name() {
        let check = |text: &str, expected: &str| {
            let told = read(text).unwrap_err();
            assert!(told.starts_with(expected), "{told}");
        };

        check("{}", "FILE is no list of tasks: invalid type");
        check("[]", "FILE is no list of tasks: there is no task in it");
        check(
            r#"[{"id": "a", "seeds": [], "relevant": ["x"]}]"#,
            "FILE is no list of tasks: the task `a` has no seeds",
        );
        check(r#"[{"id": "a", "relevant": ["x"]}]"#, "FILE is no list of tasks: missing field `seeds`");
    }
}
