//! Locates the API of a CKAN catalogue.

use url::Url;

use super::{CkanPage, CkanRequest, CkanStep, PAGE_NAMES};
use crate::discover::{self, NextStep};
use crate::model::Uri;

/// The first request to the catalogue that a page belongs to, if it belongs to one.
///
/// `generator` is the content of the meta element of that name, `site_root` the attribute `data-site-root` of the body.
#[must_use]
pub(crate) fn detect_catalogue(page: &Uri, generator: Option<&str>, site_root: Option<&str>) -> Option<NextStep> {
    let generator = generator?.trim();
    if !generator.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("ckan")) {
        return None;
    }
    next(&root_of_page(page, site_root)?, CkanRequest::Search(CkanPage::FIRST))
}

/// The root URL of the catalogue that a page belongs to. Catalogues are often configured with a wrong host name, so
/// only the path is used.
fn root_of_page(page: &Uri, site_root: Option<&str>) -> Option<Uri> {
    /// The first path segments of CKAN pages, below the root of the catalogue.
    const DIRECTORIES: &[&str] = &["/dataset", "/organization", "/group", "/about", "/user", "/pages", "/showcase"];
    let base = page.to_url();
    let site_root = site_root.map(str::trim).filter(|root| root.starts_with('/') || root.starts_with("http"));
    let path = match site_root.and_then(|root| base.join(root).ok()) {
        Some(root) => root.path().to_owned(),
        None => {
            let path = page.path();
            let is_end = |end: usize, name: &str| matches!(path.as_bytes().get(end + name.len()), None | Some(b'/'));
            let of = |name: &&str| path.find(name).filter(|at| is_end(*at, name));
            path[..DIRECTORIES.iter().filter_map(of).min().unwrap_or(0)].to_owned()
        }
    };
    root_uri(&base, &path)
}

/// The root URL of the catalogue with this API URL.
pub(super) fn root_of_api(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let is_segment = |at: &usize| matches!(path.as_bytes().get(at + "/api/3".len()), None | Some(b'/'));
    let at = path.find("/api/3").filter(is_segment).or_else(|| path.find("/api/action/"))?;
    root_uri(&uri.to_url(), &path[..at])
}

fn root_uri(base: &Url, path: &str) -> Option<Uri> {
    let path = path.trim_end_matches('/');
    let mut url = base.clone();
    url.set_query(None);
    url.set_path(&format!("{path}/"));
    Uri::from_url(url).ok()
}

/// A request with its URL.
pub(super) fn next(root: &Uri, request: CkanRequest) -> Option<NextStep> {
    let action = |name: &str| {
        let mut url = root.to_url();
        url.path_segments_mut().ok()?.pop_if_empty().extend(["api", "3", "action", name]);
        Some(url)
    };
    let url = match &request {
        CkanRequest::Linked => return None,
        CkanRequest::Search(page) => {
            let mut url = action("package_search")?;
            url.query_pairs_mut()
                .append_pair("rows", &page.rows.to_string())
                .append_pair("start", &page.start.to_string())
                .append_pair("sort", "id asc");
            url
        }
        CkanRequest::List { offset, .. } => {
            let mut url = action("package_list")?;
            url.query_pairs_mut()
                .append_pair("limit", &PAGE_NAMES.to_string())
                .append_pair("offset", &offset.to_string());
            url
        }
        CkanRequest::Show { name } => {
            let mut url = action("package_show")?;
            url.query_pairs_mut().append_pair("id", name);
            url
        }
    };
    Some(NextStep {
        uri: Uri::from_query_url(url).ok()?,
        step: discover::Step::from(CkanStep { root: root.clone(), request }),
    })
}
