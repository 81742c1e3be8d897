//! `GROUP_CONCAT`, bounded.

use std::sync::Arc;

use oxrdf::Term;
use spareval::AggregateFunctionAccumulator;

use super::text::{PlainText, plain_literal};
use crate::sparql::query_control::QueryControl;

/// The concatenation of a group so far.
pub(super) struct GroupConcat {
    separator: Arc<str>,
    control: Arc<QueryControl>,
    /// `None` after a value that is not a string.
    value: Option<String>,
    is_empty: bool,
    /// The language of all values so far.
    language: Option<String>,
}

impl GroupConcat {
    pub(super) fn new(separator: Arc<str>, control: Arc<QueryControl>) -> Self {
        Self { separator, control, value: Some(String::new()), is_empty: true, language: None }
    }
}

impl AggregateFunctionAccumulator for GroupConcat {
    fn accumulate(&mut self, element: Term) {
        let Some(value) = &mut self.value else { return };
        let Some(text) = PlainText::of(&element) else {
            self.value = None;
            return;
        };
        let added = self.separator.len().saturating_add(text.value.len());
        let charged = self.control.charge_growth(added, value.len().saturating_add(added));
        if charged.is_err() {
            self.value = None;
            return;
        }
        if self.is_empty {
            self.language = text.language.map(str::to_owned);
        } else {
            if self.language.as_deref() != text.language {
                self.language = None;
            }
            value.push_str(&self.separator);
        }
        self.is_empty = false;
        value.push_str(text.value);
    }

    fn finish(&mut self) -> Option<Term> {
        self.value.take().map(|value| plain_literal(value, self.language.as_deref()))
    }
}
