//! From flags to a filter.

use lodeward::rank::{Filter, FilterError};

use crate::arguments::Wanted;
use crate::failure::Usage;

/// What all flags together want.
pub(super) fn of(wanted: &Wanted) -> Result<Filter, Usage> {
    let mut texts = vec![any("type", &wanted.types), any("pld", &wanted.pld)];
    texts.extend(wanted.min_score.map(|score| format!("score >= {score}")));
    texts.extend(wanted.hop.map(|hop| format!("hop = {hop}")));
    texts.extend(wanted.pattern.as_ref().map(|pattern| {
        let pattern = quoted(pattern);
        format!("entity ~ {pattern} or label ~ {pattern}")
    }));
    texts.extend(wanted.has.iter().map(|text| property(text)));
    texts.extend(wanted.filter.clone());
    let filters = texts.iter().map(|text| Filter::parse(text).map_err(explain_filter));
    Ok(Filter::all(filters.collect::<Result<Vec<_>, _>>()?))
}

/// Whether nothing is said.
pub(super) fn is_empty(wanted: &Wanted) -> bool {
    let Wanted { types, pld, min_score, pattern, has, hop, filter } = wanted;
    let lists_are_empty = types.is_empty() && pld.is_empty() && has.is_empty();
    lists_are_empty && min_score.is_none() && pattern.is_none() && hop.is_none() && filter.is_none()
}

pub(in crate::commands) fn explain_filter(error: FilterError) -> Usage {
    Usage { message: error.to_string(), hint: error.hint }
}

fn any(field: &str, values: &[String]) -> String {
    values.iter().map(|value| format!("{field} = {}", quoted(value))).collect::<Vec<_>>().join(" or ")
}

/// A value as one, whatever is in it. An IRI in brackets stays one.
fn quoted(value: &str) -> String {
    if value.starts_with('<') && value.ends_with('>') {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('"', "\\\""))
}

/// A property, and what its value is like if that is said, too.
fn property(text: &str) -> String {
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
        let check = |text: &str, expected: &str| assert_eq!(property(text), expected);

        check("dbo:architect", "has dbo:architect");
        check("<urn:a>", "has <urn:a>");
        check("<urn:a> = 3", "property <urn:a> = 3");
        check("dbo:height>100", "property dbo:height>100");
        assert_eq!(any("type", &["a".to_owned(), "<urn:b>".to_owned()]), "type = \"a\" or type = <urn:b>");
        assert_eq!(any("type", &[]), "");
        assert_eq!(quoted("a \"b\""), "\"a \\\"b\\\"\"");
    }

    #[test]
    fn a_flag_that_makes_no_sense_is_told() {
        let told = |wanted: &Wanted| of(wanted).map(drop).unwrap_err().message;

        let wanted = Wanted { types: vec!["foo:Bar".to_owned()], ..Wanted::default() };
        assert!(told(&wanted).starts_with("the prefix `foo` is not known\n"), "{}", told(&wanted));
        let wanted = Wanted { min_score: Some(f64::NAN), ..Wanted::default() };
        assert!(told(&wanted).starts_with("`NaN` is no number\n"), "{}", told(&wanted));
        let wanted = Wanted { pattern: Some("(".to_owned()), ..Wanted::default() };
        assert!(told(&wanted).starts_with("this is no regular expression: "), "{}", told(&wanted));
    }
}
