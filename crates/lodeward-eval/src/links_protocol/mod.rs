//! The protocol of link analysis (§IV of the paper).
//!
//! One site at a time, from its entry page, up to 2000 documents of it, and
//! nothing else in the world: how often the predicted classes are right (Table
//! I), what each heuristic is worth (Table II), and how many RDF documents are
//! discovered for each that is fetched, beside a crawler that queues all links
//! alike (Fig. 4). The figures are made for each site, then averaged.
//!
//! Departures. The paper's sites have more documents than were fetched; most of
//! ours would be exhausted, and whoever fetches everything discovers the same.
//! So the discovery rate is that after half of what the site has, or after 2000
//! documents. A redirect is a request of the crawl, but not a document.
//!
//! HR is measured two ways: as in the paper, a page with a link to an RDF
//! document; and as the manifest says, also a page with RDF inside.

mod gates;
mod gold;
mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use lodeward::model::Uri;
use lodeward::select::links::{Class as Predicted, Heuristic, LinkAnalysis, Lists, class_of, heuristics_of};
use lodeward::select::{BreadthFirst, Strategy};

use crate::ledger::Ledger;
use crate::trial::{Start, Trial, TrialError, run};
use crate::web::{Class, PageId, Web};
use gates::Gates;
use gold::Gold;

pub use report::{csv, page, picture};

/// What is asked of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Documents that are fetched of a site at most.
    pub documents_max: usize,
    /// Sites with fewer documents within reach of their entry page are left out.
    pub documents_min: usize,
    /// Those with fewer documents that hold RDF, too.
    pub rdf_min: usize,
    /// Whether robots.txt files are obeyed.
    pub obeys_robots: bool,
    /// Where a site is entered.
    pub entrance: Entrance,
}

/// Where a site is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// At its entry page, as in the paper.
    EntryPage,
    /// There, and wherever other sites of the web lead into it. Of many sites of
    /// a recorded web little can be reached from one page.
    AllGates,
}

impl Default for Protocol {
    /// The paper has at least 2000 documents and 100 RDF documents; the mini web
    /// has hardly a site like that.
    fn default() -> Self {
        Self {
            documents_max: 2_000,
            documents_min: 150,
            rdf_min: 10,
            obeys_robots: true,
            entrance: Entrance::EntryPage,
        }
    }
}

/// How one site was crawled.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its host.
    pub host: String,
    /// Where its crawls began.
    pub entry: Uri,
    /// Documents within reach of that, 2000 at most.
    pub documents: usize,
    /// Those of them that are RDF documents, class R.
    pub rdf_documents: usize,
    /// Those of them that hold RDF, inside a page or not.
    pub rdf: usize,
    /// After how many documents discoveries are counted.
    pub counted_at: usize,
    /// Without a focus: all links are queued alike.
    pub unfocused: Discovery,
    /// As the paper has it.
    pub focused: Focused,
    /// With `select.embedded`: pages with RDF inside join `S_HR`, too.
    pub repaired: Focused,
}

/// What was discovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Documents that were counted.
    pub documents: usize,
    /// RDF documents among them: those of class R.
    pub rdf_documents: usize,
    /// Those of them that had been predicted as such.
    pub predicted: usize,
    /// Documents among them that hold RDF, inside a page or not.
    pub rdf: usize,
}

/// A crawl by link analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focused {
    /// What it discovered.
    pub discovery: Discovery,
    /// Predicted as R.
    pub r: Hits,
    /// Predicted as HR, right if it links to an RDF document.
    pub hr_paper: Hits,
    /// Predicted as HR, right if it does that or has RDF inside.
    pub hr_ours: Hits,
    /// How each heuristic did, in the order of [`Heuristic::ALL`].
    pub heuristics: Vec<Hits>,
}

/// How often something was predicted, and how often it was so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// How often it was predicted.
    pub predicted: usize,
    /// How often it was so.
    pub right: usize,
}

impl Hits {
    fn note(&mut self, right: bool) {
        self.predicted += 1;
        self.right += usize::from(right);
    }

    /// The share of predictions that were right; `None` without any.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.predicted > 0).then(|| share(self.right, self.predicted))
    }
}

/// Crawls every site that is large enough.
pub fn crawl(web: &Arc<Web>, protocol: &Protocol) -> Result<Vec<Site>, TrialError> {
    let (gold, gates) = (Gold::of(web), Gates::of(web));
    let mut sites = Vec::new();
    for entry in &web.entries {
        let mut start = vec![entry.clone()];
        if protocol.entrance == Entrance::AllGates {
            start.extend(gates.of_host(web, entry.host()).filter(|gate| *gate != entry).cloned());
        }
        sites.extend(site(web, &gold, start, protocol)?);
    }
    Ok(sites)
}

fn site(web: &Arc<Web>, gold: &Gold, start: Vec<Uri>, protocol: &Protocol) -> Result<Option<Site>, TrialError> {
    let entry = start[0].clone();
    let trial = Trial {
        start: Start::These(start),
        hosts: Some([entry.host().to_owned()].into()),
        obeys_robots: protocol.obeys_robots,
        ..Trial::default()
    };
    let fetch = |strategy: Box<dyn Strategy>| run(web, &trial, strategy);
    let unfocused = fetch(Box::new(BreadthFirst))?;
    let pages: Vec<PageId> = unfocused.documents().map(|(page, _)| page).take(protocol.documents_max).collect();
    let rdf = pages.iter().filter(|page| web.page(**page).is_rdf()).count();
    if pages.len() < protocol.documents_min || rdf < protocol.rdf_min {
        return Ok(None);
    }
    let all = unfocused.documents().count();
    let counted_at = (all / 2).min(protocol.documents_max);
    let focused = |strategy: LinkAnalysis| -> Result<Focused, TrialError> {
        let ledger = fetch(Box::new(strategy))?;
        Ok(look(web, gold, &ledger, counted_at, protocol.documents_max))
    };
    let paper = LinkAnalysis::new(Lists::built_in());
    Ok(Some(Site {
        host: entry.host().to_owned(),
        entry,
        documents: pages.len(),
        rdf_documents: pages.iter().filter(|page| web.page(**page).class == Class::R).count(),
        rdf,
        counted_at,
        unfocused: discovery(web, &unfocused, counted_at),
        focused: focused(paper.clone())?,
        repaired: focused(paper.embedded(true))?,
    }))
}

fn discovery(web: &Web, ledger: &Ledger, counted_at: usize) -> Discovery {
    let mut discovery = Discovery::default();
    for (page, step) in ledger.documents().take(counted_at) {
        let page = web.page(page);
        let is_rdf_document = page.class == Class::R;
        discovery.documents += 1;
        discovery.rdf_documents += usize::from(is_rdf_document);
        discovery.predicted += usize::from(is_rdf_document && class_of(&step.features) == Some(Predicted::R));
        discovery.rdf += usize::from(page.is_rdf());
    }
    discovery
}

/// Reads a crawl of link analysis back. Nothing is predicted of the entry page.
fn look(web: &Web, gold: &Gold, ledger: &Ledger, counted_at: usize, documents_max: usize) -> Focused {
    let heuristics = vec![Hits::default(); Heuristic::ALL.len()];
    let mut focused = Focused { discovery: discovery(web, ledger, counted_at), heuristics, ..Focused::default() };
    for (page, step) in ledger.documents().take(documents_max) {
        let predicted = class_of(&step.features);
        let right = match predicted {
            Some(Predicted::R) => {
                let right = web.page(page).class == Class::R;
                focused.r.note(right);
                right
            }
            Some(Predicted::Hr) => {
                focused.hr_paper.note(gold.leads_to_rdf(page));
                let right = web.page(page).class == Class::Hr;
                focused.hr_ours.note(right);
                right
            }
            Some(Predicted::H | Predicted::N) | None => continue,
        };
        // At the end of a redirect there may be some that speak for another class.
        let speaks = |heuristic: &Heuristic| (*heuristic == Heuristic::Similar) == (predicted == Some(Predicted::Hr));
        for heuristic in heuristics_of(&step.features).iter().filter(speaks) {
            focused.heuristics[heuristic.number() as usize].note(right);
        }
    }
    focused
}

impl Focused {
    /// The share of right predictions of its class that a heuristic made, among
    /// others or alone; `None` if there is none.
    #[must_use]
    pub fn recall(&self, heuristic: Heuristic) -> Option<f64> {
        let of_class = if heuristic == Heuristic::Similar { self.hr_ours } else { self.r };
        let right = self.heuristics.get(heuristic.number() as usize)?.right;
        (of_class.right > 0).then(|| share(right, of_class.right))
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer documents than a double can count")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
