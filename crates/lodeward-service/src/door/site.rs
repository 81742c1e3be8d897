//! By which names this server answers, and what pages of other sites may ask it.

use http::header::{HOST, ORIGIN, REFERER, USER_AGENT};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};
use url::{Origin, Url};

use crate::host;
use crate::problem::{Code, Problem};

/// Where the published API is: there even GET changes things.
pub(super) const FACADE: &str = "/CrawlAPI/";

/// The names of this server.
pub(super) struct Site {
    public: Option<Url>,
    /// Whether a name that is not ours could only be a trick: who asks is on this
    /// machine, and needs none.
    is_near: bool,
}

impl Site {
    pub(super) fn new(public_url: Option<&str>, is_near: bool) -> Self {
        Self { public: public_url.and_then(|url| Url::parse(url).ok()), is_near }
    }

    /// Refuses what was addressed to somebody else.
    pub(super) fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
        let named = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
        let mut named = named.chain(uri.authority().map(Authority::as_str));
        if named.all(|host| self.answers_to(host)) {
            return Ok(());
        }
        let problem = Problem::new(Code::Misdirected, "this server does not answer to the name in `Host`");
        Err(problem.hint("ask it by its address or as localhost, or set `service.public_url`"))
    }

    fn answers_to(&self, host: &str) -> bool {
        let Some(host) = host::named(host) else { return false };
        match &self.public {
            _ if host::is_local(&host) => true,
            Some(public) => public.host().is_some_and(|public| public == host),
            None => !self.is_near,
        }
    }

    /// Refuses what a page of another site has asked for.
    pub(super) fn check_page(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_foreign = match page(headers) {
            Page::OfOrigin(origin) => !self.is_ours(&origin, headers),
            Page::Elsewhere => true,
            Page::Ours | Page::None | Page::Untold => false,
        };
        if is_foreign { Err(cross_site("a page of another site asked for this")) } else { Ok(()) }
    }

    /// Browsers send cookies by themselves: that it was one of our pages must be
    /// said.
    pub(super) fn check_session(&self, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
        let is_ours = match page(headers) {
            Page::OfOrigin(origin) => self.is_ours(&origin, headers),
            Page::Ours => true,
            // Somebody has typed it.
            Page::None => *method == Method::GET,
            Page::Elsewhere | Page::Untold => false,
        };
        if is_ours { Ok(()) } else { Err(cross_site("with a cookie, `Origin` must say that our own page asks")) }
    }

    fn is_ours(&self, origin: &Origin, headers: &HeaderMap) -> bool {
        if self.public.as_ref().is_some_and(|public| public.origin() == *origin) {
            return true;
        }
        // A proxy may have taken TLS off: the scheme is whatever the page says.
        let Origin::Tuple(scheme, ..) = origin else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let ours = host.and_then(|host| Url::parse(&format!("{scheme}://{host}/")).ok());
        ours.is_some_and(|url| url.origin() == *origin)
    }

    /// Whether cookies must not travel in the open.
    pub(crate) fn is_https(&self) -> bool {
        self.public.as_ref().is_some_and(|public| public.scheme() == "https")
    }
}

/// What a browser says of the page that asks.
enum Page {
    /// Its origin.
    OfOrigin(Origin),
    /// It is one of ours.
    Ours,
    /// It is not.
    Elsewhere,
    /// There is none: somebody has typed the address.
    None,
    /// Nothing: it is an old browser, or none.
    Untold,
}

/// What says that a page is foreign weighs more than what says that it is ours.
fn page(headers: &HeaderMap) -> Page {
    let field = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let fetched_from = field("sec-fetch-site");
    if fetched_from.is_some_and(|site| site != "same-origin" && site != "none") {
        return Page::Elsewhere;
    }
    // Over plain HTTP browsers send no `Sec-Fetch-Site`, and for GET no `Origin`.
    let named = headers.get(ORIGIN).or_else(|| headers.get(REFERER).filter(|_| fetched_from.is_none()));
    match (named, fetched_from) {
        (Some(named), _) => {
            let url = named.to_str().ok().and_then(|named| Url::parse(named).ok());
            url.map_or(Page::Elsewhere, |url| Page::OfOrigin(url.origin()))
        }
        (None, Some("none")) => Page::None,
        (None, Some(_)) => Page::Ours,
        (None, None) => Page::Untold,
    }
}

/// Whether a browser asks: all of them say so, and no page can keep them from it.
pub(super) fn is_browser(headers: &HeaderMap) -> bool {
    headers.get(USER_AGENT).is_some_and(|name| name.as_bytes().starts_with(b"Mozilla/"))
}

/// Refuses browsers that do not say which page asks, as over plain HTTP: they send a
/// password that they remember to whatever a page points them at.
pub(super) fn check_told(headers: &HeaderMap) -> Result<(), Problem> {
    if !is_browser(headers) || !matches!(page(headers), Page::Untold) {
        return Ok(());
    }
    let problem = Problem::new(Code::CrossSite, "your browser does not say which page asks for this");
    Err(problem.hint("send a POST or a token, or put TLS in front of the service"))
}

fn cross_site(detail: &str) -> Problem {
    Problem::new(Code::CrossSite, detail).hint("programs send no `Origin`, and a token instead of a cookie")
}

/// Whether a request may change something.
pub(super) fn is_changing(method: &Method, path: &str) -> bool {
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    !is_safe || path.starts_with(FACADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn answers_to(public_url: Option<&str>, is_near: bool, host: &str) -> bool {
        Site::new(public_url, is_near).check_host(&headers(&[("host", host)]), &Uri::from_static("/")).is_ok()
    }

    #[test]
    fn on_this_machine_only_names_that_nobody_else_controls_are_ours() {
        for ours in ["localhost", "LOCALHOST:7474", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:7474", "10.1.2.3:1"] {
            assert!(answers_to(None, true, ours), "{ours}");
        }
        for others in
            ["evil.example", "evil.example:7474", "localhost.evil.example", "127.0.0.1.evil.example", "", "a@b@c"]
        {
            assert!(!answers_to(None, true, others), "{others}");
        }
        let misdirected = Uri::from_static("http://evil.example/");
        assert!(Site::new(None, true).check_host(&headers(&[("host", "localhost")]), &misdirected).is_err());
    }

    #[test]
    fn behind_a_proxy_the_public_name_is_ours_too() {
        let public = Some("https://crawls.example/");

        assert!(answers_to(public, true, "crawls.example") && answers_to(public, true, "127.0.0.1:7474"));
        assert!(!answers_to(public, true, "evil.example") && !answers_to(public, false, "evil.example"));
        assert!(answers_to(None, false, "whatever.example"));
    }

    #[test]
    fn pages_of_other_sites_are_refused_and_programs_are_not() {
        let site = Site::new(None, true);
        let check = |fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", "localhost:7474")].into_iter().chain(fields.iter().copied()).collect();
            site.check_page(&headers(&all)).is_ok()
        };

        assert!(check(&[]));
        assert!(check(&[("origin", "http://localhost:7474")]));
        assert!(check(&[("sec-fetch-site", "same-origin")]));
        assert!(check(&[("sec-fetch-site", "none")]));
        assert!(!check(&[("origin", "http://localhost:7475")]));
        assert!(!check(&[("origin", "http://evil.example")]));
        assert!(!check(&[("origin", "null")]));
        assert!(!check(&[("origin", "nonsense")]));
        assert!(!check(&[("sec-fetch-site", "cross-site")]));
        assert!(!check(&[("sec-fetch-site", "same-site")]));
        assert!(!check(&[("sec-fetch-site", "cross-site"), ("origin", "http://localhost:7474")]));
    }

    #[test]
    fn over_plain_http_a_browser_has_to_name_its_page_some_other_way() {
        let browser = ("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0");
        let (host, ours, foreign) = ("10.0.0.5:7474", "http://10.0.0.5:7474/a", "http://evil.example/");
        let check = |fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", host)].into_iter().chain(fields.iter().copied()).collect();
            Site::new(None, false).check_page(&headers(&all)).is_ok() && check_told(&headers(&all)).is_ok()
        };

        assert!(check(&[]) && check(&[("user-agent", "curl/8.5.0")]));
        assert!(check(&[browser, ("referer", ours)]) && check(&[browser, ("sec-fetch-site", "none")]));
        assert!(!check(&[browser]) && !check(&[browser, ("referer", foreign)]) && !check(&[("referer", foreign)]));
    }

    #[test]
    fn a_page_behind_a_proxy_with_tls_is_ours() {
        let at = |public_url, fields: &[(&'static str, &str)]| {
            Site::new(public_url, true).check_page(&headers(fields)).is_ok()
        };

        let origin = ("origin", "https://crawls.example");
        assert!(at(Some("https://crawls.example"), &[("host", "127.0.0.1:7474"), origin]));
        assert!(at(None, &[("host", "crawls.example"), origin]));
        assert!(!at(
            Some("https://crawls.example"),
            &[("host", "127.0.0.1:7474"), ("origin", "http://crawls.example")]
        ));
    }

    #[test]
    fn a_cookie_alone_changes_nothing() {
        let site = Site::new(None, true);
        let check = |method, fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", "localhost:7474")].into_iter().chain(fields.iter().copied()).collect();
            site.check_session(&method, &headers(&all)).is_ok()
        };

        assert!(!check(Method::POST, &[]));
        assert!(!check(Method::POST, &[("sec-fetch-site", "none")]));
        assert!(!check(Method::GET, &[]));
        assert!(check(Method::GET, &[("sec-fetch-site", "none")]));
        assert!(check(Method::POST, &[("sec-fetch-site", "same-origin")]));
        assert!(check(Method::POST, &[("origin", "http://localhost:7474")]));
    }

    #[test]
    fn the_published_api_changes_things_with_get() {
        assert!(is_changing(&Method::GET, "/CrawlAPI/deleteCrawl"));
        assert!(is_changing(&Method::POST, "/sparql"));
        assert!(!is_changing(&Method::GET, "/api/v1/crawls"));
    }
}
