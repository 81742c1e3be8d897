//! How well a crawler did, by ORCA's measures.
//!
//! *Micro recall* is the share of all that was expected which was found, *macro
//! recall* the mean of the nodes' own. What is expected of a dereferencing
//! node, a dump or an endpoint are its triples, in whatever graph; of a
//! catalogue, a pattern of DCAT for each dataset; of an RDFa site, the triples
//! of its entrance, and of each test page that the query of the test holds.
//!
//! The *fulfilment* of a delay is the mean gap between requests to a node over
//! the gap that its robots.txt asks for: below 1 is impolite. Requests of
//! robots.txt and of what it forbids are not counted; the latter are counted
//! apart. There is no measure of what was brought home besides, since a
//! crawler may well say more than it was told.

mod harvest;
mod report;
mod visits;

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::Context as _;
use oxigraph::model::Quad;
use oxttl::NQuadsParser;

pub use report::{Delays, Disallowed, NodeScore, Recall, Requests, Score};

use super::OrcaWeb;
use crate::access_log::Entry;
use crate::score::open;
use harvest::Harvest;
use visits::Visits;

/// Scores a crawl of an ORCA world, quad by quad and request by request.
pub struct Scorer<'a> {
    web: &'a OrcaWeb,
    harvest: Harvest<'a>,
    visits: Visits<'a>,
    unreadable_lines: u64,
}

impl<'a> Scorer<'a> {
    /// A score for a crawl of this world.
    #[must_use]
    pub fn new(web: &'a OrcaWeb) -> Self {
        Self { web, harvest: Harvest::new(web), visits: Visits::new(web), unreadable_lines: 0 }
    }

    /// Takes note of a quad that was brought home.
    pub fn quad(&mut self, quad: Quad) {
        self.harvest.push(quad);
    }

    /// Takes note of all quads of a file of N-Quads (or N-Triples).
    pub fn quads(&mut self, reader: impl BufRead) {
        for quad in NQuadsParser::new().for_reader(reader) {
            match quad {
                Ok(quad) => self.quad(quad),
                Err(oxttl::TurtleParseError::Syntax(_)) => self.unreadable_lines += 1,
                // What cannot be read on counts as one line.
                Err(oxttl::TurtleParseError::Io(_)) => {
                    self.unreadable_lines += 1;
                    break;
                }
            }
        }
    }

    /// Takes note of a request.
    pub fn request(&mut self, entry: &Entry) {
        self.visits.push(entry);
    }

    /// Takes note of all requests of an access log. A last line cut short is
    /// what a killed server leaves; any other line must be whole.
    pub fn requests(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut broken = None;
        for line in reader.lines() {
            if let Some(problem) = broken {
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            match Entry::parse(&line?) {
                Ok(entry) => self.request(&entry),
                Err(problem) => broken = Some(problem),
            }
        }
        Ok(())
    }

    /// The score.
    #[must_use]
    pub fn finish(self) -> Score {
        let quads = self.harvest.quads;
        let mut score = Score::of(self.web, &self.harvest.counts());
        score.quads = quads;
        score.unreadable_lines = self.unreadable_lines;
        self.visits.tell(&mut score);
        score
    }
}

impl Score {
    /// Scores a crawl from the files it left: the server's access log, and the
    /// N-Quads brought home, which may be packed (`.gz`, `.zst`).
    pub fn of_files(web: &OrcaWeb, log: Option<&Path>, quads: Option<&Path>) -> anyhow::Result<Self> {
        let mut scorer = Scorer::new(web);
        if let Some(log) = log {
            scorer.requests(open(log)?).with_context(|| format!("cannot read `{}`", log.display()))?;
        }
        if let Some(quads) = quads {
            scorer.quads(open(quads)?);
        }
        Ok(scorer.finish())
    }
}
