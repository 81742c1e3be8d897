//! How far a follower is behind, for whoever asks.

use serde::{Deserialize, Serialize};

/// How a follower is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It takes what comes.
    #[default]
    Following,
    /// It cannot be reached, and is asked again from time to time.
    Waiting,
    /// It failed for good, and has been left behind.
    Failed,
    /// The crawl is over, and it has everything.
    Done,
}

/// How far a follower is behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lag {
    /// Who: `archive`, or the address of an endpoint.
    pub name: String,
    /// How it is doing.
    pub standing: Standing,
    /// Documents it has not yet taken, those included that have been replaced
    /// meanwhile.
    pub documents: u64,
    /// Bytes of segments it has not yet read.
    pub bytes: u64,
    /// What went wrong last, while it waits or after it has failed.
    pub why: Option<String>,
    /// What is to be done about it.
    pub remedy: String,
}

impl Lag {
    /// What to tell somebody whose crawl is over, if there is something.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let Self { name, standing, documents, why, remedy, .. } = self;
        if *standing == Standing::Done || (*documents == 0 && *standing != Standing::Failed) {
            return None;
        }
        let documents = match documents {
            1 => "1 document waits".to_owned(),
            many => format!("{many} documents wait"),
        };
        let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        Some(format!("{documents} for {name}{why}; {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_behind_at_the_end_is_told_of() {
        let lag = |standing, documents, why: Option<&str>| Lag {
            name: "http://a.example/sparql".to_owned(),
            standing,
            documents,
            bytes: 7,
            why: why.map(str::to_owned),
            remedy: "they are sent by the next run".to_owned(),
        };
        let check = |lag: Lag, told: Option<&str>| assert_eq!(lag.warning().as_deref(), told);

        check(lag(Standing::Done, 0, None), None);
        check(lag(Standing::Following, 0, None), None);
        check(
            lag(Standing::Waiting, 12, Some("status 503")),
            Some("12 documents wait for http://a.example/sparql (status 503); they are sent by the next run"),
        );
        check(
            lag(Standing::Following, 1, None),
            Some("1 document waits for http://a.example/sparql; they are sent by the next run"),
        );
    }
}
