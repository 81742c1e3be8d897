//! Reading answers of a catalogue, package by package.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::dcat::Writer;
use super::package::{Lenient, Package, Text, scalars_are_nothing};
use super::{Ask, NAMES, Page, Step};
use crate::discover::{Answer, Findings, Next};
use crate::extract::fault_of_stream;
use crate::model::{Fault, FaultKind};

/// The longest answer that is read: a hundred packages of some pages each.
const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Names of packages taken from one answer, of catalogues that send all at once.
const NAMES_MAX: usize = 100_000;
/// The longest name of a package. CKAN's own have 100 characters at most.
const NAME_BYTES_MAX: usize = 200;

/// Reads an answer, and says what to ask next.
pub(super) fn read(step: &Step, answer: Answer<'_>, findings: &mut dyn Findings) -> Vec<Next> {
    if step.ask == Ask::Linked {
        return step.nexts([Ask::Search(Page::FIRST)]);
    }
    findings.begin("ckan");
    let writer = Writer::new(&step.root, findings);
    let mut reading = Reading { step, writer, names: Vec::new(), read: 0, count: None, is_refused: false };
    let body = BufReader::new(answer.body.take(ANSWER_BYTES_MAX));
    let mut json = serde_json::Deserializer::from_reader(body);
    let result = json.deserialize_any(Envelope(&mut reading));
    reading.writer.finish();
    let is_broken = result.is_err();
    let told = match result {
        Err(error) => Some(fault(error)),
        Ok(()) if reading.is_refused => Some(Fault::new(FaultKind::Syntax, "the catalogue says that it failed")),
        Ok(()) => None,
    };
    if let Some(fault) = told {
        reading.writer.findings.fault(fault);
    }
    reading.nexts(is_broken)
}

/// An answer while it is read.
struct Reading<'a> {
    step: &'a Step,
    writer: Writer<'a>,
    names: Vec<String>,
    /// Packages that came, whether they could be used or not.
    read: u64,
    /// How many there are in all.
    count: Option<u64>,
    /// The answer says that the question failed.
    is_refused: bool,
}

impl Reading<'_> {
    fn nexts(self, is_broken: bool) -> Vec<Next> {
        let step = self.step;
        match &step.ask {
            Ask::Search(page) if self.is_refused && page.count.is_none() => step.nexts([Ask::LIST]),
            Ask::Search(page) if is_broken && self.read == 0 => {
                step.instead_of(Page { count: self.count.or(page.count), ..*page })
            }
            // What was cut off comes next, in smaller pieces.
            Ask::Search(page) => {
                let at_least = if is_broken { page.start + u64::from(page.rows) } else { 0 };
                let count = self.count.or(page.count).unwrap_or(at_least);
                let next = page.after(self.read, count);
                let smaller = |next: Page| Page { rows: (page.rows / 2).max(1), ..next };
                let next = if is_broken { next.map(smaller) } else { next };
                step.nexts(next.map(Ask::Search))
            }
            Ask::List { offset, first } => self.after_list(*offset, first.as_ref()),
            Ask::Linked | Ask::Show { .. } => Vec::new(),
        }
    }

    fn after_list(self, offset: u64, first: Option<&String>) -> Vec<Next> {
        let is_same = first.is_some() && self.names.first() == first;
        if is_same {
            return Vec::new();
        }
        // Who sends more than was asked for sends all there are.
        let has_more = self.names.len() == NAMES as usize;
        let more = Ask::List { offset: offset + u64::from(NAMES), first: self.names.first().cloned() };
        let more = has_more.then_some(more);
        let shows = self.names.into_iter().map(|name| Ask::Show { name });
        self.step.nexts(shows.chain(more))
    }

    fn package(&mut self, package: &Package) {
        self.read += 1;
        self.writer.package(package);
    }

    fn name(&mut self, name: &Text) {
        let Some((None, name)) = name.0.first() else { return };
        if name.len() <= NAME_BYTES_MAX && self.names.len() < NAMES_MAX {
            self.names.push(name.clone());
        }
    }
}

/// What stopped the reader: the stream, or the JSON in it.
fn fault(error: serde_json::Error) -> Fault {
    if !error.is_io() {
        return Fault::new(FaultKind::Syntax, format!("the answer of the catalogue is not what it should be: {error}"));
    }
    fault_of_stream(&error.into())
}

/// The whole answer: `{"success": true, "result": …}`.
struct Envelope<'r, 'a>(&'r mut Reading<'a>);

impl<'de> Visitor<'de> for Envelope<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "success" => self.0.is_refused = map.next_value::<Text>()?.plain() == Some("false"),
                "result" => map.next_value_seed(Outcome(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// What was asked for: an object, or a list.
struct Outcome<'r, 'a>(&'r mut Reading<'a>);

impl<'de> DeserializeSeed<'de> for Outcome<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outcome<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if let Ask::Show { .. } = self.0.step.ask {
            let package = Package::deserialize(MapAccessDeserializer::new(map))?;
            self.0.package(&package);
            return Ok(());
        }
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "count" => self.0.count = map.next_value::<Text>()?.plain().and_then(|count| count.parse().ok()),
                "results" => map.next_value_seed(Outcome(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if let Ask::List { .. } = self.0.step.ask {
            while let Some(name) = list.next_element::<Text>()? {
                self.0.name(&name);
            }
            return Ok(());
        }
        while let Some(Lenient(package)) = list.next_element::<Lenient<Package>>()? {
            self.0.package(&package);
        }
        Ok(())
    }

    scalars_are_nothing!(());
}
