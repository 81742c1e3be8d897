//! Why seeds yielded no document.

use std::fmt;

use lodeward::frontier::{FrontierError, Journal};
use lodeward::model::{DropReason, Fault, Outcome, Uri};
use serde::{Deserialize, Serialize};

/// Maximum number of failed seeds in a report.
pub const MAX_LISTED: usize = 10;

/// Maximum number of seeds examined: their records are read one by one.
const MAX_EXAMINED: usize = 1_000;

/// Maximum number of redirects followed from a seed. A loop ends here.
const MAX_REDIRECTS: usize = 64;

/// A seed that yielded no document, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedSeed {
    /// The seed.
    pub seed: Uri,
    /// The last URI that the seed redirects to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirected_to: Option<Uri>,
    /// Why there is no document.
    #[serde(flatten)]
    pub problem: SeedFailure,
}

/// Why a seed, or the URI that it redirects to, yielded no document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "problem", rename_all = "kebab-case")]
pub enum SeedFailure {
    /// The last request failed.
    Failed {
        /// The fault of the last request.
        fault: Fault,
    },
    /// The URI was dropped.
    Dropped {
        /// Why it was dropped.
        reason: DropReason,
    },
    /// The chain of redirects has no end.
    RedirectLoop,
    /// The URI waits: the run ended before it was fetched.
    Waiting,
}

impl fmt::Display for FailedSeed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, redirected_to, problem } = self;
        write!(formatter, "{seed}: ")?;
        if let Some(target) = redirected_to {
            write!(formatter, "redirects to {target}: ")?;
        }
        match problem {
            SeedFailure::Failed { fault } => write!(formatter, "{fault}"),
            SeedFailure::Dropped { reason } => write!(formatter, "dropped ({})", reason.name()),
            SeedFailure::RedirectLoop => formatter.write_str("redirect loop"),
            SeedFailure::Waiting => formatter.write_str("not fetched yet"),
        }
    }
}

/// The first seeds that yielded no document, at most [`MAX_LISTED`] of the first 1,000 seeds. Waiting URIs are listed
/// only if `with_waiting` is set.
pub(crate) async fn failed_seeds(
    journal: &(impl Journal + ?Sized),
    seeds: &[Uri],
    with_waiting: bool,
) -> Result<Vec<FailedSeed>, FrontierError> {
    let mut failed = Vec::new();
    for seed in seeds.iter().take(MAX_EXAMINED) {
        let Some(found) = failed_seed(journal, seed).await? else { continue };
        if with_waiting || found.problem != SeedFailure::Waiting {
            failed.push(found);
        }
        if failed.len() == MAX_LISTED {
            break;
        }
    }
    Ok(failed)
}

/// Follows the redirects of a seed. Returns `None` if they lead to a document.
async fn failed_seed(journal: &(impl Journal + ?Sized), seed: &Uri) -> Result<Option<FailedSeed>, FrontierError> {
    let mut uri = seed.clone();
    for _ in 0..MAX_REDIRECTS {
        let record = journal.uri_record(&uri).await?;
        let outcome = record.and_then(|record| record.outcome.or(record.previous_outcome.map(|outcome| *outcome)));
        let problem = match outcome {
            Some(Outcome::Document(_) | Outcome::Deleted { .. }) => return Ok(None),
            Some(Outcome::Redirected { target: Some(target), .. }) if target != *seed => {
                uri = target;
                continue;
            }
            Some(Outcome::Redirected { .. }) => SeedFailure::RedirectLoop,
            Some(Outcome::Failed(fault)) => SeedFailure::Failed { fault },
            Some(Outcome::Dropped(reason)) => SeedFailure::Dropped { reason },
            None => SeedFailure::Waiting,
        };
        return Ok(Some(failure(seed, uri, problem)));
    }
    Ok(Some(failure(seed, uri, SeedFailure::RedirectLoop)))
}

fn failure(seed: &Uri, last: Uri, problem: SeedFailure) -> FailedSeed {
    let redirected_to = (last != *seed).then_some(last);
    FailedSeed { seed: seed.clone(), redirected_to, problem }
}
