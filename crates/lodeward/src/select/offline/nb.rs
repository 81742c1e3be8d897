//! Naive Bayes, trained before the crawl.

use super::{Classifier, Example};
use crate::select::ftrl::sigmoid;
use crate::select::naive_bayes::NaiveBayes;

/// Counts examples whose features are below `dimensions`.
#[must_use]
pub fn train(dimensions: usize, examples: &[Example]) -> NaiveBayes {
    let mut model = NaiveBayes::new(dimensions);
    for Example { features, label } in examples {
        model.learn(features, *label);
    }
    model
}

impl Classifier for NaiveBayes {
    fn score(&self, features: &[u32]) -> f32 {
        sigmoid(self.log_odds(features))
    }

    fn weight(&self, feature: u32) -> f32 {
        NaiveBayes::weight(self, feature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::offline::examples;

    #[test]
    fn the_score_is_what_a_hand_computes() {
        // Feature 0: 2 RDF of 3. Feature 1: 1 of 2. All: 3 of 5, and so 4/7 with
        // one more of each.
        let taught = [(&[0, 1][..], true), (&[0][..], true), (&[0, 1][..], false), (&[][..], true), (&[2][..], false)];

        let model = train(4, &examples(&taught));

        let odds = (2.0 + 4.0 / 7.0) / (1.0 + 3.0 / 7.0);
        assert!((model.score(&[0]) - odds / (1.0 + odds)).abs() < 1e-5, "{}", model.score(&[0]));
        assert!((model.score(&[3]) - 4.0 / 7.0).abs() < 1e-5);
    }
}
