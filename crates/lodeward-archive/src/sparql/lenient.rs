//! The lenient mode: string functions accept IRIs.
//!
//! `regex(?value, "…")` on an IRI is a type error in SPARQL 1.1, so a filter with it never passes.
//! Published queries contain such filters nevertheless (DURAARK D3.6 among them), because some
//! stores accept them. This rewrite replaces every argument `x` that must be a string by
//! `IF(isIRI(x), STR(x), x)`, if `x` can be an IRI. Literals keep their language, type and errors; an IRI gives a result
//! instead of an error. Constants need no `IF`. Sub-selects, `EXISTS` and the patterns sent to a
//! `SERVICE` are rewritten as well.

use spargebra::algebra::{Expression, Function, GraphPattern};

use super::algebra::{self, AlgebraRewrite};

/// Rewrites a pattern.
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    algebra::rewrite(pattern, &mut LenientRewrite);
}

struct LenientRewrite;

impl AlgebraRewrite for LenientRewrite {
    fn rewrite_expression(&mut self, expression: Expression) -> Expression {
        let Expression::FunctionCall(function, arguments) = expression else { return expression };
        let strings = string_argument_count(&function);
        let arguments = arguments
            .into_iter()
            .enumerate()
            .map(|(position, argument)| if position < strings { coerce_to_string(argument) } else { argument })
            .collect();
        Expression::FunctionCall(function, arguments)
    }
}

/// How many leading arguments must be strings.
fn string_argument_count(function: &Function) -> usize {
    match function {
        Function::Regex
        | Function::Replace
        | Function::Contains
        | Function::StrStarts
        | Function::StrEnds
        | Function::StrBefore
        | Function::StrAfter => 2,
        Function::StrLen
        | Function::SubStr
        | Function::UCase
        | Function::LCase
        | Function::EncodeForUri
        | Function::Md5
        | Function::Sha1
        | Function::Sha256
        | Function::Sha384
        | Function::Sha512 => 1,
        Function::Concat => usize::MAX,
        _ => 0,
    }
}

/// The argument, or its text if it is an IRI. An argument is copied only if it is a variable:
/// copies of nested calls would double with every level.
fn coerce_to_string(argument: Expression) -> Expression {
    let call = |function, argument| Expression::FunctionCall(function, vec![argument]);
    match argument {
        Expression::NamedNode(_) | Expression::FunctionCall(Function::Iri | Function::Datatype, _) => {
            call(Function::Str, argument)
        }
        Expression::Variable(_) => Expression::If(
            Box::new(call(Function::IsIri, argument.clone())),
            Box::new(call(Function::Str, argument.clone())),
            Box::new(argument),
        ),
        Expression::If(condition, then, otherwise) => {
            Expression::If(condition, Box::new(coerce_to_string(*then)), Box::new(coerce_to_string(*otherwise)))
        }
        Expression::Coalesce(list) => Expression::Coalesce(list.into_iter().map(coerce_to_string).collect()),
        // All other functions return literals, except `UUID` and `BNODE`.
        _ => argument,
    }
}
