//! Naive Bayes, trained before the crawl.

use super::{Classifier, TrainingExample};
use crate::select::baselines::naive_bayes::NaiveBayesModel;
use crate::select::ftrl::sigmoid;

/// Counts examples whose features are below `dimensions`.
#[must_use]
pub(crate) fn train(dimensions: usize, examples: &[TrainingExample]) -> NaiveBayesModel {
    let mut model = NaiveBayesModel::new(dimensions);
    for TrainingExample { features, label } in examples {
        model.learn(features, *label);
    }
    model
}

impl Classifier for NaiveBayesModel {
    fn score(&self, features: &[u32]) -> f32 {
        sigmoid(self.log_odds(features))
    }

    fn weight(&self, feature: u32) -> f32 {
        NaiveBayesModel::weight(self, feature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::baselines::offline::examples;

    #[test]
    fn the_score_matches_values_computed_by_hand() {
        // Feature 0: 2 of 3 examples have RDF. Feature 1: 1 of 2. All: 3 of 5, which becomes 4/7
        // with one more example of each class.
        let training_set =
            [(&[0, 1][..], true), (&[0][..], true), (&[0, 1][..], false), (&[][..], true), (&[2][..], false)];

        let model = train(4, &examples(&training_set));

        let odds = (2.0 + 4.0 / 7.0) / (1.0 + 3.0 / 7.0);
        assert!((model.score(&[0]) - odds / (1.0 + odds)).abs() < 1e-5, "{}", model.score(&[0]));
        assert!((model.score(&[3]) - 4.0 / 7.0).abs() < 1e-5);
    }
}
