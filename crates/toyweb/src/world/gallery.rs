//! The gallery of faults: each under its name, for whoever wants to meet them
//! one by one.

use std::fmt::Write as _;

use super::content::{Content, Description, Literal, Property, Subject, Term};
use super::faults::Fault;
use super::vocabulary::{LABEL, Name, TYPE};

/// The page that links to all of them.
pub(crate) const INDEX: &str = "http://faults.example/";

/// The faults on show and where.
pub(crate) fn exhibits() -> impl Iterator<Item = (Fault, String)> {
    let documents = Fault::OF_DOCUMENTS.into_iter().map(|fault| (fault, format!("{INDEX}{}", fault.name())));
    let hosts = [Fault::RobotsError, Fault::RobotsDropped, Fault::RobotsHuge];
    let hosts = hosts.into_iter().map(|fault| (fault, format!("http://{}.example/data", fault.name())));
    documents.chain(hosts).chain([(Fault::BrokenTls, "https://broken-tls.example/data".to_owned())])
}

/// The fault on show at this URL.
pub(crate) fn exhibit(host: &str, path: &str) -> Option<Fault> {
    if host == "faults.example" {
        return Fault::OF_DOCUMENTS.into_iter().find(|fault| path.strip_prefix('/') == Some(fault.name()));
    }
    Some(host_fault(host)?).filter(|_| path == "/data")
}

/// The fault a whole host of the gallery is about.
pub(crate) fn host_fault(host: &str) -> Option<Fault> {
    let name = host.strip_suffix(".example")?;
    let hosts = [Fault::RobotsError, Fault::RobotsDropped, Fault::RobotsHuge, Fault::BrokenTls];
    hosts.into_iter().find(|fault| fault.name() == name)
}

/// What the document under a fault says when it can be had.
pub(crate) fn content(fault: Fault, url: &str) -> Content {
    let says = format!("what is had after {}", fault.name());
    let properties = vec![
        Property { predicate: TYPE, object: Term::Name(Name::class(0, 0)) },
        Property { predicate: LABEL, object: Term::Literal(Literal::plain(says)) },
    ];
    Content { descriptions: vec![Description { subject: Subject::Iri(format!("{url}#it")), graph: None, properties }] }
}

/// The page that links to all of them.
pub(crate) fn index() -> String {
    let mut page = "<!DOCTYPE html><title>Faults</title>\n<ul>\n".to_owned();
    for (fault, url) in exhibits() {
        let _ = writeln!(page, "<li><a href=\"{url}\">{}</a></li>", fault.name());
    }
    page.push_str("</ul>\n");
    page
}
