//! Packed links.
//!
//! A web of half a million pages has ten million links, and most of their texts are repeated: menus, tag
//! paths, names of predicates. So every string and every URI is stored once, and a link consists of a few
//! numbers.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::model::{Link, LinkKind, Uri};
use lodeward_markup::links::PageLink;

/// The number that stands for a missing string.
const ABSENT: u32 = u32::MAX;

/// Strings that are stored once each and referred to by number.
pub(super) struct StringPool(Vec<Arc<str>>);

/// A link as numbers of strings in a [`StringPool`] and of URIs in a list.
pub(super) struct PackedLink {
    pub(super) target: u32,
    kind: PackedLinkKind,
}

enum PackedLinkKind {
    Triple { properties: Box<[u32]>, vocabulary: bool, siblings: Box<[u32]>, type_hint: u32 },
    Html(PackedHtml),
    Header { rel: u32, media_type: u32 },
}

struct PackedHtml {
    element: u32,
    rel: u32,
    media_type: u32,
    title: u32,
    text: u32,
    context: u32,
    tag_path: u32,
}

impl StringPool {
    /// A string by its number.
    pub(super) fn text(&self, number: u32) -> &str {
        &self.0[number as usize]
    }
}

impl PackedLink {
    /// Whether the link was found in RDF.
    pub(super) fn is_rdf(&self) -> bool {
        matches!(self.kind, PackedLinkKind::Triple { .. })
    }

    pub(super) fn unpack(&self, strings: &StringPool, uris: &[Uri]) -> Link {
        let text = |number: u32| strings.0[number as usize].to_string();
        let optional_text = |number: u32| (number != ABSENT).then(|| text(number));
        let via = match &self.kind {
            PackedLinkKind::Triple { properties, vocabulary, siblings, type_hint } => LinkKind::Triple {
                properties: properties.iter().map(|number| Arc::clone(&strings.0[*number as usize])).collect(),
                vocabulary: *vocabulary,
                siblings: siblings.iter().map(|number| uris[*number as usize].clone()).collect(),
                type_hint: (*type_hint != ABSENT).then(|| Arc::clone(&strings.0[*type_hint as usize])),
            },
            PackedLinkKind::Html(html) => LinkKind::Html(Box::new(PageLink {
                element: text(html.element),
                rel: optional_text(html.rel),
                media_type: optional_text(html.media_type),
                title: optional_text(html.title),
                text: text(html.text),
                context: text(html.context),
                tag_path: text(html.tag_path),
                ..PageLink::default()
            })),
            PackedLinkKind::Header { rel, media_type } => {
                LinkKind::Header { rel: text(*rel), media_type: optional_text(*media_type) }
            }
        };
        Link { target: uris[self.target as usize].clone(), via }
    }
}

/// Packs links; interns strings and URIs.
#[derive(Clone, Default)]
pub(super) struct LinkPacker {
    strings: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32, RandomState>,
    pub(super) uris: Vec<Uri>,
    uri_numbers: HashMap<Uri, u32, RandomState>,
}

impl LinkPacker {
    /// A packer that starts with these URIs.
    pub(super) fn new(uris: impl Iterator<Item = Uri>) -> Self {
        let mut packer = Self::default();
        for uri in uris {
            packer.intern_uri(uri);
        }
        packer
    }

    /// Packs a link; `None` if it is of a kind that does not occur in documents, such as a redirect.
    pub(super) fn pack(&mut self, link: Link) -> Option<PackedLink> {
        let kind = match link.via {
            LinkKind::Triple { properties, vocabulary, siblings, type_hint } => PackedLinkKind::Triple {
                properties: properties.iter().map(|property| self.intern(property)).collect(),
                vocabulary,
                siblings: siblings.into_iter().map(|sibling| self.intern_uri(sibling)).collect(),
                type_hint: self.intern_optional(type_hint.as_deref()),
            },
            LinkKind::Html(html) => PackedLinkKind::Html(self.pack_html(&html)),
            LinkKind::Header { rel, media_type } => PackedLinkKind::Header {
                rel: self.intern(&rel),
                media_type: self.intern_optional(media_type.as_deref()),
            },
            _ => return None,
        };
        Some(PackedLink { target: self.intern_uri(link.target), kind })
    }

    pub(super) fn finish(self) -> (StringPool, Vec<Uri>) {
        (StringPool(self.strings), self.uris)
    }

    fn pack_html(&mut self, html: &PageLink) -> PackedHtml {
        PackedHtml {
            element: self.intern(&html.element),
            rel: self.intern_optional(html.rel.as_deref()),
            media_type: self.intern_optional(html.media_type.as_deref()),
            title: self.intern_optional(html.title.as_deref()),
            text: self.intern(&html.text),
            context: self.intern(&html.context),
            tag_path: self.intern(&html.tag_path),
        }
    }

    fn intern_optional(&mut self, text: Option<&str>) -> u32 {
        text.map_or(ABSENT, |text| self.intern(text))
    }

    /// The number of a string.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (number, text) = (to_u32(self.strings.len()), Arc::<str>::from(text));
        self.strings.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    fn intern_uri(&mut self, uri: Uri) -> u32 {
        if let Some(number) = self.uri_numbers.get(&uri) {
            return *number;
        }
        let number = to_u32(self.uris.len());
        self.uris.push(uri.clone());
        self.uri_numbers.insert(uri, number);
        number
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("a web has fewer than 2^32 strings and URIs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_survive_packing() {
        let uri = |text: &str| Uri::parse(text).unwrap();
        let html = PageLink {
            element: "a".into(),
            title: Some("data".into()),
            text: "here".into(),
            context: "look here".into(),
            tag_path: "body/p".into(),
            ..PageLink::default()
        };
        let vias = [
            LinkKind::Html(Box::new(html)),
            LinkKind::Triple {
                properties: vec!["http://p.example/knows".into()],
                vocabulary: true,
                siblings: vec![uri("http://a.example/2")],
                type_hint: Some("http://p.example/dump".into()),
            },
            LinkKind::Header { rel: "describedby".into(), media_type: Some("text/turtle".into()) },
        ];
        let links = vias.map(|via| Link { target: uri("http://b.example/"), via });

        let mut packer = LinkPacker::new([uri("http://a.example/1")].into_iter());
        let packed: Vec<_> = links.iter().cloned().map(|link| packer.pack(link).unwrap()).collect();
        let (strings, uris) = packer.finish();

        let unpacked: Vec<_> = packed.iter().map(|link| link.unpack(&strings, &uris)).collect();
        assert_eq!(unpacked, links);
        assert_eq!(uris.len(), 3, "every URI once");
        assert_eq!(packed.iter().filter(|link| link.is_rdf()).count(), 1);
    }
}
