//! Entity search over RDF: finds entities by plain words.
//!
//! [`EntityIndex`] holds one document per entity: its labels, other names, descriptions, types, the
//! labels of its neighbours and the words of the predicates between them. The caller describes an
//! entity as a whole ([`EntityDescription`]); a description replaces the previous one. Queries read
//! an [`IndexView`], the index as of its last commit.
//!
//! ```
//! use lodeward_search::entity::{EntityDescription, EntityKey, TaggedText};
//! use lodeward_search::retrieve::{Method, RetrievalOptions};
//! use lodeward_search::{EntityIndex, IndexOptions};
//!
//! # fn main() -> Result<(), lodeward_search::SearchError> {
//! let index = EntityIndex::in_memory(IndexOptions::default())?;
//! let mut cathedral = EntityDescription::new(EntityKey(1), "http://example.org/reims");
//! cathedral.labels.push(TaggedText::plain("Reims Cathedral"));
//! cathedral.descriptions.push(TaggedText::plain("Gothic church in France"));
//! index.put(&cathedral)?;
//! index.commit("position 1")?;
//!
//! let hits = index.view()?.search("gothic cathedrals", Method::Ranked, &RetrievalOptions::default(), 10)?;
//! assert_eq!(hits[0].iri, "http://example.org/reims");
//! # Ok(())
//! # }
//! ```

pub mod cluster;
pub mod entity;
pub mod index;
mod numbers;
mod parallel;
pub mod recent;
pub mod retrieve;
pub mod same_as;
pub mod similar;
pub mod source;
pub mod text;
pub mod vectors;

pub use entity::EntityDescription;
pub use index::{EntityIndex, IndexOptions, IndexView, SearchError};
