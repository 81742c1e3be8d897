//! Putting patterns into a chain.

use std::collections::HashSet;

use oxrdf::Term;
use spargebra::algebra::GraphPattern;
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern};

use super::slots::{Row, Slot, estimate, extended, slots};
use super::{Kind, Link, Places, Surroundings, places_of};
use crate::ArchiveError;

/// How many rows are carried along as samples.
const SAMPLES: usize = 4;
/// From so many patterns on, one sample must do: estimates are quick, but not free.
const LINKS_MANY: usize = 10;
/// From so many on, the order is by their shape alone. It is still worth having:
/// sparopt's time grows with the fourth power of the patterns that it orders.
const LINKS_TOO_MANY: usize = 24;

/// So many parts with nothing in common are left to sparopt to join, each read
/// once; more would take it too long.
const PARTS_MANY: usize = 8;

/// The links in a good order. Those that have nothing in common are joined last.
pub(super) fn chain(links: Vec<Link>, around: &Surroundings<'_>) -> Result<GraphPattern, ArchiveError> {
    let samples_max = match links.len() {
        _ if around.snapshot.is_none() => 0,
        0..LINKS_MANY => SAMPLES,
        LINKS_MANY..LINKS_TOO_MANY => 1,
        _ => 0,
    };
    let mut waiting: Vec<Waiting> = links.into_iter().map(Waiting::new).collect();
    let mut parts: Vec<GraphPattern> = Vec::new();
    let mut state = State { around, bound: around.bound.clone(), samples: vec![Row::new()], samples_max };
    let mut current: Option<GraphPattern> = None;
    while !waiting.is_empty() {
        // What is bound around it connects everything that has it, too.
        let connected = |link: &Waiting| link.variables.iter().any(|name| state.bound.contains(name));
        let candidates: Vec<usize> = (0..waiting.len()).filter(|&at| connected(&waiting[at])).collect();
        let at = if candidates.is_empty() {
            parts.extend(current.take());
            state.start_again();
            state.best(&waiting, &(0..waiting.len()).collect::<Vec<_>>())?
        } else {
            state.best(&waiting, &candidates)?
        };
        let chosen = waiting.remove(at);
        if waiting.len() > 1 && samples_max > 0 {
            state.advance(&chosen)?;
        }
        state.bound.extend(chosen.variables);
        let right = chosen.link.into_pattern();
        current = Some(match current {
            None => right,
            Some(left) => GraphPattern::Lateral { left: Box::new(left), right: Box::new(right) },
        });
    }
    parts.extend(current);
    let as_join = parts.len() <= PARTS_MANY;
    let join = |left, right| {
        let (left, right) = (Box::new(left), Box::new(right));
        if as_join { GraphPattern::Join { left, right } } else { GraphPattern::Lateral { left, right } }
    };
    Ok(parts.into_iter().reduce(join).unwrap_or_default())
}

/// A link that has no place yet.
struct Waiting {
    link: Link,
    variables: HashSet<String>,
}

impl Waiting {
    fn new(link: Link) -> Self {
        let mut variables = HashSet::new();
        if let Some(NamedNodePattern::Variable(graph)) = &link.graph {
            variables.insert(graph.as_str().to_owned());
        }
        match &link.kind {
            Kind::Triple(pattern) => {
                variables.extend(slots(pattern).into_iter().filter_map(|slot| match slot {
                    Slot::Variable(name) => Some(name),
                    Slot::Known(_) => None,
                }));
            }
            Kind::Other(pattern) => {
                pattern.on_in_scope_variable(|variable| {
                    variables.insert(variable.as_str().to_owned());
                });
                if let GraphPattern::Path { subject, object, .. } = pattern {
                    for end in [subject, object] {
                        if let TermPattern::BlankNode(node) = end {
                            variables.insert(format!("_:{}", node.as_str()));
                        }
                    }
                }
            }
        }
        Self { link, variables }
    }
}

/// How far a chain has come.
struct State<'a, 's> {
    around: &'a Surroundings<'s>,
    bound: HashSet<String>,
    samples: Vec<Row>,
    samples_max: usize,
}

impl State<'_, '_> {
    fn start_again(&mut self) {
        self.bound.clone_from(&self.around.bound);
        self.samples = vec![Row::new()];
    }

    /// Which of the candidates gives the fewest rows for a row so far. Among
    /// equals, the first: somebody may have thought about it.
    fn best(&self, waiting: &[Waiting], candidates: &[usize]) -> Result<usize, ArchiveError> {
        if let [only] = candidates {
            return Ok(*only);
        }
        let mut best = None;
        for &at in candidates {
            let rows = self.rows(&waiting[at])?;
            if best.is_none_or(|(least, _)| rows < least) {
                best = Some((rows, at));
            }
        }
        Ok(best.map_or(0, |(_, at)| at))
    }

    /// How many rows a link gives for all samples together.
    fn rows(&self, waiting: &Waiting) -> Result<u64, ArchiveError> {
        let many = self.samples.len() as u64;
        let pattern = match &waiting.link.kind {
            Kind::Triple(pattern) => pattern,
            Kind::Other(GraphPattern::Values { bindings, .. }) => return Ok(many * bindings.len() as u64),
            Kind::Other(GraphPattern::Path { subject, object, .. }) => {
                return Ok(many * path_rows(self.is_known(subject), self.is_known(object)));
            }
            Kind::Other(_) => return Ok(u64::MAX),
        };
        let slots = slots(pattern);
        // A variable that has a value, but none that we know of: a guess from the shape.
        let blind = |slot: &Slot| matches!(slot, Slot::Variable(name) if self.bound.contains(name));
        let guess = many.saturating_mul(shape_rows(slots.each_ref().map(|slot| match slot {
            Slot::Known(_) => true,
            Slot::Variable(name) => self.bound.contains(name),
        })));
        let Some(snapshot) = self.around.snapshot.filter(|_| self.samples_max > 0) else { return Ok(guess) };
        let mut rows = 0u64;
        for sample in &self.samples {
            rows = rows.saturating_add(estimate(snapshot, &self.places(&waiting.link, sample), &slots, sample)?);
        }
        let sampled =
            |slot: &Slot| matches!(slot, Slot::Variable(name) if self.samples.iter().all(|row| row.contains_key(name)));
        let is_guess = slots.iter().any(|slot| blind(slot) && !sampled(slot));
        Ok(if is_guess { rows.min(guess) } else { rows })
    }

    /// Where a link is looked for: in the graph of the sample, if it has one for it.
    fn places(&self, link: &Link, sample: &Row) -> Places {
        match &link.graph {
            None => self.around.places.clone(),
            Some(NamedNodePattern::Variable(variable)) => match sample.get(variable.as_str()) {
                Some(Term::NamedNode(graph)) => Some(vec![graph.clone().into()]),
                _ => None,
            },
            Some(name) => places_of(name),
        }
    }

    fn is_known(&self, term: &TermPattern) -> bool {
        match term {
            TermPattern::NamedNode(_) | TermPattern::Literal(_) => true,
            TermPattern::Variable(variable) => self.bound.contains(variable.as_str()),
            TermPattern::BlankNode(node) => self.bound.contains(&format!("_:{}", node.as_str())),
        }
    }

    /// Carries the samples through the link that was chosen. Where none of them
    /// gets through, they stay as they are: better than to know nothing.
    fn advance(&mut self, chosen: &Waiting) -> Result<(), ArchiveError> {
        let Some(snapshot) = self.around.snapshot else { return Ok(()) };
        let mut next = Vec::new();
        match &chosen.link.kind {
            Kind::Triple(pattern) => {
                let slots = slots(pattern);
                let graph = match &chosen.link.graph {
                    Some(NamedNodePattern::Variable(variable)) => Some(variable.as_str()),
                    _ => None,
                };
                for sample in &self.samples {
                    let places = self.places(&chosen.link, sample);
                    let share = (self.samples_max / self.samples.len()).max(1);
                    next.extend(extended(snapshot, &places, &slots, sample, graph, share)?);
                }
            }
            Kind::Other(GraphPattern::Values { variables, bindings }) => {
                for row in bindings.iter().take(self.samples_max) {
                    let mut sample = self.samples[0].clone();
                    for (variable, term) in variables.iter().zip(row) {
                        match term {
                            Some(GroundTerm::NamedNode(node)) => {
                                sample.insert(variable.as_str().to_owned(), node.clone().into());
                            }
                            Some(GroundTerm::Literal(literal)) => {
                                sample.insert(variable.as_str().to_owned(), literal.clone().into());
                            }
                            None => {}
                        }
                    }
                    next.push(sample);
                }
            }
            Kind::Other(_) => {}
        }
        if !next.is_empty() {
            next.truncate(self.samples_max);
            self.samples = next;
        }
        Ok(())
    }
}

/// How many rows a pattern of this shape has: sparopt's guesses.
fn shape_rows(known: [bool; 3]) -> u64 {
    match known {
        [true, true, true] => 1,
        [true, false, true] => 2,
        [true, true, false] => 10,
        [true, false, false] => 100,
        [false, true, true] => 1_000,
        [false, false, true] => 10_000,
        [false, true, false] => 1_000_000,
        [false, false, false] => 1_000_000_000,
    }
}

fn path_rows(from: bool, to: bool) -> u64 {
    match (from, to) {
        (true, true) => 1,
        (true, false) | (false, true) => 1_000,
        (false, false) => 1_000_000_000,
    }
}
