//! Rows of ids.

/// Rows of ids, one after the other. 0 is no value.
#[derive(Clone, Debug)]
pub(super) struct RowBatch {
    width: usize,
    cells: Vec<u64>,
}

impl RowBatch {
    /// No rows. A row has at least one cell.
    pub(super) fn new(width: usize) -> Self {
        Self { width, cells: Vec::new() }
    }

    /// One row without values.
    pub(super) fn with_empty_row(width: usize) -> Self {
        Self { width, cells: vec![0; width] }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.width
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.cells.chunks_exact(self.width)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.cells.chunks_exact_mut(self.width)
    }

    pub(super) fn row(&self, at: usize) -> &[u64] {
        &self.cells[at * self.width..][..self.width]
    }

    /// Adds a row that `fill` completes, unless it returns `false`.
    pub(super) fn push_with(&mut self, row: &[u64], fill: impl FnOnce(&mut [u64]) -> bool) {
        let begin = self.cells.len();
        self.cells.extend_from_slice(row);
        if !fill(&mut self.cells[begin..]) {
            self.cells.truncate(begin);
        }
    }

    pub(super) fn push(&mut self, row: &[u64]) {
        self.cells.extend_from_slice(row);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.cells.extend_from_slice(&other.cells);
    }

    /// Keeps the rows that `is_kept` accepts, by their position.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            if is_kept(at) {
                if kept < at {
                    self.cells.copy_within(at * self.width..(at + 1) * self.width, kept * self.width);
                }
                kept += 1;
            }
        }
        self.cells.truncate(kept * self.width);
    }

    /// The values of some cells of all rows.
    pub(super) fn values(&self, cells: &[usize]) -> Vec<u64> {
        let mut values = Vec::with_capacity(self.len() * cells.len());
        for row in self.rows() {
            values.extend(cells.iter().map(|cell| row[*cell]));
        }
        values
    }
}
