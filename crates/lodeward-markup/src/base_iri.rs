//! The URL of a page as a base IRI.

use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind};
use lodeward_rdf::iri::BaseIri;

/// The URL of a page as a base. If the URL is not absolute, reports a fault and returns `None`, and
/// nothing is read from the page.
pub(crate) fn page_base(url: &str, syntax: EmbeddedSyntax, sink: &mut dyn PageSink) -> Option<BaseIri> {
    let base = BaseIri::new(url);
    if base.is_none() {
        let detail = format!("page URL `{url}` is not an absolute IRI");
        sink.fault(MarkupFault { syntax, kind: RdfFaultKind::Syntax, detail });
    }
    base
}

#[cfg(test)]
mod tests {
    use oxrdf::QuadRef;

    use super::*;
    use crate::{microdata, rdfa};

    struct FaultCollector(Vec<MarkupFault>);

    impl PageSink for FaultCollector {
        fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
            panic!("{quad}");
        }

        fn fault(&mut self, fault: MarkupFault) {
            self.0.push(fault);
        }

        fn begin(&mut self, _: EmbeddedSyntax) {}
    }

    #[test]
    fn all_readers_report_a_relative_page_url() {
        let page = "<p itemscope><b itemprop=a property=schema:a>b";
        let mut faults = FaultCollector(Vec::new());

        rdfa::read(page, "page.html", rdfa::HostLanguage::Html, &rdfa::RdfaOptions::default(), &mut faults);
        microdata::read(page, "page.html", &microdata::MicrodataOptions::default(), &mut faults);

        let detail = "page URL `page.html` is not an absolute IRI".to_owned();
        let fault = |syntax| MarkupFault { syntax, kind: RdfFaultKind::Syntax, detail: detail.clone() };
        assert_eq!(faults.0, [fault(EmbeddedSyntax::Rdfa), fault(EmbeddedSyntax::Microdata)]);
    }
}
