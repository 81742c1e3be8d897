//! The classes that link analysis predicted, beside those of the manifest.

use lodeward::select::links::{self, class_of};

use crate::ledger::{Kind, Ledger};
use crate::web::{Class, Web};

/// Documents by predicted class and gold class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// A row for each class that was predicted.
    pub rows: Vec<Predicted>,
}

/// The documents for which one class was predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The class.
    pub class: Class,
    /// How many turned out to be R, HR, H, N.
    pub gold: [usize; 4],
    /// How many hold RDF or are HR.
    pub useful: usize,
}

/// The gold classes, in the order of the paper.
pub const GOLD: [Class; 4] = [Class::R, Class::Hr, Class::H, Class::N];

impl Predicted {
    /// How many there are.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.gold.iter().sum()
    }

    /// How many are of the class that was predicted.
    #[must_use]
    pub fn right(&self) -> usize {
        GOLD.iter().zip(self.gold).find(|(class, _)| **class == self.class).map_or(0, |(_, count)| count)
    }
}

impl Classes {
    /// Of a ledger of link analysis: what others see of a candidate means
    /// something else.
    #[must_use]
    pub fn of(web: &Web, ledger: &Ledger) -> Option<Self> {
        let mut rows = Vec::new();
        for step in ledger.steps.iter().filter(|step| step.kind == Kind::Document) {
            let Some((predicted, page)) = class_of(&step.features).zip(step.page) else { continue };
            let (class, page) = (gold(predicted), web.page(page));
            let place = rows.iter().position(|row: &Predicted| row.class == class).unwrap_or_else(|| {
                rows.push(Predicted { class, gold: [0; 4], useful: 0 });
                rows.len() - 1
            });
            let row = &mut rows[place];
            if let Some(column) = GOLD.iter().position(|class| *class == page.class) {
                row.gold[column] += 1;
            }
            row.useful += usize::from(page.is_rdf() || page.class == Class::Hr);
        }
        rows.sort_by_key(|row| GOLD.iter().position(|class| *class == row.class));
        (!rows.is_empty()).then_some(Self { rows })
    }
}

fn gold(predicted: links::Class) -> Class {
    match predicted {
        links::Class::R => Class::R,
        links::Class::Hr => Class::Hr,
        links::Class::H => Class::H,
        links::Class::N => Class::N,
    }
}
