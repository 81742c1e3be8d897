//! Strict parsing of request parameters (`application/x-www-form-urlencoded`).

use oxrdf::NamedNode;

use super::problem::ProtocolProblem;

/// Decoded names and values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProtocolParameters(Vec<(String, String)>);

impl ProtocolParameters {
    /// Parses a query string or the body of a form.
    pub(super) fn parse(text: &str) -> Result<Self, ProtocolProblem> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        });
        Ok(Self(pairs.collect::<Result<_, ProtocolProblem>>()?))
    }

    /// Adds the parameters of a form to those of the URL.
    pub(super) fn merge(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The value of a parameter that can occur only once.
    pub(super) fn single(&self, name: &str) -> Result<Option<&str>, ProtocolProblem> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ProtocolProblem::bad_request(format!("parameter `{name}` occurs more than once"))),
            (value, None) => Ok(value),
        }
    }

    /// The graph names in all values of a parameter.
    pub(super) fn graphs(&self, name: &str) -> Result<Vec<NamedNode>, ProtocolProblem> {
        let values = self.0.iter().filter(|(known, _)| known == name);
        values.map(|(_, value)| parse_graph_name(name, value)).collect()
    }
}

/// Parses a graph name.
pub(super) fn parse_graph_name(parameter: &str, value: &str) -> Result<NamedNode, ProtocolProblem> {
    NamedNode::new(value)
        .map_err(|error| ProtocolProblem::bad_request(format!("{parameter}: <{value}> is not an IRI: {error}")))
}

/// Decodes `+` and percent signs once. Invalid encoding is an error: a lenient decoder would run a
/// different query.
fn decode(text: &str) -> Result<String, ProtocolProblem> {
    let invalid = || ProtocolProblem::bad_request(format!("`{text}` is not percent-encoded UTF-8"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                let (high, low) = (digit(), digit());
                let value = high.zip(low).map(|(high, low)| high << 4 | low).ok_or_else(invalid)?;
                bytes.push(u8::try_from(value).map_err(|_| invalid())?);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| invalid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_once() {
        let parameters = ProtocolParameters::parse("query=ASK+%7B%7D&a=%2531&default&b=x=y&&a=2").unwrap();

        assert_eq!(parameters.single("query"), Ok(Some("ASK {}")));
        assert_eq!(parameters.single("default"), Ok(Some("")));
        assert_eq!(parameters.single("b"), Ok(Some("x=y")));
        assert_eq!(parameters.single("c"), Ok(None));
        assert!(parameters.single("a").is_err());
        assert_eq!(parameters.0[1].1, "%31");
    }

    #[test]
    fn invalid_encoding_is_an_error() {
        for text in ["query=%", "query=%4", "query=%zz", "query=%ff", "query=%+1"] {
            assert!(ProtocolParameters::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn relative_graph_names_are_rejected() {
        let parameters = ProtocolParameters::parse("g=http%3A%2F%2Fa.example%2F&g=urn:x&h=a/b").unwrap();

        assert_eq!(parameters.graphs("g").unwrap().len(), 2);
        assert!(parameters.graphs("h").is_err());
    }
}
