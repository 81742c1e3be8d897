//! Patterns: what is stated once and copied (HTML+RDFa 1.1, section 3.5).

use std::collections::{HashMap, HashSet};

use super::budget::Budget;
use super::statement::{Object, RDF_TYPE, Resource, Statement};

const COPY: &str = "http://www.w3.org/ns/rdfa#copy";
const PATTERN: &str = "http://www.w3.org/ns/rdfa#Pattern";

/// Gives whatever copies a pattern the statements of the pattern, and takes
/// away the patterns that were copied.
///
/// The specification has a rule that is applied until nothing is new. This
/// finds the same: all patterns that a subject reaches, each once, whatever
/// circles they make.
pub(super) fn fold(statements: &mut Vec<Statement>, budget: &mut Budget<'_>) {
    if !statements.iter().any(|statement| *statement.predicate == *COPY) {
        return;
    }
    let patterns = copied_patterns(statements);
    if patterns.is_empty() {
        return;
    }
    let (of_patterns, mut kept) = divide(std::mem::take(statements), &patterns);
    let mut copies = Vec::new();
    kept.retain(|statement| {
        let target = target(statement).filter(|target| patterns.contains(*target));
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
                *statements = kept;
                return;
            }
            match target(statement) {
                Some(next) if patterns.contains(next) => copies.push((subject.clone(), next.clone())),
                _ if makes_pattern(statement) => {}
                _ => kept.push(Statement { subject: subject.clone(), ..statement.clone() }),
            }
        }
    }
    *statements = kept;
}

fn makes_pattern(statement: &Statement) -> bool {
    *statement.predicate == *RDF_TYPE && statement.object.is_iri(PATTERN)
}

fn target(statement: &Statement) -> Option<&Resource> {
    match &statement.object {
        Object::Resource(target) if *statement.predicate == *COPY => Some(target),
        _ => None,
    }
}

fn copied_patterns(statements: &[Statement]) -> HashSet<Resource> {
    let copied: HashSet<&Resource> = statements.iter().filter_map(target).collect();
    let patterns = statements.iter().filter(|statement| makes_pattern(statement)).map(|it| &it.subject);
    patterns.filter(|pattern| copied.contains(pattern)).cloned().collect()
}

/// The statements about patterns, by pattern, and the others.
fn divide(
    statements: Vec<Statement>,
    patterns: &HashSet<Resource>,
) -> (HashMap<Resource, Vec<Statement>>, Vec<Statement>) {
    let mut of_patterns: HashMap<Resource, Vec<Statement>> = HashMap::new();
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
