//! Seeds in instance data.
//!
//! Somebody has records (buildings, in DURAARK D3.6 §1.4.3), and wants what is
//! around them: the places, architects and styles that their properties name.
//! Which properties hold those is configuration ([`Role`]). Values that are IRIs
//! are seeds; texts are, if somebody wants them looked up among labels. The most
//! frequent come first, and there is a bound.
//!
//! Files are read by the extractor of the crawl, as they come: in any syntax,
//! packed in any way, of any size. Memory is bounded by how many different values
//! are counted.

use std::collections::HashMap;
use std::io::Read;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{LiteralRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::labels::spaced;
use super::origin::Origin;
use super::wish::{Remark, Wanted, Wish};
use super::{Problem, Problems};
use crate::extract::{self, Extractor as _, Reader, Sink};
use crate::fetch::local::NOWHERE;
use crate::fetch::{Body, Representation};
use crate::model::{Fault, FaultKind, Link};

mod counts;
mod roles;

pub use roles::{Role, chosen, roles};

use counts::{Count, Counts};

/// Longer texts are no names.
const TEXT_BYTES_MAX: usize = 200;

/// Predicates that are told if none of them has a role.
const PREDICATES_TOLD: usize = 5;

/// What is taken from instance data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is looked for.
    pub roles: Vec<Role>,
    /// Whether texts are looked up among labels.
    pub resolve_literals: bool,
    /// Whether those are seeds, too, whose properties have a role.
    pub with_subjects: bool,
    /// The most frequent values are taken, this many of them.
    pub seeds_max: usize,
    /// Files are read so far, in bytes of what was packed in them.
    pub unpacked_bytes_max: u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Seeds, the most frequent first.
    pub wishes: Vec<Wish>,
    /// What there is to say of them.
    pub remarks: Vec<Remark>,
}

/// Reads instance data.
pub struct Instances {
    options: Options,
    /// By property: the place of each of its roles, and its place there.
    properties: HashMap<String, Vec<(usize, usize)>>,
    files: Vec<String>,
    values: Counts<(usize, Wanted)>,
    subjects: Counts<String>,
    /// Texts that nobody wants to have looked up.
    literals: Counts<String>,
    predicates: Counts<String>,
    statements: u64,
    faults: Vec<String>,
    remarks: Vec<Remark>,
}

impl Instances {
    /// A reader of files.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut properties: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (role, Role { properties: of_role, .. }) in options.roles.iter().enumerate() {
            for (place, property) in of_role.iter().enumerate() {
                let roles = properties.entry(property.clone()).or_default();
                // Once for each role, however often it is named there.
                if roles.last().is_none_or(|(last, _)| *last != role) {
                    roles.push((role, place));
                }
            }
        }
        Self {
            properties,
            options,
            files: Vec::new(),
            values: Counts::new(counts::HELD_MAX),
            subjects: Counts::new(counts::HELD_MAX),
            literals: Counts::new(counts::HELD_MAX),
            predicates: Counts::new(100),
            statements: 0,
            faults: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Reads a file. What its syntax is, its name says, or `content_type`, or its
    /// beginning.
    pub fn read(&mut self, name: &str, content_type: Option<String>, body: Box<dyn Read + Send>) {
        self.files.push(name.to_owned());
        let representation = Representation::of_file(name, content_type, Body::Stream(body));
        let options = extract::Options {
            dump_bytes_max: self.options.unpacked_bytes_max,
            barren_bytes_max: self.options.unpacked_bytes_max,
            links_per_document_max: 0,
            ..extract::Options::default()
        };
        Reader::new(options).extract(representation, self);
        if let Some(first) = self.faults.first() {
            let more =
                if self.faults.len() > 1 { format!(", and {} more", self.faults.len() - 1) } else { String::new() };
            self.remarks.push(Remark::Fault { file: name.to_owned(), what: format!("{first}{more}") });
        }
        self.faults.clear();
    }

    /// What was found. That there is nothing is a problem.
    pub fn finish(mut self) -> Result<Extracted, Problems> {
        let mut found = self.values.in_order();
        let subjects = self.subjects.in_order();
        let count = found.len() + subjects.len();
        if count == 0 {
            let mut problems = Problems::default();
            problems.push(self.nothing());
            return Err(problems);
        }
        found.truncate(self.options.seeds_max);
        let left = self.options.seeds_max - found.len();
        let mut wishes: Vec<Wish> =
            found.into_iter().map(|((role, value), count)| self.wish(role, value, count)).collect();
        wishes.extend(subjects.into_iter().take(left).map(|(subject, count)| Wish {
            wanted: Wanted::Iri(subject),
            origin: Origin::Subject { file: self.files[count.file].clone() },
            is_needed: false,
        }));
        if wishes.len() < count || self.values.was_cut() || self.subjects.was_cut() {
            self.remarks.push(Remark::Cut { kept: wishes.len(), of: count });
        }
        let literals = self.literals.in_order();
        if !literals.is_empty() {
            let examples = literals.iter().take(PREDICATES_TOLD).map(|(text, _)| text.clone()).collect();
            self.remarks.push(Remark::Literals { count: literals.len(), examples });
        }
        Ok(Extracted { wishes, remarks: self.remarks })
    }

    fn wish(&self, role: usize, wanted: Wanted, count: Count) -> Wish {
        let Role { name, properties } = &self.options.roles[role];
        let origin = Origin::Instance {
            file: self.files[count.file].clone(),
            role: name.clone(),
            property: properties[count.property].clone(),
            times: count.times,
        };
        Wish { wanted, origin, is_needed: false }
    }

    /// Why there is no seed.
    fn nothing(&self) -> Problem {
        let place = Some(self.files.join(", "));
        let told = |keys: Vec<(String, Count)>| -> Vec<String> {
            keys.into_iter().take(PREDICATES_TOLD).map(|(key, _)| key).collect()
        };
        let fault = self.remarks.iter().find_map(|remark| match remark {
            Remark::Fault { what, .. } => Some(what),
            _ => None,
        });
        if self.statements == 0 {
            let what = fault.map_or("no RDF in it, or in no syntax we know".to_owned(), Clone::clone);
            return Problem { place, what, hint: None };
        }
        if let [(example, _), ..] = &self.literals.in_order()[..] {
            let what = format!("no seed in it: what its properties name are texts, as “{example}”");
            return Problem { place, what, hint: Some("`resolve_literals` looks them up among labels".to_owned()) };
        }
        let roles: Vec<&str> = self.options.roles.iter().map(|role| role.name.as_str()).collect();
        let what = format!("no seed in it: none of its {} statements tells {}", self.statements, roles.join(", "));
        let hint = format!(
            "[seeds.roles] in lodeward.toml says which properties do; most used in it are {}",
            told(self.predicates.in_order()).join(", ")
        );
        Problem { place, what, hint: Some(hint) }
    }

    fn literal(&mut self, roles: &[(usize, usize)], literal: LiteralRef<'_>) {
        let is_text = literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING;
        let text = spaced(&literal.value()[..literal.value().floor_char_boundary(2 * TEXT_BYTES_MAX)]);
        if !is_text || text.is_empty() || text.len() > TEXT_BYTES_MAX {
            return;
        }
        let file = self.files.len() - 1;
        if !self.options.resolve_literals {
            self.literals.take(text, file, 0);
            return;
        }
        for (role, property) in roles {
            self.values.take((*role, Wanted::Text(text.clone())), file, *property);
        }
    }
}

impl Sink for Instances {
    fn quad(&mut self, quad: QuadRef<'_>) {
        let file = self.files.len() - 1;
        self.statements += 1;
        let Some(roles) = self.properties.get(quad.predicate.as_str()).cloned() else {
            self.predicates.take(quad.predicate.as_str().to_owned(), file, 0);
            return;
        };
        match quad.object {
            TermRef::NamedNode(value) if !value.as_str().starts_with(NOWHERE) => {
                for (role, property) in roles {
                    self.values.take((role, Wanted::Iri(value.as_str().to_owned())), file, property);
                }
            }
            TermRef::Literal(literal) => self.literal(&roles, literal),
            // What has no name of its own cannot be asked for.
            _ => {}
        }
        if let NamedOrBlankNodeRef::NamedNode(subject) = quad.subject
            && self.options.with_subjects
            && !subject.as_str().starts_with(NOWHERE)
        {
            self.subjects.take(subject.as_str().to_owned(), file, 0);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        // That there are more links than wanted, which is none, is no fault.
        let is_of_links = fault.kind == FaultKind::Excess && fault.detail.ends_with(" links");
        if !is_of_links {
            self.faults.push(fault.to_string());
        }
    }
}

#[cfg(test)]
mod tests;
