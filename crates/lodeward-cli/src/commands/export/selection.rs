//! Which statements are exported, and in which order.

use lodeward::registry::Registry;
use lodeward_archive::{Collection, Snapshot};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, Quad, Term};

use crate::arguments::Export;
use crate::commands::crawls;

/// What was asked for.
pub(super) struct Selection {
    graphs: Graphs,
    subject: Option<NamedOrBlankNode>,
    predicate: Option<NamedNode>,
    object: Option<Term>,
}

enum Graphs {
    All,
    Named(Vec<NamedNode>),
    OfCrawl(Collection),
}

/// Takes statements, and may refuse to take more.
type Taker<'a> = dyn FnMut(Quad) -> anyhow::Result<()> + 'a;

impl Selection {
    pub(super) fn of(arguments: &Export) -> anyhow::Result<Self> {
        let graphs = match &arguments.crawl {
            Some(name) => {
                let registry = Registry::open(&arguments.data.data)?;
                Graphs::OfCrawl(Collection(crawls::named(&registry, &arguments.data.data, name)?.id))
            }
            None if arguments.graph.is_empty() => Graphs::All,
            None => Graphs::Named(arguments.graph.clone()),
        };
        let Export { subject, predicate, object, .. } = arguments;
        Ok(Self { graphs, subject: subject.clone(), predicate: predicate.clone(), object: object.clone() })
    }

    /// Hands over every statement that was asked for; those of one graph
    /// together, if that is wanted and costs no look at graphs in vain.
    pub(super) fn each(&self, snapshot: &Snapshot, by_graph: bool, take: &mut Taker<'_>) -> anyhow::Result<()> {
        match &self.graphs {
            Graphs::All if by_graph && !self.has_pattern() => {
                self.of_graph(snapshot, Some(GraphNameRef::DefaultGraph), take)?;
                for graph in snapshot.named_graphs() {
                    self.of_graph(snapshot, Some(GraphName::from(graph?).as_ref()), take)?;
                }
            }
            Graphs::All => self.of_graph(snapshot, None, take)?,
            Graphs::Named(graphs) => {
                for graph in graphs {
                    self.of_graph(snapshot, Some(graph.as_ref().into()), take)?;
                }
            }
            Graphs::OfCrawl(collection) => {
                for graph in snapshot.collection_graphs(*collection) {
                    self.of_graph(snapshot, Some(GraphName::from(graph?).as_ref()), take)?;
                }
            }
        }
        Ok(())
    }

    fn has_pattern(&self) -> bool {
        self.subject.is_some() || self.predicate.is_some() || self.object.is_some()
    }

    fn of_graph(
        &self,
        snapshot: &Snapshot,
        graph: Option<GraphNameRef<'_>>,
        take: &mut Taker<'_>,
    ) -> anyhow::Result<()> {
        let subject = self.subject.as_ref().map(NamedOrBlankNode::as_ref);
        let predicate = self.predicate.as_ref().map(NamedNode::as_ref);
        let object = self.object.as_ref().map(Term::as_ref);
        for quad in snapshot.quads(subject, predicate, object, graph) {
            take(quad?)?;
        }
        Ok(())
    }
}
