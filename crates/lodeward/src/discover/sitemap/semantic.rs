//! Reads the semantic sitemap extension and writes its data sets as `VoID`.
//!
//! `sc:dataset` describes the data of a site: URI prefix, example, dumps, endpoints (Cyganiak and others, ESWC 2008).

use lodeward_rdf::iri::percent_encode;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};
use url::Url;

use crate::discover::StepSink;
use crate::model::{Fault, FaultKind};

/// Maximum number of terms held for one data set.
const MAX_TERMS: usize = 1_000;

/// The terms of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatasetTerm {
    /// `sc:datasetURI`.
    Name,
    /// `sc:datasetLabel`.
    Label,
    /// `sc:linkedDataPrefix`.
    Prefix,
    /// `sc:sampleURI`.
    Sample,
    /// `sc:sparqlEndpointLocation`.
    Endpoint,
    /// `sc:dataDumpLocation`.
    Dump,
}

impl DatasetTerm {
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        match name {
            b"datasetURI" => Some(Self::Name),
            b"datasetLabel" => Some(Self::Label),
            b"linkedDataPrefix" => Some(Self::Prefix),
            b"sampleURI" => Some(Self::Sample),
            b"sparqlEndpointLocation" => Some(Self::Endpoint),
            b"dataDumpLocation" => Some(Self::Dump),
            _ => None,
        }
    }

    fn predicate(self) -> NamedNodeRef<'static> {
        NamedNodeRef::new_unchecked(match self {
            Self::Name => "http://www.w3.org/2002/07/owl#sameAs",
            Self::Label => "http://purl.org/dc/terms/title",
            Self::Prefix => "http://rdfs.org/ns/void#uriSpace",
            Self::Sample => "http://rdfs.org/ns/void#exampleResource",
            Self::Endpoint => "http://rdfs.org/ns/void#sparqlEndpoint",
            Self::Dump => "http://rdfs.org/ns/void#dataDump",
        })
    }
}

/// A data set being read.
#[derive(Default)]
pub(super) struct SemanticDataset(Vec<(DatasetTerm, String)>);

impl SemanticDataset {
    pub(super) fn add(&mut self, term: DatasetTerm, text: &str) {
        if !text.is_empty() && self.0.len() < MAX_TERMS {
            self.0.push((term, text.to_owned()));
        }
    }

    /// Writes the data set, under its own name if it has one.
    pub(super) fn write(mut self, base: &Url, findings: &mut dyn StepSink) {
        if self.0.is_empty() {
            return;
        }
        findings.begin_syntax("sitemap");
        let iri = |text: &str| base.join(text).ok().map(|url| percent_encode(url.as_str()).into_owned());
        let named = self.0.iter().position(|(term, _)| *term == DatasetTerm::Name);
        let name = named.and_then(|at| iri(&self.0.remove(at).1));
        let subject: NamedOrBlankNodeRef<'_> = match &name {
            Some(name) => NamedNodeRef::new_unchecked(name).into(),
            None => BlankNodeRef::new_unchecked("dataset").into(),
        };
        let mut write = |predicate: NamedNodeRef<'_>, object: TermRef<'_>| {
            let quad = QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph };
            if let Err(reason) = findings.quad(quad) {
                findings.fault(Fault::new(FaultKind::Syntax, reason));
            }
        };
        write(rdf::TYPE, NamedNodeRef::new_unchecked("http://rdfs.org/ns/void#Dataset").into());
        for (term, text) in &self.0 {
            match term {
                DatasetTerm::Label | DatasetTerm::Prefix => {
                    write(term.predicate(), LiteralRef::new_simple_literal(text).into());
                }
                DatasetTerm::Name | DatasetTerm::Sample | DatasetTerm::Endpoint | DatasetTerm::Dump => {
                    if let Some(object) = iri(text) {
                        write(term.predicate(), NamedNodeRef::new_unchecked(&object).into());
                    }
                }
            }
        }
    }
}
