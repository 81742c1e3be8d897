//! The index as of one commit, prepared for queries.
//!
//! Entities are numbered densely over all segments of the index, so that scores can be kept in
//! plain arrays. What is derived from a segment is kept while the segment exists.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use foldhash::{HashMap, HashMapExt};
use tantivy::columnar::{Column, StrColumn};
use tantivy::index::SegmentId;
use tantivy::postings::SegmentPostings;
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{DocAddress, DocSet, Opstamp, Searcher, SegmentReader, TERMINATED, TantivyDocument, Term};

use super::{FIELD_COUNT, FieldName, IndexSchema, SearchError, SimilarityNorms, StoredNeighbours, StoredRecord};
use crate::entity::{EntityKey, NeighbourName};
use crate::numbers::real;
use crate::text::StemmedLanguages;

/// Number of an entity in a view.
pub(crate) type EntityNumber = u32;

/// The index as of one commit.
#[derive(Clone)]
pub struct IndexView {
    pub(crate) schema: IndexSchema,
    pub(crate) stemmed: StemmedLanguages,
    searcher: Searcher,
    segments: Vec<ViewSegment>,
    /// Number of the first entity of each segment, and the end of the last.
    bases: Vec<EntityNumber>,
    /// Number of entities.
    pub(crate) entities: u64,
    /// Mean lengths of the text fields, empty ones included.
    pub(crate) mean_lengths: [f64; FIELD_COUNT],
    /// Number of entities by place of a label term in its segment, plus 1; 0 if not counted yet.
    label_counts: Arc<Vec<OnceLock<Vec<AtomicU32>>>>,
    /// What similar entities are compared by, once it was needed.
    pub(crate) similarity: Arc<OnceLock<SimilarityNorms>>,
}

/// What a result shows of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntitySummary {
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
    /// Its first description, cut; may be empty.
    pub description: String,
    /// IRIs of its types.
    pub types: Vec<String>,
}

/// A segment as of one commit.
#[derive(Clone)]
struct ViewSegment {
    columns: Arc<SegmentColumns>,
    deleted_at: Option<Opstamp>,
    /// Sums of the lengths over the entities that are not removed.
    total_lengths: [u64; FIELD_COUNT],
}

/// Columns of one segment, which never change.
struct SegmentColumns {
    id: SegmentId,
    /// Numbers of entities with their documents, removed ones included, sorted.
    documents: Vec<(u64, u32)>,
    keys: Column<u64>,
    /// Lengths of the text fields by document; longer ones count as the greatest number. A plain list,
    /// because queries read them at random.
    lengths: [Vec<u16>; FIELD_COUNT],
    main_length: Column<u64>,
    degree: Column<u64>,
    label_terms: Option<StrColumn>,
    /// Sums of the lengths over all entities, removed ones included.
    total_lengths: [u64; FIELD_COUNT],
}

/// Keeps what was derived from the segments of the last view.
#[derive(Default)]
pub(super) struct ViewCache {
    last: Mutex<Option<IndexView>>,
}

impl ViewCache {
    pub(super) fn view(
        &self,
        searcher: Searcher,
        schema: &IndexSchema,
        stemmed: &StemmedLanguages,
    ) -> Result<IndexView, SearchError> {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(view) = &*last
            && view.searcher.generation().generation_id() == searcher.generation().generation_id()
        {
            return Ok(view.clone());
        }
        let known = last.as_ref().map_or(&[][..], |view| &view.segments);
        let view = IndexView::new(searcher, schema, stemmed, known)?;
        *last = Some(view.clone());
        Ok(view)
    }
}

impl SegmentColumns {
    fn new(segment: &SegmentReader, schema: &IndexSchema) -> Result<Self, SearchError> {
        let columns = segment.fast_fields();
        let column = |field: Field| columns.u64(schema.schema.get_field_name(field));
        let keys = column(schema.key)?;
        let mut documents: Vec<(u64, u32)> =
            (0..segment.max_doc()).filter_map(|doc| Some((keys.first(doc)?, doc))).collect();
        documents.sort_unstable();
        let mut lengths: [Vec<u16>; FIELD_COUNT] = std::array::from_fn(|_| Vec::new());
        for (field, list) in schema.lengths.into_iter().zip(&mut lengths) {
            let column = column(field)?;
            let length = |doc| u16::try_from(column.first(doc).unwrap_or(0)).unwrap_or(u16::MAX);
            *list = (0..segment.max_doc()).map(length).collect();
        }
        let total = |lengths: &Vec<u16>| lengths.iter().map(|length| u64::from(*length)).sum();
        Ok(Self {
            id: segment.segment_id(),
            total_lengths: lengths.each_ref().map(total),
            main_length: column(schema.main_length)?,
            degree: column(schema.degree)?,
            label_terms: columns.str(FieldName::Label.name())?,
            documents,
            keys,
            lengths,
        })
    }
}

impl ViewSegment {
    /// Returns the segment, derived from what is known of it.
    fn new(segment: &SegmentReader, schema: &IndexSchema, known: &[Self]) -> Result<Self, SearchError> {
        let known = known.iter().find(|known| known.columns.id == segment.segment_id());
        let columns = match known {
            Some(known) if known.deleted_at == segment.delete_opstamp() => return Ok(known.clone()),
            Some(known) => Arc::clone(&known.columns),
            None => Arc::new(SegmentColumns::new(segment, schema)?),
        };
        let mut total_lengths = columns.total_lengths;
        for doc in (0..segment.max_doc()).filter(|doc| segment.is_deleted(*doc)) {
            for (total, lengths) in total_lengths.iter_mut().zip(&columns.lengths) {
                *total -= u64::from(lengths[doc as usize]);
            }
        }
        Ok(Self { columns, deleted_at: segment.delete_opstamp(), total_lengths })
    }
}

impl IndexView {
    fn new(
        searcher: Searcher,
        schema: &IndexSchema,
        stemmed: &StemmedLanguages,
        known: &[ViewSegment],
    ) -> Result<Self, SearchError> {
        let mut segments = Vec::new();
        let mut bases = vec![0];
        for segment in searcher.segment_readers() {
            segments.push(ViewSegment::new(segment, schema, known)?);
            bases.push(bases[bases.len() - 1] + segment.max_doc());
        }
        let entities = searcher.num_docs();
        let mean = |at: usize| {
            let total: u64 = segments.iter().map(|segment| segment.total_lengths[at]).sum();
            real(total) / real(entities.max(1))
        };
        Ok(Self {
            similarity: Arc::default(),
            label_counts: Arc::new(segments.iter().map(|_| OnceLock::new()).collect()),
            mean_lengths: std::array::from_fn(mean),
            schema: schema.clone(),
            stemmed: stemmed.clone(),
            searcher,
            segments,
            bases,
            entities,
        })
    }

    /// Number of entities in the index.
    #[must_use]
    pub fn entity_count(&self) -> u64 {
        self.entities
    }

    /// End of the numbers of entities; some numbers are unused.
    pub(crate) fn number_end(&self) -> usize {
        self.bases[self.bases.len() - 1] as usize
    }

    /// The numbers of all entities.
    pub(crate) fn live_numbers(&self) -> impl Iterator<Item = EntityNumber> + '_ {
        let segments = self.searcher.segment_readers().iter().zip(&self.bases);
        segments.flat_map(|(segment, base)| segment.doc_ids_alive().map(move |doc| base + doc))
    }

    pub(crate) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Number of the first entity of a segment.
    pub(crate) fn base(&self, segment: usize) -> EntityNumber {
        self.bases[segment]
    }

    /// Splits the number of an entity into segment and document.
    fn address(&self, number: EntityNumber) -> (usize, u32) {
        let segment = self.bases.partition_point(|base| *base <= number) - 1;
        (segment, number - self.bases[segment])
    }

    /// Returns the number of an entity in this view.
    pub(crate) fn number(&self, key: EntityKey) -> Option<EntityNumber> {
        let readers = self.searcher.segment_readers();
        self.segments.iter().zip(readers).zip(&self.bases).find_map(|((segment, reader), base)| {
            let documents = &segment.columns.documents;
            let start = documents.partition_point(|(known, _)| *known < key.0);
            let mut same = documents[start..].iter().take_while(|(known, _)| *known == key.0);
            same.find(|(_, doc)| !reader.is_deleted(*doc)).map(|(_, doc)| base + doc)
        })
    }

    /// Whether an entity is in the index.
    #[must_use]
    pub fn contains(&self, key: EntityKey) -> bool {
        self.number(key).is_some()
    }

    /// Returns the name under which an entity of the index is in the fields of its neighbours.
    pub fn neighbour_name(&self, key: EntityKey) -> Result<Option<NeighbourName>, SearchError> {
        let Some(number) = self.number(key) else { return Ok(None) };
        Ok(Some(self.record(number)?.neighbour_name()))
    }

    /// Returns what a result shows of an entity; `None` if it is not in the index.
    pub fn summary(&self, key: EntityKey) -> Result<Option<EntitySummary>, SearchError> {
        let Some(number) = self.number(key) else { return Ok(None) };
        let StoredRecord { iri, label, description, types, .. } = self.record(number)?;
        Ok(Some(EntitySummary { iri, label, description, types }))
    }

    /// Returns the number that the caller gave an entity.
    pub(crate) fn key(&self, number: EntityNumber) -> EntityKey {
        let (segment, doc) = self.address(number);
        EntityKey(self.segments[segment].columns.keys.first(doc).unwrap_or(0))
    }

    /// Returns the values of an entity in a column of texts.
    pub(crate) fn column_values(&self, column: &str, number: EntityNumber) -> Result<Vec<String>, SearchError> {
        let (segment, doc) = self.address(number);
        let mut values = Vec::new();
        if let Some(column) = self.searcher.segment_readers()[segment].fast_fields().str(column)? {
            for place in column.term_ords(doc) {
                let mut value = String::new();
                column.ord_to_str(place, &mut value)?;
                values.push(value);
            }
        }
        Ok(values)
    }

    /// Number of entities with a term in the field where it is most frequent; removed ones may be
    /// included.
    pub(crate) fn max_frequency(&self, term: &str) -> Result<u64, SearchError> {
        let mut most = 0;
        for field in FieldName::ALL {
            most = most.max(self.indexed_frequency(field, term)?);
        }
        Ok(most)
    }

    /// Number of entities with a term in a field, removed ones included: fast, and exact after a merge.
    pub(crate) fn indexed_frequency(&self, field: FieldName, term: &str) -> Result<u64, SearchError> {
        let mut sum = 0;
        for segment in self.searcher.segment_readers() {
            let info = segment.inverted_index(self.schema.text[field as usize])?.terms().get(term)?;
            sum += info.map_or(0, |info| u64::from(info.doc_freq));
        }
        Ok(sum)
    }

    /// Returns terms of labels and aliases that begin with a prefix, with the number of entities.
    pub(crate) fn name_terms(&self, prefix: &str, max: usize) -> Result<Vec<(String, u64)>, SearchError> {
        let mut found: HashMap<String, u64> = HashMap::new();
        for field in [FieldName::Label, FieldName::Alias].map(|field| self.schema.text[field as usize]) {
            for segment in self.searcher.segment_readers() {
                let index = segment.inverted_index(field)?;
                let mut terms = index.terms().range().ge(prefix).into_stream()?;
                let mut read = 0;
                while read < max && terms.advance() && terms.key().starts_with(prefix.as_bytes()) {
                    read += 1;
                    let term = String::from_utf8_lossy(terms.key()).into_owned();
                    *found.entry(term).or_default() += u64::from(terms.value().doc_freq);
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Number of distinct neighbours of an entity.
    pub(crate) fn degree(&self, number: EntityNumber) -> u64 {
        let (segment, doc) = self.address(number);
        self.segments[segment].columns.degree.first(doc).unwrap_or(0)
    }

    /// Number of terms of an entity in a field.
    pub(crate) fn field_length(&self, field: FieldName, number: EntityNumber) -> u64 {
        let (segment, doc) = self.address(number);
        u64::from(self.segments[segment].columns.lengths[field as usize][doc as usize])
    }

    /// Calls `visit` for every entity that has a term in a field: number of the entity, frequency
    /// of the term, length of the field.
    pub(crate) fn for_each_posting(
        &self,
        field: FieldName,
        term: &str,
        mut visit: impl FnMut(EntityNumber, u32, u64),
    ) -> Result<(), SearchError> {
        for (at, segment) in self.segments.iter().enumerate() {
            let lengths = &segment.columns.lengths[field as usize];
            let Some(mut postings) = self.postings(at, self.schema.text[field as usize], term)? else { continue };
            let reader = &self.searcher.segment_readers()[at];
            let alive = reader.alive_bitset();
            while postings.doc() != TERMINATED {
                let doc = postings.doc();
                if alive.is_none_or(|alive| alive.is_alive(doc)) {
                    let frequency = tantivy::postings::Postings::term_freq(&postings);
                    visit(self.bases[at] + doc, frequency, u64::from(lengths[doc as usize]));
                }
                postings.advance();
            }
        }
        Ok(())
    }

    /// The same for some entities only, which must be sorted.
    pub(crate) fn for_each_posting_among(
        &self,
        field: FieldName,
        term: &str,
        among: &[EntityNumber],
        mut visit: impl FnMut(EntityNumber, u32, u64),
    ) -> Result<(), SearchError> {
        for (at, segment) in self.segments.iter().enumerate() {
            let lengths = &segment.columns.lengths[field as usize];
            let Some(mut postings) = self.postings(at, self.schema.text[field as usize], term)? else { continue };
            let (base, end) = (self.bases[at], self.bases[at + 1]);
            let own = among.partition_point(|number| *number < base)..among.partition_point(|number| *number < end);
            for number in &among[own] {
                let doc = number - base;
                if postings.doc() < doc && postings.seek(doc) == TERMINATED {
                    break;
                }
                if postings.doc() == doc {
                    let frequency = tantivy::postings::Postings::term_freq(&postings);
                    visit(*number, frequency, u64::from(lengths[doc as usize]));
                }
            }
        }
        Ok(())
    }

    /// Returns the entities with a term in a field that is indexed as a whole, up to a limit.
    pub(crate) fn entities_with(&self, field: Field, term: &str, max: usize) -> Result<Vec<EntityNumber>, SearchError> {
        let mut found = Vec::new();
        for at in 0..self.segments.len() {
            let Some(mut postings) = self.postings(at, field, term)? else { continue };
            let alive = self.searcher.segment_readers()[at].alive_bitset();
            while postings.doc() != TERMINATED && found.len() < max {
                if alive.is_none_or(|alive| alive.is_alive(postings.doc())) {
                    found.push(self.bases[at] + postings.doc());
                }
                postings.advance();
            }
        }
        Ok(found)
    }

    fn postings(&self, segment: usize, field: Field, term: &str) -> Result<Option<SegmentPostings>, SearchError> {
        let index = self.searcher.segment_readers()[segment].inverted_index(field)?;
        Ok(index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::WithFreqs)?)
    }

    /// Number of entities with a term in a field, without removed ones.
    pub(crate) fn document_frequency(&self, field: FieldName, term: &[u8]) -> Result<u64, SearchError> {
        let field = self.schema.text[field as usize];
        let mut sum = 0;
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let Some(info) = index.terms().get(term)? else { continue };
            if !segment.has_deletes() {
                sum += u64::from(info.doc_freq);
                continue;
            }
            let mut postings = index.read_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
            while postings.doc() != TERMINATED {
                sum += u64::from(!segment.is_deleted(postings.doc()));
                postings.advance();
            }
        }
        Ok(sum)
    }

    /// Returns the sum of the inverse document frequencies of the terms of an entity's main name.
    pub(crate) fn main_name_weight(&self, number: EntityNumber) -> Result<f64, SearchError> {
        let (at, doc) = self.address(number);
        let segment = &self.segments[at].columns;
        let Some(column) = &segment.label_terms else { return Ok(0.0) };
        let length = usize::try_from(segment.main_length.first(doc).unwrap_or(0)).unwrap_or(usize::MAX);
        let mut weight = 0.0;
        for place in column.term_ords(doc).take(length) {
            weight += self.idf(self.label_frequency(at, column, place)?);
        }
        Ok(weight)
    }

    fn label_frequency(&self, segment: usize, column: &StrColumn, place: u64) -> Result<u64, SearchError> {
        let counters = self.label_counts[segment]
            .get_or_init(|| std::iter::repeat_with(|| AtomicU32::new(0)).take(column.num_terms()).collect());
        let counter = usize::try_from(place).ok().and_then(|place| counters.get(place));
        let Some(counter) = counter else { return Ok(0) };
        match counter.load(Ordering::Relaxed) {
            0 => {}
            known => return Ok(u64::from(known - 1)),
        }
        let mut term = Vec::new();
        column.dictionary().ord_to_term(place, &mut term)?;
        let frequency = self.document_frequency(FieldName::Label, &term)?;
        counter.store(u32::try_from(frequency + 1).unwrap_or(u32::MAX), Ordering::Relaxed);
        Ok(frequency)
    }

    /// Inverse document frequency of a term that `frequency` entities have.
    pub(crate) fn idf(&self, frequency: u64) -> f64 {
        let (all, with) = (real(self.entities), real(frequency));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Returns the main name of an entity, as a term of the field `main`.
    pub(crate) fn main_name(&self, number: EntityNumber) -> Result<String, SearchError> {
        let (at, doc) = self.address(number);
        let mut name = String::new();
        let column = self.searcher.segment_readers()[at].fast_fields().str("main")?;
        if let Some(column) = column
            && let Some(place) = column.term_ords(doc).next()
        {
            column.ord_to_str(place, &mut name)?;
        }
        Ok(name)
    }

    /// Reads the stored record of an entity.
    pub(crate) fn record(&self, number: EntityNumber) -> Result<StoredRecord, SearchError> {
        self.stored(number, self.schema.record)
    }

    /// Reads the neighbours of an entity.
    pub(crate) fn neighbours(&self, number: EntityNumber) -> Result<StoredNeighbours, SearchError> {
        self.stored(number, self.schema.adjacency)
    }

    fn stored<T: serde::de::DeserializeOwned>(&self, number: EntityNumber, field: Field) -> Result<T, SearchError> {
        let (segment, doc) = self.address(number);
        let address = DocAddress::new(u32::try_from(segment).unwrap_or(u32::MAX), doc);
        let document: TantivyDocument = self.searcher.doc(address)?;
        let bytes = document.get_first(field).and_then(|value| value.as_bytes()).ok_or(SearchError::Damaged)?;
        postcard::from_bytes(bytes).map_err(|_| SearchError::Damaged)
    }
}
