//! Answers kept at hand, within a bound.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::message::{Body, Response};

use super::Recording;

/// Two generations: what is asked for again while it is old becomes young
/// again, the rest is forgotten. Nearly as good as least recently used, and
/// without a list.
pub(super) struct Cache {
    generations: Mutex<Generations>,
    bytes_max: usize,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Recording, Response>,
    old: HashMap<Recording, Response>,
    young_bytes: usize,
}

impl Cache {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { generations: Mutex::default(), bytes_max }
    }

    pub(super) fn get(&self, recording: Recording) -> Option<Response> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(response) = generations.young.get(&recording) {
            return Some(response.clone());
        }
        let response = generations.old.remove(&recording)?;
        generations.keep(recording, response.clone(), self.bytes_max / 2);
        Some(response)
    }

    pub(super) fn put(&self, recording: Recording, response: Response) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.keep(recording, response, self.bytes_max / 2);
    }
}

impl Generations {
    fn keep(&mut self, recording: Recording, response: Response, bytes_max: usize) {
        // The head and the tables weigh something too.
        const OVERHEAD_BYTES: usize = 1024;
        let Body::Whole(body) = &response.body else { return };
        let bytes = body.len() + OVERHEAD_BYTES;
        if bytes > bytes_max {
            return;
        }
        if self.young_bytes + bytes > bytes_max {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(recording, response);
    }
}
