//! The lag of a follower, for status and reports.

use serde::{Deserialize, Serialize};

/// Whether a follower is applying records, waiting for its target, failed or done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FollowerState {
    /// The follower applies new records.
    #[default]
    Following,
    /// The target of the follower is unreachable; the follower retries.
    Waiting,
    /// The follower failed permanently and receives no more records.
    Failed,
    /// The crawl has ended, and the whole log was applied.
    Done,
}

/// How far a follower is behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lag {
    /// `the archive`, or the URL of the endpoint.
    pub name: String,
    /// Whether the follower is applying records, waiting for its target, failed or done.
    pub state: FollowerState,
    /// Number of documents not yet applied, including versions that were replaced meanwhile.
    pub documents: u64,
    /// Number of bytes of segments not yet read.
    pub bytes: u64,
    /// Last error, while the follower waits or after it failed.
    pub error: Option<String>,
    /// What the user can do about the lag.
    pub hint: String,
}

impl Lag {
    /// The warning to print at the end of a crawl, if the follower is behind.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let Self { name, state, documents, error, hint, .. } = self;
        if *state == FollowerState::Done || (*documents == 0 && *state != FollowerState::Failed) {
            return None;
        }
        let documents = match documents {
            1 => "1 document was not delivered".to_owned(),
            many => format!("{many} documents were not delivered"),
        };
        let error = error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
        Some(format!("{documents} to {name}{error}; hint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follower_that_is_behind_at_the_end_is_reported() {
        let lag = |state, documents, why: Option<&str>| Lag {
            name: "http://a.example/sparql".to_owned(),
            state,
            documents,
            bytes: 7,
            error: why.map(str::to_owned),
            hint: "they are sent by the next run".to_owned(),
        };
        let check = |lag: Lag, expected: Option<&str>| assert_eq!(lag.warning().as_deref(), expected);

        check(lag(FollowerState::Done, 0, None), None);
        check(lag(FollowerState::Following, 0, None), None);
        check(
            lag(FollowerState::Waiting, 12, Some("status 503")),
            Some(
                "12 documents were not delivered to http://a.example/sparql (status 503); \
                 hint: they are sent by the next run",
            ),
        );
        check(
            lag(FollowerState::Following, 1, None),
            Some("1 document was not delivered to http://a.example/sparql; hint: they are sent by the next run"),
        );
    }
}
