//! The fault gallery: one document per fault, under the name of the fault.

use std::fmt::Write as _;

use super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, SubjectDescription,
};
use super::faults::ServerFault;
use super::vocabulary::{LABEL, TYPE, VocabularyName};

/// The URL of the page that links to all documents of the gallery.
pub(crate) const INDEX_URL: &str = "http://faults.example/";

/// The faults of the gallery and their URLs.
pub(crate) fn fault_urls() -> impl Iterator<Item = (ServerFault, String)> {
    let documents =
        ServerFault::DOCUMENT_FAULTS.into_iter().map(|fault| (fault, format!("{INDEX_URL}{}", fault.name())));
    let hosts = [ServerFault::RobotsError, ServerFault::RobotsDropped, ServerFault::RobotsHuge];
    let hosts = hosts.into_iter().map(|fault| (fault, format!("http://{}.example/data", fault.name())));
    documents.chain(hosts).chain([(ServerFault::BrokenTls, "https://broken-tls.example/data".to_owned())])
}

/// The fault of the document at this URL of the gallery.
pub(crate) fn fault_at(host: &str, path: &str) -> Option<ServerFault> {
    if host == "faults.example" {
        return ServerFault::DOCUMENT_FAULTS.into_iter().find(|fault| path.strip_prefix('/') == Some(fault.name()));
    }
    Some(host_fault(host)?).filter(|_| path == "/data")
}

/// The fault of the gallery that applies to this whole host.
pub(crate) fn host_fault(host: &str) -> Option<ServerFault> {
    let name = host.strip_suffix(".example")?;
    let hosts = [ServerFault::RobotsError, ServerFault::RobotsDropped, ServerFault::RobotsHuge, ServerFault::BrokenTls];
    hosts.into_iter().find(|fault| fault.name() == name)
}

/// The statements of the document with a fault, if the document is obtainable. The label is part of recorded results.
pub(crate) fn content(fault: ServerFault, url: &str) -> DocumentContent {
    let label = format!("what is had after {}", fault.name());
    let properties = vec![
        ContentProperty { predicate: TYPE, object: ContentTerm::Name(VocabularyName::class(0, 0)) },
        ContentProperty { predicate: LABEL, object: ContentTerm::Literal(ContentLiteral::plain(label)) },
    ];
    DocumentContent {
        descriptions: vec![SubjectDescription {
            subject: ContentSubject::Iri(format!("{url}#it")),
            graph: None,
            properties,
        }],
    }
}

/// The page that links to all documents of the gallery.
pub(crate) fn index() -> String {
    let mut page = "<!DOCTYPE html><title>Faults</title>\n<ul>\n".to_owned();
    for (fault, url) in fault_urls() {
        let _ = writeln!(page, "<li><a href=\"{url}\">{}</a></li>", fault.name());
    }
    page.push_str("</ul>\n");
    page
}
