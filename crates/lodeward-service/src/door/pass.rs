//! What somebody was let in with, for whoever has to look at it again.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::who::Via;
use crate::people::{Fingerprint, Hashed, Name};
use crate::problem::{Code, Problem};
use crate::service::Service;

/// What somebody was let in with. The door puts it beside every request that it lets
/// through and that is not public.
#[derive(Clone)]
pub(crate) enum Pass {
    /// Nothing: everybody on this machine is let in.
    Machine,
    /// A token, which has a number.
    Token(Fingerprint, u64),
    /// The name of a user, and what was kept of their password then.
    Password(Name, Hashed),
    /// A session.
    Session(Fingerprint),
}

impl Pass {
    /// How they have shown who they are.
    pub(crate) fn via(&self) -> Via {
        match self {
            Self::Machine => Via::Machine,
            Self::Token(..) => Via::Token,
            Self::Password(..) => Via::Password,
            Self::Session(_) => Via::Session,
        }
    }

    /// The number of the token, if it is one.
    pub(crate) fn token(&self) -> Option<u64> {
        if let Self::Token(_, id) = self { Some(*id) } else { None }
    }

    /// Whether it would still let them in.
    pub(crate) fn holds(&self, service: &Service) -> bool {
        let (roster, now_ms) = (service.people.roster(), (service.now)());
        match self {
            Self::Machine => true,
            Self::Token(fingerprint, _) => roster.by_token(fingerprint, now_ms).is_some(),
            Self::Password(name, hashed) => roster.enabled(name).is_some_and(|user| user.password == *hashed),
            Self::Session(fingerprint) => roster.by_session(fingerprint, now_ms).is_some(),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Pass {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(Code::Unauthenticated, "nobody knows who asks");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}
