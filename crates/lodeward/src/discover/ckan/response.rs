//! Reads responses of a catalogue, package by package.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::dcat::DcatWriter;
use super::package::{CkanPackage, CkanText, LenientObject, ignore_scalars};
use super::{CkanPage, CkanRequest, CkanStep, PAGE_NAMES};
use crate::discover::{NextStep, ServiceResponse, StepSink};
use crate::model::{Fault, FaultKind, stream_fault};

/// Maximum size of a response: a hundred packages of some pages each.
const MAX_RESPONSE_BYTES: u64 = 64 << 20;
/// Maximum number of names from one response: some catalogues send all at once.
const MAX_NAMES: usize = 100_000;
/// Maximum length of a package name. CKAN itself allows 100 characters.
const MAX_NAME_BYTES: usize = 200;

/// Reads a response and returns the next steps.
pub(super) fn read(step: &CkanStep, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> Vec<NextStep> {
    if step.request == CkanRequest::Linked {
        return step.next_steps([CkanRequest::Search(CkanPage::FIRST)]);
    }
    findings.begin_syntax("ckan");
    let writer = DcatWriter::new(&step.root, findings);
    let mut reading = CkanResponseReader { step, writer, names: Vec::new(), read: 0, count: None, is_rejected: false };
    let body = BufReader::new(response.body.take(MAX_RESPONSE_BYTES));
    let mut json = serde_json::Deserializer::from_reader(body);
    let result = json.deserialize_any(Envelope(&mut reading));
    reading.writer.finish();
    let is_broken = result.is_err();
    let fault = match result {
        Err(error) => Some(fault(error)),
        Ok(()) if reading.is_rejected => Some(Fault::new(FaultKind::Syntax, "the catalogue reports a failure")),
        Ok(()) => None,
    };
    if let Some(fault) = fault {
        reading.writer.findings.fault(fault);
    }
    reading.next_steps(is_broken)
}

/// A response being read.
struct CkanResponseReader<'a> {
    step: &'a CkanStep,
    writer: DcatWriter<'a>,
    names: Vec<String>,
    /// Number of packages received, usable or not.
    read: u64,
    /// Total number of packages in the catalogue, if the response states it.
    count: Option<u64>,
    /// Whether the response reports a failure.
    is_rejected: bool,
}

impl CkanResponseReader<'_> {
    fn next_steps(self, is_broken: bool) -> Vec<NextStep> {
        let step = self.step;
        match &step.request {
            CkanRequest::Search(page) if self.is_rejected && page.count.is_none() => {
                step.next_steps([CkanRequest::LIST])
            }
            CkanRequest::Search(page) if is_broken && self.read == 0 => {
                step.fallback_steps(CkanPage { count: self.count.or(page.count), ..*page })
            }
            // If the response is truncated, the missing packages are requested next, in smaller pages.
            CkanRequest::Search(page) => {
                let at_least = if is_broken { page.start + u64::from(page.rows) } else { 0 };
                let count = self.count.or(page.count).unwrap_or(at_least);
                let next = page.next_page(self.read, count);
                let smaller = |next: CkanPage| CkanPage { rows: (page.rows / 2).max(1), ..next };
                let next = if is_broken { next.map(smaller) } else { next };
                step.next_steps(next.map(CkanRequest::Search))
            }
            CkanRequest::List { offset, first } => self.steps_after_list(*offset, first.as_ref()),
            CkanRequest::Linked | CkanRequest::Show { .. } => Vec::new(),
        }
    }

    fn steps_after_list(self, offset: u64, first: Option<&String>) -> Vec<NextStep> {
        let is_repeated = first.is_some() && self.names.first() == first;
        if is_repeated {
            return Vec::new();
        }
        // If the server returns more names than requested, it ignores the limit and has returned all names.
        let has_more = self.names.len() == PAGE_NAMES as usize;
        let more = CkanRequest::List { offset: offset + u64::from(PAGE_NAMES), first: self.names.first().cloned() };
        let more = has_more.then_some(more);
        let shows = self.names.into_iter().map(|name| CkanRequest::Show { name });
        self.step.next_steps(shows.chain(more))
    }

    fn add_package(&mut self, package: &CkanPackage) {
        self.read += 1;
        self.writer.write_package(package);
    }

    fn name(&mut self, name: &CkanText) {
        let Some((None, name)) = name.0.first() else { return };
        if name.len() <= MAX_NAME_BYTES && self.names.len() < MAX_NAMES {
            self.names.push(name.clone());
        }
    }
}

/// Why reading stopped: an error in the stream, or in its JSON.
fn fault(error: serde_json::Error) -> Fault {
    if !error.is_io() {
        return Fault::new(FaultKind::Syntax, format!("invalid response of the catalogue: {error}"));
    }
    stream_fault(&error.into())
}

/// The whole response: `{"success": true, "result": …}`.
struct Envelope<'r, 'a>(&'r mut CkanResponseReader<'a>);

impl<'de> Visitor<'de> for Envelope<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "success" => self.0.is_rejected = map.next_value::<CkanText>()?.plain() == Some("false"),
                "result" => map.next_value_seed(CkanResult(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The result: an object or a list.
struct CkanResult<'r, 'a>(&'r mut CkanResponseReader<'a>);

impl<'de> DeserializeSeed<'de> for CkanResult<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CkanResult<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if let CkanRequest::Show { .. } = self.0.step.request {
            let package = CkanPackage::deserialize(MapAccessDeserializer::new(map))?;
            self.0.add_package(&package);
            return Ok(());
        }
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "count" => self.0.count = map.next_value::<CkanText>()?.plain().and_then(|count| count.parse().ok()),
                "results" => map.next_value_seed(CkanResult(self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if let CkanRequest::List { .. } = self.0.step.request {
            while let Some(name) = list.next_element::<CkanText>()? {
                self.0.name(&name);
            }
            return Ok(());
        }
        while let Some(LenientObject(package)) = list.next_element::<LenientObject<CkanPackage>>()? {
            self.0.add_package(&package);
        }
        Ok(())
    }

    ignore_scalars!(());
}
