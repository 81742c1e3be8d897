//! The state of a robots.txt, and what it allows.
//!
//! RFC 9309: a missing robots.txt (4xx) allows everything. An unreachable one (5xx, no
//! connection) forbids everything for now, and is requested again a few times before the host
//! is closed.

use std::time::Duration;

use crate::fetch::robots::RobotsRules;
use crate::model::{CrawlTime, Uri};

/// Maximum number of attempts to fetch a robots.txt.
const MAX_ATTEMPTS: u8 = 3;

/// Maximum number of redirects of a robots.txt (RFC 9309 §2.3.1.2).
const MAX_REDIRECTS: u8 = 5;

/// Whether a URI may be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum RobotsPermission {
    Granted,
    Denied,
    /// The robots.txt could not be fetched after several attempts.
    Unreachable,
    /// The robots.txt could not be fetched; retry at this time.
    NotBefore(CrawlTime),
    /// This robots.txt must be fetched first.
    Unknown(Uri),
}

/// The state of a robots.txt.
pub(super) enum RobotsState {
    Known { rules: RobotsRules, expires: CrawlTime },
    Moved { target: Uri, redirects: u8 },
    Failing { attempts: u8, next_attempt: CrawlTime },
}

impl RobotsState {
    /// Whether a URI may be requested; `None` if the robots.txt must be fetched first.
    pub(super) fn permission(&self, uri: &Uri, now: CrawlTime) -> Option<RobotsPermission> {
        match self {
            Self::Known { rules, expires } if *expires > now => {
                let is_allowed = rules.allows(uri.path_and_query());
                Some(if is_allowed { RobotsPermission::Granted } else { RobotsPermission::Denied })
            }
            Self::Moved { target, .. } => Some(RobotsPermission::Unknown(target.clone())),
            Self::Failing { next_attempt, .. } if *next_attempt > now => {
                Some(RobotsPermission::NotBefore(*next_attempt))
            }
            Self::Failing { .. } if self.is_closed() => Some(RobotsPermission::Unreachable),
            Self::Known { .. } | Self::Failing { .. } => None,
        }
    }

    /// The state after a redirect; `None` if the redirect is not followed.
    ///
    /// RFC 9309 allows redirects to any host. Only those within the domain are followed: the lease of
    /// another domain would be needed.
    pub(super) fn after_redirect(before: Option<&Self>, uri: &Uri, target: Uri) -> Option<Self> {
        let redirects = match before {
            Some(Self::Moved { redirects, .. }) => redirects + 1,
            _ => 1,
        };
        let is_followed = redirects <= MAX_REDIRECTS && target.pld() == uri.pld();
        is_followed.then_some(Self::Moved { target, redirects })
    }

    /// The state after a failed attempt.
    pub(super) fn after_failure(before: Option<&Self>, now: CrawlTime, wait: Duration, is_final: bool) -> Self {
        let attempts = match before {
            _ if is_final => MAX_ATTEMPTS,
            Some(Self::Failing { attempts, .. }) => attempts + 1,
            _ => 1,
        };
        let next_attempt = if attempts >= MAX_ATTEMPTS { now } else { now + wait * 2_u32.pow(u32::from(attempts) - 1) };
        Self::Failing { attempts, next_attempt }
    }

    /// Whether the last attempt failed.
    pub(super) fn is_failing(&self) -> bool {
        matches!(self, Self::Failing { .. })
    }

    /// Whether no attempts are left.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Self::Failing { attempts, .. } if *attempts >= MAX_ATTEMPTS)
    }

    /// Whether the rules are known and still valid.
    pub(super) fn is_valid(&self, now: CrawlTime) -> bool {
        matches!(self, Self::Known { expires, .. } if *expires > now)
    }
}

/// The URI of the robots.txt of a server.
pub(in crate::engine) fn robots_txt_uri(uri: &Uri) -> Uri {
    Uri::parse(&format!("{}/robots.txt", uri.origin())).expect("an origin with a path is a URL")
}
