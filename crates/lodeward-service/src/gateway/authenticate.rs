//! Authentication: the credential in a request, and its user.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue};

use super::credential::Credential;
use super::same_origin::is_browser;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::users::{Fingerprint, UserDb};

/// The name of the session cookie.
pub(crate) const COOKIE_NAME: &str = "lodeward_session";

/// The credential in the header of a request, before it is verified.
#[derive(PartialEq, Eq)]
pub(super) enum PresentedCredential {
    Missing,
    Token(Fingerprint),
    Password {
        name: String,
        password: String,
    },
    Session(Fingerprint),
    /// The credential cannot be parsed.
    Invalid,
}

impl PresentedCredential {
    /// Reads the credential. `Authorization` takes precedence over cookies, which browsers send automatically.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        match headers.get(AUTHORIZATION) {
            Some(value) => value.to_str().ok().and_then(parse_authorization).unwrap_or(Self::Invalid),
            None => session_fingerprint(headers).map_or(Self::Missing, Self::Session),
        }
    }

    /// The user of a token or a session. Passwords are checked separately, because checking them takes longer.
    pub(super) fn authenticate(&self, db: &UserDb, now_ms: u64) -> Option<AuthenticatedUser> {
        match self {
            Self::Token(fingerprint) => {
                let (token, role) = db.find_token(fingerprint, now_ms)?;
                let caller = Caller { name: token.user.to_string(), role };
                let used_token = UserDb::needs_use_update(token, now_ms).then_some(token.id);
                let credential = Credential::Token(fingerprint.clone(), token.id);
                Some(AuthenticatedUser { caller, pass: credential, used: used_token })
            }
            Self::Session(fingerprint) => {
                let (session, role) = db.find_session(fingerprint, now_ms)?;
                let caller = Caller { name: session.user.to_string(), role };
                Some(AuthenticatedUser { caller, pass: Credential::Session(fingerprint.clone()), used: None })
            }
            Self::Missing | Self::Password { .. } | Self::Invalid => None,
        }
    }
}

/// An authenticated user.
pub(super) struct AuthenticatedUser {
    pub(super) caller: Caller,
    pub(super) pass: Credential,
    /// ID of the token whose time of last use should be updated.
    pub(super) used: Option<u64>,
}

fn parse_authorization(field: &str) -> Option<PresentedCredential> {
    let (scheme, rest) = field.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(PresentedCredential::Token(Fingerprint::from_secret(rest)));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
    let (name, password) = text.split_once(':')?;
    Some(PresentedCredential::Password { name: name.to_owned(), password: password.to_owned() })
}

/// The fingerprint of the session cookie in a request.
pub(crate) fn session_fingerprint(headers: &HeaderMap) -> Option<Fingerprint> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    let mut cookies = fields.flat_map(|field| field.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let (_, value) = cookies.find(|(name, _)| *name == COOKIE_NAME)?;
    Some(Fingerprint::from_secret(value))
}

/// The problem for a request without a valid credential, with a challenge (`WWW-Authenticate`).
pub(super) fn unauthenticated(headers: &HeaderMap, detail: &str) -> Problem {
    let problem =
        Problem::new(ProblemCode::Unauthenticated, detail).hint("send a token, or a user name and a password");
    with_challenge(headers, problem)
}

/// Adds a challenge. Basic is offered only if a password dialog is useful: not to scripts in pages,
/// which have their own form, and not to browsers that do not identify the page, because they would
/// store the password and send it with requests of other sites.
pub(super) fn with_challenge(headers: &HeaderMap, problem: Problem) -> Problem {
    let problem = problem.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"lodeward\""));
    let offers_basic = headers.get("sec-fetch-mode").map_or(!is_browser(headers), |mode| mode == "navigate");
    if !offers_basic {
        return problem;
    }
    problem.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"lodeward\", charset=\"UTF-8\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(name: &'static str, value: &str) -> PresentedCredential {
        PresentedCredential::from_headers(&HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]))
    }

    #[test]
    fn credentials_are_parsed() {
        let token = PresentedCredential::Token(Fingerprint::from_secret("lw_x"));
        let password = PresentedCredential::Password { name: "alice".to_owned(), password: "a:b".to_owned() };
        let session = PresentedCredential::Session(Fingerprint::from_secret("x"));

        assert!(presented("authorization", "Bearer lw_x") == token);
        assert!(presented("authorization", "bearer  lw_x") == token);
        assert!(presented("authorization", "Basic YWxpY2U6YTpi") == password);
        assert!(presented("cookie", "a=b; lodeward_session=x; c=d") == session);
        assert!(presented("cookie", "a=b") == PresentedCredential::Missing);
        for invalid in ["Bearer", "Basic ?", "Basic YWxpY2U=", "Digest a=b", "", "Basic //79"] {
            assert!(presented("authorization", invalid) == PresentedCredential::Invalid, "{invalid}");
        }
    }

    #[test]
    fn scripts_and_browsers_over_plain_http_get_no_password_dialog() {
        let challenges = |fields: &[(&'static str, &str)]| {
            use axum::response::IntoResponse as _;
            let fields = fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let response = unauthenticated(&fields.collect(), "").into_response();
            response.headers().get_all(WWW_AUTHENTICATE).iter().count()
        };
        let browser = ("user-agent", "Mozilla/5.0");

        assert_eq!([challenges(&[]), challenges(&[("user-agent", "curl/8.5.0")])], [2, 2]);
        assert_eq!([challenges(&[browser, ("sec-fetch-mode", "navigate")])], [2]);
        assert_eq!([challenges(&[browser, ("sec-fetch-mode", "cors")]), challenges(&[browser])], [1, 1]);
    }
}
