//! Which statements are exported, and in which order.

use std::collections::HashSet;

use lodeward::config::Config;
use lodeward::open::{self, Shown, Wish};
use lodeward::provenance::Names;
use lodeward::rank::Filter;
use lodeward::registry::Registry;
use lodeward_archive::{Collection, Snapshot};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term};

use crate::arguments::Export;
use crate::commands::{candidates, crawls};
use crate::failure::Usage;

/// What was asked for.
pub(super) struct Selection {
    graphs: Graphs,
    subject: Option<NamedOrBlankNode>,
    predicate: Option<NamedNode>,
    object: Option<Term>,
    /// What crawls wrote down themselves, which is left out unless asked for.
    made: Vec<Names>,
}

enum Graphs {
    All,
    Named(Vec<NamedNode>),
    OfCrawl(Collection),
    /// Of the graphs of a crawl what is said about these.
    About(Collection, Vec<NamedOrBlankNode>),
}

/// Takes statements, and may refuse to take more.
type Taker<'a> = dyn FnMut(Quad) -> anyhow::Result<()> + 'a;

impl Selection {
    pub(super) fn of(arguments: &Export, config: &Config) -> anyhow::Result<Self> {
        let data = &arguments.data.data;
        let registry = data.join("crawls").is_dir().then(|| Registry::open(data)).transpose()?;
        let graphs = match &arguments.crawl {
            name if arguments.candidates.is_some() => about(arguments, config, name.as_deref())?,
            Some(name) => Graphs::OfCrawl(Collection(crawls::named(&Registry::open(data)?, data, name)?.id)),
            None if arguments.graph.is_empty() => Graphs::All,
            None => Graphs::Named(arguments.graph.clone()),
        };
        // A graph that is named is wanted, whatever it is.
        let is_all_wanted = arguments.provenance || !arguments.graph.is_empty();
        let crawls = match registry.filter(|_| !is_all_wanted) {
            Some(registry) => registry.look()?.ids(),
            None => Vec::new(),
        };
        let made = crawls.iter().map(|crawl| Names::new(&config.store.base, *crawl)).collect();
        let Export { subject, predicate, object, .. } = arguments;
        Ok(Self { graphs, subject: subject.clone(), predicate: predicate.clone(), object: object.clone(), made })
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
            Graphs::About(collection, subjects) => {
                let graphs = snapshot.collection_graphs(*collection).map(|graph| graph.map(GraphName::from));
                let graphs: HashSet<GraphName> = graphs.collect::<Result<_, _>>()?;
                let mut take = |quad: Quad| if graphs.contains(&quad.graph_name) { take(quad) } else { Ok(()) };
                for subject in subjects {
                    self.of_subject(snapshot, Some(subject.as_ref()), None, &mut take)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a graph was made by a crawl, rather than harvested, and is not
    /// wanted.
    fn is_made(&self, graph: &GraphName) -> bool {
        let GraphName::NamedNode(graph) = graph else { return false };
        self.made.iter().any(|names| names.is_made(graph.as_str()))
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
        self.of_subject(snapshot, self.subject.as_ref().map(NamedOrBlankNode::as_ref), graph, take)
    }

    fn of_subject(
        &self,
        snapshot: &Snapshot,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
        take: &mut Taker<'_>,
    ) -> anyhow::Result<()> {
        let predicate = self.predicate.as_ref().map(NamedNode::as_ref);
        let object = self.object.as_ref().map(Term::as_ref);
        for quad in snapshot.quads(subject, predicate, object, graph) {
            let quad = quad?;
            if !self.is_made(&quad.graph_name) {
                take(quad)?;
            }
        }
        Ok(())
    }
}

/// The candidates of a crawl whom a filter wants.
fn about(arguments: &Export, config: &Config, name: Option<&str>) -> anyhow::Result<Graphs> {
    let text = arguments.candidates.as_deref().unwrap_or_default();
    let filter = Filter::parse(text).map_err(candidates::explain_filter)?;
    let data = &arguments.data.data;
    let registry = Registry::open(data)?;
    let record = crawls::named(&registry, data, name.unwrap_or("default"))?;
    let wish = Wish { filter: &filter, shown: Shown::Undropped, offset: 0, limit: u64::MAX };
    let found = open::candidates(config, &registry.directory_of(record.id), &wish);
    let found = found.map_err(|error| candidates::explain(error, &record))?.found;
    if found.is_empty() {
        let message = format!("no candidate of the crawl `{}` is wanted by: {text}", record.name);
        let hint = Some("`lodeward candidates` lists them, and `lodeward candidates keep` marks them".to_owned());
        return Err(anyhow::Error::new(Usage { message, hint }));
    }
    let subjects = found.into_iter().map(|candidate| NamedNode::new_unchecked(candidate.row.entity).into());
    Ok(Graphs::About(Collection(record.id), subjects.collect()))
}
