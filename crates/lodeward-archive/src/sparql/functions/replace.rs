//! `REPLACE`, bounded.

use regex_automata::util::interpolate;
use regex_automata::{PatternID, Span};

use super::regex::BoundedRegex;
use crate::sparql::query_control::{EvaluationAborted, QueryControl};

/// Replaces all matches in a text. `$1` and `${name}` in the replacement stand for groups.
pub(super) fn replace_all(
    regex: &BoundedRegex,
    text: &str,
    by: &str,
    control: &QueryControl,
) -> Result<String, EvaluationAborted> {
    regex.check_unchecked_search(text, control)?;
    let mut result = BoundedText { text: String::new(), charged: 0, control };
    let mut end = 0;
    if by.contains('$') {
        for groups in regex.engine.captures_iter(text) {
            let Some(found) = groups.get_match() else { continue };
            result.push(&text[end..found.start()])?;
            end = found.end();
            result.expand(
                by,
                |name| groups.group_info().to_index(PatternID::ZERO, name),
                |group| groups.get_group(group).map_or("", |Span { start, end }| &text[start..end]),
            )?;
        }
    } else {
        for found in regex.engine.find_iter(text) {
            result.push(&text[end..found.start()])?;
            end = found.end();
            result.push(by)?;
        }
    }
    result.push(&text[end..])?;
    Ok(result.text)
}

/// A text that grows within the limits of a query.
struct BoundedText<'a> {
    text: String,
    charged: usize,
    control: &'a QueryControl,
}

impl BoundedText<'_> {
    fn push(&mut self, part: &str) -> Result<(), EvaluationAborted> {
        self.charge(self.text.len().saturating_add(part.len()))?;
        self.text.push_str(part);
        Ok(())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), EvaluationAborted> {
        let added = bytes.saturating_sub(self.charged);
        self.charged = bytes;
        self.control.charge_growth(added, bytes)
    }

    /// Adds a replacement. A short one with many groups can be very long, so the groups are no
    /// longer added once the text is too long.
    fn expand<'t>(
        &mut self,
        by: &str,
        name_to_index: impl FnMut(&str) -> Option<usize>,
        group: impl Fn(usize) -> &'t str,
    ) -> Result<(), EvaluationAborted> {
        let max = self.control.max_text_bytes();
        let mut needed = self.text.len();
        let append = |index: usize, text: &mut String| {
            needed = text.len().saturating_add(group(index).len()).max(needed);
            if needed <= max {
                text.push_str(group(index));
            }
        };
        interpolate::string(by, append, name_to_index, &mut self.text);
        self.charge(needed.max(self.text.len()))
    }
}
