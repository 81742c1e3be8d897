//! Detects the format of an XML document by its root element.

use super::SniffedKind;
use crate::format::RdfFormat;

const RDF_NAMESPACE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const OWL_NAMESPACE: &str = "http://www.w3.org/2002/07/owl#";

/// Finds the root element after declarations, comments and document type.
pub(super) fn sniff_xml(text: &str) -> SniffedKind {
    let is_declared = text.starts_with("<?xml");
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if rest.starts_with("<?") {
            rest.find('>').map(|end| end + 1)
        } else if has_prefix(rest, "<!doctype") {
            if has_prefix(rest["<!doctype".len()..].trim_start(), "html") {
                return SniffedKind::Clear(if rest.contains("XHTML") && is_declared {
                    RdfFormat::Xhtml
                } else {
                    RdfFormat::Html
                });
            }
            let subset = rest.find(['[', '>']).filter(|&at| rest[at..].starts_with('['));
            subset.map_or_else(|| rest.find('>'), |_| rest.find("]>").map(|end| end + 1)).map(|end| end + 1)
        } else {
            break;
        };
        // If comments or entities fill the whole head, the root element is unknown; the head is searched for the RDF
        // namespace.
        let Some(end) = end else {
            return if has_prefix(rest, "<!doctype ontology") {
                SniffedKind::Clear(RdfFormat::OwlXml)
            } else if text.contains(RDF_NAMESPACE) {
                SniffedKind::Clear(RdfFormat::RdfXml)
            } else {
                SniffedKind::Unclear
            };
        };
        rest = &rest[end..];
    }
    sniff_root(text, rest, is_declared)
}

/// Judges a document by its root element, with which `rest` begins.
fn sniff_root(text: &str, rest: &str, is_declared: bool) -> SniffedKind {
    let Some(tag) = rest.strip_prefix('<') else { return SniffedKind::Unclear };
    let name_end =
        tag.find(|character: char| character.is_whitespace() || matches!(character, '>' | '/')).unwrap_or(tag.len());
    let name = &tag[..name_end];
    let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
    let local_name = name.rsplit(':').next().unwrap_or_default();
    if is_html_element(name) {
        // `<a> <b> <c> .` is valid Turtle as well as HTML, and `<a> b <c> .` is Turtle with an error.
        let is_root = ["html", "head", "body"].iter().any(|root| root.eq_ignore_ascii_case(name));
        let is_first = !is_declared && rest.len() == text.trim_start().len();
        let behind = &rest[(1 + tag.len() + 1).min(rest.len())..];
        let is_separated = behind.starts_with(char::is_whitespace);
        if tag.len() == name.len() && !is_root && is_first && is_separated {
            return SniffedKind::Tag;
        }
        SniffedKind::Clear(if is_declared && name == "html" { RdfFormat::Xhtml } else { RdfFormat::Html })
    } else if local_name == "svg" {
        SniffedKind::Clear(RdfFormat::Svg)
    } else if local_name == "Ontology" && is_owl_xml(tag) {
        SniffedKind::Clear(RdfFormat::OwlXml)
    } else if local_name.eq_ignore_ascii_case("trix") {
        SniffedKind::Clear(RdfFormat::TriX)
    } else if local_name == "RDF" || (tag.contains(RDF_NAMESPACE) && !is_rdfa(text)) {
        SniffedKind::Clear(RdfFormat::RdfXml)
    } else if name.is_empty() {
        SniffedKind::Unclear
    } else {
        SniffedKind::Xml
    }
}

/// Whether the element `Ontology` is the root of OWL/XML, and not a node of RDF/XML.
fn is_owl_xml(tag: &str) -> bool {
    let is_node = [":about=", ":ID=", ":nodeID="].iter().any(|attribute| tag.contains(attribute));
    (tag.contains(OWL_NAMESPACE) || tag.contains("ontologyIRI")) && !is_node
}

/// Whether XML that declares the RDF namespace has attributes of RDFa, and none of RDF/XML.
fn is_rdfa(text: &str) -> bool {
    let has_any = |names: &[&str]| names.iter().any(|name| text.contains(name));
    has_any(&[" property=", " typeof=", " rel=", " rev=", "\nproperty=", "\nrel=", "\ntypeof="])
        && !has_any(&[":about=", ":ID=", ":nodeID=", ":resource=", ":parseType=", ":datatype="])
}

/// The elements by which the MIME Sniffing standard detects HTML, and a few more that pages begin with.
fn is_html_element(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "html", "head", "body", "script", "iframe", "h1", "h2", "div", "font", "table", "a", "style", "title", "b",
        "br", "p", "meta", "link", "base", "center", "form", "img", "ul", "span", "main", "article", "section",
        "header", "nav",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn has_prefix(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
