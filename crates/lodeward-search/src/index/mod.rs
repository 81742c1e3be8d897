//! The index of entities: writing and opening it.
//!
//! One document of the index per entity. A description replaces the previous one. Changes become
//! visible, and survive the end of the process, with [`EntityIndex::commit`], together with a
//! payload of the caller: the position up to which the index is complete.

use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use tantivy::directory::MmapDirectory;
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, Term};

mod adjacency;
mod contents;
mod document;
mod field_terms;
mod schema;
mod similarity_norms;
mod view;

pub(crate) use adjacency::StoredNeighbours;
pub use contents::IndexedEntity;
pub use document::Bounds;
pub(crate) use document::{MAX_FORM_WORDS, StoredRecord, before_comma, form, join_form, without_parenthesis};
pub use schema::FieldName;
pub(crate) use schema::{FIELD_COUNT, IndexSchema};
pub(crate) use similarity_norms::SimilarityNorms;
pub use view::{EntitySummary, IndexView};

use self::field_terms::SharedTerms;
use crate::entity::{EntityDescription, EntityKey};
use crate::text::StemmedLanguages;

/// Memory of the writer; tantivy's minimum is 15 MB.
const WRITER_BYTES: usize = 32_000_000;

/// The index could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Error of the index.
    #[error("search index: {0}")]
    Index(#[from] tantivy::TantivyError),
    /// The directory cannot be opened.
    #[error("cannot open the search index: {0}")]
    Open(#[from] tantivy::directory::error::OpenDirectoryError),
    /// A file cannot be read.
    #[error("cannot read the search index: {0}")]
    Read(#[from] std::io::Error),
    /// A stored record cannot be decoded.
    #[error("the search index is damaged: a record cannot be decoded")]
    Damaged,
}

impl SearchError {
    /// Whether the index is open elsewhere.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Index(tantivy::TantivyError::LockFailure(..)))
    }
}

/// Options of an index.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Languages whose words are stemmed. A change needs a new index.
    pub stemmed: StemmedLanguages,
    /// How much of one entity is indexed.
    pub bounds: Bounds,
}

/// An index of entities.
pub struct EntityIndex {
    schema: IndexSchema,
    options: IndexOptions,
    writing: Mutex<IndexWriting>,
    reader: IndexReader,
    views: view::ViewCache,
}

/// What is needed to write.
struct IndexWriting {
    writer: IndexWriter,
    shared: SharedTerms,
}

impl EntityIndex {
    /// Opens the index in a directory, which must exist; creates it if the directory is empty.
    pub fn open(directory: &Path, options: IndexOptions) -> Result<Self, SearchError> {
        let schema = IndexSchema::new();
        let files = MmapDirectory::open(directory)?;
        Self::with(tantivy::Index::open_or_create(files, schema.schema.clone())?, schema, options)
    }

    /// Creates an index in memory.
    pub fn in_memory(options: IndexOptions) -> Result<Self, SearchError> {
        let schema = IndexSchema::new();
        Self::with(tantivy::Index::create_in_ram(schema.schema.clone()), schema, options)
    }

    fn with(mut index: tantivy::Index, schema: IndexSchema, options: IndexOptions) -> Result<Self, SearchError> {
        index.set_tokenizers(IndexSchema::tokenizers());
        index.set_fast_field_tokenizers(IndexSchema::tokenizers());
        // One thread: the index is written beside a crawl, which needs the other cores.
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let writing = Mutex::new(IndexWriting { writer, shared: SharedTerms::default() });
        Ok(Self { schema, options, writing, reader, views: view::ViewCache::default() })
    }

    /// Replaces the description of an entity.
    pub fn put(&self, entity: &EntityDescription) -> Result<(), SearchError> {
        let IndexWriting { writer, shared } = &mut *self.writing();
        let IndexOptions { stemmed, bounds } = &self.options;
        let document = document::build(&self.schema, stemmed, bounds, shared, entity);
        writer.delete_term(Term::from_field_u64(self.schema.key, entity.key.0));
        writer.add_document(document)?;
        Ok(())
    }

    fn writing(&self) -> MutexGuard<'_, IndexWriting> {
        self.writing.lock().expect("no thread panics while it writes")
    }

    /// Removes an entity.
    pub fn remove(&self, key: EntityKey) {
        self.writing().writer.delete_term(Term::from_field_u64(self.schema.key, key.0));
    }

    /// Removes all entities.
    pub fn clear(&self) -> Result<(), SearchError> {
        self.writing().writer.delete_all_documents()?;
        Ok(())
    }

    /// Forgets the changes since the last commit.
    pub fn rollback(&self) -> Result<(), SearchError> {
        self.writing().writer.rollback()?;
        Ok(())
    }

    /// Makes all changes visible and durable, together with a payload.
    pub fn commit(&self, payload: &str) -> Result<(), SearchError> {
        let mut writing = self.writing();
        let mut prepared = writing.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        self.reader.reload()?;
        Ok(())
    }

    /// Returns the payload of the last commit.
    pub fn payload(&self) -> Result<Option<String>, SearchError> {
        Ok(self.reader.searcher().index().load_metas()?.payload)
    }

    /// Returns the index as of the last commit, for queries.
    pub fn view(&self) -> Result<IndexView, SearchError> {
        self.views.view(self.reader.searcher(), &self.schema, &self.options.stemmed)
    }
}
