//! Filters of candidates from flags.

use lodeward_app::review::{CandidateFilter, FilterError};

use crate::args::CandidateFilterArgs;
use crate::errors::UsageError;

/// The conjunction of all flags.
pub(super) fn from_args(args: &CandidateFilterArgs) -> Result<CandidateFilter, UsageError> {
    let mut texts = vec![any_of("type", &args.types), any_of("domain", &args.domain)];
    texts.extend(args.min_score.map(|score| format!("score >= {score}")));
    texts.extend(args.hop.map(|hop| format!("hop = {hop}")));
    texts.extend(args.pattern.as_ref().map(|pattern| {
        let pattern = quote(pattern);
        format!("entity ~ {pattern} or label ~ {pattern}")
    }));
    texts.extend(args.has.iter().map(|text| property_condition(text)));
    texts.extend(args.filter.clone());
    let filters = texts.iter().map(|text| CandidateFilter::parse(text).map_err(explain_filter));
    Ok(CandidateFilter::all(filters.collect::<Result<Vec<_>, _>>()?))
}

/// Whether no flag is set.
pub(super) fn is_empty(args: &CandidateFilterArgs) -> bool {
    let CandidateFilterArgs { types, domain, min_score, pattern, has, hop, filter } = args;
    let lists_are_empty = types.is_empty() && domain.is_empty() && has.is_empty();
    lists_are_empty && min_score.is_none() && pattern.is_none() && hop.is_none() && filter.is_none()
}

pub(in crate::commands) fn explain_filter(error: FilterError) -> UsageError {
    UsageError { message: error.to_string(), hint: error.hint }
}

fn any_of(field: &str, values: &[String]) -> String {
    values.iter().map(|value| format!("{field} = {}", quote(value))).collect::<Vec<_>>().join(" or ")
}

/// A value as a quoted string; an IRI in angle brackets is left as it is.
fn quote(value: &str) -> String {
    if value.starts_with('<') && value.ends_with('>') {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('"', "\\\""))
}

/// A condition on a property, with its value if one is given.
fn property_condition(text: &str) -> String {
    let after_name = text.trim_start().strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let rest = after_name.map_or(text, |(_, rest)| rest);
    let word = if rest.contains(['=', '<', '>', '~']) { "property" } else { "has" };
    format!("{word} {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_conditions() {
        let check = |text: &str, expected: &str| assert_eq!(property_condition(text), expected);

        check("dbo:architect", "has dbo:architect");
        check("<urn:a>", "has <urn:a>");
        check("<urn:a> = 3", "property <urn:a> = 3");
        check("dbo:height>100", "property dbo:height>100");
        assert_eq!(any_of("type", &["a".to_owned(), "<urn:b>".to_owned()]), "type = \"a\" or type = <urn:b>");
        assert_eq!(any_of("type", &[]), "");
        assert_eq!(quote("a \"b\""), "\"a \\\"b\\\"\"");
    }

    #[test]
    fn invalid_flag_values_are_usage_errors() {
        let message = |args: &CandidateFilterArgs| from_args(args).map(drop).unwrap_err().message;

        let args = CandidateFilterArgs { types: vec!["foo:Bar".to_owned()], ..CandidateFilterArgs::default() };
        assert!(message(&args).starts_with("unknown prefix `foo`\n"), "{}", message(&args));
        let args = CandidateFilterArgs { min_score: Some(f64::NAN), ..CandidateFilterArgs::default() };
        assert!(message(&args).starts_with("`NaN` is not a number\n"), "{}", message(&args));
        let args = CandidateFilterArgs { pattern: Some("(".to_owned()), ..CandidateFilterArgs::default() };
        assert!(message(&args).starts_with("invalid regular expression: "), "{}", message(&args));
    }
}
