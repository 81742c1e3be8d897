//! Derives promises from the shape of a URL.
//!
//! The check runs for every new link, so it must be fast: the last segment of the path is checked first.

use crate::model::rdf_likelihood::is_archive_extension;
use crate::model::{Promise, Uri};
use lodeward_rdf::RdfFormat;

/// The meaning of a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileShape {
    /// RDF.
    Rdf,
    /// An archive or a compressed file of RDF.
    RdfArchive,
    /// An archive or a compressed file of unknown content.
    Archive,
    /// A file that is neither RDF nor an archive.
    Other,
    /// There is no extension, or an unknown one.
    Unknown,
}

/// The promise of a URL by its shape.
pub(super) fn from_uri(uri: &Uri) -> Option<Promise> {
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
    match file_shape(uri) {
        FileShape::Rdf if is_description(path) => Some(Promise::Description),
        FileShape::Rdf => Some(Promise::Rdf),
        FileShape::RdfArchive => Some(Promise::Dump),
        FileShape::Archive | FileShape::Other | FileShape::Unknown => None,
    }
}

/// The meaning of the file name in a URL.
pub(super) fn file_shape(uri: &Uri) -> FileShape {
    let name = last_segment(uri.path());
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return FileShape::Unknown;
    };
    let is_rdf = |extension: &str| RdfFormat::from_extension(extension).is_some_and(RdfFormat::is_rdf);
    let extension = extension.to_ascii_lowercase();
    if is_rdf(&extension) {
        return FileShape::Rdf;
    }
    if is_archive_extension(&extension) {
        // `dump.nt.gz`, and `dump.nt.tar.gz`.
        let is_of_rdf = stem.rsplit('.').take(2).any(|inner| is_rdf(&inner.to_ascii_lowercase()));
        return if is_of_rdf && stem.contains('.') { FileShape::RdfArchive } else { FileShape::Archive };
    }
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    if is_extension { FileShape::Other } else { FileShape::Unknown }
}

/// Whether a URL mentions SPARQL.
pub(super) fn mentions_sparql(uri: &Uri) -> bool {
    let has = |text: &str| text.as_bytes().windows(6).any(|word| word.eq_ignore_ascii_case(b"sparql"));
    has(uri.path()) || has(uri.host())
}

/// Whether this is a typical URL of a SPARQL endpoint. A cheap query confirms it, so it need not be certain; but a URL
/// with a query is a result, not an endpoint.
fn is_endpoint(uri: &Uri, path: &str) -> bool {
    /// Directories of pages about SPARQL.
    const DOCUMENTATION_DIRECTORIES: &[&str] = &[
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
    let is_endpoint = match last {
        "sparql" | "sparql-endpoint" | "sparqlendpoint" | "sparql-auth" => {
            !before().rsplit('/').take(2).any(|directory| DOCUMENTATION_DIRECTORIES.contains(&directory))
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
    is_endpoint && query.len() <= 1
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
    // Only these actions list the whole catalogue; the others are specific queries.
    let is_api = ["/api/3", "/api/3/action/package_search", "/api/3/action/package_list"];
    is_api.iter().any(|api| path.ends_with(api)) || path.ends_with("/dataset")
}

/// Files that describe data sets by convention: `void.ttl`, and `catalog.ttl` of ckanext-dcat.
fn is_description(path: &str) -> bool {
    let stem = last_segment(path).rsplit_once('.').map_or("", |(stem, _)| stem);
    ["void", "dcat", "catalog", "catalogue"].iter().any(|name| stem.eq_ignore_ascii_case(name))
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
