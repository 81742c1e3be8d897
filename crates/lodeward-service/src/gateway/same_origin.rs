//! Checks that a request names this host, and does not come from a page of another site.

use http::header::{HOST, ORIGIN, REFERER, USER_AGENT};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Uri};
use url::{Origin, Url};

use crate::host_header;
use crate::problem::{Problem, ProblemCode};

/// Checks requests against the host and origin of this server.
pub(super) struct SameOriginPolicy {
    public: Option<Url>,
    /// Whether the client is on this machine. A local client needs no host name, so an unknown host
    /// name is probably DNS rebinding.
    is_near: bool,
}

impl SameOriginPolicy {
    pub(super) fn new(public_url: Option<&str>, is_near: bool) -> Self {
        Self { public: public_url.and_then(|url| Url::parse(url).ok()), is_near }
    }

    /// Rejects requests whose `Host` is not a name of this server.
    pub(super) fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
        let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
        let mut hosts = hosts.chain(uri.authority().map(Authority::as_str));
        if hosts.all(|host| self.is_own_host(host)) {
            return Ok(());
        }
        let problem = Problem::new(ProblemCode::Misdirected, "the name in `Host` is not a name of this server");
        Err(problem.hint("use the server's IP address or `localhost`, or set `service.public_url`"))
    }

    fn is_own_host(&self, host: &str) -> bool {
        let Some(host) = host_header::parse_host(host) else { return false };
        match &self.public {
            _ if host_header::is_local(&host) => true,
            Some(public) => public.host().is_some_and(|public| public == host),
            None => !self.is_near,
        }
    }

    /// Rejects requests from pages of other sites.
    pub(super) fn check_same_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_cross_site = match requesting_page(headers) {
            RequestingPage::WithOrigin(origin) => !self.is_own_origin(&origin, headers),
            RequestingPage::OtherSite => true,
            RequestingPage::SameOrigin | RequestingPage::NoPage | RequestingPage::Unknown => false,
        };
        if is_cross_site { Err(cross_site("the request comes from a page of another site")) } else { Ok(()) }
    }

    /// Rejects requests with a session cookie that do not come from a page of this server. Browsers
    /// send cookies with all requests, whatever page causes them.
    pub(super) fn check_session_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
        let is_own = match requesting_page(headers) {
            RequestingPage::WithOrigin(origin) => self.is_own_origin(&origin, headers),
            RequestingPage::SameOrigin => true,
            // The user has typed the URL, which is always a GET request.
            RequestingPage::NoPage => *method == Method::GET,
            RequestingPage::OtherSite | RequestingPage::Unknown => false,
        };
        if is_own {
            Ok(())
        } else {
            Err(cross_site("with a session cookie, `Origin` must be the origin of this service"))
        }
    }

    fn is_own_origin(&self, origin: &Origin, headers: &HeaderMap) -> bool {
        if self.public.as_ref().is_some_and(|public| public.origin() == *origin) {
            return true;
        }
        // A TLS proxy may be in front of the service, so the scheme is taken from the origin of the page.
        let Origin::Tuple(scheme, ..) = origin else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let own = host.and_then(|host| Url::parse(&format!("{scheme}://{host}/")).ok());
        own.is_some_and(|url| url.origin() == *origin)
    }

    /// Whether the public URL is HTTPS, so that cookies must be `Secure`.
    pub(crate) fn is_https(&self) -> bool {
        self.public.as_ref().is_some_and(|public| public.scheme() == "https")
    }
}

/// The page that sends a request, according to the browser.
enum RequestingPage {
    /// A page with this origin.
    WithOrigin(Origin),
    /// A page of this server.
    SameOrigin,
    /// A page of another site.
    OtherSite,
    /// No page: the user has typed the URL.
    NoPage,
    /// Unknown: the client is an old browser, or a program.
    Unknown,
}

/// Determines the page from the header fields. A field that names another site takes precedence
/// over a field that names this server.
fn requesting_page(headers: &HeaderMap) -> RequestingPage {
    let field = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let fetch_site = field("sec-fetch-site");
    if fetch_site.is_some_and(|site| site != "same-origin" && site != "none") {
        return RequestingPage::OtherSite;
    }
    // Over plain HTTP, browsers send no `Sec-Fetch-Site`, and with GET requests no `Origin`.
    let origin = headers.get(ORIGIN).map(|origin| parse_url(origin).filter(is_bare_origin));
    let referer = || headers.get(REFERER).filter(|_| fetch_site.is_none()).map(parse_url);
    match (origin.or_else(referer), fetch_site) {
        (Some(page), _) => page.map_or(RequestingPage::OtherSite, |page| RequestingPage::WithOrigin(page.origin())),
        (None, Some("none")) => RequestingPage::NoPage,
        (None, Some(_)) => RequestingPage::SameOrigin,
        (None, None) => RequestingPage::Unknown,
    }
}

fn parse_url(field: &HeaderValue) -> Option<Url> {
    Url::parse(field.to_str().ok()?).ok()
}

/// Whether a URL has no path. A second origin after a comma would be read as a path of the first.
fn is_bare_origin(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none() && url.fragment().is_none()
}

/// Whether the client is a browser: the `User-Agent` of all browsers starts with `Mozilla/`, and a
/// page cannot change it.
pub(super) fn is_browser(headers: &HeaderMap) -> bool {
    headers.get(USER_AGENT).is_some_and(|name| name.as_bytes().starts_with(b"Mozilla/"))
}

/// Rejects browsers that do not identify the requesting page, as over plain HTTP: such a browser
/// sends a stored password with requests of any page.
pub(super) fn require_page_origin(headers: &HeaderMap) -> Result<(), Problem> {
    if !is_browser(headers) || !matches!(requesting_page(headers), RequestingPage::Unknown) {
        return Ok(());
    }
    let problem = Problem::new(ProblemCode::CrossSite, "the browser does not identify the page that sends the request");
    Err(problem.hint("use POST or a token, or put TLS in front of the service"))
}

fn cross_site(detail: &str) -> Problem {
    Problem::new(ProblemCode::CrossSite, detail)
        .hint("in a program, omit the `Origin` header and send a token instead of a cookie")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn accepts_host(public_url: Option<&str>, is_near: bool, host: &str) -> bool {
        SameOriginPolicy::new(public_url, is_near)
            .check_host(&headers(&[("host", host)]), &Uri::from_static("/"))
            .is_ok()
    }

    #[test]
    fn on_this_machine_only_hosts_that_no_other_site_controls_are_accepted() {
        for own in ["localhost", "LOCALHOST:7474", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:7474", "10.1.2.3:1"] {
            assert!(accepts_host(None, true, own), "{own}");
        }
        for other in
            ["evil.example", "evil.example:7474", "localhost.evil.example", "127.0.0.1.evil.example", "", "a@b@c"]
        {
            assert!(!accepts_host(None, true, other), "{other}");
        }
        let misdirected = Uri::from_static("http://evil.example/");
        assert!(
            SameOriginPolicy::new(None, true).check_host(&headers(&[("host", "localhost")]), &misdirected).is_err()
        );
    }

    #[test]
    fn behind_a_proxy_the_public_host_name_is_accepted() {
        let public = Some("https://crawls.example/");

        assert!(accepts_host(public, true, "crawls.example") && accepts_host(public, true, "127.0.0.1:7474"));
        assert!(!accepts_host(public, true, "evil.example") && !accepts_host(public, false, "evil.example"));
        assert!(accepts_host(None, false, "whatever.example"));
    }

    #[test]
    fn requests_of_other_sites_are_rejected_and_those_of_programs_are_not() {
        let policy = SameOriginPolicy::new(None, true);
        let check = |fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", "localhost:7474")].into_iter().chain(fields.iter().copied()).collect();
            policy.check_same_origin(&headers(&all)).is_ok()
        };

        assert!(check(&[]));
        assert!(check(&[("origin", "http://localhost:7474")]));
        assert!(check(&[("sec-fetch-site", "same-origin")]));
        assert!(check(&[("sec-fetch-site", "none")]));
        assert!(!check(&[("origin", "http://localhost:7475")]));
        assert!(!check(&[("origin", "http://evil.example")]));
        assert!(!check(&[("origin", "null")]));
        assert!(!check(&[("origin", "nonsense")]));
        assert!(!check(&[("origin", "http://localhost:7474/, http://evil.example")]));
        assert!(!check(&[("origin", "http://localhost:7474/?http://evil.example")]));
        assert!(!check(&[("sec-fetch-site", "cross-site")]));
        assert!(!check(&[("sec-fetch-site", "same-site")]));
        assert!(!check(&[("sec-fetch-site", "cross-site"), ("origin", "http://localhost:7474")]));
    }

    #[test]
    fn over_plain_http_a_browser_must_identify_its_page() {
        let browser = ("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0");
        let (host, own, other) = ("10.0.0.5:7474", "http://10.0.0.5:7474/a", "http://evil.example/");
        let check = |fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", host)].into_iter().chain(fields.iter().copied()).collect();
            let policy = SameOriginPolicy::new(None, false);
            policy.check_same_origin(&headers(&all)).is_ok() && require_page_origin(&headers(&all)).is_ok()
        };

        assert!(check(&[]) && check(&[("user-agent", "curl/8.5.0")]));
        assert!(check(&[browser, ("referer", own)]) && check(&[browser, ("sec-fetch-site", "none")]));
        assert!(!check(&[browser]) && !check(&[browser, ("referer", other)]) && !check(&[("referer", other)]));
    }

    #[test]
    fn a_page_behind_a_tls_proxy_has_our_origin() {
        let check = |public_url, fields: &[(&'static str, &str)]| {
            SameOriginPolicy::new(public_url, true).check_same_origin(&headers(fields)).is_ok()
        };

        let origin = ("origin", "https://crawls.example");
        assert!(check(Some("https://crawls.example"), &[("host", "127.0.0.1:7474"), origin]));
        assert!(check(None, &[("host", "crawls.example"), origin]));
        assert!(!check(
            Some("https://crawls.example"),
            &[("host", "127.0.0.1:7474"), ("origin", "http://crawls.example")]
        ));
    }

    #[test]
    fn a_cookie_without_an_origin_changes_nothing() {
        let policy = SameOriginPolicy::new(None, true);
        let check = |method, fields: &[(&'static str, &str)]| {
            let all: Vec<_> = [("host", "localhost:7474")].into_iter().chain(fields.iter().copied()).collect();
            policy.check_session_origin(&method, &headers(&all)).is_ok()
        };

        assert!(!check(Method::POST, &[]));
        assert!(!check(Method::POST, &[("sec-fetch-site", "none")]));
        assert!(!check(Method::GET, &[]));
        assert!(check(Method::GET, &[("sec-fetch-site", "none")]));
        assert!(check(Method::POST, &[("sec-fetch-site", "same-origin")]));
        assert!(check(Method::POST, &[("origin", "http://localhost:7474")]));
    }
}
