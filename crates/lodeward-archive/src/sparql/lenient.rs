//! The lenient mode: where a function needs a string, an IRI is taken for its text.
//!
//! `regex(?value, "…")` on an IRI is a type error in SPARQL 1.1, so a filter
//! with it never holds. Published queries are written so nevertheless (those of
//! DURAARK D3.6 among them), for stores that did not mind. Here every argument
//! `x` that has to be a string becomes `IF(isIRI(x), STR(x), x)`: for literals
//! nothing changes, not their language, not their type, not their errors; for
//! an IRI there is an answer instead of an error. Constants need no `IF`.
//! Sub-selects, `EXISTS`, and what is sent to a `SERVICE` are rewritten, too.

use spargebra::algebra::{Expression, Function, GraphPattern};

use super::walk::{self, Rewrite};

/// Rewrites a pattern.
pub(super) fn rewrite(pattern: &mut GraphPattern) {
    walk::rewrite(pattern, &mut Lenient);
}

struct Lenient;

impl Rewrite for Lenient {
    fn expression(&mut self, expression: Expression) -> Expression {
        let Expression::FunctionCall(function, arguments) = expression else { return expression };
        let strings = string_arguments(&function);
        let arguments = arguments
            .into_iter()
            .enumerate()
            .map(|(position, argument)| if position < strings { text_of(argument) } else { argument })
            .collect();
        Expression::FunctionCall(function, arguments)
    }
}

/// How many of the arguments, from the first, have to be strings.
fn string_arguments(function: &Function) -> usize {
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

fn text_of(argument: Expression) -> Expression {
    let call = |function, argument| Expression::FunctionCall(function, vec![argument]);
    match argument {
        Expression::NamedNode(_) => call(Function::Str, argument),
        // It is evaluated three times, and must be the same three times; RAND and
        // the like are no IRIs that anybody looks for, so they may stay.
        Expression::Literal(_)
        | Expression::FunctionCall(Function::Rand | Function::Uuid | Function::StrUuid | Function::BNode, _) => {
            argument
        }
        _ => Expression::If(
            Box::new(call(Function::IsIri, argument.clone())),
            Box::new(call(Function::Str, argument.clone())),
            Box::new(argument),
        ),
    }
}
