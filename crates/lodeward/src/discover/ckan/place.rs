//! Where the API of a catalogue is.

use url::Url;

use super::{Ask, NAMES, Page, Step};
use crate::discover::{self, Next};
use crate::model::Uri;

/// Where a page was found to be one of a catalogue: the first question to it.
///
/// `generator` is the meta element of that name, `site_root` the attribute
/// `data-site-root` of the body.
#[must_use]
pub fn recognised(page: &Uri, generator: Option<&str>, site_root: Option<&str>) -> Option<Next> {
    let generator = generator?.trim();
    if !generator.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("ckan")) {
        return None;
    }
    next(&root_of_page(page, site_root)?, Ask::Search(Page::FIRST))
}

/// The front page of the catalogue that a page is part of. Catalogues are often
/// told a wrong name of their host, so that only the path counts.
fn root_of_page(page: &Uri, site_root: Option<&str>) -> Option<Uri> {
    /// The directories that catalogues have.
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
    root(&base, &path)
}

/// The front page of the catalogue whose API this is an address of.
pub(super) fn root_of_api(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let is_whole = |at: &usize| matches!(path.as_bytes().get(at + "/api/3".len()), None | Some(b'/'));
    let at = path.find("/api/3").filter(is_whole).or_else(|| path.find("/api/action/"))?;
    root(&uri.to_url(), &path[..at])
}

fn root(base: &Url, path: &str) -> Option<Uri> {
    let path = path.trim_end_matches('/');
    let mut url = base.clone();
    url.set_query(None);
    url.set_path(&format!("{path}/"));
    Uri::from_url(url).ok()
}

/// A question, and its address.
pub(super) fn next(root: &Uri, ask: Ask) -> Option<Next> {
    let action = |name: &str| {
        let mut url = root.to_url();
        url.path_segments_mut().ok()?.pop_if_empty().extend(["api", "3", "action", name]);
        Some(url)
    };
    let url = match &ask {
        Ask::Linked => return None,
        Ask::Search(page) => {
            let mut url = action("package_search")?;
            url.query_pairs_mut()
                .append_pair("rows", &page.rows.to_string())
                .append_pair("start", &page.start.to_string())
                .append_pair("sort", "id asc");
            url
        }
        Ask::List { offset, .. } => {
            let mut url = action("package_list")?;
            url.query_pairs_mut().append_pair("limit", &NAMES.to_string()).append_pair("offset", &offset.to_string());
            url
        }
        Ask::Show { name } => {
            let mut url = action("package_show")?;
            url.query_pairs_mut().append_pair("id", name);
            url
        }
    };
    Some(Next { uri: Uri::of_question(url).ok()?, step: discover::Step::Ckan(Step { root: root.clone(), ask }) })
}
