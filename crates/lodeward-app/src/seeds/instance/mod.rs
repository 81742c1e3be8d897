//! Extracts seeds from instance data.
//!
//! Instance data are records of a user (buildings, in DURAARK D3.6 §1.4.3). Their properties name
//! related entities: places, architects, styles. An [`InstanceRole`] configures which properties
//! are used. Values that are IRIs are seeds. Values that are texts are looked up among labels, if
//! that is requested. The most frequent values come first, up to a limit.
//!
//! The extractor of the crawl reads the files as streams, in any format, with any
//! compression and of any size. Memory is bounded by the number of distinct values that
//! are counted.

use std::collections::HashMap;
use std::io::Read;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{LiteralRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::labels::collapse_whitespace;
use super::resolve::{RequestedSeed, SeedSpec, SeedWarning};
use super::{SeedProblem, SeedProblems};
use crate::local_file::{PLACEHOLDER_BASE, file_representation};
use crate::seed_note::SeedOrigin;
use lodeward::extract::{self, DocumentReader, ExtractSink, Extractor as _};
use lodeward::fetch::ResponseBody;
use lodeward::model::{Fault, FaultKind, Link};

mod counts;
mod inspect;
mod roles;

pub use inspect::{InstanceProperty, InstanceSummary, inspect_instances};
pub use roles::{InstanceRole, roles, select_roles};

use counts::{FrequencyCount, FrequencyCounts};

/// Maximum length of a text in bytes. Longer texts are not names.
const MAX_TEXT_BYTES: usize = 200;

/// Maximum number of values or properties listed in a message.
const MAX_EXAMPLES: usize = 5;

/// What is extracted from instance data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceOptions {
    /// The roles whose values are extracted.
    pub roles: Vec<InstanceRole>,
    /// Whether texts are looked up among labels.
    pub resolve_literals: bool,
    /// Whether the subjects of properties with a role are also seeds.
    pub include_subjects: bool,
    /// Maximum number of seeds; the most frequent values are used.
    pub max_seeds: usize,
    /// Maximum number of bytes read per file, after decompression.
    pub max_unpacked_bytes: u64,
}

/// The values found in instance data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceValues {
    /// The requested seeds, most frequent first.
    pub seeds: Vec<RequestedSeed>,
    /// Warnings about the files and values.
    pub warnings: Vec<SeedWarning>,
}

/// Reads instance data.
pub struct InstanceReader {
    options: InstanceOptions,
    /// For each property, the indices of its roles, and its index in each role.
    properties: HashMap<String, Vec<(usize, usize)>>,
    files: Vec<String>,
    values: FrequencyCounts<(usize, SeedSpec)>,
    subjects: FrequencyCounts<String>,
    /// Texts that are not looked up, because `resolve_literals` is not set.
    literals: FrequencyCounts<String>,
    predicates: FrequencyCounts<String>,
    statements: u64,
    faults: Vec<String>,
    warnings: Vec<SeedWarning>,
}

impl InstanceReader {
    /// Creates a reader that has read no file yet.
    #[must_use]
    pub fn new(options: InstanceOptions) -> Self {
        let mut properties: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (role, InstanceRole { properties: of_role, .. }) in options.roles.iter().enumerate() {
            for (index, property) in of_role.iter().enumerate() {
                let roles = properties.entry(property.clone()).or_default();
                // A property is added once per role, even if the role lists it twice.
                if roles.last().is_none_or(|(last, _)| *last != role) {
                    roles.push((role, index));
                }
            }
        }
        Self {
            properties,
            options,
            files: Vec::new(),
            values: FrequencyCounts::new(counts::MAX_HELD),
            subjects: FrequencyCounts::new(counts::MAX_HELD),
            literals: FrequencyCounts::new(counts::MAX_HELD),
            predicates: FrequencyCounts::new(100),
            statements: 0,
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads a file. Its format is determined by its name, by `content_type` or by its
    /// first bytes.
    pub fn read(&mut self, name: &str, content_type: Option<String>, body: Box<dyn Read + Send>) {
        self.files.push(name.to_owned());
        let representation = file_representation(name, content_type, ResponseBody::Stream(body));
        let options = extract::ExtractOptions {
            max_dump_bytes: self.options.max_unpacked_bytes,
            max_bytes_without_rdf: self.options.max_unpacked_bytes,
            max_links_per_document: 0,
            ..extract::ExtractOptions::default()
        };
        DocumentReader::new(options).extract(representation, self);
        if let Some(first) = self.faults.first() {
            let more =
                if self.faults.len() > 1 { format!(", and {} more", self.faults.len() - 1) } else { String::new() };
            self.warnings.push(SeedWarning::Fault { file: name.to_owned(), what: format!("{first}{more}") });
        }
        self.faults.clear();
    }

    /// Returns the values of all files. If there are none, this is reported as a problem.
    pub fn finish(mut self) -> Result<InstanceValues, SeedProblems> {
        let mut found = self.values.by_frequency();
        let subjects = self.subjects.by_frequency();
        let count = found.len() + subjects.len();
        if count == 0 {
            let mut problems = SeedProblems::default();
            problems.push(self.no_seed_problem());
            return Err(problems);
        }
        found.truncate(self.options.max_seeds);
        let left = self.options.max_seeds - found.len();
        let mut seeds: Vec<RequestedSeed> =
            found.into_iter().map(|((role, value), count)| self.requested_seed(role, value, count)).collect();
        seeds.extend(subjects.into_iter().take(left).map(|(subject, count)| RequestedSeed {
            spec: SeedSpec::Iri(subject),
            origin: SeedOrigin::Subject { file: self.files[count.file].clone() },
            is_required: false,
        }));
        if seeds.len() < count || self.values.is_truncated() || self.subjects.is_truncated() {
            self.warnings.push(SeedWarning::Truncated { kept: seeds.len(), of: count });
        }
        let literals = self.literals.by_frequency();
        if !literals.is_empty() {
            let examples = literals.iter().take(MAX_EXAMPLES).map(|(text, _)| text.clone()).collect();
            self.warnings.push(SeedWarning::Literals { count: literals.len(), examples });
        }
        Ok(InstanceValues { seeds, warnings: self.warnings })
    }

    fn requested_seed(&self, role: usize, spec: SeedSpec, count: FrequencyCount) -> RequestedSeed {
        let InstanceRole { name, properties } = &self.options.roles[role];
        let origin = SeedOrigin::Instance {
            file: self.files[count.file].clone(),
            role: name.clone(),
            property: properties[count.property].clone(),
            times: count.times,
        };
        RequestedSeed { spec, origin, is_required: false }
    }

    /// The problem that explains why there is no seed.
    fn no_seed_problem(&self) -> SeedProblem {
        let location = Some(self.files.join(", "));
        let examples = |keys: Vec<(String, FrequencyCount)>| -> Vec<String> {
            keys.into_iter().take(MAX_EXAMPLES).map(|(key, _)| key).collect()
        };
        let fault = self.warnings.iter().find_map(|warning| match warning {
            SeedWarning::Fault { what, .. } => Some(what),
            _ => None,
        });
        if self.statements == 0 {
            let message = fault.map_or("no RDF found, or unknown format".to_owned(), Clone::clone);
            return SeedProblem { location, message, ..SeedProblem::default() };
        }
        if let [(example, _), ..] = &self.literals.by_frequency()[..] {
            let message = format!("no seeds found: the values of the properties are texts, such as “{example}”");
            let hint = "`resolve_literals` looks up texts among labels".to_owned();
            return SeedProblem { location, message, hint: Some(hint), input: None };
        }
        let roles: Vec<&str> = self.options.roles.iter().map(|role| role.name.as_str()).collect();
        let (statements, roles) = (self.statements, roles.join(", "));
        let message =
            format!("no seeds found: none of the {statements} statements has a property of the roles {roles}");
        let hint = format!(
            "[seeds.roles] in lodeward.toml defines the properties of a role; the most frequent properties are {}",
            examples(self.predicates.by_frequency()).join(", ")
        );
        SeedProblem { location, message, hint: Some(hint), input: None }
    }

    fn add_literal(&mut self, roles: &[(usize, usize)], literal: LiteralRef<'_>) {
        let is_text = literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING;
        let text = collapse_whitespace(&literal.value()[..literal.value().floor_char_boundary(2 * MAX_TEXT_BYTES)]);
        if !is_text || text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return;
        }
        let file = self.files.len() - 1;
        if !self.options.resolve_literals {
            self.literals.add(text, file, 0);
            return;
        }
        for (role, property) in roles {
            self.values.add((*role, SeedSpec::Text(text.clone())), file, *property);
        }
    }
}

impl ExtractSink for InstanceReader {
    fn quad(&mut self, quad: QuadRef<'_>) {
        let file = self.files.len() - 1;
        self.statements += 1;
        let Some(roles) = self.properties.get(quad.predicate.as_str()).cloned() else {
            self.predicates.add(quad.predicate.as_str().to_owned(), file, 0);
            return;
        };
        match quad.object {
            TermRef::NamedNode(value) if !value.as_str().starts_with(PLACEHOLDER_BASE) => {
                for (role, property) in roles {
                    self.values.add((role, SeedSpec::Iri(value.as_str().to_owned())), file, property);
                }
            }
            TermRef::Literal(literal) => self.add_literal(&roles, literal),
            // Blank nodes cannot be dereferenced.
            _ => {}
        }
        if let NamedOrBlankNodeRef::NamedNode(subject) = quad.subject
            && self.options.include_subjects
            && !subject.as_str().starts_with(PLACEHOLDER_BASE)
        {
            self.subjects.add(subject.as_str().to_owned(), file, 0);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        // Links are not extracted, so exceeding their limit of 0 is not a fault.
        let is_link_limit = fault.kind == FaultKind::Limit && fault.detail.ends_with(" links");
        if !is_link_limit {
            self.faults.push(fault.to_string());
        }
    }
}

#[cfg(test)]
mod tests;
