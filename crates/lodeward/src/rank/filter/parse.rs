//! Reading filters, from left to right.
//!
//! ```text
//! any       = all { "or" all }
//! all       = one { ( "and" | ";" ) one }
//! one       = "not" one | "(" any ")" | condition
//! condition = ( "type" | "pld" | "entity" | "label" ) operator value
//!           | ( "score" | "hop" | "rank" ) operator number
//!           | "marked" [ operator ( "keep" | "drop" | "none" | "any" ) ]
//!           | "described" [ operator ( "true" | "false" ) ]
//!           | "has" name
//!           | "property" name operator value
//! operator  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//! ```

use regex::RegexBuilder;

use super::cursor::{Cursor, Kind, Operator, Piece};
use super::value::Wanted;
use super::{Comparison, Condition, Field, Filter, FilterError, Measure, Name, Node, Opinion, Property, Test};

/// Filters come from the web, too, and nobody writes one that is longer.
const TEXT_BYTES_MAX: usize = 16 << 10;
const CONDITIONS_MAX: usize = 500;
/// Parentheses and negations within each other.
const DEPTH_MAX: usize = 64;
/// Bytes that a compiled pattern may have; what would need more is refused.
const PATTERN_BYTES_MAX: usize = 1 << 20;

const FIELDS: &str = "type, pld, score, hop, rank, entity, label, marked, described, has, property";

pub(super) fn filter(text: &str) -> Result<Filter, FilterError> {
    if text.len() > TEXT_BYTES_MAX {
        let what = format!("a filter of {} bytes is too long: {TEXT_BYTES_MAX} are allowed", text.len());
        return Err(FilterError::new(what, 0));
    }
    let mut parser = Parser { cursor: Cursor::new(text), properties: Vec::new(), conditions: 0 };
    let root = parser.filter().map_err(|error| error.in_text(text))?;
    Ok(Filter { root, properties: parser.properties })
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    properties: Vec<Property>,
    conditions: usize,
}

impl Parser<'_> {
    fn filter(&mut self) -> Result<Node, FilterError> {
        if self.cursor.is_at_end() {
            return Ok(Node::default());
        }
        let node = self.any(0)?;
        let at = self.cursor.place();
        if self.cursor.sign(')') {
            return Err(FilterError::new("this `)` closes nothing", at));
        }
        if self.cursor.is_at_end() {
            return Ok(node);
        }
        let hint = "values with spaces or semicolons in them belong into quotes";
        Err(FilterError::new("`and`, `or` or the end is expected here", at).with_hint(hint))
    }

    fn any(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut nodes = vec![self.all(depth)?];
        while self.cursor.word("or") {
            nodes.push(self.all(depth)?);
        }
        Ok(one_of(nodes, Node::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut nodes = vec![self.one(depth)?];
        loop {
            if self.cursor.sign(';') {
                // The last one may have a semicolon, too.
                if self.cursor.is_at_end() {
                    break;
                }
            } else if !self.cursor.word("and") {
                break;
            }
            nodes.push(self.one(depth)?);
        }
        Ok(one_of(nodes, Node::All))
    }

    fn one(&mut self, depth: usize) -> Result<Node, FilterError> {
        let at = self.cursor.place();
        if depth >= DEPTH_MAX {
            return Err(FilterError::new("there are too many parentheses within each other", at));
        }
        if self.cursor.word("not") {
            return Ok(Node::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.cursor.sign('(') {
            let node = self.any(depth + 1)?;
            let here = self.cursor.place();
            if !self.cursor.sign(')') {
                let what = "`and`, `or` or `)` is expected here: a `(` is not closed yet";
                return Err(FilterError::new(what, here));
            }
            return Ok(node);
        }
        self.conditions += 1;
        if self.conditions > CONDITIONS_MAX {
            return Err(FilterError::new(format!("there are more than {CONDITIONS_MAX} conditions"), at));
        }
        self.condition(at)
    }

    fn condition(&mut self, at: usize) -> Result<Node, FilterError> {
        let field = self.cursor.peek_word().to_ascii_lowercase();
        let _ = self.cursor.word(&field);
        match field.as_str() {
            "type" => self.typed(),
            "pld" => self.text(&field, Field::Pld),
            "entity" => self.text(&field, Field::Entity),
            "label" => self.text(&field, Field::Label),
            "score" => self.measure(&field, Measure::Score),
            "hop" => self.measure(&field, Measure::Hop),
            "rank" => self.measure(&field, Measure::Rank),
            "marked" => self.marked(),
            "described" => self.described(),
            "has" => self.property(Presence::Any),
            "property" => self.property(Presence::Value),
            "" if self.cursor.is_at_end() => Err(FilterError::new("a condition is missing here", at)),
            "" => Err(FilterError::new("a condition is expected here", at).with_hint(known_fields())),
            _ => Err(FilterError::new(format!("`{field}` is nothing to ask for"), at).with_hint(known_fields())),
        }
    }

    fn operator(&mut self, after: &str, allowed: &[Operator]) -> Result<Operator, FilterError> {
        let at = self.cursor.place();
        let signs = allowed.iter().map(|operator| format!("`{}`", sign_of(*operator))).collect::<Vec<_>>().join(", ");
        match self.cursor.operator() {
            Some(operator) if allowed.contains(&operator) => Ok(operator),
            Some(wrong) => {
                let what = format!("`{after}` can be followed by {signs}, and not by `{}`", sign_of(wrong));
                Err(FilterError::new(what, at))
            }
            None => Err(FilterError::new(format!("`{after}` must be followed by one of {signs}"), at)),
        }
    }

    fn typed(&mut self) -> Result<Node, FilterError> {
        let operator = self.operator("type", &EQUALITY)?;
        let name = name(&self.cursor.value(sign_of(operator))?)?;
        Ok(negated(operator, Node::Is(Condition::Type(name))))
    }

    fn text(&mut self, field: &str, which: Field) -> Result<Node, FilterError> {
        let operator = self.operator(field, &EQUALITY_OR_PATTERN)?;
        let piece = self.cursor.value(sign_of(operator))?;
        let test = if is_pattern(operator) {
            Test::Matches(pattern(&piece)?)
        } else if which == Field::Pld {
            Test::Equals(piece.text.trim_start_matches("*.").to_ascii_lowercase())
        } else {
            Test::Equals(piece.text)
        };
        Ok(negated(operator, Node::Is(Condition::Text(which, test))))
    }

    fn measure(&mut self, field: &str, which: Measure) -> Result<Node, FilterError> {
        let operator = self.operator(field, &ORDER)?;
        let piece = self.cursor.value(sign_of(operator))?;
        let number = piece.text.parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| FilterError::new(format!("`{}` is no number", piece.text), piece.at))?;
        Ok(negated(operator, Node::Is(Condition::Measure(which, comparison(operator), number))))
    }

    fn marked(&mut self) -> Result<Node, FilterError> {
        let any = || Node::Not(Box::new(Node::Is(Condition::Marked(None))));
        if !self.cursor.has_operator() {
            return Ok(any());
        }
        let operator = self.operator("marked", &EQUALITY)?;
        let piece = self.cursor.value(sign_of(operator))?;
        let node = match piece.text.to_ascii_lowercase().as_str() {
            "keep" => Node::Is(Condition::Marked(Some(Opinion::Keep))),
            "drop" => Node::Is(Condition::Marked(Some(Opinion::Drop))),
            "none" => Node::Is(Condition::Marked(None)),
            "any" => any(),
            _ => return Err(FilterError::new("a mark is `keep`, `drop`, `none` or `any`", piece.at)),
        };
        Ok(negated(operator, node))
    }

    fn described(&mut self) -> Result<Node, FilterError> {
        let described = Node::Is(Condition::Described);
        if !self.cursor.has_operator() {
            return Ok(described);
        }
        let operator = self.operator("described", &EQUALITY)?;
        let piece = self.cursor.value(sign_of(operator))?;
        match piece.text.to_ascii_lowercase().as_str() {
            "true" | "yes" => Ok(negated(operator, described)),
            "false" | "no" => Ok(negated(operator, Node::Not(Box::new(described)))),
            _ => Err(FilterError::new("that is `true` or `false`", piece.at)),
        }
    }

    fn property(&mut self, presence: Presence) -> Result<Node, FilterError> {
        let word = if presence == Presence::Any { "has" } else { "property" };
        let property = name(&self.cursor.name(word)?)?;
        let mut operator = Operator::Equal;
        let wanted = match presence {
            Presence::Any => None,
            Presence::Value => {
                operator = self.operator("property …", &ALL)?;
                let piece = self.cursor.value(sign_of(operator))?;
                Some(wanted(operator, piece)?)
            }
        };
        self.properties.push(Property { name: property, wanted });
        Ok(negated(operator, Node::Property(self.properties.len() - 1)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Any,
    Value,
}

const EQUALITY: [Operator; 2] = [Operator::Equal, Operator::Unequal];
const EQUALITY_OR_PATTERN: [Operator; 4] =
    [Operator::Equal, Operator::Unequal, Operator::Matches, Operator::MatchesNot];
const ORDER: [Operator; 6] =
    [Operator::Equal, Operator::Unequal, Operator::Less, Operator::AtMost, Operator::More, Operator::AtLeast];
const ALL: [Operator; 8] = [
    Operator::Equal,
    Operator::Unequal,
    Operator::Less,
    Operator::AtMost,
    Operator::More,
    Operator::AtLeast,
    Operator::Matches,
    Operator::MatchesNot,
];

fn sign_of(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "=",
        Operator::Unequal => "!=",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::More => ">",
        Operator::AtLeast => ">=",
        Operator::Matches => "~",
        Operator::MatchesNot => "!~",
    }
}

fn is_pattern(operator: Operator) -> bool {
    matches!(operator, Operator::Matches | Operator::MatchesNot)
}

/// What is unequal is not equal: of something with several values, to none of
/// them.
fn negated(operator: Operator, node: Node) -> Node {
    let is_negated = matches!(operator, Operator::Unequal | Operator::MatchesNot);
    if is_negated { Node::Not(Box::new(node)) } else { node }
}

fn comparison(operator: Operator) -> Comparison {
    match operator {
        Operator::Less => Comparison::Less,
        Operator::AtMost => Comparison::AtMost,
        Operator::More => Comparison::More,
        Operator::AtLeast => Comparison::AtLeast,
        Operator::Equal | Operator::Unequal | Operator::Matches | Operator::MatchesNot => Comparison::Equal,
    }
}

fn one_of(mut nodes: Vec<Node>, several: impl FnOnce(Vec<Node>) -> Node) -> Node {
    if nodes.len() == 1 { nodes.remove(0) } else { several(nodes) }
}

fn name(piece: &Piece) -> Result<Name, FilterError> {
    if piece.kind == Kind::Iri {
        return Ok(Name::Iri(piece.text.clone()));
    }
    let hint = "write the whole IRI, in angle brackets, or its last part alone";
    Name::read(&piece.text).map_err(|what| FilterError::new(what, piece.at).with_hint(hint))
}

fn wanted(operator: Operator, piece: Piece) -> Result<Wanted, FilterError> {
    if is_pattern(operator) {
        return Ok(Wanted::Pattern(pattern(&piece)?));
    }
    let is_equality = EQUALITY.contains(&operator);
    let comparison = comparison(operator);
    match piece.kind {
        Kind::Iri if is_equality => Ok(Wanted::Resource(Name::Iri(piece.text))),
        Kind::Iri => Err(FilterError::new("resources are not more or less than another", piece.at)),
        Kind::Bare if is_equality => {
            let name = Name::read(&piece.text).ok();
            Ok(Wanted::Either { text: piece.text, name })
        }
        Kind::Quoted(None) if is_equality => Ok(Wanted::Either { text: piece.text, name: None }),
        Kind::Bare => Ok(Wanted::Literal { comparison, text: piece.text, language: None }),
        Kind::Quoted(language) => Ok(Wanted::Literal { comparison, text: piece.text, language }),
    }
}

fn pattern(piece: &Piece) -> Result<regex::Regex, FilterError> {
    let compiled = RegexBuilder::new(&piece.text).size_limit(PATTERN_BYTES_MAX).nest_limit(100).build();
    compiled.map_err(|error| {
        let what = match error {
            regex::Error::CompiledTooBig(_) => "this pattern is too large".to_owned(),
            error => {
                let told = error.to_string();
                let last = told.lines().last().unwrap_or_default();
                format!("this is no regular expression: {}", last.trim_start_matches("error: "))
            }
        };
        FilterError::new(what, piece.at)
    })
}

fn known_fields() -> String {
    format!("there are: {FIELDS}")
}
