//! Selecting the rules by which a page is read.

use super::{HostLanguage, RdfaVersion};
use crate::tree::{PageTree, TreeElement};

/// The applicable rules: the version of `RDFa` and the host language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RdfaRules {
    pub(super) version: RdfaVersion,
    family: HostFamily,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HostFamily {
    /// HTML and XHTML 5: HTML+RDFa.
    Html,
    /// XHTML 1: XHTML+RDFa, with its additional terms.
    Xhtml1,
    /// XML and SVG: only `RDFa` Core.
    Xml,
}

impl RdfaRules {
    pub(super) fn detect(tree: &PageTree, host: HostLanguage, version: Option<RdfaVersion>) -> Self {
        let root = tree.root_element().and_then(|root| tree.element(root));
        let declared = root.and_then(|root| root.attribute("version")).unwrap_or_default();
        let doctype = tree.doctype().map_or("", |doctype| &*doctype.public_id);
        let family = match host {
            HostLanguage::Svg | HostLanguage::Xml => HostFamily::Xml,
            HostLanguage::Xhtml if doctype.contains("DTD XHTML") || declared.contains("XHTML+RDFa") => {
                HostFamily::Xhtml1
            }
            HostLanguage::Html | HostLanguage::Xhtml => HostFamily::Html,
        };
        let found = || {
            // The document type of XHTML+RDFa 1.0 declares `version` as a fixed attribute, so it is
            // present even if it is not written.
            let is_old = |text: &str| text.contains("RDFa 1.0");
            let is_new = |text: &str| text.contains("RDFa 1.1");
            if is_old(declared) || (is_old(doctype) && !is_new(declared)) { RdfaVersion::V10 } else { RdfaVersion::V11 }
        };
        Self { version: version.unwrap_or_else(found), family }
    }

    pub(super) fn is_rdfa_1_0(self) -> bool {
        self.version == RdfaVersion::V10
    }

    /// Whether the page is HTML or XHTML, in which `lang`, `<base>`, `<head>` and `<body>` have a
    /// meaning.
    pub(super) fn is_html(self) -> bool {
        self.family != HostFamily::Xml
    }

    /// Whether the rules of HTML+RDFa 1.1 apply: `datetime` is a value, and next to `property`,
    /// terms in `rel` are ignored.
    pub(super) fn is_html5(self) -> bool {
        self.family == HostFamily::Html && !self.is_rdfa_1_0()
    }

    /// Whether `rdfa:copy` is applied (HTML+RDFa 1.1, section 3.5).
    pub(super) fn has_patterns(self) -> bool {
        self.is_html5()
    }

    /// Whether the link types of XHTML are terms.
    pub(super) fn has_link_types(self) -> bool {
        self.family == HostFamily::Xhtml1 || self.is_rdfa_1_0()
    }

    /// Whether `xml:base` is used. XHTML and HTML have `<base>` instead.
    pub(super) fn has_xml_base(self) -> bool {
        self.family == HostFamily::Xml
    }

    /// Whether the default subject of this element is the page.
    pub(super) fn is_head_or_body(self, element: &TreeElement) -> bool {
        self.is_html() && (element.is_html("head") || element.is_html("body"))
    }
}
