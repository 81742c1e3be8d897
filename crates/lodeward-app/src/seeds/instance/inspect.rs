//! Inspects instance data: its classes and properties, and which roles they have.

use std::collections::BTreeMap;
use std::io::Read;

use oxrdf::vocab::rdf;
use oxrdf::{NamedOrBlankNodeRef, QuadRef, TermRef};

use super::InstanceRole;
use super::counts::FrequencyCounts;
use crate::local_file::{PLACEHOLDER_BASE, file_representation};
use lodeward::extract::{self, DocumentReader, ExtractSink, Extractor as _};
use lodeward::fetch::ResponseBody;
use lodeward::model::{Fault, FaultKind, Link};
use lodeward::select::facts::truncate_text;

/// Maximum number of classes and of properties that are listed.
const MAX_LISTED: usize = 200;

/// Maximum number of properties and of subjects that are counted.
const MAX_COUNTED: usize = 100_000;

/// Maximum number of examples per property, and their maximum length in bytes.
const MAX_EXAMPLES: usize = 3;
const MAX_EXAMPLE_BYTES: usize = 200;

/// What instance data contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceSummary {
    /// Number of statements.
    pub statements: u64,
    /// Number of described records; at least this many if there are very many.
    pub records: u64,
    /// Classes with their numbers of records, the most frequent first.
    pub classes: Vec<(String, u64)>,
    /// Properties, the most frequent first.
    pub properties: Vec<InstanceProperty>,
    /// Faults of the data.
    pub faults: Vec<String>,
}

/// A property of instance data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceProperty {
    /// IRI of the property.
    pub property: String,
    /// Names of the roles that include the property.
    pub roles: Vec<String>,
    /// Number of values that are IRIs.
    pub iris: u64,
    /// Number of values that are literals.
    pub literals: u64,
    /// The first few values.
    pub examples: Vec<String>,
}

/// Reads instance data and summarizes it. Memory is bounded. Blocks.
#[must_use]
pub fn inspect_instances(
    name: &str,
    content_type: Option<String>,
    body: Box<dyn Read + Send>,
    roles: &[InstanceRole],
    max_unpacked_bytes: u64,
) -> InstanceSummary {
    let options = extract::ExtractOptions {
        max_dump_bytes: max_unpacked_bytes,
        max_bytes_without_rdf: max_unpacked_bytes,
        max_links_per_document: 0,
        ..extract::ExtractOptions::default()
    };
    let mut inspector = InstanceInspector {
        classes: FrequencyCounts::new(MAX_COUNTED),
        records: FrequencyCounts::new(MAX_COUNTED),
        properties: BTreeMap::new(),
        summary: InstanceSummary::default(),
    };
    let representation = file_representation(name, content_type, ResponseBody::Stream(body));
    DocumentReader::new(options).extract(representation, &mut inspector);
    inspector.finish(roles)
}

struct InstanceInspector {
    classes: FrequencyCounts<String>,
    records: FrequencyCounts<String>,
    properties: BTreeMap<String, InstanceProperty>,
    summary: InstanceSummary,
}

impl InstanceInspector {
    fn finish(self, roles: &[InstanceRole]) -> InstanceSummary {
        let mut properties: Vec<InstanceProperty> = self.properties.into_values().collect();
        properties.sort_by_key(|property| std::cmp::Reverse(property.iris + property.literals));
        properties.truncate(MAX_LISTED);
        for property in &mut properties {
            let has_property = |role: &&InstanceRole| role.properties.contains(&property.property);
            property.roles = roles.iter().filter(has_property).map(|role| role.name.clone()).collect();
        }
        let classes = self.classes.by_frequency().into_iter().take(MAX_LISTED);
        InstanceSummary {
            records: self.records.by_frequency().len() as u64,
            classes: classes.map(|(class, count)| (class, count.times)).collect(),
            properties,
            ..self.summary
        }
    }
}

impl ExtractSink for InstanceInspector {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.summary.statements += 1;
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(subject) => subject.as_str().to_owned(),
            NamedOrBlankNodeRef::BlankNode(subject) => subject.to_string(),
        };
        self.records.add(subject, 0, 0);
        if quad.predicate == rdf::TYPE {
            if let TermRef::NamedNode(class) = quad.object {
                self.classes.add(class.as_str().to_owned(), 0, 0);
            }
            return;
        }
        let name = quad.predicate.as_str();
        if !self.properties.contains_key(name) {
            if self.properties.len() >= MAX_COUNTED {
                return;
            }
            let property = InstanceProperty { property: name.to_owned(), ..InstanceProperty::default() };
            self.properties.insert(name.to_owned(), property);
        }
        let Some(property) = self.properties.get_mut(name) else { return };
        let example = match quad.object {
            TermRef::NamedNode(value) if !value.as_str().starts_with(PLACEHOLDER_BASE) => {
                property.iris += 1;
                value.as_str()
            }
            TermRef::Literal(literal) => {
                property.literals += 1;
                literal.value()
            }
            _ => return,
        };
        let example = truncate_text(example, MAX_EXAMPLE_BYTES);
        if property.examples.len() < MAX_EXAMPLES && property.examples.iter().all(|known| known != example) {
            property.examples.push(example.to_owned());
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        let is_link_limit = fault.kind == FaultKind::Limit && fault.detail.ends_with(" links");
        if !is_link_limit && self.summary.faults.len() < MAX_EXAMPLES {
            self.summary.faults.push(fault.to_string());
        }
    }
}
