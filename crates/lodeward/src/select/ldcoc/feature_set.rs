//! LDCOC's feature sets, by name: `+t+r+p`.

use std::fmt;
use std::str::FromStr;

use crate::select::StrategyError;

/// A combination of LDCOC's four atomic feature sets (§4.2).
#[expect(clippy::struct_excessive_bools, reason = "each of the four sets is either used or not")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureSet {
    /// `+t`: URL and media type of the target.
    pub target: bool,
    /// `+r`: URL of the document that links to the target.
    pub referrer: bool,
    /// `+p`: IRIs of the properties of the link.
    pub properties: bool,
    /// `+x`: siblings of the target in the linking document, each crossed with its media type, its
    /// similarity to the target, and whether it has RDF.
    pub siblings: bool,
}

impl Default for FeatureSet {
    /// The best combination in the paper: `+t+r+p`.
    fn default() -> Self {
        Self { target: true, referrer: true, properties: true, siblings: false }
    }
}

impl FromStr for FeatureSet {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        let mut set = Self { target: false, referrer: false, properties: false, siblings: false };
        let mut names = text.split('+');
        let is_begun = names.next() == Some("") && text.len() > 1;
        for name in names {
            let one = match name {
                "t" => &mut set.target,
                "r" => &mut set.referrer,
                "p" => &mut set.properties,
                "x" => &mut set.siblings,
                _ => return Err(unknown_feature_set(text)),
            };
            *one = true;
        }
        if is_begun { Ok(set) } else { Err(unknown_feature_set(text)) }
    }
}

fn unknown_feature_set(text: &str) -> StrategyError {
    let message =
        format!("`{text}` is not a combination of the feature sets +t, +r, +p and +x; hint: the default is +t+r+p");
    StrategyError::Setting(message)
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = [(self.target, "+t"), (self.referrer, "+r"), (self.properties, "+p"), (self.siblings, "+x")];
        sets.iter().filter(|(is_there, _)| *is_there).try_for_each(|(_, name)| formatter.write_str(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_a_name() {
        for number in 1..16_u8 {
            let has = |bit: u8| number & bit != 0;
            let set = FeatureSet { target: has(1), referrer: has(2), properties: has(4), siblings: has(8) };

            assert_eq!(set.to_string().parse::<FeatureSet>().unwrap(), set);
        }
        assert_eq!("+p+t+r".parse::<FeatureSet>().unwrap(), FeatureSet::default());
    }

    #[test]
    fn an_unknown_feature_set_is_reported_with_the_known_ones() {
        for text in ["", "+", "t", "t+r", "+t+", "+q", "+tr", "+t +r"] {
            let message = text.parse::<FeatureSet>().unwrap_err().to_string();
            assert!(message.contains("not a combination of the feature sets +t, +r, +p and +x"), "{text}: {message}");
        }
    }
}
