//! The credential of an authenticated request, for handlers that check it again.

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};
use crate::state::Service;
use crate::users::{AuthMethod, Fingerprint, PasswordDigest, UserName};

/// The credential of an authenticated request. The gateway attaches it to every request
/// that is not public.
#[derive(Clone)]
pub(crate) enum Credential {
    /// There is no credential: authentication is disabled (`--no-auth`).
    AuthDisabled,
    /// A token, with its ID.
    Token(Fingerprint, u64),
    /// A user, and the password hash at the time of the request.
    Password(UserName, PasswordDigest),
    /// A session.
    Session(Fingerprint),
}

impl Credential {
    /// The authentication method.
    pub(crate) fn auth_method(&self) -> AuthMethod {
        match self {
            Self::AuthDisabled => AuthMethod::Disabled,
            Self::Token(..) => AuthMethod::Token,
            Self::Password(..) => AuthMethod::Password,
            Self::Session(_) => AuthMethod::Session,
        }
    }

    /// The ID of the token, if the credential is a token.
    pub(crate) fn token_id(&self) -> Option<u64> {
        if let Self::Token(_, id) = self { Some(*id) } else { None }
    }

    /// Whether the credential is still valid.
    pub(crate) fn is_valid(&self, service: &Service) -> bool {
        let (db, now_ms) = (service.users.snapshot(), (service.now)());
        match self {
            Self::AuthDisabled => true,
            Self::Token(fingerprint, _) => db.find_token(fingerprint, now_ms).is_some(),
            Self::Password(name, digest) => db.enabled_user(name).is_some_and(|user| user.password == *digest),
            Self::Session(fingerprint) => db.find_session(fingerprint, now_ms).is_some(),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Credential {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(ProblemCode::Unauthenticated, "the request is not authenticated");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}
