//! Where a page was found.

use crate::iri::Base;
use crate::{Fault, FaultKind, Sink, Syntax};

/// The address of a page, as a base. One that is not absolute is a fault, and
/// nothing can be read from its page.
pub(crate) fn base_of_page(address: &str, syntax: Syntax, sink: &mut dyn Sink) -> Option<Base> {
    let base = Base::new(address);
    if base.is_none() {
        let detail = format!("the address `{address}` is not an absolute IRI");
        sink.fault(Fault { syntax, kind: FaultKind::Syntax, detail });
    }
    base
}

#[cfg(test)]
mod tests {
    use oxrdf::QuadRef;

    use super::*;
    use crate::{microdata, rdfa};

    struct Faults(Vec<Fault>);

    impl Sink for Faults {
        fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
            panic!("{quad}");
        }

        fn fault(&mut self, fault: Fault) {
            self.0.push(fault);
        }

        fn begin(&mut self, _: Syntax) {}
    }

    #[test]
    fn readers_say_the_same_of_an_address_that_is_not_absolute() {
        let page = "<p itemscope><b itemprop=a property=schema:a>b";
        let mut faults = Faults(Vec::new());

        rdfa::read(page, "page.html", rdfa::Host::Html, &rdfa::Options::default(), &mut faults);
        microdata::read(page, "page.html", &microdata::Options::default(), &mut faults);

        let detail = "the address `page.html` is not an absolute IRI".to_owned();
        let fault = |syntax| Fault { syntax, kind: FaultKind::Syntax, detail: detail.clone() };
        assert_eq!(faults.0, [fault(Syntax::Rdfa), fault(Syntax::Microdata)]);
    }
}
