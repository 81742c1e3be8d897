//! Reads the elements of an XML document one after another, for formats that are written in XML.

use std::io::{self, BufRead, BufReader};
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use super::super::RdfInput;
use crate::iri::BaseIri;
use crate::xml_doctype::{XmlDoctype, XmlEntities};

/// Maximum number of elements in an element that is read as a whole.
const MAX_ELEMENTS: usize = 100_000;

/// Why a document is not read to its end.
#[derive(Debug)]
pub(in crate::read) enum XmlReadError {
    /// The stream failed, or a limit was reached.
    Io(io::Error),
    Syntax(String),
    /// An element has too many elements in it.
    TooManyElements,
}

impl From<quick_xml::Error> for XmlReadError {
    fn from(error: quick_xml::Error) -> Self {
        match error {
            quick_xml::Error::Io(error) => Self::Io(io::Error::new(error.kind(), error.to_string())),
            error => Self::Syntax(error.to_string()),
        }
    }
}

/// An element with its content. Names are used without their namespace: the formats that are read so have only one.
/// `xml:base` and `xml:lang` are inherited.
#[derive(Debug, Default)]
pub(in crate::read) struct XmlElement {
    /// The name without prefix.
    pub(in crate::read) name: String,
    attributes: Vec<(String, String)>,
    pub(in crate::read) base: Option<Rc<BaseIri>>,
    pub(in crate::read) language: Option<Rc<str>>,
    pub(in crate::read) children: Vec<XmlElement>,
    /// All text directly in the element.
    pub(in crate::read) text: String,
}

impl XmlElement {
    /// The value of an attribute without prefix.
    pub(in crate::read) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Resolves a reference to an absolute IRI.
    pub(in crate::read) fn resolve(&self, reference: &str) -> Option<String> {
        match &self.base {
            Some(base) => base.resolve(reference),
            None => BaseIri::new(reference).and(Some(crate::iri::percent_encode(reference.trim()).into_owned())),
        }
    }
}

/// What follows in a document.
#[derive(Debug)]
pub(in crate::read) enum XmlItem {
    /// The start of an element, without its content.
    Start(XmlElement),
    Text(String),
    End,
}

/// The base and the language that an element inherits.
type XmlScope = (Option<Rc<BaseIri>>, Option<Rc<str>>);

/// A reader of elements.
pub(in crate::read) struct XmlElementReader<'a> {
    reader: Reader<Box<dyn BufRead + 'a>>,
    entities: XmlEntities,
    /// The base and the language of each open element.
    scopes: Vec<XmlScope>,
    buffer: Vec<u8>,
}

impl<'a> XmlElementReader<'a> {
    /// A reader of a document that `bound_xml` has bounded.
    pub(in crate::read) fn new(input: RdfInput<'a>, base: Option<&str>) -> Self {
        let source: Box<dyn BufRead + 'a> = match input {
            RdfInput::Slice(bytes) => Box::new(bytes),
            RdfInput::Stream(stream) => Box::new(BufReader::new(stream)),
        };
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        let base = base.and_then(BaseIri::new).map(Rc::new);
        let scopes = vec![(base, None)];
        Self { reader, entities: XmlEntities::default(), scopes, buffer: Vec::new() }
    }

    /// The next item; `None` at the end of the document.
    pub(in crate::read) fn next_item(&mut self) -> Result<Option<XmlItem>, XmlReadError> {
        loop {
            self.buffer.clear();
            return Ok(Some(match self.reader.read_event_into(&mut self.buffer)? {
                Event::Start(start) => {
                    let scope = self.scopes.last().cloned().unwrap_or_default();
                    let element = element(&start, &self.entities, scope)?;
                    self.scopes.push((element.base.clone(), element.language.clone()));
                    XmlItem::Start(element)
                }
                Event::End(_) => {
                    self.scopes.pop();
                    XmlItem::End
                }
                Event::Text(text) => {
                    XmlItem::Text(text.unescape_with(|name| entity(&self.entities, name))?.into_owned())
                }
                Event::CData(text) => XmlItem::Text(String::from_utf8_lossy(&text).into_owned()),
                Event::DocType(doctype) => {
                    let text = format!("<!DOCTYPE {}>", String::from_utf8_lossy(&doctype));
                    self.entities = XmlDoctype::parse(&text).map(|doctype| doctype.entities).unwrap_or_default();
                    continue;
                }
                Event::Eof if self.scopes.len() > 1 => {
                    return Err(XmlReadError::Syntax("the document ends within an element".to_owned()));
                }
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// Reads the content of an element whose start was read.
    pub(in crate::read) fn read_content(&mut self, start: XmlElement) -> Result<XmlElement, XmlReadError> {
        let mut open = vec![start];
        let mut elements = 1;
        loop {
            match self.next_item()? {
                Some(XmlItem::Start(element)) => {
                    elements += 1;
                    if elements > MAX_ELEMENTS {
                        return Err(XmlReadError::TooManyElements);
                    }
                    open.push(element);
                }
                Some(XmlItem::Text(text)) => {
                    if let Some(element) = open.last_mut() {
                        element.text.push_str(&text);
                    }
                }
                Some(XmlItem::End) => {
                    let Some(element) = open.pop() else { break };
                    match open.last_mut() {
                        Some(parent) => parent.children.push(element),
                        None => return Ok(element),
                    }
                }
                None => break,
            }
        }
        Err(XmlReadError::Syntax("the document ends within an element".to_owned()))
    }
}

fn entity<'e>(entities: &'e XmlEntities, name: &str) -> Option<&'e str> {
    resolve_predefined_entity(name).or_else(|| entities.get(name))
}

fn element(
    start: &BytesStart<'_>,
    entities: &XmlEntities,
    (mut base, mut language): XmlScope,
) -> Result<XmlElement, XmlReadError> {
    let mut attributes = Vec::new();
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| XmlReadError::Syntax(error.to_string()))?;
        let value = attribute.unescape_value_with(|name| entity(entities, name))?;
        match attribute.key.as_ref() {
            b"xml:base" => {
                let resolved = match &base {
                    Some(base) => Some(base.with_href(Some(&value))),
                    None => BaseIri::new(&value),
                };
                base = resolved.map(Rc::new).or(base);
            }
            b"xml:lang" => language = Some(Rc::from(&*value)).filter(|it: &Rc<str>| !it.is_empty()),
            key => attributes.push((String::from_utf8_lossy(key).into_owned(), value.into_owned())),
        }
    }
    let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
    Ok(XmlElement { name, attributes, base, language, ..XmlElement::default() })
}
