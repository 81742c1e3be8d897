//! Mutates documents.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

use super::targets::{DICTIONARY, MAX_INPUT_BYTES};

/// Mutates documents with its own random number generator.
pub(crate) struct Mutator {
    rng: SmallRng,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: SmallRng::seed_from_u64(seed) }
    }

    /// A document of the corpus, changed a few times.
    pub(crate) fn input(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus.choose(&mut self.rng).cloned().unwrap_or_default();
        // Mostly one or two mutations: a document with many mutations is rejected at its beginning.
        let changes = 1 << self.rng.random_range(0..5);
        for _ in 0..self.rng.random_range(1..=changes) {
            self.change(&mut input, corpus);
        }
        input.truncate(MAX_INPUT_BYTES);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        match self.rng.random_range(0..10) {
            0 => self.flip(input),
            1 => self.overwrite(input),
            2 => self.insert_bytes(input),
            3 => self.delete(input),
            4 => self.duplicate(input),
            5 => self.splice(input, corpus),
            6 | 7 => self.insert_token(input),
            8 => self.insert_run(input),
            _ => {
                let end = self.position(input);
                input.truncate(end);
            }
        }
    }

    fn position(&mut self, input: &[u8]) -> usize {
        self.rng.random_range(0..=input.len())
    }

    /// A range of the input, short ones more often than long ones.
    fn range(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let start = self.position(input);
        let length_max = 1 << self.rng.random_range(0..12);
        let length = self.rng.random_range(0..=length_max);
        start..input.len().min(start + length)
    }

    fn flip(&mut self, input: &mut [u8]) {
        let bit = self.rng.random_range(0..8);
        if let Some(byte) = self.byte(input) {
            *byte ^= 1 << bit;
        }
    }

    fn overwrite(&mut self, input: &mut [u8]) {
        let value = self.unusual_byte();
        if let Some(byte) = self.byte(input) {
            *byte = value;
        }
    }

    fn byte<'a>(&mut self, input: &'a mut [u8]) -> Option<&'a mut u8> {
        let at = self.position(input);
        input.get_mut(at)
    }

    fn unusual_byte(&mut self) -> u8 {
        const BYTES: &[u8] = b"\0\t\n\r \"#%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xbf\xc0\xe2\xef\xf4\xfe\xff";
        if self.rng.random() { self.rng.random() } else { *BYTES.choose(&mut self.rng).expect("some") }
    }

    fn insert(&mut self, input: &mut Vec<u8>, bytes: impl IntoIterator<Item = u8>) {
        let at = self.position(input);
        input.splice(at..at, bytes);
    }

    fn insert_bytes(&mut self, input: &mut Vec<u8>) {
        let bytes: Vec<u8> = (0..self.rng.random_range(1..5)).map(|_| self.unusual_byte()).collect();
        self.insert(input, bytes);
    }

    fn delete(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input);
        input.drain(range);
    }

    fn duplicate(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input);
        let copy = input[range].to_vec();
        self.insert(input, copy);
    }

    /// Replaces a piece of this document by a piece of another one.
    fn splice(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let Some(other) = corpus.choose(&mut self.rng) else { return };
        let piece = self.range(other);
        let target_range = self.range(input);
        input.splice(target_range, other[piece].iter().copied());
    }

    fn insert_token(&mut self, input: &mut Vec<u8>) {
        let token = DICTIONARY.choose(&mut self.rng).expect("the dictionary is not empty");
        self.insert(input, token.bytes());
    }

    /// Inserts a token many times: deep nesting, long lines.
    fn insert_run(&mut self, input: &mut Vec<u8>) {
        let token = DICTIONARY.choose(&mut self.rng).expect("the dictionary is not empty");
        let times = 1_usize << self.rng.random_range(1..15);
        let times = times.min(MAX_INPUT_BYTES / 2 / token.len());
        self.insert(input, token.repeat(times).into_bytes());
    }
}
