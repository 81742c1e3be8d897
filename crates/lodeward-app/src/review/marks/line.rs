//! The lines of the mark file: one change of the mark of one entity each.

use serde::{Deserialize, Serialize};

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// The entity is relevant.
    Keep,
    /// The entity is not relevant.
    Drop,
}

impl MarkKind {
    /// The name of the kind: `keep` or `drop`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// A mark of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkRecord {
    /// Kind of the mark.
    pub mark: MarkKind,
    /// Author and time of the mark.
    pub author: MarkAuthor,
}

/// Author and time of a mark, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkAuthor {
    /// Name of the user.
    pub user: Option<String>,
    /// Time in milliseconds since the Unix epoch.
    pub at_ms: Option<u64>,
}

/// A change of the mark of an entity, as in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkChange {
    /// IRI of the entity.
    pub entity: String,
    /// The mark that was set; `None` if the mark was removed.
    pub mark: Option<MarkKind>,
    /// The mark before the change.
    pub previous: Option<MarkKind>,
    /// Number of the change that this one belongs to; `None` if a compaction has lost it.
    pub batch: Option<u64>,
    /// Whether the change undid an earlier change.
    pub is_undo: bool,
    /// User and time of the change.
    pub author: MarkAuthor,
}

/// A change of marks by one request: a key press, or all candidates that match a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkBatch {
    /// Number of the change, from 1.
    pub number: u64,
    /// The mark that was set; `None` if marks were removed. For an undo, the mark of the first entity.
    pub mark: Option<MarkKind>,
    /// Number of changed marks.
    pub count: u64,
    /// The first changed entity.
    pub first: String,
    /// The filter that selected the entities.
    pub filter: Option<String>,
    /// The change that this one undoes.
    pub undoes: Option<u64>,
    /// Whether the change was undone.
    pub is_undone: bool,
    /// User and time of the change.
    pub author: MarkAuthor,
}

/// A line of the mark file: one change of the mark of one entity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkLine {
    pub(super) entity: String,
    /// The mark that was set; `None` if the mark was removed.
    pub(super) mark: Option<MarkKind>,
    /// The mark before this change, which an undo restores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) previous: Option<MarkKind>,
    /// Number of the batch. Lines written by one change belong to the same batch; 0 if the batch
    /// is unknown after a compaction.
    #[serde(default)]
    pub(super) batch: u64,
    /// Number of the batch that this batch undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undoes: Option<u64>,
    /// The filter that selected the entities of the batch; only in its first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) filter: Option<String>,
    /// Name of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    /// Time in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at_ms: Option<u64>,
}

impl MarkLine {
    pub(super) fn author(&self) -> MarkAuthor {
        MarkAuthor { user: self.by.clone(), at_ms: self.at_ms }
    }

    /// The mark that this line sets, if it sets one.
    pub(super) fn record(&self) -> Option<MarkRecord> {
        self.mark.map(|mark| MarkRecord { mark, author: self.author() })
    }

    /// The line that undoes this one.
    pub(super) fn reverse(&self, batch: u64, author: &MarkAuthor) -> Self {
        Self {
            entity: self.entity.clone(),
            mark: self.previous,
            previous: self.mark,
            batch,
            undoes: Some(self.batch),
            filter: None,
            by: author.user.clone(),
            at_ms: author.at_ms,
        }
    }

    pub(super) fn to_change(&self) -> MarkChange {
        let (entity, mark, previous) = (self.entity.clone(), self.mark, self.previous);
        let batch = Some(self.batch).filter(|batch| *batch > 0);
        MarkChange { entity, mark, previous, batch, is_undo: self.undoes.is_some(), author: self.author() }
    }
}
