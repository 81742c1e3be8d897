//! Parameters of a request: `application/x-www-form-urlencoded`, strictly.

use oxrdf::NamedNode;

use super::problem::Problem;

/// Names and values, decoded, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads a query string, or the body of a form.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        });
        Ok(Self(pairs.collect::<Result<_, Problem>>()?))
    }

    /// These and those, as of a form that is sent to an address with a query.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The one value of a parameter that may be given once.
    pub(super) fn one(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Problem::bad_request(format!("the parameter `{name}` is given more than once"))),
            (value, None) => Ok(value),
        }
    }

    /// The values of a parameter that names graphs.
    pub(super) fn graphs(&self, name: &str) -> Result<Vec<NamedNode>, Problem> {
        let values = self.0.iter().filter(|(known, _)| known == name);
        values.map(|(_, value)| graph_name(name, value)).collect()
    }
}

/// The name of a graph in a parameter.
pub(super) fn graph_name(parameter: &str, value: &str) -> Result<NamedNode, Problem> {
    NamedNode::new(value).map_err(|error| Problem::bad_request(format!("{parameter}: <{value}> is no IRI: {error}")))
}

/// Decodes `+` and percent signs once. What is not UTF-8 then, or not encoded
/// at all, is an error: a lenient decoder would answer another question.
fn decode(text: &str) -> Result<String, Problem> {
    let wrong = || Problem::bad_request(format!("`{text}` is not percent-encoded UTF-8"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                let (high, low) = (digit(), digit());
                let value = high.zip(low).map(|(high, low)| high << 4 | low).ok_or_else(wrong)?;
                bytes.push(u8::try_from(value).map_err(|_| wrong())?);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_once() {
        let parameters = Parameters::parse("query=ASK+%7B%7D&a=%2531&default&b=x=y&&a=2").unwrap();

        assert_eq!(parameters.one("query"), Ok(Some("ASK {}")));
        assert_eq!(parameters.one("default"), Ok(Some("")));
        assert_eq!(parameters.one("b"), Ok(Some("x=y")));
        assert_eq!(parameters.one("c"), Ok(None));
        assert!(parameters.one("a").is_err());
        assert_eq!(parameters.0[1].1, "%31");
    }

    #[test]
    fn what_is_not_encoded_is_an_error() {
        for text in ["query=%", "query=%4", "query=%zz", "query=%ff", "query=%+1"] {
            assert!(Parameters::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn graphs_are_named_by_absolute_iris() {
        let parameters = Parameters::parse("g=http%3A%2F%2Fa.example%2F&g=urn:x&h=a/b").unwrap();

        assert_eq!(parameters.graphs("g").unwrap().len(), 2);
        assert!(parameters.graphs("h").is_err());
    }
}
