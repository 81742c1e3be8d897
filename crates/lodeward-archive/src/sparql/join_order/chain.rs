//! Ordering joined patterns into a chain.

use std::collections::HashSet;

use oxrdf::Term;
use spargebra::algebra::GraphPattern;
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern};

use super::slots::{BindingRow, PatternSlot, QuadStatistics, estimate, extend_row, pattern_slots};
use super::{ChainLink, ChainLinkKind, GraphSet, PatternContext, graph_set};
use crate::ArchiveError;
use crate::sparql::error::QueryError;

/// Maximum number of sample rows.
const MAX_SAMPLES: usize = 4;
/// Minimum number of patterns for which only one sample is used, because estimates take time.
const MIN_LINKS_SINGLE_SAMPLE: usize = 10;
/// Minimum number of patterns that are ordered by their shape alone, without samples. That order is
/// still useful: sparopt's time grows with the fourth power of the number of patterns it orders.
const MIN_LINKS_NO_SAMPLES: usize = 24;

/// Maximum number of unconnected parts that sparopt joins, so that each part is read once. With
/// more parts, sparopt would take too long, and they are chained as well.
const MAX_JOINED_PARTS: usize = 8;

/// Orders the links. Parts without a common variable are joined last.
pub(super) fn order_links(links: Vec<ChainLink>, around: &PatternContext<'_>) -> Result<GraphPattern, QueryError> {
    let max_samples = match links.len() {
        _ if around.statistics.is_none() => 0,
        0..MIN_LINKS_SINGLE_SAMPLE => MAX_SAMPLES,
        MIN_LINKS_SINGLE_SAMPLE..MIN_LINKS_NO_SAMPLES => 1,
        _ => 0,
    };
    let mut unplaced: Vec<UnplacedLink> = links.into_iter().map(UnplacedLink::new).collect();
    let mut parts: Vec<GraphPattern> = Vec::new();
    let mut state = ChainState { around, bound: around.bound.clone(), samples: vec![BindingRow::new()], max_samples };
    let mut current: Option<GraphPattern> = None;
    while !unplaced.is_empty() {
        around.control.check_stopped()?;
        // Variables that are bound outside also connect links.
        let connected = |link: &UnplacedLink| link.variables.iter().any(|name| state.bound.contains(name));
        let candidates: Vec<usize> = (0..unplaced.len()).filter(|&at| connected(&unplaced[at])).collect();
        let at = if candidates.is_empty() {
            parts.extend(current.take());
            state.restart();
            state.best_link(&unplaced, &(0..unplaced.len()).collect::<Vec<_>>())?
        } else {
            state.best_link(&unplaced, &candidates)?
        };
        let chosen = unplaced.remove(at);
        if unplaced.len() > 1 && max_samples > 0 {
            state.advance_samples(&chosen)?;
        }
        state.bound.extend(chosen.variables);
        let right = chosen.link.into_pattern();
        current = Some(match current {
            None => right,
            Some(left) => GraphPattern::Lateral { left: Box::new(left), right: Box::new(right) },
        });
    }
    parts.extend(current);
    let as_join = parts.len() <= MAX_JOINED_PARTS;
    let join = |left, right| {
        let (left, right) = (Box::new(left), Box::new(right));
        if as_join { GraphPattern::Join { left, right } } else { GraphPattern::Lateral { left, right } }
    };
    Ok(parts.into_iter().reduce(join).unwrap_or_default())
}

/// A link that is not yet in the chain.
struct UnplacedLink {
    link: ChainLink,
    variables: HashSet<String>,
}

impl UnplacedLink {
    fn new(link: ChainLink) -> Self {
        let mut variables = HashSet::new();
        if let Some(NamedNodePattern::Variable(graph)) = &link.graph {
            variables.insert(graph.as_str().to_owned());
        }
        match &link.kind {
            ChainLinkKind::Triple(pattern) => {
                variables.extend(pattern_slots(pattern).into_iter().filter_map(|slot| match slot {
                    PatternSlot::Variable(name) => Some(name),
                    PatternSlot::Known(_) => None,
                }));
            }
            ChainLinkKind::Other(pattern) => {
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

/// The state of a chain while it is built.
struct ChainState<'a, 's> {
    around: &'a PatternContext<'s>,
    bound: HashSet<String>,
    samples: Vec<BindingRow>,
    max_samples: usize,
}

impl ChainState<'_, '_> {
    fn restart(&mut self) {
        self.bound.clone_from(&self.around.bound);
        self.samples = vec![BindingRow::new()];
    }

    /// The candidate with the fewest estimated rows per row so far. In a tie the first one is used,
    /// because the author of the query may have ordered the patterns.
    fn best_link(&self, unplaced: &[UnplacedLink], candidates: &[usize]) -> Result<usize, ArchiveError> {
        if let [only] = candidates {
            return Ok(*only);
        }
        let mut best = None;
        for &at in candidates {
            let rows = self.estimate_rows(&unplaced[at])?;
            if best.is_none_or(|(least, _)| rows < least) {
                best = Some((rows, at));
            }
        }
        Ok(best.map_or(0, |(_, at)| at))
    }

    /// The estimated rows of a link for all samples together.
    fn estimate_rows(&self, unplaced: &UnplacedLink) -> Result<u64, ArchiveError> {
        let many = self.samples.len() as u64;
        let pattern = match &unplaced.link.kind {
            ChainLinkKind::Triple(pattern) => pattern,
            ChainLinkKind::Other(GraphPattern::Values { bindings, .. }) => return Ok(many * bindings.len() as u64),
            ChainLinkKind::Other(GraphPattern::Path { subject, object, .. }) => {
                return Ok(many * guess_path_rows(self.is_known(subject), self.is_known(object)));
            }
            ChainLinkKind::Other(_) => return Ok(u64::MAX),
        };
        let slots = pattern_slots(pattern);
        // If a bound variable has no sampled value, the number of rows is guessed from the shape of
        // the pattern.
        let is_bound = |slot: &PatternSlot| matches!(slot, PatternSlot::Variable(name) if self.bound.contains(name));
        let guess = many.saturating_mul(guess_shape_rows(slots.each_ref().map(|slot| match slot {
            PatternSlot::Known(_) => true,
            PatternSlot::Variable(name) => self.bound.contains(name),
        })));
        let Some(statistics) = self.around.statistics.filter(|_| self.max_samples > 0) else { return Ok(guess) };
        let mut rows = 0u64;
        for sample in &self.samples {
            rows =
                rows.saturating_add(estimate(statistics, &self.link_graphs(&unplaced.link, sample), &slots, sample)?);
        }
        let is_sampled = |slot: &PatternSlot| matches!(slot, PatternSlot::Variable(name) if self.samples.iter().all(|row| row.contains_key(name)));
        let is_guess = slots.iter().any(|slot| is_bound(slot) && !is_sampled(slot));
        Ok(if is_guess { rows.min(guess) } else { rows })
    }

    /// The graphs in which a link is evaluated. If the sample binds the graph variable, this is the
    /// graph of the sample.
    fn link_graphs(&self, link: &ChainLink, sample: &BindingRow) -> GraphSet {
        match &link.graph {
            None => self.around.graphs.clone(),
            Some(NamedNodePattern::Variable(variable)) => match sample.get(variable.as_str()) {
                Some(Term::NamedNode(graph)) => Some(vec![graph.clone().into()]),
                _ => None,
            },
            Some(name) => graph_set(name),
        }
    }

    fn is_known(&self, term: &TermPattern) -> bool {
        match term {
            TermPattern::NamedNode(_) | TermPattern::Literal(_) => true,
            TermPattern::Variable(variable) => self.bound.contains(variable.as_str()),
            TermPattern::BlankNode(node) => self.bound.contains(&format!("_:{}", node.as_str())),
        }
    }

    /// Extends the samples by the chosen link. If no sample matches, they stay unchanged, as they
    /// are still useful.
    fn advance_samples(&mut self, chosen: &UnplacedLink) -> Result<(), ArchiveError> {
        let Some(QuadStatistics { snapshot, .. }) = self.around.statistics else { return Ok(()) };
        let mut next = Vec::new();
        match &chosen.link.kind {
            ChainLinkKind::Triple(pattern) => {
                let slots = pattern_slots(pattern);
                let graph = match &chosen.link.graph {
                    Some(NamedNodePattern::Variable(variable)) => Some(variable.as_str()),
                    _ => None,
                };
                for sample in &self.samples {
                    let graphs = self.link_graphs(&chosen.link, sample);
                    let share = (self.max_samples / self.samples.len()).max(1);
                    next.extend(extend_row(snapshot, &graphs, &slots, sample, graph, share)?);
                }
            }
            ChainLinkKind::Other(GraphPattern::Values { variables, bindings }) => {
                for row in bindings.iter().take(self.max_samples) {
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
            ChainLinkKind::Other(_) => {}
        }
        if !next.is_empty() {
            next.truncate(self.max_samples);
            self.samples = next;
        }
        Ok(())
    }
}

/// The number of rows of a pattern with this shape, as sparopt estimates it.
fn guess_shape_rows(known: [bool; 3]) -> u64 {
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

fn guess_path_rows(from: bool, to: bool) -> u64 {
    match (from, to) {
        (true, true) => 1,
        (true, false) | (false, true) => 1_000,
        (false, false) => 1_000_000_000,
    }
}
