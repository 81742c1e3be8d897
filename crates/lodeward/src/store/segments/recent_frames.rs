//! The last frames of the log in memory, for followers that are up to date.
//!
//! Such a follower needs neither read nor unpack what was just written. Frames are held only while
//! a reader has not passed them, and up to a limit: a reader that is late reads the segments.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::frame::FrameLabel;
use super::frame_metadata::FrameMetadata;

/// Maximum bytes of N-Quads in memory.
const MAX_BYTES: usize = 8 << 20;

/// A frame that was written.
#[derive(Clone)]
pub(super) struct RecentFrame {
    pub(super) segment: u32,
    /// Where the frame begins and ends in the segment.
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) label: FrameLabel,
    pub(super) raw: Arc<[u8]>,
    pub(super) metadata: FrameMetadata,
}

impl RecentFrame {
    fn begin(&self) -> FramePoint {
        (self.segment, self.begin)
    }
}

/// A segment and an offset.
type FramePoint = (u32, u64);

/// The last frames, and the readers that have not passed them.
#[derive(Default)]
pub(super) struct RecentFrames(Mutex<RecentFramesState>);

#[derive(Default)]
struct RecentFramesState {
    /// In the order of the log.
    frames: VecDeque<RecentFrame>,
    bytes: usize,
    /// How far each reader is, by its number.
    readers: Vec<(u64, FramePoint)>,
    next_reader: u64,
}

impl RecentFrames {
    fn state(&self) -> MutexGuard<'_, RecentFramesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a reader. Returns its number.
    pub(super) fn add_reader(&self, at: FramePoint) -> u64 {
        let mut state = self.state();
        let number = state.next_reader;
        state.next_reader += 1;
        state.readers.push((number, at));
        number
    }

    pub(super) fn remove_reader(&self, number: u64) {
        let mut state = self.state();
        state.readers.retain(|reader| reader.0 != number);
        state.trim();
    }

    /// Adds a frame, unless there are no readers.
    pub(super) fn push(&self, frame: impl FnOnce() -> RecentFrame) {
        let mut state = self.state();
        if state.readers.is_empty() {
            return;
        }
        let frame = frame();
        state.bytes += frame.raw.len();
        state.frames.push_back(frame);
        while state.bytes > MAX_BYTES {
            state.pop_front();
        }
    }

    /// The frame at the position of a reader, which passes it; `None` if it is not in memory.
    pub(super) fn take(&self, reader: u64, at: FramePoint) -> Option<RecentFrame> {
        let mut state = self.state();
        let index = state.frames.binary_search_by_key(&at, RecentFrame::begin).ok()?;
        let end = (at.0, state.frames[index].end);
        if index == 0 && state.is_last_reader(reader, end) {
            state.move_reader(reader, end);
            return state.pop_front();
        }
        let frame = state.frames[index].clone();
        state.move_reader(reader, end);
        state.trim();
        Some(frame)
    }

    /// Records that a reader has read up to this position.
    pub(super) fn pass(&self, reader: u64, at: FramePoint) {
        let mut state = self.state();
        state.move_reader(reader, at);
        state.trim();
    }
}

impl RecentFramesState {
    fn pop_front(&mut self) -> Option<RecentFrame> {
        let frame = self.frames.pop_front()?;
        self.bytes -= frame.raw.len();
        Some(frame)
    }

    /// Whether all other readers have passed this position.
    fn is_last_reader(&self, number: u64, at: FramePoint) -> bool {
        self.readers.iter().all(|reader| reader.0 == number || reader.1 >= at)
    }

    fn move_reader(&mut self, number: u64, to: FramePoint) {
        if let Some(reader) = self.readers.iter_mut().find(|reader| reader.0 == number) {
            reader.1 = to;
        }
    }

    /// Removes the frames that all readers have passed.
    fn trim(&mut self) {
        let passed = self.readers.iter().map(|reader| reader.1).min().unwrap_or((u32::MAX, 0));
        while self.frames.front().is_some_and(|frame| frame.begin() < passed) {
            self.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::FrameWriter;
    use super::*;

    fn frame(begin: u64, bytes: usize) -> RecentFrame {
        let (_, label) = FrameWriter::new(1).unwrap().encode_frame(1, b"", &[]).unwrap();
        let metadata = FrameMetadata::default();
        RecentFrame { segment: 1, begin, end: begin + 10, label, raw: vec![0; bytes].into(), metadata }
    }

    fn held(frames: &RecentFrames) -> (usize, usize) {
        let state = frames.state();
        (state.frames.len(), state.bytes)
    }

    #[test]
    fn frames_are_held_until_every_reader_has_passed_them() {
        let frames = RecentFrames::default();
        frames.push(|| unreachable!("there are no readers"));
        let (fast, slow) = (frames.add_reader((1, 0)), frames.add_reader((1, 0)));
        frames.push(|| frame(0, 5));
        frames.push(|| frame(10, 6));

        assert_eq!(frames.take(fast, (1, 0)).map(|frame| frame.end), Some(10));
        assert_eq!(frames.take(fast, (1, 10)).map(|frame| frame.end), Some(20));
        assert_eq!(held(&frames), (2, 11));
        assert_eq!(frames.take(slow, (1, 0)).map(|frame| frame.end), Some(10));
        assert_eq!(held(&frames), (1, 6));
        frames.pass(slow, (1, 20));
        assert_eq!(held(&frames), (0, 0));
        frames.push(|| frame(20, 7));
        frames.remove_reader(fast);
        assert_eq!(held(&frames), (1, 7));
        frames.remove_reader(slow);
        assert_eq!(held(&frames), (0, 0));
    }

    #[test]
    fn the_oldest_frames_are_not_held_for_a_late_reader() {
        let frames = RecentFrames::default();
        let late = frames.add_reader((1, 0));

        for number in 0..4 {
            frames.push(|| frame(10 * number, MAX_BYTES / 3));
        }

        assert_eq!(held(&frames), (3, 3 * (MAX_BYTES / 3)));
        assert!(frames.take(late, (1, 0)).is_none());
        assert!(frames.take(late, (1, 10)).is_some());
    }
}
