//! Patterns: statements that are copied with `rdfa:copy` (HTML+RDFa 1.1, section 3.5).

use std::collections::{HashMap, HashSet};

use super::budget::RdfaBudget;
use super::statement::{RDF_TYPE, RdfaObject, RdfaResource, RdfaStatement};

const COPY: &str = "http://www.w3.org/ns/rdfa#copy";
const PATTERN: &str = "http://www.w3.org/ns/rdfa#Pattern";

/// Copies the statements of patterns to the subjects that refer to them, and removes the copied
/// patterns.
///
/// The specification applies a rule until nothing changes. This gives the same result: each subject
/// gets all patterns it reaches, each once, even if they form cycles.
pub(super) fn apply_copies(statements: &mut Vec<RdfaStatement>, budget: &mut RdfaBudget<'_>) {
    if !statements.iter().any(|statement| *statement.predicate == *COPY) {
        return;
    }
    let patterns = copied_patterns(statements);
    if patterns.is_empty() {
        return;
    }
    let (of_patterns, mut others) = split_by_pattern(std::mem::take(statements), &patterns);
    let mut copies = Vec::new();
    others.retain(|statement| {
        let target = copy_target(statement).filter(|target| patterns.contains(*target));
        if let Some(target) = target {
            copies.push((statement.subject.clone(), target.clone()));
        }
        target.is_none()
    });
    let mut reached = HashSet::new();
    while let Some((subject, pattern)) = copies.pop() {
        if !reached.insert((subject.clone(), pattern.clone())) {
            continue;
        }
        for statement in of_patterns.get(&pattern).into_iter().flatten() {
            if budget.spend(statement.len()).is_none() {
                *statements = others;
                return;
            }
            match copy_target(statement) {
                Some(next) if patterns.contains(next) => copies.push((subject.clone(), next.clone())),
                _ if is_pattern_type(statement) => {}
                _ => others.push(RdfaStatement { subject: subject.clone(), ..statement.clone() }),
            }
        }
    }
    *statements = others;
}

fn is_pattern_type(statement: &RdfaStatement) -> bool {
    *statement.predicate == *RDF_TYPE && statement.object.is_iri(PATTERN)
}

fn copy_target(statement: &RdfaStatement) -> Option<&RdfaResource> {
    match &statement.object {
        RdfaObject::Resource(target) if *statement.predicate == *COPY => Some(target),
        _ => None,
    }
}

fn copied_patterns(statements: &[RdfaStatement]) -> HashSet<RdfaResource> {
    let copied: HashSet<&RdfaResource> = statements.iter().filter_map(copy_target).collect();
    let patterns = statements.iter().filter(|statement| is_pattern_type(statement)).map(|it| &it.subject);
    patterns.filter(|pattern| copied.contains(pattern)).cloned().collect()
}

/// The statements about patterns, by pattern, and the others.
fn split_by_pattern(
    statements: Vec<RdfaStatement>,
    patterns: &HashSet<RdfaResource>,
) -> (HashMap<RdfaResource, Vec<RdfaStatement>>, Vec<RdfaStatement>) {
    let mut of_patterns: HashMap<RdfaResource, Vec<RdfaStatement>> = HashMap::new();
    let mut others = Vec::new();
    for statement in statements {
        if patterns.contains(&statement.subject) {
            of_patterns.entry(statement.subject.clone()).or_default().push(statement);
        } else {
            others.push(statement);
        }
    }
    (of_patterns, others)
}
