//! Who asks: what a request shows, and whose it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::pass::Pass;
use super::site::is_browser;
use crate::people::{Fingerprint, Roster};
use crate::problem::{Code, Problem};
use crate::role::Caller;

/// The cookie of a session.
pub(crate) const COOKIE_NAME: &str = "lodeward_session";

/// How somebody has shown who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Via {
    /// Not at all: everybody on this machine is let in.
    Machine,
    /// By a token.
    Token,
    /// By name and password, with this very request.
    Password,
    /// They have signed in before.
    Session,
}

/// What a request shows.
#[derive(PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Token(Fingerprint),
    Password {
        name: String,
        password: String,
    },
    Session(Fingerprint),
    /// Something that cannot be read.
    Nonsense,
}

impl Shown {
    /// What is said in so many words counts before what a browser adds by itself.
    pub(super) fn by(headers: &HeaderMap) -> Self {
        match headers.get(AUTHORIZATION) {
            Some(value) => value.to_str().ok().and_then(read).unwrap_or(Self::Nonsense),
            None => session(headers).map_or(Self::Nothing, Self::Session),
        }
    }

    /// Whose it is; for a password that takes longer.
    pub(super) fn owner(&self, roster: &Roster, now_ms: u64) -> Option<Known> {
        match self {
            Self::Token(fingerprint) => {
                let (token, role) = roster.by_token(fingerprint, now_ms)?;
                let caller = Caller { name: token.user.to_string(), role };
                let used = Roster::is_use_news(token, now_ms).then_some(token.id);
                let pass = Pass::Token(fingerprint.clone(), token.id);
                Some(Known { caller, pass, used })
            }
            Self::Session(fingerprint) => {
                let (session, role) = roster.by_session(fingerprint, now_ms)?;
                let caller = Caller { name: session.user.to_string(), role };
                Some(Known { caller, pass: Pass::Session(fingerprint.clone()), used: None })
            }
            Self::Nothing | Self::Password { .. } | Self::Nonsense => None,
        }
    }
}

/// Somebody who is known.
pub(super) struct Known {
    pub(super) caller: Caller,
    pub(super) pass: Pass,
    /// The token whose use should be noted.
    pub(super) used: Option<u64>,
}

fn read(field: &str) -> Option<Shown> {
    let (scheme, rest) = field.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(Shown::Token(Fingerprint::of(rest)));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
    let (name, password) = text.split_once(':')?;
    Some(Shown::Password { name: name.to_owned(), password: password.to_owned() })
}

/// The session whose cookie a browser has sent.
pub(crate) fn session(headers: &HeaderMap) -> Option<Fingerprint> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    let mut cookies = fields.flat_map(|field| field.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let (_, value) = cookies.find(|(name, _)| *name == COOKIE_NAME)?;
    Some(Fingerprint::of(value))
}

/// Nobody knows who asks. Only who can show a dialog of their own is asked for a
/// password the old way: not a page that fetches something, which has its own form.
pub(super) fn unknown(headers: &HeaderMap, detail: &str) -> Problem {
    let problem = Problem::new(Code::Unauthenticated, detail).hint("send a token, or a name and a password");
    challenged(headers, problem)
}

/// Adds how somebody can show who they are. A browser that says nothing of its pages
/// should not remember a password: it would send it for the pages of others.
pub(super) fn challenged(headers: &HeaderMap, problem: Problem) -> Problem {
    let problem = problem.with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"lodeward\""));
    let may_ask = headers.get("sec-fetch-mode").map_or(!is_browser(headers), |mode| mode == "navigate");
    if !may_ask {
        return problem;
    }
    problem.with(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"lodeward\", charset=\"UTF-8\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &'static str, value: &str) -> Shown {
        Shown::by(&HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]))
    }

    #[test]
    fn what_is_shown_is_read() {
        let token = Shown::Token(Fingerprint::of("lw_x"));
        let password = Shown::Password { name: "alice".to_owned(), password: "a:b".to_owned() };
        let session = Shown::Session(Fingerprint::of("x"));

        assert!(shown("authorization", "Bearer lw_x") == token);
        assert!(shown("authorization", "bearer  lw_x") == token);
        assert!(shown("authorization", "Basic YWxpY2U6YTpi") == password);
        assert!(shown("cookie", "a=b; lodeward_session=x; c=d") == session);
        assert!(shown("cookie", "a=b") == Shown::Nothing);
        for nonsense in ["Bearer", "Basic ?", "Basic YWxpY2U=", "Digest a=b", "", "Basic //79"] {
            assert!(shown("authorization", nonsense) == Shown::Nonsense, "{nonsense}");
        }
    }

    #[test]
    fn pages_that_fetch_something_and_browsers_over_plain_http_are_not_shown_a_dialog() {
        let challenges = |fields: &[(&'static str, &str)]| {
            use axum::response::IntoResponse as _;
            let fields = fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let response = unknown(&fields.collect(), "").into_response();
            response.headers().get_all(WWW_AUTHENTICATE).iter().count()
        };
        let browser = ("user-agent", "Mozilla/5.0");

        assert_eq!([challenges(&[]), challenges(&[("user-agent", "curl/8.5.0")])], [2, 2]);
        assert_eq!([challenges(&[browser, ("sec-fetch-mode", "navigate")])], [2]);
        assert_eq!([challenges(&[browser, ("sec-fetch-mode", "cors")]), challenges(&[browser])], [1, 1]);
    }
}
