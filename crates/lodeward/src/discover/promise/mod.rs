//! What a link says its target is.
//!
//! A link is rarely just a link. A property such as `void:dataDump` or a relation
//! such as `describedby` says what it leads to ([`relation`]); a media type says
//! what will be sent; and addresses have habits ([`shape`]). All three are asked,
//! the most explicit first. A promise costs its maker nothing: it decides who is
//! visited first, and which question is asked there, never what is believed.

mod relation;
mod shape;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use relation::plainness;

use crate::model::media_type::{Syntax, is_archive_media_type};
use crate::model::{Link, List, Uri, Via};
use relation::Said;
use shape::File;

/// What a link promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Promise {
    /// An RDF document.
    Rdf,
    /// A dump, perhaps compressed.
    Dump,
    /// A description of data sets: `VoID`, DCAT.
    Description,
    /// A SPARQL endpoint.
    Endpoint,
    /// The front page of a catalogue.
    Catalogue,
    /// A sitemap.
    Sitemap,
}

impl Promise {
    /// Every promise.
    pub const ALL: [Self; 6] =
        [Self::Rdf, Self::Dump, Self::Description, Self::Endpoint, Self::Catalogue, Self::Sitemap];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rdf => "rdf",
            Self::Dump => "dump",
            Self::Description => "description",
            Self::Endpoint => "endpoint",
            Self::Catalogue => "catalogue",
            Self::Sitemap => "sitemap",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The media type under which lists give the addresses of SPARQL endpoints: what
/// is sent there.
pub const ENDPOINT_MEDIA_TYPE: &str = "application/sparql-query";

/// What a link promises, if anything: by the property or relation that leads to
/// it, by its media type, by the shape of its address.
#[must_use]
pub fn of(link: &Link) -> Option<Promise> {
    let target = &link.target;
    match &link.via {
        // What it is was decided when it was first met.
        Via::Step(_) => None,
        Via::Seed | Via::Redirect(_) => shape::of(target),
        Via::Triple { telling, .. } => {
            let said = telling.as_deref().and_then(relation::of_property);
            by_relation(said, target, None)
        }
        Via::Html(html) => {
            by_relation(relation::of_rel(html.rel.as_deref().unwrap_or_default()), target, html.media_type.as_deref())
        }
        Via::Header { rel, media_type } => by_relation(relation::of_rel(rel), target, media_type.as_deref()),
        Via::Listed { list: List::WellKnown, .. } => Some(Promise::Description),
        Via::Listed { media_type, .. } => {
            // Whoever keeps a list of data knows what an archive is of.
            let said = media_type.as_deref().map(|_| Said::Data);
            match media_type.as_deref() {
                Some(media_type) if is_type(media_type, ENDPOINT_MEDIA_TYPE) => Some(Promise::Endpoint),
                media_type => by_relation(said, target, media_type),
            }
        }
    }
}

/// What a relation says comes first where it is plain, the address next, and
/// what is merely likely last.
fn by_relation(said: Option<Said>, target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    match said {
        None => shape::of(target).or_else(|| by_media_type(media_type)),
        Some(Said::Plainly(promise)) => Some(promise),
        Some(Said::Service) => shape::mentions_sparql(target).then_some(Promise::Endpoint),
        Some(Said::Description) if !is_page(target, media_type) => Some(Promise::Description),
        Some(Said::Download) => shape::of(target).or_else(|| download(target, media_type)),
        Some(Said::Data) => shape::of(target).or_else(|| data(target, media_type)),
        Some(Said::Likely) => {
            let is_likely = || shape::file(target) == File::Unknown && media_type.is_none();
            shape::of(target).or_else(|| by_media_type(media_type)).or_else(|| is_likely().then_some(Promise::Rdf))
        }
        Some(Said::Description) => shape::of(target),
    }
}

fn by_media_type(media_type: Option<&str>) -> Option<Promise> {
    let media_type = media_type?;
    if is_type(media_type, "application/linkset+json") || is_type(media_type, "application/linkset") {
        return Some(Promise::Description);
    }
    Syntax::of_media_type(media_type).is_some_and(Syntax::is_rdf).then_some(Promise::Rdf)
}

/// Something to be downloaded, which is RDF unless its name or type says
/// otherwise: most downloads of catalogues are tables.
fn download(target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    match media_type {
        Some(_) => data(target, media_type),
        None => matches!(shape::file(target), File::Archive | File::Unknown).then_some(Promise::Dump),
    }
}

/// Data in some form, perhaps RDF.
fn data(target: &Uri, media_type: Option<&str>) -> Option<Promise> {
    let is_archive = match media_type {
        Some(media_type) => is_archive_media_type(media_type),
        None => shape::file(target) == File::Archive,
    };
    if is_archive { Some(Promise::Dump) } else { by_media_type(media_type) }
}

/// Whether name or type say that it is something for people to read.
fn is_page(target: &Uri, media_type: Option<&str>) -> bool {
    match media_type {
        Some(media_type) => by_media_type(Some(media_type)).is_none(),
        None => shape::file(target) == File::Other,
    }
}

fn is_type(media_type: &str, expected: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}

#[cfg(test)]
mod tests;
