//! Bounded versions of the functions that compute long texts.
//!
//! spareval evaluates an expression without checking a limit, and `REPLACE`, `CONCAT` and others
//! return texts that are longer than their arguments: twenty nested calls of four kilobytes compute
//! terabytes. So these functions and `GROUP_CONCAT` are replaced by custom functions before the
//! evaluation. They check the limits of the query ([`QueryControl::charge_text`]) before they
//! allocate, and unwind if one is exceeded. `REGEX` is replaced, too, because one match can take
//! minutes. The other functions return texts that are not longer than an argument; arguments from
//! variables are charged by the [dataset](super::dataset).
//!
//! Services receive the original functions.

mod group_concat;
mod regex;
mod replace;
mod text;

use std::sync::Arc;

use oxrdf::{NamedNode, Term};
use spareval::QueryEvaluator;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, Function, GraphPattern};

use self::group_concat::GroupConcat;
pub(super) use self::regex::RegexCache;
use self::text::PlainText;
use super::algebra::{self, AlgebraRewrite};
use super::query_control::{EvaluationAborted, QueryControl};

/// The functions that are replaced. The names of the replacements are not absolute IRIs, so that no
/// query can contain them.
const BOUNDED_FUNCTIONS: [(Function, &str); 6] = [
    (Function::Concat, "CONCAT"),
    (Function::EncodeForUri, "ENCODE_FOR_URI"),
    (Function::LCase, "LCASE"),
    (Function::Regex, "REGEX"),
    (Function::Replace, "REPLACE"),
    (Function::UCase, "UCASE"),
];

/// The bounded functions of a query.
#[derive(Default)]
pub(super) struct BoundedFunctions {
    /// The separators of the replaced `GROUP_CONCAT`s.
    separators: Vec<String>,
}

impl BoundedFunctions {
    /// Replaces the functions of a pattern.
    pub(super) fn replace_in(pattern: &mut GraphPattern) -> Self {
        let mut functions = Self::default();
        algebra::rewrite(pattern, &mut functions);
        functions
    }

    /// Adds the functions to an evaluator.
    pub(super) fn add_to(&self, evaluator: QueryEvaluator, control: &Arc<QueryControl>) -> QueryEvaluator {
        let mut evaluator = evaluator;
        for (function, name) in BOUNDED_FUNCTIONS {
            let call = BoundedCall { function, control: Arc::clone(control), regexes: RegexCache::default() };
            evaluator = evaluator
                .with_custom_function(NamedNode::new_unchecked(name), move |arguments| call.evaluate(arguments));
        }
        for (index, separator) in self.separators.iter().enumerate() {
            let (separator, control) = (Arc::<str>::from(&**separator), Arc::clone(control));
            evaluator = evaluator.with_custom_aggregate_function(group_concat_name(index), move || {
                Box::new(GroupConcat::new(Arc::clone(&separator), Arc::clone(&control)))
            });
        }
        evaluator
    }
}

/// The plan of a query, with the usual names of the replaced functions.
pub(super) fn restore_names(plan: &str) -> String {
    BOUNDED_FUNCTIONS
        .iter()
        .fold(plan.to_owned(), |plan, (_, name)| plan.replace(&format!("<{name}>("), &format!("{name}(")))
}

fn group_concat_name(index: usize) -> NamedNode {
    NamedNode::new_unchecked(format!("GROUP_CONCAT {}", index + 1))
}

impl AlgebraRewrite for BoundedFunctions {
    fn includes_services(&self) -> bool {
        false
    }

    fn rewrite_expression(&mut self, expression: Expression) -> Expression {
        let Expression::FunctionCall(function, arguments) = expression else { return expression };
        match BOUNDED_FUNCTIONS.iter().find(|(known, _)| *known == function) {
            Some((Function::Concat, name)) => concat_tree(arguments, name),
            Some((_, name)) => call(name, arguments),
            None => Expression::FunctionCall(function, arguments),
        }
    }

    fn rewrite_pattern(&mut self, mut pattern: GraphPattern) -> GraphPattern {
        if let GraphPattern::Group { aggregates, .. } = &mut pattern {
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { name, .. } = aggregate
                    && let AggregateFunction::GroupConcat { separator } = name
                {
                    self.separators.push(separator.take().unwrap_or_else(|| " ".to_owned()));
                    *name = AggregateFunction::Custom(group_concat_name(self.separators.len() - 1));
                }
            }
        }
        pattern
    }
}

fn call(name: &str, arguments: Vec<Expression>) -> Expression {
    Expression::FunctionCall(Function::Custom(NamedNode::new_unchecked(name)), arguments)
}

/// A balanced tree of calls with two arguments. All arguments of a custom function are evaluated
/// before it is called, and a thousand long ones would fill the memory.
fn concat_tree(mut arguments: Vec<Expression>, name: &str) -> Expression {
    if arguments.len() <= 2 {
        return call(name, arguments);
    }
    let right = arguments.split_off(arguments.len() / 2);
    call(name, vec![concat_tree(arguments, name), concat_tree(right, name)])
}

/// A bounded function in one query.
struct BoundedCall {
    function: Function,
    control: Arc<QueryControl>,
    regexes: RegexCache,
}

impl BoundedCall {
    fn evaluate(&self, arguments: &[Term]) -> Option<Term> {
        // An exceeded limit unwinds. If panics abort the process, it becomes an error of the
        // expression, and the query ends before its next row.
        self.try_evaluate(arguments).ok().flatten()
    }

    fn try_evaluate(&self, arguments: &[Term]) -> Result<Option<Term>, EvaluationAborted> {
        self.control.check()?;
        let control = &*self.control;
        match (&self.function, arguments) {
            (Function::Concat, arguments) => text::concat(arguments, control),
            (Function::UCase, [text]) => text::map_text(text, control, |text, out| out.push_str(&text.to_uppercase())),
            (Function::LCase, [text]) => text::lower_case(text, control),
            (Function::EncodeForUri, [text]) => text::encode_for_uri(text, control),
            (Function::Regex, [text, pattern]) => self.is_match(text, pattern, None),
            (Function::Regex, [text, pattern, flags]) => self.is_match(text, pattern, Some(flags)),
            (Function::Replace, [text, pattern, by]) => self.replace(text, pattern, by, None),
            (Function::Replace, [text, pattern, by, flags]) => self.replace(text, pattern, by, Some(flags)),
            _ => Ok(None),
        }
    }

    fn is_match(&self, text: &Term, pattern: &Term, flags: Option<&Term>) -> Result<Option<Term>, EvaluationAborted> {
        let Some(text) = PlainText::of(text) else { return Ok(None) };
        let Some(regex) = self.regexes.get(pattern, flags, &self.control)? else { return Ok(None) };
        let is_match = regex.is_match(text.value, &self.control)?;
        Ok(Some(oxrdf::Literal::from(is_match).into()))
    }

    fn replace(
        &self,
        text: &Term,
        pattern: &Term,
        by: &Term,
        flags: Option<&Term>,
    ) -> Result<Option<Term>, EvaluationAborted> {
        let (Some(text), Some(by)) = (PlainText::of(text), text::simple_literal(by)) else { return Ok(None) };
        let Some(regex) = self.regexes.get(pattern, flags, &self.control)? else { return Ok(None) };
        let replaced = replace::replace_all(&regex, text.value, by, &self.control)?;
        Ok(Some(text.with_value(replaced)))
    }
}
