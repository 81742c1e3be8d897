//! Links, packed.
//!
//! A web of half a million pages has ten million links, and most of what is
//! said about them is said again on the next page: menus, tag paths, names of
//! predicates. So every text and every address is kept once, and a link is a
//! handful of numbers.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::model::link::HtmlLink;
use lodeward::model::{Link, Uri, Via};

/// Stands for a text that is not there.
const ABSENT: u32 = u32::MAX;

/// Every text once.
pub(super) struct Strings(Vec<Arc<str>>);

/// A link as a few numbers: of texts in [`Strings`], of addresses in a list of
/// them.
pub(super) struct PackedLink {
    pub(super) target: u32,
    via: PackedVia,
}

enum PackedVia {
    Triple { properties: Box<[u32]>, vocabulary: bool, siblings: Box<[u32]>, telling: u32 },
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

impl Strings {
    /// One of them.
    pub(super) fn text(&self, number: u32) -> &str {
        &self.0[number as usize]
    }
}

impl PackedLink {
    /// Whether it was found in RDF.
    pub(super) fn is_rdf(&self) -> bool {
        matches!(self.via, PackedVia::Triple { .. })
    }

    pub(super) fn unpack(&self, strings: &Strings, addresses: &[Uri]) -> Link {
        let text = |number: u32| strings.0[number as usize].to_string();
        let perhaps = |number: u32| (number != ABSENT).then(|| text(number));
        let via = match &self.via {
            PackedVia::Triple { properties, vocabulary, siblings, telling } => Via::Triple {
                properties: properties.iter().map(|number| Arc::clone(&strings.0[*number as usize])).collect(),
                vocabulary: *vocabulary,
                siblings: siblings.iter().map(|number| addresses[*number as usize].clone()).collect(),
                telling: (*telling != ABSENT).then(|| Arc::clone(&strings.0[*telling as usize])),
            },
            PackedVia::Html(html) => Via::Html(Box::new(HtmlLink {
                element: text(html.element),
                rel: perhaps(html.rel),
                media_type: perhaps(html.media_type),
                title: perhaps(html.title),
                text: text(html.text),
                context: text(html.context),
                tag_path: text(html.tag_path),
            })),
            PackedVia::Header { rel, media_type } => Via::Header { rel: text(*rel), media_type: perhaps(*media_type) },
        };
        Link { target: addresses[self.target as usize].clone(), via }
    }
}

/// Packs links, and gives every text and address its number.
#[derive(Clone, Default)]
pub(super) struct Packer {
    strings: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32, RandomState>,
    pub(super) addresses: Vec<Uri>,
    places: HashMap<Uri, u32, RandomState>,
}

impl Packer {
    /// Whose first addresses are these.
    pub(super) fn new(addresses: impl Iterator<Item = Uri>) -> Self {
        let mut packer = Self::default();
        for address in addresses {
            packer.address(address);
        }
        packer
    }

    /// Packs a link; `None` for one that no document has.
    pub(super) fn pack(&mut self, link: Link) -> Option<PackedLink> {
        let via = match link.via {
            Via::Triple { properties, vocabulary, siblings, telling } => PackedVia::Triple {
                properties: properties.iter().map(|property| self.text(property)).collect(),
                vocabulary,
                siblings: siblings.into_iter().map(|sibling| self.address(sibling)).collect(),
                telling: self.perhaps(telling.as_deref()),
            },
            Via::Html(html) => PackedVia::Html(self.html(&html)),
            Via::Header { rel, media_type } => {
                PackedVia::Header { rel: self.text(&rel), media_type: self.perhaps(media_type.as_deref()) }
            }
            _ => return None,
        };
        Some(PackedLink { target: self.address(link.target), via })
    }

    pub(super) fn finish(self) -> (Strings, Vec<Uri>) {
        (Strings(self.strings), self.addresses)
    }

    fn html(&mut self, html: &HtmlLink) -> PackedHtml {
        PackedHtml {
            element: self.text(&html.element),
            rel: self.perhaps(html.rel.as_deref()),
            media_type: self.perhaps(html.media_type.as_deref()),
            title: self.perhaps(html.title.as_deref()),
            text: self.text(&html.text),
            context: self.text(&html.context),
            tag_path: self.text(&html.tag_path),
        }
    }

    fn perhaps(&mut self, text: Option<&str>) -> u32 {
        text.map_or(ABSENT, |text| self.text(text))
    }

    /// The number of a text.
    pub(super) fn text(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (number, text) = (number(self.strings.len()), Arc::<str>::from(text));
        self.strings.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    fn address(&mut self, address: Uri) -> u32 {
        if let Some(number) = self.places.get(&address) {
            return *number;
        }
        let number = number(self.addresses.len());
        self.addresses.push(address.clone());
        self.places.insert(address, number);
        number
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than four billion texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_as_it_was() {
        let uri = |text: &str| Uri::parse(text).unwrap();
        let html = HtmlLink {
            element: "a".into(),
            title: Some("data".into()),
            text: "here".into(),
            context: "look here".into(),
            tag_path: "body/p".into(),
            ..HtmlLink::default()
        };
        let vias = [
            Via::Html(Box::new(html)),
            Via::Triple {
                properties: vec!["http://p.example/knows".into()],
                vocabulary: true,
                siblings: vec![uri("http://a.example/2")],
                telling: Some("http://p.example/dump".into()),
            },
            Via::Header { rel: "describedby".into(), media_type: Some("text/turtle".into()) },
        ];
        let links = vias.map(|via| Link { target: uri("http://b.example/"), via });

        let mut packer = Packer::new([uri("http://a.example/1")].into_iter());
        let packed: Vec<_> = links.iter().cloned().map(|link| packer.pack(link).unwrap()).collect();
        let (strings, addresses) = packer.finish();

        let unpacked: Vec<_> = packed.iter().map(|link| link.unpack(&strings, &addresses)).collect();
        assert_eq!(unpacked, links);
        assert_eq!(addresses.len(), 3, "every address once");
        assert_eq!(packed.iter().filter(|link| link.is_rdf()).count(), 1);
    }
}
