//! Which rules a page is read by.

use super::{Host, Version};
use crate::tree::{Element, Tree};

/// The rules in force: a version of `RDFa`, and a host language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) version: Version,
    family: Family,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// HTML and XHTML 5: HTML+RDFa.
    Html,
    /// XHTML 1: XHTML+RDFa, with its many terms.
    Xhtml1,
    /// XML and SVG: nothing but `RDFa` Core.
    Xml,
}

impl Rules {
    pub(super) fn of(tree: &Tree, host: Host, version: Option<Version>) -> Self {
        let root = tree.root_element().and_then(|root| tree.element(root));
        let declared = root.and_then(|root| root.attribute("version")).unwrap_or_default();
        let doctype = tree.doctype().map_or("", |doctype| &*doctype.public_id);
        let family = match host {
            Host::Svg | Host::Xml => Family::Xml,
            Host::Xhtml if doctype.contains("DTD XHTML") || declared.contains("XHTML+RDFa") => Family::Xhtml1,
            Host::Html | Host::Xhtml => Family::Html,
        };
        let found = || {
            // The document type of XHTML+RDFa 1.0 gives `version` as a fixed
            // attribute, so that it is there even where nobody wrote it.
            let is_old = |text: &str| text.contains("RDFa 1.0");
            let is_new = |text: &str| text.contains("RDFa 1.1");
            if is_old(declared) || (is_old(doctype) && !is_new(declared)) { Version::V10 } else { Version::V11 }
        };
        Self { version: version.unwrap_or_else(found), family }
    }

    pub(super) fn is_old(self) -> bool {
        self.version == Version::V10
    }

    /// Whether the page is HTML or XHTML: `lang`, `<base>`, `<head>`, `<body>`.
    pub(super) fn is_html(self) -> bool {
        self.family != Family::Xml
    }

    /// Whether HTML+RDFa 1.1 adds to the rules: `datetime`, mixing `rel` for
    /// browsers with `property`.
    pub(super) fn is_html5(self) -> bool {
        self.family == Family::Html && !self.is_old()
    }

    /// Whether `rdfa:copy` is acted upon (HTML+RDFa 1.1, section 3.5).
    pub(super) fn has_patterns(self) -> bool {
        self.is_html5()
    }

    /// Whether the terms of XHTML's link types are known.
    pub(super) fn has_link_types(self) -> bool {
        self.family == Family::Xhtml1 || self.is_old()
    }

    /// Whether `xml:base` counts. XHTML and HTML have `<base>` instead.
    pub(super) fn has_xml_base(self) -> bool {
        self.family == Family::Xml
    }

    /// Whether this element is about the page unless it says otherwise.
    pub(super) fn is_head_or_body(self, element: &Element) -> bool {
        self.is_html() && (element.is_html("head") || element.is_html("body"))
    }
}
