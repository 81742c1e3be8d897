//! Parses filters by recursive descent.
//!
//! ```text
//! any       = all { "or" all }
//! all       = one { ( "and" | ";" ) one }
//! one       = "not" one | "(" any ")" | condition
//! condition = ( "type" | "domain" | "entity" | "label" ) operator value
//!           | ( "score" | "hop" | "rank" ) operator number
//!           | "marked" [ operator ( "keep" | "drop" | "none" | "any" ) ]
//!           | "described" [ operator ( "true" | "false" ) ]
//!           | "has" name
//!           | "property" name operator value
//! operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//! ```

use regex::RegexBuilder;

use super::lexer::{FilterCursor, FilterOperator, FilterToken, FilterTokenKind};
use super::value_test::ValueTest;
use super::{
    CandidateFilter, FilterComparison, FilterError, FilterName, FilterNode, MarkKind, PropertyCondition, RowCondition,
    RowField, RowMeasure, TextTest,
};

/// Maximum length and number of conditions of a filter: filters may come from untrusted clients.
const MAX_TEXT_BYTES: usize = 16 << 10;
const MAX_CONDITIONS: usize = 500;
/// Maximum nesting depth of parentheses and negations.
const MAX_DEPTH: usize = 64;
/// Maximum size of a compiled regular expression in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

const FIELDS: &str = "type, domain, score, hop, rank, entity, label, marked, described, has, property";

pub(super) fn parse_filter(text: &str) -> Result<CandidateFilter, FilterError> {
    if text.len() > MAX_TEXT_BYTES {
        let what = format!("the filter has {} bytes, more than {MAX_TEXT_BYTES}", text.len());
        return Err(FilterError::new(what, 0));
    }
    let mut parser = FilterParser { cursor: FilterCursor::new(text), properties: Vec::new(), conditions: 0 };
    let root = parser.filter().map_err(|error| error.with_text(text))?;
    Ok(CandidateFilter { root, properties: parser.properties })
}

struct FilterParser<'t> {
    cursor: FilterCursor<'t>,
    properties: Vec<PropertyCondition>,
    conditions: usize,
}

impl FilterParser<'_> {
    fn filter(&mut self) -> Result<FilterNode, FilterError> {
        if self.cursor.is_at_end() {
            return Ok(FilterNode::default());
        }
        let node = self.disjunction(0)?;
        let at = self.cursor.skip_whitespace();
        if self.cursor.eat_char(')') {
            return Err(FilterError::new("unmatched `)`", at));
        }
        if self.cursor.is_at_end() {
            return Ok(node);
        }
        let hint = "put values with spaces or semicolons in quotes";
        Err(FilterError::new("expected `and`, `or` or the end of the filter", at).with_hint(hint))
    }

    fn disjunction(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let mut nodes = vec![self.conjunction(depth)?];
        while self.cursor.eat_word("or") {
            nodes.push(self.conjunction(depth)?);
        }
        Ok(single_or_group(nodes, FilterNode::Any))
    }

    fn conjunction(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let mut nodes = vec![self.unary(depth)?];
        loop {
            if self.cursor.eat_char(';') {
                // A semicolon is allowed after the last condition.
                if self.cursor.is_at_end() {
                    break;
                }
            } else if !self.cursor.eat_word("and") {
                break;
            }
            nodes.push(self.unary(depth)?);
        }
        Ok(single_or_group(nodes, FilterNode::All))
    }

    fn unary(&mut self, depth: usize) -> Result<FilterNode, FilterError> {
        let at = self.cursor.skip_whitespace();
        if depth >= MAX_DEPTH {
            return Err(FilterError::new("parentheses are nested too deeply", at));
        }
        if self.cursor.eat_word("not") {
            return Ok(FilterNode::Not(Box::new(self.unary(depth + 1)?)));
        }
        if self.cursor.eat_char('(') {
            let node = self.disjunction(depth + 1)?;
            let here = self.cursor.skip_whitespace();
            if !self.cursor.eat_char(')') {
                let what = "expected `and`, `or` or `)`: a `(` is not closed";
                return Err(FilterError::new(what, here));
            }
            return Ok(node);
        }
        self.conditions += 1;
        if self.conditions > MAX_CONDITIONS {
            return Err(FilterError::new(format!("more than {MAX_CONDITIONS} conditions"), at));
        }
        self.condition(at)
    }

    fn condition(&mut self, at: usize) -> Result<FilterNode, FilterError> {
        let field = self.cursor.peek_word().to_ascii_lowercase();
        let _ = self.cursor.eat_word(&field);
        match field.as_str() {
            "type" => self.type_condition(),
            "domain" => self.text_condition(&field, RowField::Domain),
            "entity" => self.text_condition(&field, RowField::Entity),
            "label" => self.text_condition(&field, RowField::Label),
            "score" => self.measure_condition(&field, RowMeasure::Score),
            "hop" => self.measure_condition(&field, RowMeasure::Hop),
            "rank" => self.measure_condition(&field, RowMeasure::Rank),
            "marked" => self.mark_condition(),
            "described" => self.described_condition(),
            "has" => self.property_condition(ValuePresence::Any),
            "property" => self.property_condition(ValuePresence::Value),
            "" if self.cursor.is_at_end() => Err(FilterError::new("a condition is missing", at)),
            "" => Err(FilterError::new("expected a condition", at).with_hint(fields_hint())),
            _ => Err(FilterError::new(format!("unknown field `{field}`"), at).with_hint(fields_hint())),
        }
    }

    fn operator(&mut self, after: &str, allowed: &[FilterOperator]) -> Result<FilterOperator, FilterError> {
        let at = self.cursor.skip_whitespace();
        let signs =
            allowed.iter().map(|operator| format!("`{}`", operator_symbol(*operator))).collect::<Vec<_>>().join(", ");
        match self.cursor.operator() {
            Some(operator) if allowed.contains(&operator) => Ok(operator),
            Some(wrong) => {
                let what = format!("`{after}` must be followed by one of {signs}, not by `{}`", operator_symbol(wrong));
                Err(FilterError::new(what, at))
            }
            None => Err(FilterError::new(format!("`{after}` must be followed by one of {signs}"), at)),
        }
    }

    fn type_condition(&mut self) -> Result<FilterNode, FilterError> {
        let operator = self.operator("type", &EQUALITY_OPERATORS)?;
        let name = name(&self.cursor.value(operator_symbol(operator))?)?;
        Ok(negate_if_unequal(operator, FilterNode::Row(RowCondition::Type(name))))
    }

    fn text_condition(&mut self, field: &str, which: RowField) -> Result<FilterNode, FilterError> {
        let operator = self.operator(field, &EQUALITY_OR_PATTERN_OPERATORS)?;
        let token = self.cursor.value(operator_symbol(operator))?;
        let test = if is_pattern_operator(operator) {
            TextTest::Matches(compile_pattern(&token)?)
        } else if which == RowField::Domain {
            TextTest::Equals(token.text.trim_start_matches("*.").to_ascii_lowercase())
        } else {
            TextTest::Equals(token.text)
        };
        Ok(negate_if_unequal(operator, FilterNode::Row(RowCondition::Text(which, test))))
    }

    fn measure_condition(&mut self, field: &str, which: RowMeasure) -> Result<FilterNode, FilterError> {
        let operator = self.operator(field, &ORDER_OPERATORS)?;
        let token = self.cursor.value(operator_symbol(operator))?;
        let number = token.text.parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| FilterError::new(format!("`{}` is not a number", token.text), token.at))?;
        Ok(negate_if_unequal(operator, FilterNode::Row(RowCondition::Measure(which, comparison(operator), number))))
    }

    fn mark_condition(&mut self) -> Result<FilterNode, FilterError> {
        let any = || FilterNode::Not(Box::new(FilterNode::Row(RowCondition::Marked(None))));
        if !self.cursor.has_operator() {
            return Ok(any());
        }
        let operator = self.operator("marked", &EQUALITY_OPERATORS)?;
        let token = self.cursor.value(operator_symbol(operator))?;
        let node = match token.text.to_ascii_lowercase().as_str() {
            "keep" => FilterNode::Row(RowCondition::Marked(Some(MarkKind::Keep))),
            "drop" => FilterNode::Row(RowCondition::Marked(Some(MarkKind::Drop))),
            "none" => FilterNode::Row(RowCondition::Marked(None)),
            "any" => any(),
            _ => return Err(FilterError::new("expected `keep`, `drop`, `none` or `any`", token.at)),
        };
        Ok(negate_if_unequal(operator, node))
    }

    fn described_condition(&mut self) -> Result<FilterNode, FilterError> {
        let described = FilterNode::Row(RowCondition::Described);
        if !self.cursor.has_operator() {
            return Ok(described);
        }
        let operator = self.operator("described", &EQUALITY_OPERATORS)?;
        let token = self.cursor.value(operator_symbol(operator))?;
        match token.text.to_ascii_lowercase().as_str() {
            "true" | "yes" => Ok(negate_if_unequal(operator, described)),
            "false" | "no" => Ok(negate_if_unequal(operator, FilterNode::Not(Box::new(described)))),
            _ => Err(FilterError::new("expected `true` or `false`", token.at)),
        }
    }

    fn property_condition(&mut self, presence: ValuePresence) -> Result<FilterNode, FilterError> {
        let word = if presence == ValuePresence::Any { "has" } else { "property" };
        let property = name(&self.cursor.name(word)?)?;
        let mut operator = FilterOperator::Equal;
        let value = match presence {
            ValuePresence::Any => None,
            ValuePresence::Value => {
                operator = self.operator("property …", &ALL_OPERATORS)?;
                let token = self.cursor.value(operator_symbol(operator))?;
                Some(value_test(operator, token)?)
            }
        };
        self.properties.push(PropertyCondition { name: property, value });
        Ok(negate_if_unequal(operator, FilterNode::Property(self.properties.len() - 1)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePresence {
    Any,
    Value,
}

const EQUALITY_OPERATORS: [FilterOperator; 2] = [FilterOperator::Equal, FilterOperator::Unequal];
const EQUALITY_OR_PATTERN_OPERATORS: [FilterOperator; 4] =
    [FilterOperator::Equal, FilterOperator::Unequal, FilterOperator::Matches, FilterOperator::MatchesNot];
const ORDER_OPERATORS: [FilterOperator; 6] = [
    FilterOperator::Equal,
    FilterOperator::Unequal,
    FilterOperator::Less,
    FilterOperator::AtMost,
    FilterOperator::More,
    FilterOperator::AtLeast,
];
const ALL_OPERATORS: [FilterOperator; 8] = [
    FilterOperator::Equal,
    FilterOperator::Unequal,
    FilterOperator::Less,
    FilterOperator::AtMost,
    FilterOperator::More,
    FilterOperator::AtLeast,
    FilterOperator::Matches,
    FilterOperator::MatchesNot,
];

fn operator_symbol(operator: FilterOperator) -> &'static str {
    match operator {
        FilterOperator::Equal => "=",
        FilterOperator::Unequal => "!=",
        FilterOperator::Less => "<",
        FilterOperator::AtMost => "<=",
        FilterOperator::More => ">",
        FilterOperator::AtLeast => ">=",
        FilterOperator::Matches => "~",
        FilterOperator::MatchesNot => "!~",
    }
}

fn is_pattern_operator(operator: FilterOperator) -> bool {
    matches!(operator, FilterOperator::Matches | FilterOperator::MatchesNot)
}

/// Negates the node for `!=` and `!~`: a property with several values is unequal if none of them is equal.
fn negate_if_unequal(operator: FilterOperator, node: FilterNode) -> FilterNode {
    let is_negated = matches!(operator, FilterOperator::Unequal | FilterOperator::MatchesNot);
    if is_negated { FilterNode::Not(Box::new(node)) } else { node }
}

fn comparison(operator: FilterOperator) -> FilterComparison {
    match operator {
        FilterOperator::Less => FilterComparison::Less,
        FilterOperator::AtMost => FilterComparison::AtMost,
        FilterOperator::More => FilterComparison::More,
        FilterOperator::AtLeast => FilterComparison::AtLeast,
        FilterOperator::Equal | FilterOperator::Unequal | FilterOperator::Matches | FilterOperator::MatchesNot => {
            FilterComparison::Equal
        }
    }
}

fn single_or_group(mut nodes: Vec<FilterNode>, several: impl FnOnce(Vec<FilterNode>) -> FilterNode) -> FilterNode {
    if nodes.len() == 1 { nodes.remove(0) } else { several(nodes) }
}

fn name(token: &FilterToken) -> Result<FilterName, FilterError> {
    if token.kind == FilterTokenKind::Iri {
        return Ok(FilterName::Iri(token.text.clone()));
    }
    let hint = "write the full IRI in angle brackets, or its last part";
    FilterName::read(&token.text).map_err(|what| FilterError::new(what, token.at).with_hint(hint))
}

fn value_test(operator: FilterOperator, token: FilterToken) -> Result<ValueTest, FilterError> {
    if is_pattern_operator(operator) {
        return Ok(ValueTest::Pattern(compile_pattern(&token)?));
    }
    let is_equality = EQUALITY_OPERATORS.contains(&operator);
    let comparison = comparison(operator);
    match token.kind {
        FilterTokenKind::Iri if is_equality => Ok(ValueTest::Resource(FilterName::Iri(token.text))),
        FilterTokenKind::Iri => Err(FilterError::new("IRIs cannot be compared by order", token.at)),
        FilterTokenKind::Bare if is_equality => {
            let name = FilterName::read(&token.text).ok();
            Ok(ValueTest::Either { text: token.text, name })
        }
        FilterTokenKind::Quoted(None) if is_equality => Ok(ValueTest::Either { text: token.text, name: None }),
        FilterTokenKind::Bare => Ok(ValueTest::Literal { comparison, text: token.text, language: None }),
        FilterTokenKind::Quoted(language) => Ok(ValueTest::Literal { comparison, text: token.text, language }),
    }
}

fn compile_pattern(token: &FilterToken) -> Result<regex::Regex, FilterError> {
    let compiled = RegexBuilder::new(&token.text).size_limit(MAX_PATTERN_BYTES).nest_limit(100).build();
    compiled.map_err(|error| {
        let what = match error {
            regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
            error => {
                let message = error.to_string();
                let last = message.lines().last().unwrap_or_default();
                format!("invalid regular expression: {}", last.trim_start_matches("error: "))
            }
        };
        FilterError::new(what, token.at)
    })
}

fn fields_hint() -> String {
    format!("known fields: {FIELDS}")
}
