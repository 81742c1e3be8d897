//! JSON-LD, and RDF inside pages, by `lodeward-markup`.

use std::io::Read;
use std::path::Path;

use lodeward::extract::contexts;
use lodeward::model::media_type::Syntax;
use lodeward_markup::charset::{self, Kind};
use lodeward_markup::json_ld;
use lodeward_markup::rdfa::Host;
use lodeward_markup::{self as markup};
use oxrdf::QuadRef;

use super::feed::{Feed, Stop};

/// Reads a JSON-LD document.
pub(super) fn read_json_ld(content: impl Read, base: &str, folder: Option<&Path>, feed: &mut Feed) -> Result<(), Stop> {
    let mut statements = Statements { feed, stopped: false };
    let options = json_ld::Options::default();
    let read = json_ld::read_from(content, base, &options, &contexts(folder), &mut statements);
    statements.end()?;
    read.or_else(|error| feed.fault(None, error.to_string()))
}

/// Reads a page, which is held in memory.
pub(super) fn read_page(
    mut content: impl Read,
    syntax: Syntax,
    base: &str,
    folder: Option<&Path>,
    feed: &mut Feed,
) -> Result<(), Stop> {
    let (host, kind) = match syntax {
        Syntax::Xhtml => (Host::Xhtml, Kind::Html),
        Syntax::Svg => (Host::Svg, Kind::Xml),
        _ => (Host::Html, Kind::Html),
    };
    let mut bytes = Vec::new();
    let read = content.read_to_end(&mut bytes);
    read.map(|_| ()).or_else(|error| feed.fault(None, error.to_string()))?;
    let (text, was_replaced) = charset::decode(&bytes, charset::encoding(kind, None, &bytes, None));
    if was_replaced {
        feed.fault(None, "some bytes are no characters")?;
    }
    let mut statements = Statements { feed, stopped: false };
    let reader = markup::Reader::with_contexts(markup::Options::default(), contexts(folder));
    reader.read(&text, base, host, &mut statements);
    statements.end()
}

/// Hands statements to the feed, until it has had enough. The readers cannot
/// be stopped, but pages end soon.
struct Statements<'a> {
    feed: &'a mut Feed,
    stopped: bool,
}

impl Statements<'_> {
    fn end(self) -> Result<(), Stop> {
        if self.stopped { Err(Stop) } else { Ok(()) }
    }
}

impl markup::Sink for Statements<'_> {
    fn quad(&mut self, _: markup::Syntax, quad: QuadRef<'_>) {
        self.stopped = self.stopped || self.feed.quad(quad.into_owned()).is_err();
    }

    fn fault(&mut self, fault: markup::Fault) {
        self.stopped = self.stopped || self.feed.fault(None, fault.to_string()).is_err();
    }

    fn begin(&mut self, _: markup::Syntax) {
        self.feed.begin_scope();
    }
}
