//! Tasks: seeds, and the entities that assessors or a silver standard judged relevant to them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Deserialize;

use super::FocusError;
use crate::web::manifest::read;

/// A list of seeds and the entities relevant to it.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusTask {
    /// The name of the task.
    pub id: String,
    /// The IRIs of its seeds.
    pub seeds: Vec<String>,
    /// The IRIs of the relevant entities with their grades, without the seeds.
    pub targets: BTreeMap<String, f64>,
    /// Entities that were judged as not relevant; may be empty.
    pub nonrelevant: Vec<String>,
    /// The coherence of its seeds, if the file states it.
    pub coherence: Option<f64>,
}

/// A task in a file; other fields are ignored.
#[derive(Deserialize)]
struct TaskJson {
    id: String,
    seeds: Vec<String>,
    relevant: RelevantJson,
    #[serde(default)]
    judged_nonrelevant: Vec<String>,
    coherence: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RelevantJson {
    Graded(BTreeMap<String, f64>),
    Ungraded(Vec<String>),
}

impl FocusTask {
    /// Reads a JSON list of objects with `id`, `seeds`, `relevant` (a list, or grades by IRI) and
    /// optionally `judged_nonrelevant` and `coherence`, gzipped or not.
    pub fn load(path: &Path) -> Result<Vec<Self>, FocusError> {
        let text = read(path)?;
        let error = |message: String| FocusError::Tasks { path: path.to_owned(), message };
        let parsed: Vec<TaskJson> = serde_json::from_str(&text).map_err(|cause| error(cause.to_string()))?;
        let tasks: Vec<Self> = parsed.into_iter().map(Self::from).collect();
        if tasks.is_empty() {
            return Err(error("the list has no tasks".to_owned()));
        }
        match tasks.iter().find(|task| task.seeds.is_empty() || task.targets.is_empty()) {
            Some(task) => Err(error(format!("task `{}` has no seeds or no targets", task.id))),
            None => Ok(tasks),
        }
    }
}

impl From<TaskJson> for FocusTask {
    fn from(json: TaskJson) -> Self {
        let TaskJson { id, seeds, relevant, judged_nonrelevant: nonrelevant, coherence } = json;
        let mut targets = match relevant {
            RelevantJson::Graded(grades) => grades,
            RelevantJson::Ungraded(targets) => targets.into_iter().map(|target| (target, 1.0)).collect(),
        };
        let known: HashSet<&String> = seeds.iter().collect();
        targets.retain(|target, grade| *grade > 0.0 && !known.contains(target));
        Self { id, seeds, targets, nonrelevant, coherence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<FocusTask>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tasks.json");
        std::fs::write(&path, text).unwrap();
        FocusTask::load(&path).map_err(|error| error.to_string().replace(&*path.to_string_lossy(), "FILE"))
    }

    #[test]
    fn grades_are_optional() {
        let tasks = read(
            r#"[{"id": "a", "seeds": ["s"], "relevant": {"x": 2, "s": 2, "z": 0}, "judged_nonrelevant": ["y"],
                 "coherence": 0.5, "hop1": 3}, {"id": "b", "seeds": ["s"], "relevant": ["y", "x"]}]"#,
        )
        .unwrap();

        let targets = |task: &FocusTask| task.targets.clone().into_iter().collect::<Vec<_>>();
        assert_eq!(targets(&tasks[0]), [("x".to_owned(), 2.0)], "neither seeds nor grade 0");
        assert_eq!((tasks[0].nonrelevant.len(), tasks[0].coherence), (1, Some(0.5)));
        assert_eq!(targets(&tasks[1]), [("x".to_owned(), 1.0), ("y".to_owned(), 1.0)]);
    }

    #[test]
    fn an_invalid_list_of_tasks_is_rejected_with_its_name() {
        let check = |text: &str, expected: &str| {
            let message = read(text).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        };

        check("{}", "invalid list of tasks FILE: invalid type");
        check("[]", "invalid list of tasks FILE: the list has no tasks");
        check(
            r#"[{"id": "a", "seeds": [], "relevant": ["x"]}]"#,
            "invalid list of tasks FILE: task `a` has no seeds or no targets",
        );
        check(r#"[{"id": "a", "relevant": ["x"]}]"#, "invalid list of tasks FILE: missing field `seeds`");
    }
}
