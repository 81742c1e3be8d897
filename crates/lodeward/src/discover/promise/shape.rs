//! What the shape of an address says of what is there.
//!
//! Every new link is looked at, so the last segment of the path decides quickly
//! whether there is anything to think about.

use super::Promise;
use crate::model::Uri;
use crate::model::media_type::{Syntax, is_archive_extension};

/// What the name of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    /// RDF.
    Rdf,
    /// An archive or a compressed file of RDF.
    RdfArchive,
    /// An archive or a compressed file of who knows what.
    Archive,
    /// Something else.
    Other,
    /// There is no extension, or none that anybody knows.
    Unknown,
}

/// What an address promises by its shape.
pub(super) fn of(uri: &Uri) -> Option<Promise> {
    let path = uri.path();
    if is_endpoint(uri, path) {
        return Some(Promise::Endpoint);
    }
    if is_sitemap(path) {
        return Some(Promise::Sitemap);
    }
    if is_catalogue(path) {
        return Some(Promise::Catalogue);
    }
    if path.ends_with("/.well-known/void") {
        return Some(Promise::Description);
    }
    match file(uri) {
        File::Rdf if is_description(path) => Some(Promise::Description),
        File::Rdf => Some(Promise::Rdf),
        File::RdfArchive => Some(Promise::Dump),
        File::Archive | File::Other | File::Unknown => None,
    }
}

/// What the name of the file at an address says.
pub(super) fn file(uri: &Uri) -> File {
    let name = last_segment(uri.path());
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return File::Unknown;
    };
    let is_rdf = |extension: &str| Syntax::of_extension(extension).is_some_and(Syntax::is_rdf);
    let extension = extension.to_ascii_lowercase();
    if is_rdf(&extension) {
        return File::Rdf;
    }
    if is_archive_extension(&extension) {
        // `dump.nt.gz`, and `dump.nt.tar.gz`.
        let is_of_rdf = stem.rsplit('.').take(2).any(|inner| is_rdf(&inner.to_ascii_lowercase()));
        return if is_of_rdf && stem.contains('.') { File::RdfArchive } else { File::Archive };
    }
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    if is_extension { File::Other } else { File::Unknown }
}

/// Whether an address has anything to do with SPARQL.
pub(super) fn mentions_sparql(uri: &Uri) -> bool {
    let has = |text: &str| text.as_bytes().windows(6).any(|word| word.eq_ignore_ascii_case(b"sparql"));
    has(uri.path()) || has(uri.host())
}

/// Whether this is where SPARQL endpoints are. A cheap question will confirm it,
/// so it need not be certain; but what has a query is an answer, not an endpoint.
fn is_endpoint(uri: &Uri, path: &str) -> bool {
    /// Directories of pages about SPARQL.
    const ABOUT: &[&str] = &[
        "wiki",
        "tag",
        "tags",
        "topic",
        "topics",
        "doc",
        "docs",
        "documentation",
        "category",
        "categories",
        "keyword",
        "keywords",
        "blog",
        "help",
        "questions",
        "tagged",
        "search",
        "tutorial",
        "tutorials",
    ];
    let path_without_slash = path.strip_suffix('/').unwrap_or(path);
    let last = last_segment(path_without_slash);
    let before = || path_without_slash[..path_without_slash.len() - last.len()].trim_end_matches('/');
    let is_one = match last {
        "sparql" | "sparql-endpoint" | "sparqlendpoint" | "sparql-auth" => {
            !before().rsplit('/').take(2).any(|directory| ABOUT.contains(&directory))
        }
        // Fuseki, Stardog: `/ds/query`.
        "query" => uri.host().starts_with("sparql.") || has_port(uri, &["3030", "5820"]) || mentions_sparql(uri),
        // RDF4J, GraphDB, AllegroGraph: `/repositories/x`.
        _ if last_segment(before()) == "repositories" => {
            const PRODUCTS: &[&str] = &["rdf4j", "openrdf", "graphdb", "/catalogs/"];
            has_port(uri, &["7200", "10035"]) || PRODUCTS.iter().any(|word| path.contains(word))
        }
        "" => uri.host().starts_with("sparql."),
        _ => false,
    };
    let query = &uri.path_and_query()[path.len()..];
    is_one && query.len() <= 1
}

fn has_port(uri: &Uri, ports: &[&str]) -> bool {
    uri.authority().rsplit_once(':').is_some_and(|(_, port)| ports.contains(&port))
}

/// `sitemap.xml`, `sitemap_index.xml`, `wp-sitemap-posts-1.xml.gz`.
fn is_sitemap(path: &str) -> bool {
    let name = last_segment(path);
    let starts = |word: &str| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    (starts("sitemap") || starts("wp-sitemap"))
        && [".xml", ".xml.gz", ".txt", ".txt.gz"].iter().any(|extension| name.ends_with(extension))
}

/// The API of CKAN, and its list of data sets.
fn is_catalogue(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    // Other actions are questions that somebody else had.
    let is_api = ["/api/3", "/api/3/action/package_search", "/api/3/action/package_list"];
    is_api.iter().any(|api| path.ends_with(api)) || path.ends_with("/dataset")
}

/// Files that describe data sets by custom: `void.ttl`, and `catalog.ttl` of
/// ckanext-dcat.
fn is_description(path: &str) -> bool {
    let stem = last_segment(path).rsplit_once('.').map_or("", |(stem, _)| stem);
    ["void", "dcat", "catalog", "catalogue"].iter().any(|known| stem.eq_ignore_ascii_case(known))
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
