//! Classes predicted by link analysis compared with those of the manifest.

use lodeward::select::link_analysis::{self, predicted_class};

use crate::ledger::{Ledger, LedgerEntryKind};
use crate::web::{GoldClass, RecordedWeb};

/// Documents by predicted class and gold class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassConfusion {
    /// One row for each predicted class.
    pub rows: Vec<PredictedClass>,
}

/// The documents with one predicted class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredictedClass {
    /// The predicted class.
    pub class: GoldClass,
    /// Number of documents with gold class R, HR, H, N.
    pub gold: [usize; 4],
    /// Number of documents with RDF or gold class HR.
    pub useful: usize,
}

/// The gold classes, in the order of the paper.
pub const GOLD_CLASSES: [GoldClass; 4] = [GoldClass::R, GoldClass::Hr, GoldClass::H, GoldClass::N];

impl PredictedClass {
    /// Number of documents.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.gold.iter().sum()
    }

    /// Number of documents whose gold class is the predicted one.
    #[must_use]
    pub fn correct(&self) -> usize {
        GOLD_CLASSES.iter().zip(self.gold).find(|(class, _)| **class == self.class).map_or(0, |(_, count)| count)
    }
}

impl ClassConfusion {
    /// The confusion matrix of a ledger of link analysis; the features of other strategies have another
    /// meaning.
    #[must_use]
    pub fn from_ledger(web: &RecordedWeb, ledger: &Ledger) -> Option<Self> {
        let mut rows = Vec::new();
        for step in ledger.steps.iter().filter(|step| step.kind == LedgerEntryKind::Document) {
            let Some((predicted, page)) = predicted_class(&step.features).zip(step.page) else { continue };
            let (class, page) = (gold_class(predicted), web.page(page));
            let index = rows.iter().position(|row: &PredictedClass| row.class == class).unwrap_or_else(|| {
                rows.push(PredictedClass { class, gold: [0; 4], useful: 0 });
                rows.len() - 1
            });
            let row = &mut rows[index];
            if let Some(column) = GOLD_CLASSES.iter().position(|class| *class == page.class) {
                row.gold[column] += 1;
            }
            row.useful += usize::from(page.is_rdf() || page.class == GoldClass::Hr);
        }
        rows.sort_by_key(|row| GOLD_CLASSES.iter().position(|class| *class == row.class));
        (!rows.is_empty()).then_some(Self { rows })
    }
}

fn gold_class(predicted: link_analysis::LinkClass) -> GoldClass {
    match predicted {
        link_analysis::LinkClass::R => GoldClass::R,
        link_analysis::LinkClass::Hr => GoldClass::Hr,
        link_analysis::LinkClass::H => GoldClass::H,
        link_analysis::LinkClass::N => GoldClass::N,
    }
}
