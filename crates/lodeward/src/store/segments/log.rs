//! Reading the segments as a log: what has changed, in the order in which it
//! was written.

use std::fs::File;
use std::io::{self, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::Snapshot;

use super::super::StoreError;
use super::super::follow::{Change, Position, Statements};
use super::export::{end_of_record, is_first_line, nameless, read_first_line};
use super::frame::{Frames, Label, Next};
use super::index::Location;
use super::shared::Shared;
use super::slip::Slip;
use super::tail::{End, Tail};
use super::writer::segment_path;

/// The log of a store. Cheap to clone.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
}

/// How much is read at a time. A frame is read whole, so a group may have a few
/// more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Records.
    pub records_max: u64,
    /// Bytes of N-Quads.
    pub bytes_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { records_max: 1_024, bytes_max: 4 << 20 }
    }
}

/// What was read at a time.
#[derive(Clone, Debug)]
pub struct Group {
    /// What has changed.
    pub changes: Vec<Change>,
    /// Where the next group begins.
    pub upto: Position,
    /// Records that were read, also those that are no longer current.
    pub records: u64,
    /// Bytes of the log that were read.
    pub bytes: u64,
}

/// How much there is between two places of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distance {
    /// Records.
    pub records: u64,
    /// Bytes of segments.
    pub bytes: u64,
}

impl Log {
    pub(super) fn of(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared) }
    }

    pub(in crate::store) fn tail(&self) -> &Tail {
        &self.shared.tail
    }

    /// Reads on from a position, or from the beginning.
    ///
    /// A position that is not one of this log, because a power cut has taken what
    /// was before it, is brought back to the beginning of its segment: earlier
    /// ones were synced before they were left. Whatever is read again from there
    /// has been applied before, and applying is idempotent.
    pub fn read(&self, from: Option<Position>) -> Result<Reader, StoreError> {
        let from = from.unwrap_or(Position::BEGINNING);
        let mut reader = Reader { log: self.clone(), at: Position::beginning_of(from.segment), open: None };
        let last = self.tail().end().segment;
        if from.segment > last || from.segment == 0 {
            reader.at = Position::beginning_of(last);
        } else if reader.find(from)? {
            reader.at = from;
        } else {
            tracing::warn!(segment = from.segment, offset = from.offset, "the log has lost what was read of it");
            reader.at = Position::beginning_of(from.segment);
        }
        reader.open = None;
        Ok(reader)
    }
}

/// Somebody who reads the log.
pub struct Reader {
    log: Log,
    at: Position,
    /// The segment that is being read, at the position.
    open: Option<Open>,
}

struct Open {
    path: Arc<PathBuf>,
    frames: Frames<BufReader<File>>,
}

/// A frame that has been read, with what belongs to it.
struct Page {
    begin: Position,
    label: Label,
    raw: Arc<[u8]>,
    slip: Slip,
    /// Where the frames are that hold the rest of its only document.
    rest: Option<Range<u64>>,
    path: Arc<PathBuf>,
}

impl Reader {
    /// Where it is.
    #[must_use]
    pub fn position(&self) -> Position {
        self.at
    }

    /// How much there is to read. Looks at labels only.
    pub fn distance(&self) -> Result<Distance, StoreError> {
        self.distance_to(self.log.tail().end())
    }

    /// Whether there is something to read before this end.
    pub(in crate::store) fn has_more_before(&self, end: End) -> bool {
        (self.at.segment, self.at.offset) < (end.segment, end.bytes)
    }

    pub(in crate::store) fn distance_to(&self, end: End) -> Result<Distance, StoreError> {
        let mut scout = Self { log: self.log.clone(), at: self.at, open: None };
        let mut distance = Distance::default();
        while scout.is_before(end)? {
            let begin = scout.at.offset;
            distance.records += u64::from(scout.pass_over()?.documents);
            distance.bytes += scout.at.offset - begin;
        }
        Ok(distance)
    }

    /// Reads a group; `None` if there is nothing more, for now.
    pub fn next_group(&mut self, bounds: Bounds) -> Result<Option<Group>, StoreError> {
        // The end first: whatever is before it, the index then knows.
        let end = self.log.tail().end();
        let snapshot = self.log.shared.index.snapshot();
        let mut group = Group { changes: Vec::new(), upto: self.at, records: 0, bytes: 0 };
        let mut raw_bytes = 0;
        while group.records < bounds.records_max && raw_bytes < bounds.bytes_max && self.is_before(end)? {
            let mut page = self.page(end)?;
            raw_bytes += page.raw.len();
            group.records += u64::from(page.label.documents);
            group.bytes += self.at.offset - page.begin.offset;
            group.upto = self.at;
            self.read_page(&mut page, &snapshot, &mut group.changes)?;
            if page.rest.is_some() {
                // A large document is a group of its own, or ends one.
                break;
            }
        }
        Ok((group.bytes > 0).then_some(group))
    }

    /// Adds what the records of a page have changed.
    fn read_page(&self, page: &mut Page, snapshot: &Snapshot, changes: &mut Vec<Change>) -> Result<(), StoreError> {
        // The rest of a document that was never indexed, and whose beginning was
        // cut off or passed over.
        if page.label.documents == 0 {
            return Ok(());
        }
        let mut place = 0;
        for record in 0..page.label.documents {
            let lines = &page.raw[place..];
            let first_line = memchr::memchr(b'\n', lines).map_or(lines, |end| &lines[..=end]);
            let (document, quads) = read_first_line(first_line).ok_or_else(|| nameless(&page.path))?;
            let begin = place + first_line.len();
            place = begin + end_of_record(&page.raw[begin..]);
            let here = (page.begin.segment, page.begin.ordinal + record);
            let provenance = page.slip.take(record);
            match self.log.shared.index.current(snapshot, document.fingerprint())? {
                None => {
                    // What is known of its end is with the record of none; records
                    // of before tell of what is no more.
                    let provenance = provenance.filter(|_| quads == 0);
                    changes.push(Change { document, statements: Statements::none(), quads: 0, provenance });
                }
                Some(Location { segment, ordinal, .. }) if (segment, ordinal) == here => {
                    let statements = match &page.rest {
                        Some(rest) => Statements::streamed(Arc::clone(&page.path), rest.clone()),
                        None => Statements::held(Arc::clone(&page.raw), begin..place),
                    };
                    changes.push(Change { document, statements, quads, provenance });
                }
                // Replaced, or written by a process that died before it could
                // index what it wrote.
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Reads a frame; of one that begins a large document also where that ends.
    fn page(&mut self, end: End) -> Result<Page, StoreError> {
        let begin = self.at;
        let open = self.open()?;
        let path = Arc::clone(&open.path);
        let unreadable = |source| StoreError::Unreadable { path: path.to_path_buf(), source };
        let label = whole(open.frames.advance().map_err(unreadable)?, &path)?;
        let slip = Slip::decode(&open.frames.unpack_slip().map_err(unreadable)?);
        let raw: Arc<[u8]> = open.frames.unpack(label).map_err(unreadable)?.into();
        let bytes = open.frames.bytes();
        self.advance(label, bytes);
        let is_large = is_first_line(&raw) && read_first_line(&raw).is_some_and(|(_, quads)| quads > 0);
        let rest = if is_large { Some(self.pass_over_rest(end)?) } else { None };
        Ok(Page { begin, label, raw, slip, rest, path })
    }

    /// Passes over frames in which no record begins. Tells where they are.
    fn pass_over_rest(&mut self, end: End) -> Result<Range<u64>, StoreError> {
        let begin = self.at;
        while self.has_more_before(end) && self.at.offset < self.segment_bytes()? {
            let before = self.at;
            if self.pass_over()?.documents > 0 {
                self.at = before;
                self.open = None;
                break;
            }
        }
        Ok(begin.offset..self.at.offset)
    }

    /// Passes over a frame.
    fn pass_over(&mut self) -> Result<Label, StoreError> {
        let open = self.open()?;
        let unreadable = |source| StoreError::Unreadable { path: open.path.to_path_buf(), source };
        let label = whole(open.frames.pass_over().map_err(unreadable)?, &open.path)?;
        let bytes = open.frames.bytes();
        self.advance(label, bytes);
        Ok(label)
    }

    fn advance(&mut self, label: Label, bytes: u64) {
        self.at.offset += bytes;
        self.at.ordinal += label.documents;
        self.at.check = label.checksum;
    }

    /// Whether there is something to read before this end. At the end of a
    /// segment goes on to the next.
    fn is_before(&mut self, end: End) -> Result<bool, StoreError> {
        while self.at.segment < end.segment && self.at.offset >= self.segment_bytes()? {
            self.at = Position::beginning_of(self.at.segment + 1);
            self.open = None;
        }
        Ok(self.has_more_before(end))
    }

    fn segment_bytes(&self) -> Result<u64, StoreError> {
        let path = segment_path(&self.log.shared.directory, self.at.segment);
        let about = path.metadata().map_err(|source| StoreError::Unreadable { path, source })?;
        Ok(about.len())
    }

    /// Goes from the beginning of a segment to this position in it. Tells whether
    /// it is one.
    fn find(&mut self, position: Position) -> Result<bool, StoreError> {
        let end = self.log.tail().end();
        let bytes = if position.segment == end.segment { end.bytes } else { self.segment_bytes()? };
        while self.at < position && self.at.offset < bytes {
            self.pass_over()?;
        }
        Ok(self.at == position)
    }

    fn open(&mut self) -> Result<&mut Open, StoreError> {
        if self.open.is_none() {
            let path = segment_path(&self.log.shared.directory, self.at.segment);
            let frames = open_at(&path, self.at.offset)
                .map_err(|source| StoreError::Unreadable { path: path.clone(), source })?;
            self.open = Some(Open { path: Arc::new(path), frames });
        }
        Ok(self.open.as_mut().expect("a segment was just opened"))
    }
}

fn open_at(path: &Path, offset: u64) -> io::Result<Frames<BufReader<File>>> {
    let mut frames = Frames::new(BufReader::with_capacity(64 << 10, File::open(path)?))?;
    frames.seek(offset)?;
    Ok(frames)
}

/// A frame before the end of the log is whole, or the disk has rotted.
fn whole(next: Next, path: &Path) -> Result<Label, StoreError> {
    let what = match next {
        Next::Frame(label) => return Ok(label),
        Next::End => "it ends before the log does",
        Next::Torn(what) => what,
    };
    Err(StoreError::Corrupted { path: path.to_path_buf(), what: what.to_owned() })
}
