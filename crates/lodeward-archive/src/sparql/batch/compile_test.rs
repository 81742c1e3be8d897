//! Compiling filters.

use spargebra::algebra::{Expression, Function};

use super::compile_body::{PatternCompiler, RowsBefore};
use super::row_test::{RowTermKind, RowTest, TextComparison, TextValue};
use super::triples::TermSlot;
use super::{BatchFailure, BatchResult};
use crate::sparql::functions::RegexCache;

impl PatternCompiler<'_> {
    /// Compiles a filter. Also returns the cells that it reads.
    pub(super) fn compile_test(
        &mut self,
        expression: &Expression,
        before: &RowsBefore,
    ) -> BatchResult<(RowTest, Vec<usize>)> {
        let mut cells = Vec::new();
        let test = self.test(expression, before, &mut cells)?;
        Ok((test, cells))
    }

    fn test(&mut self, expression: &Expression, before: &RowsBefore, cells: &mut Vec<usize>) -> BatchResult<RowTest> {
        let compared = |test, one: &Expression, other: &Expression| (test, one.clone(), other.clone());
        let (test, one, other) = match expression {
            Expression::And(one, other) => {
                let (one, other) = (self.test(one, before, cells)?, self.test(other, before, cells)?);
                return Ok(RowTest::And(Box::new(one), Box::new(other)));
            }
            Expression::Or(one, other) => {
                let (one, other) = (self.test(one, before, cells)?, self.test(other, before, cells)?);
                return Ok(RowTest::Or(Box::new(one), Box::new(other)));
            }
            Expression::Not(inner) => return Ok(RowTest::Not(Box::new(self.test(inner, before, cells)?))),
            Expression::Bound(name) => return Ok(RowTest::Bound(self.read_cell(name.as_str(), cells))),
            Expression::Exists(pattern) => return Ok(RowTest::Exists(self.compile_match(pattern, before)?)),
            Expression::FunctionCall(function, arguments) => return self.call(function, arguments, cells),
            Expression::SameTerm(one, other) => return self.is_iri(one, other, cells),
            Expression::Equal(one, other) => {
                if let Ok(test) = self.is_iri(one, other, cells) {
                    return Ok(test);
                }
                compared(TextComparison::Equal, one, other)
            }
            Expression::Less(one, other) => compared(TextComparison::Less, one, other),
            Expression::LessOrEqual(one, other) => compared(TextComparison::LessOrEqual, one, other),
            Expression::Greater(one, other) => compared(TextComparison::Greater, one, other),
            Expression::GreaterOrEqual(one, other) => compared(TextComparison::GreaterOrEqual, one, other),
            _ => return Err(BatchFailure::Unsupported),
        };
        let (one, other) = (self.text(&one, cells)?, self.text(&other, cells)?);
        // The comparison of other literals depends on their datatypes.
        if one.is_simple() && other.is_simple() {
            Ok(RowTest::Text(test, one, other))
        } else {
            Err(BatchFailure::Unsupported)
        }
    }

    fn read_cell(&mut self, name: &str, cells: &mut Vec<usize>) -> usize {
        let cell = self.cell(name);
        cells.push(cell);
        cell
    }

    /// A variable that is compared with an IRI.
    fn is_iri(&mut self, one: &Expression, other: &Expression, cells: &mut Vec<usize>) -> BatchResult<RowTest> {
        match (one, other) {
            (Expression::Variable(name), Expression::NamedNode(node))
            | (Expression::NamedNode(node), Expression::Variable(name)) => {
                let id = match self.known(node.as_ref().into())? {
                    TermSlot::Known(id) => Some(id),
                    TermSlot::Variable(_) | TermSlot::Missing => None,
                };
                Ok(RowTest::IsIri(self.read_cell(name.as_str(), cells), id))
            }
            _ => Err(BatchFailure::Unsupported),
        }
    }

    fn call(&mut self, function: &Function, arguments: &[Expression], cells: &mut Vec<usize>) -> BatchResult<RowTest> {
        let texts = match function {
            Function::Contains => TextComparison::Contains,
            Function::StrStarts => TextComparison::StartsWith,
            Function::StrEnds => TextComparison::EndsWith,
            Function::IsIri => return self.kind(RowTermKind::Iri, arguments, cells),
            Function::IsBlank => return self.kind(RowTermKind::Blank, arguments, cells),
            Function::IsLiteral => return self.kind(RowTermKind::Literal, arguments, cells),
            Function::Custom(name) if name.as_str() == "REGEX" => return self.regex(arguments, cells),
            _ => return Err(BatchFailure::Unsupported),
        };
        match arguments {
            [one, other] => Ok(RowTest::Text(texts, self.text(one, cells)?, self.text(other, cells)?)),
            _ => Err(BatchFailure::Unsupported),
        }
    }

    fn kind(&mut self, kind: RowTermKind, arguments: &[Expression], cells: &mut Vec<usize>) -> BatchResult<RowTest> {
        match arguments {
            [Expression::Variable(name)] => Ok(RowTest::Kind(self.read_cell(name.as_str(), cells), kind)),
            _ => Err(BatchFailure::Unsupported),
        }
    }

    fn regex(&mut self, arguments: &[Expression], cells: &mut Vec<usize>) -> BatchResult<RowTest> {
        let (text, pattern, flags) = match arguments {
            [text, Expression::Literal(pattern)] => (text, pattern, None),
            [text, Expression::Literal(pattern), Expression::Literal(flags)] => (text, pattern, Some(flags)),
            _ => return Err(BatchFailure::Unsupported),
        };
        Ok(RowTest::Regex {
            text: self.text(text, cells)?,
            pattern: pattern.clone().into(),
            flags: flags.map(|flags| flags.clone().into()),
            cache: RegexCache::default(),
        })
    }

    fn text(&mut self, expression: &Expression, cells: &mut Vec<usize>) -> BatchResult<TextValue> {
        let constant = |literal: &oxrdf::Literal| {
            let is_text = literal.language().is_some() || literal.datatype() == oxrdf::vocab::xsd::STRING;
            let language = literal.language().map(str::to_owned);
            is_text.then(|| TextValue::Constant(literal.value().to_owned(), language)).ok_or(BatchFailure::Unsupported)
        };
        match expression {
            Expression::Literal(literal) => constant(literal),
            Expression::Variable(name) => Ok(TextValue::Variable(self.read_cell(name.as_str(), cells))),
            Expression::FunctionCall(function, arguments) => match (function, &**arguments) {
                (Function::Str, [Expression::Variable(name)]) => {
                    Ok(TextValue::Str(self.read_cell(name.as_str(), cells)))
                }
                (Function::Lang, [Expression::Variable(name)]) => {
                    Ok(TextValue::Language(self.read_cell(name.as_str(), cells)))
                }
                (Function::Custom(name), [inner]) if name.as_str() == "LCASE" => {
                    Ok(TextValue::LowerCase(Box::new(self.text(inner, cells)?)))
                }
                _ => Err(BatchFailure::Unsupported),
            },
            _ => Err(BatchFailure::Unsupported),
        }
    }
}
