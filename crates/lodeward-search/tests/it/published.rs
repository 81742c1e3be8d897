//! The published retrieval, step by step, on a small graph.

use std::sync::Arc;

use lodeward_search::cluster::{ClusterNeighbourOptions, ClusterNeighbours, Clustering};
use lodeward_search::entity::{EntityKey, TaggedText};
use lodeward_search::retrieve::published::{
    AffinityForm, ContextFields, ExpansionKind, ExpansionScore, PublishedOptions, PublishedParts, QueryTypeChoice,
    TypeAffinity,
};
use lodeward_search::retrieve::{Hit, Method, RetrievalOptions};
use lodeward_search::vectors::{EntityVectors, VectorFeatures, VectorOptions};
use lodeward_search::{EntityDescription, EntityIndex};

use super::{entity, index_of, link};

const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";

/// A novel and a film of one name, the author, and a copy of the novel under another name.
fn potter() -> Vec<EntityDescription> {
    let mut novel = entity(1, "http://example.org/novel", "Harry Potter");
    novel.types.push("http://example.org/Novel".to_owned());
    let mut film = entity(2, "http://example.org/film", "Harry Potter");
    film.types.push("http://example.org/Film".to_owned());
    let mut author = entity(3, "http://example.org/rowling", "Joanne Rowling");
    let mut copy = entity(4, "http://example.org/copy", "The boy who lived");
    link(&mut novel, "author", &mut author);
    link(&mut novel, "copy", &mut copy);
    for (at, neighbour) in [(1, &mut novel), (0, &mut copy)] {
        neighbour.neighbours[at].predicate = EntityKey(1001);
        neighbour.neighbours[at].predicate_iri = SAME_AS.into();
    }
    let movie = entity(5, "http://example.org/soundtrack", "Potter movie soundtrack");
    vec![novel, film, author, copy, movie]
}

fn options(parts: PublishedParts) -> RetrievalOptions {
    let published = PublishedOptions { parts, ..PublishedOptions::default() };
    RetrievalOptions { published, ..RetrievalOptions::default() }
}

fn search(index: &EntityIndex, query: &str, method: Method, options: &RetrievalOptions) -> Vec<Hit> {
    index.view().and_then(|view| view.search(query, method, options, 10)).expect("the query is answered")
}

fn iris(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.iri.as_str()).collect()
}

#[test]
fn without_steps_it_is_bm25f() {
    let index = index_of(&potter());
    let options = options(PublishedParts::NONE);

    for query in ["harry potter", "potter movie", "rowling", "nothing"] {
        let expected = search(&index, query, Method::Bm25f, &options);
        assert_eq!(iris(&search(&index, query, Method::Published, &options)), iris(&expected), "{query}");
    }
}

#[test]
fn explicit_links_add_entities() {
    let index = index_of(&potter());
    let mut options = options(PublishedParts { expansion: true, ..PublishedParts::NONE });

    let clusters_only = search(&index, "harry potter", Method::Published, &options);
    options.published.expansion.kind = ExpansionKind::Links;
    // `copy` has the label of its neighbour in its fields, so it is a result by words, too.
    options.published.base_results = 2;
    let with_links = search(&index, "harry potter", Method::Published, &options);

    assert!(clusters_only.iter().all(|hit| hit.parts.iter().all(|part| part.name != "expansion")));
    let copy = with_links.iter().find(|hit| hit.iri.ends_with("copy")).expect("it is added");
    assert_eq!(copy.parts[0].name, "expansion");
}

#[test]
fn members_of_a_cluster_are_added_below_their_entity() {
    let entities = potter();
    let index = index_of(&entities);
    let Ok(vectors) = EntityVectors::read(&entities[..], &VectorOptions::new(VectorFeatures::Published));
    let clustering = Clustering { clusters: vec![0, 1, 0, 1, 2], count: 3 };
    let iri = |number: usize| entities[number].iri.clone();
    let clusters = ClusterNeighbours::new(&vectors, &clustering, &ClusterNeighbourOptions::default(), iri);
    let mut options = options(PublishedParts { expansion: true, ..PublishedParts::NONE });
    options.published.expansion.clusters = Some(Arc::new(clusters));
    options.published.base_results = 2;

    let hits = search(&index, "harry potter", Method::Published, &options);
    assert_eq!(iris(&hits[..2]), ["http://example.org/novel", "http://example.org/film"]);
    assert_eq!(hits.len(), 4, "the cluster of each adds one: {:?}", iris(&hits));

    // As printed, the distance is the score.
    options.published.expansion.score = ExpansionScore::Distance;
    let printed = search(&index, "harry potter", Method::Published, &options);
    assert!(iris(&printed)[0] != "http://example.org/novel", "{:?}", iris(&printed));

    options.published.expansion.max_cluster_size = 1;
    assert_eq!(search(&index, "harry potter", Method::Published, &options).len(), 2);
}

#[test]
fn the_type_of_a_query_decides_between_namesakes() {
    let index = index_of(&potter());
    let mut table = TypeAffinity::default();
    let counts = [
        ("film", "film", 9.0),
        ("film", "novel", 1.0),
        ("book", "novel", 9.0),
        ("book", "film", 1.0),
        ("person", "actor", 9.0),
    ];
    for (query_type, entity_type, count) in counts {
        table.add(query_type, entity_type, count);
    }
    let mut options = options(PublishedParts { affinity: true, ..PublishedParts::NONE });
    options.published.affinity.table = Arc::new(table);
    let first = |options: &RetrievalOptions, query: &str| {
        search(&index, query, Method::Published, options)[0].iri.trim_start_matches("http://example.org/").to_owned()
    };

    for form in [AffinityForm::Published, AffinityForm::Scaled, AffinityForm::Lift] {
        options.published.affinity.form = form;
        options.published.affinity.query_type = QueryTypeChoice::Given("film".to_owned());
        assert_eq!(first(&options, "harry potter"), "film", "{form:?}");
        options.published.affinity.query_type = QueryTypeChoice::Given("book".to_owned());
        assert_eq!(first(&options, "harry potter"), "novel", "{form:?}");
        options.published.affinity.query_type = QueryTypeChoice::Given("mineral".to_owned());
        assert_eq!(first(&options, "harry potter"), "novel", "an unknown type changes nothing: {form:?}");
        options.published.affinity.query_type = QueryTypeChoice::Detected;
        let hits = search(&index, "harry potter movies", Method::Published, &options);
        let place = |name: &str| hits.iter().position(|hit| hit.iri.ends_with(name));
        assert!(place("/film") < place("/novel") || place("/novel").is_none(), "{form:?}");
    }
}

#[test]
fn context_words_count_where_they_are_allowed() {
    let mut entities = potter();
    entities[0].descriptions.push(TaggedText::plain("a magical school"));
    let index = index_of(&entities);
    let mut options = options(PublishedParts { context: true, ..PublishedParts::NONE });
    let context = |options: &RetrievalOptions| {
        let hits = search(&index, "harry potter magical", Method::Published, options);
        let novel = hits.into_iter().find(|hit| hit.iri.ends_with("novel")).expect("it is found");
        novel.parts.into_iter().find(|part| part.name == "context").map_or(0.0, |part| part.value)
    };

    assert!((context(&options) - 1.0).abs() < 1e-9);
    options.published.context.fields = ContextFields::Names;
    assert!(context(&options).abs() < 1e-9);
    options.published.context.fields = ContextFields::Literals;
    options.published.context.max_literal_words = 2;
    assert!(context(&options).abs() < 1e-9, "it has many literals: only names count");
}
