//! Values of arguments as text, in requests to the process that holds a data directory.

/// A value of clap by its name.
pub(super) mod value_name {
    use clap::ValueEnum;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(in crate::args) fn serialize<T: ValueEnum, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let value = value.as_ref().and_then(ValueEnum::to_possible_value);
        value.map(|value| value.get_name().to_owned()).serialize(serializer)
    }

    pub(in crate::args) fn deserialize<'de, T: ValueEnum, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        name.map(|name| T::from_str(&name, false).map_err(D::Error::custom)).transpose()
    }
}

/// A term as in N-Triples.
pub(super) mod term {
    use std::fmt::Display;

    use oxrdf::Term;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::args::terms::parse_term;

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(in crate::args) fn serialize<T: Display, S: Serializer>(
        term: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        term.as_ref().map(ToString::to_string).serialize(serializer)
    }

    pub(in crate::args) fn deserialize<'de, T: TryFrom<Term>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let term = parse_term(&text).map_err(D::Error::custom)?;
        T::try_from(term).map(Some).map_err(|_| D::Error::custom(format!("{text} is a term of another kind")))
    }
}

/// A list of IRIs.
pub(super) mod iris {
    use oxrdf::NamedNode;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::args::terms::parse_iri;

    pub(in crate::args) fn serialize<S: Serializer>(iris: &[NamedNode], serializer: S) -> Result<S::Ok, S::Error> {
        iris.iter().map(NamedNode::as_str).collect::<Vec<&str>>().serialize(serializer)
    }

    pub(in crate::args) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NamedNode>, D::Error> {
        let iris = Vec::<String>::deserialize(deserializer)?;
        iris.iter().map(|iri| parse_iri(iri).map_err(D::Error::custom)).collect()
    }
}
