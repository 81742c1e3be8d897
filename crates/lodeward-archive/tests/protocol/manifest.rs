//! Manifests of the W3C test suites, which describe HTTP exchanges in RDF.

use http::{Method, Request};
use oxrdf::{Graph, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Term, TermRef};
use oxttl::TurtleParser;

const HT: &str = "http://www.w3.org/2011/http#";
const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const CNT: &str = "http://www.w3.org/2011/content#";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// A manifest.
pub(crate) struct Manifest(Graph);

/// A request and the expected response.
pub(crate) struct Step {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: String,
    /// Local names: `StatusCode2xx`, `Created`.
    pub(crate) statuses: Vec<String>,
    pub(crate) boolean: Option<bool>,
    /// `boolean`, `tabular`, `RDF`.
    pub(crate) format: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) expected_headers: Vec<(String, String)>,
    pub(crate) expected_body: Option<String>,
}

impl Step {
    /// The request, with variables replaced by values from earlier responses.
    pub(crate) fn request(&self, variables: &[(String, String)]) -> Request<bytes::Bytes> {
        let fill = |text: &str| variables.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        let mut request = Request::builder().method(self.method.clone()).uri(fill(&self.path));
        for (name, value) in &self.fields {
            request = request.header(name, value);
        }
        request.header("host", "www.example").body(fill(&self.body).into()).unwrap()
    }
}

impl Manifest {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let parser = TurtleParser::new().with_base_iri("http://manifest.example/manifest").unwrap().for_slice(bytes);
        Self(parser.map(Result::unwrap).collect())
    }

    /// The entries, in order.
    pub(crate) fn entries(&self) -> Vec<NamedNode> {
        let entries = self.0.triples_for_predicate(node(MF, "entries").as_ref()).next().expect("entries").object;
        let named = |term| match term {
            Term::NamedNode(entry) => entry,
            other => panic!("{other} is not an entry"),
        };
        self.list(entries).into_iter().map(named).collect()
    }

    /// The requests of an entry.
    pub(crate) fn steps(&self, entry: &NamedNode) -> Vec<Step> {
        let Some(action) = self.object(entry.into(), MF, "action") else { return Vec::new() };
        let requests = self.object(subject(&action), HT, "requests").expect("an action has requests");
        self.list(requests.as_ref()).iter().map(|request| self.step(subject(request))).collect()
    }

    fn step(&self, request: NamedOrBlankNodeRef<'_>) -> Step {
        let response = self.object(request, HT, "resp").expect("a response");
        let response = subject(&response);
        let statuses = self.0.objects_for_subject_predicate(response, node(MF, "expectedStatus").as_ref());
        let local = |term: TermRef<'_>| term.to_string().trim_end_matches('>').rsplit('#').next().unwrap().to_owned();
        Step {
            method: self.text(request, HT, "methodName").unwrap().parse().unwrap(),
            path: self.text(request, HT, "absolutePath").unwrap(),
            fields: self.fields(request),
            body: self.body(request).unwrap_or_default(),
            statuses: statuses.map(local).collect(),
            boolean: self.text(response, MF, "expectedBoolean").map(|text| text == "true"),
            format: self.text(response, MF, "expectedFormat"),
            location: self.text(response, MF, "expectedLocation"),
            expected_headers: self.fields(response),
            expected_body: self.body(response),
        }
    }

    fn fields(&self, message: NamedOrBlankNodeRef<'_>) -> Vec<(String, String)> {
        let Some(list) = self.object(message, HT, "headers") else { return Vec::new() };
        let field = |field: Term| {
            let part = |name| self.text(subject(&field), HT, name).unwrap();
            (part("fieldName"), part("fieldValue"))
        };
        self.list(list.as_ref()).into_iter().map(field).collect()
    }

    fn body(&self, message: NamedOrBlankNodeRef<'_>) -> Option<String> {
        self.text(subject(&self.object(message, HT, "body")?), CNT, "chars")
    }

    /// The initial graphs of an entry: file and name.
    pub(crate) fn data(&self, entry: &NamedNode) -> Vec<(String, String)> {
        const UT: &str = "http://www.w3.org/2009/sparql/tests/test-update#";
        const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
        let data = node(UT, "graphData");
        let data = self.0.objects_for_subject_predicate(entry.as_ref(), data.as_ref());
        data.map(|data| {
            let data = data.into_owned();
            let file = self.object(subject(&data), UT, "graph").unwrap().to_string();
            let file = file.trim_end_matches('>').rsplit('/').next().unwrap().to_owned();
            (file, self.text(subject(&data), RDFS, "label").unwrap())
        })
        .collect()
    }

    /// The comments of an entry.
    pub(crate) fn comments(&self, entry: &NamedNode) -> Vec<String> {
        let comment = NamedNodeRef::new_unchecked("http://www.w3.org/2000/01/rdf-schema#comment");
        let comments = self.0.objects_for_subject_predicate(entry.as_ref(), comment);
        comments.filter_map(|term| literal(term)).collect()
    }

    fn list<'a>(&'a self, mut rest: TermRef<'a>) -> Vec<Term> {
        let mut members = Vec::new();
        let (first, next, nil) = (node(RDF, "first"), node(RDF, "rest"), node(RDF, "nil"));
        while rest != TermRef::from(nil.as_ref()) {
            let TermRef::BlankNode(cell) = rest else { panic!("{rest} is not a list") };
            members.push(self.0.object_for_subject_predicate(cell, first.as_ref()).expect("a member").into_owned());
            rest = self.0.object_for_subject_predicate(cell, next.as_ref()).expect("a rest");
        }
        members
    }

    fn object(&self, subject: NamedOrBlankNodeRef<'_>, namespace: &str, name: &str) -> Option<Term> {
        self.0.object_for_subject_predicate(subject, node(namespace, name).as_ref()).map(TermRef::into_owned)
    }

    fn text(&self, subject: NamedOrBlankNodeRef<'_>, namespace: &str, name: &str) -> Option<String> {
        literal(self.object(subject, namespace, name)?.as_ref())
    }
}

fn literal(term: TermRef<'_>) -> Option<String> {
    match term {
        TermRef::Literal(literal) => Some(literal.value().to_owned()),
        _ => None,
    }
}

fn subject(term: &Term) -> NamedOrBlankNodeRef<'_> {
    match term {
        Term::NamedNode(node) => node.as_ref().into(),
        Term::BlankNode(node) => node.as_ref().into(),
        Term::Literal(literal) => panic!("{literal} is not a subject"),
    }
}

fn node(namespace: &str, name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{namespace}{name}"))
}

/// The local name of an entry.
pub(crate) fn name(entry: &NamedNode) -> &str {
    entry.as_str().rsplit('#').next().unwrap_or_default()
}
