//! Determines what a link states about its target.
//!
//! A property such as `void:dataDump` or a relation such as `describedby` states what it leads to ([`relation`]); a
//! media type states the format; and the URL may have a typical shape ([`shape`]). All three are used, the most
//! explicit first. A promise is not trusted: it affects the order of requests and the choice of the first step, never
//! how a response is interpreted.

mod relation;
mod shape;

pub(crate) use relation::specificity;

use crate::model::rdf_likelihood::is_archive_media_type;
use crate::model::{FoundBy, Link, LinkKind, LinkListKind, Promise, Uri};
use lodeward_rdf::RdfFormat;
use lodeward_rdf::media_type::essence;
use relation::RelationMeaning;
use shape::FileShape;

/// The media type that marks SPARQL endpoints in lists of links: the media type of SPARQL queries.
pub(crate) const ENDPOINT_MEDIA_TYPE: &str = "application/sparql-query";

/// The promise of a link, if there is one: by its property or relation, its media type, or the shape of its URL.
#[must_use]
pub fn from_link(link: &Link) -> Option<Promise> {
    let target = &link.target;
    match &link.via {
        LinkKind::Seed | LinkKind::Redirect(_) => shape::from_uri(target),
        LinkKind::Triple { type_hint, .. } => {
            let meaning = type_hint.as_deref().and_then(relation::property_meaning);
            from_relation(meaning, target, None)
        }
        LinkKind::Html(html) => from_relation(
            relation::rel_meaning(html.rel.as_deref().unwrap_or_default()),
            target,
            html.media_type.as_deref(),
        ),
        LinkKind::Header { rel, media_type } => {
            from_relation(relation::rel_meaning(rel), target, media_type.as_deref())
        }
        LinkKind::Listed { list: LinkListKind::WellKnown, .. } => Some(Promise::Description),
        LinkKind::Listed { media_type, .. } => {
            // The media type in a list states the format of the data, even if the data is in an archive.
            let meaning = media_type.as_deref().map(|_| RelationMeaning::Data);
            match media_type.as_deref() {
                Some(media_type) if is_media_type(media_type, ENDPOINT_MEDIA_TYPE) => Some(Promise::Endpoint),
                media_type => from_relation(meaning, target, media_type),
            }
        }
    }
}

/// How a link was found, in the short form stored in a queue entry, with the promise of the link if it makes one.
#[must_use]
pub(crate) fn found_by(link: &Link) -> FoundBy {
    let found_by = link.via.found_by();
    match &link.via {
        // Seeds and redirects make no promise.
        LinkKind::Seed | LinkKind::Redirect(_) => found_by,
        _ => match from_link(link) {
            Some(promise) => FoundBy::Promised(Box::new(found_by), promise),
            None => found_by,
        },
    }
}

/// Combines the meaning of a relation with the URL: certain meanings take precedence, then the URL, then likely
/// meanings.
fn from_relation(meaning: Option<RelationMeaning>, target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    match meaning {
        None => shape::from_uri(target).or_else(|| from_media_type(media_type)),
        Some(RelationMeaning::Certain(promise)) => Some(promise),
        Some(RelationMeaning::Service) => shape::mentions_sparql(target).then_some(Promise::Endpoint),
        Some(RelationMeaning::Description) if !is_page(target, media_type) => Some(Promise::Description),
        Some(RelationMeaning::Download) => shape::from_uri(target).or_else(|| download_promise(target, media_type)),
        Some(RelationMeaning::Data) => shape::from_uri(target).or_else(|| data_promise(target, media_type)),
        Some(RelationMeaning::Likely) => {
            let is_likely = || shape::file_shape(target) == FileShape::Unknown && media_type.is_none();
            shape::from_uri(target)
                .or_else(|| from_media_type(media_type))
                .or_else(|| is_likely().then_some(Promise::Rdf))
        }
        Some(RelationMeaning::Description) => shape::from_uri(target),
    }
}

fn from_media_type(media_type: Option<&str>) -> Option<Promise> {
    let media_type = media_type?;
    if is_media_type(media_type, "application/linkset+json") || is_media_type(media_type, "application/linkset") {
        return Some(Promise::Description);
    }
    RdfFormat::from_media_type(media_type).is_some_and(RdfFormat::is_rdf).then_some(Promise::Rdf)
}

/// The promise of a download: RDF, unless its name or type states otherwise, because most downloads of catalogues are
/// tables.
fn download_promise(target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    match media_type {
        Some(_) => data_promise(target, media_type),
        None => matches!(shape::file_shape(target), FileShape::Archive | FileShape::Unknown).then_some(Promise::Dump),
    }
}

/// The promise of data that may be RDF.
fn data_promise(target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    let is_archive = match media_type {
        Some(media_type) => is_archive_media_type(media_type),
        None => shape::file_shape(target) == FileShape::Archive,
    };
    if is_archive { Some(Promise::Dump) } else { from_media_type(media_type) }
}

/// Whether the file name or media type indicates a page for users.
fn is_page(target: &Uri, media_type: Option<&str>) -> bool {
    match media_type {
        Some(media_type) => from_media_type(Some(media_type)).is_none(),
        None => shape::file_shape(target) == FileShape::Other,
    }
}

fn is_media_type(media_type: &str, expected: &str) -> bool {
    essence(media_type).eq_ignore_ascii_case(expected)
}

#[cfg(test)]
mod tests;
