//! Scores crawls of ORCA worlds with ORCA's measures.
//!
//! *Micro recall* is the share of all expected statements that were found. *Macro recall* is the mean of the recall of
//! the nodes. A dereferencing node, a dump or an endpoint is expected to contribute its triples, in any graph; a
//! catalogue, a DCAT pattern for each dataset; an RDFa site, the triples of its entry page, and for each test page that
//! the query of the test succeeds.
//!
//! The *fulfilment* of a delay is the ratio of the mean delay between requests to a node and the delay that its
//! robots.txt requests: below 1 is impolite. Requests for robots.txt and for disallowed resources are excluded; the
//! latter are counted separately. Additional quads in a harvest are not scored, because a crawler may add statements of
//! its own.

mod harvest;
mod report;
mod request_log;

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::Context as _;
use oxigraph::model::Quad;
use oxttl::NQuadsParser;

pub use report::{DelayScore, DisallowedScore, NodeRequests, NodeScore, OrcaRecall, OrcaScore};

use super::OrcaWeb;
use crate::access_log::AccessLogEntry;
use crate::score::open;
use harvest::OrcaHarvest;
use request_log::OrcaRequestLog;

/// Scores a crawl of an ORCA world, quad by quad and request by request.
pub struct OrcaScorer<'a> {
    web: &'a OrcaWeb,
    harvest: OrcaHarvest<'a>,
    requests: OrcaRequestLog<'a>,
    unreadable_lines: u64,
}

impl<'a> OrcaScorer<'a> {
    /// A score for a crawl of this world.
    #[must_use]
    pub fn new(web: &'a OrcaWeb) -> Self {
        Self { web, harvest: OrcaHarvest::new(web), requests: OrcaRequestLog::new(web), unreadable_lines: 0 }
    }

    /// Adds a harvested quad.
    pub fn add_quad(&mut self, quad: Quad) {
        self.harvest.push(quad);
    }

    /// Adds all quads of an N-Quads (or N-Triples) file.
    pub fn read_quads(&mut self, reader: impl BufRead) {
        for quad in NQuadsParser::new().for_reader(reader) {
            match quad {
                Ok(quad) => self.add_quad(quad),
                Err(oxttl::TurtleParseError::Syntax(_)) => self.unreadable_lines += 1,
                // A read error ends the file and is counted as one unreadable line.
                Err(oxttl::TurtleParseError::Io(_)) => {
                    self.unreadable_lines += 1;
                    break;
                }
            }
        }
    }

    /// Adds a request.
    pub fn add_request(&mut self, entry: &AccessLogEntry) {
        self.requests.push(entry);
    }

    /// Adds all requests of an access log. A truncated last line is accepted, because a killed server leaves one.
    pub fn read_requests(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut broken = None;
        for line in reader.lines() {
            if let Some(problem) = broken {
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            match AccessLogEntry::parse(&line?) {
                Ok(entry) => self.add_request(&entry),
                Err(problem) => broken = Some(problem),
            }
        }
        Ok(())
    }

    /// The score.
    #[must_use]
    pub fn finish(self) -> OrcaScore {
        let quads = self.harvest.quads;
        let mut score = OrcaScore::from_counts(self.web, &self.harvest.counts());
        score.quads = quads;
        score.unreadable_lines = self.unreadable_lines;
        self.requests.fill_score(&mut score);
        score
    }
}

impl OrcaScore {
    /// Scores a crawl from its files: the server's access log, and the harvested N-Quads, which may be compressed
    /// (`.gz`, `.zst`).
    pub fn from_files(web: &OrcaWeb, log: Option<&Path>, quads: Option<&Path>) -> anyhow::Result<Self> {
        let mut scorer = OrcaScorer::new(web);
        if let Some(log) = log {
            scorer.read_requests(open(log)?).with_context(|| format!("cannot read `{}`", log.display()))?;
        }
        if let Some(quads) = quads {
            scorer.read_quads(open(quads)?);
        }
        Ok(scorer.finish())
    }
}
