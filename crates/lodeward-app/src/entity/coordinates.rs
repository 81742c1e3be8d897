//! Coordinates of an entity, by the usual vocabularies.

use std::str::FromStr;

use oxrdf::{NamedNodeRef, Term};

use super::StatementsByProperty;

const GEO: &str = "http://www.w3.org/2003/01/geo/wgs84_pos#";

/// A point on the earth (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// Degrees north of the equator.
    pub latitude: f64,
    /// Degrees east of Greenwich.
    pub longitude: f64,
}

impl Coordinates {
    /// The coordinates that an entity states: `geo:lat` and `geo:long`, `schema:latitude` and `schema:longitude`,
    /// `georss:point`, or a point in `geo:asWKT`.
    pub(super) fn from_statements(statements: &StatementsByProperty) -> Option<Self> {
        let text = |property: &str| {
            let values = statements.get(&NamedNodeRef::new_unchecked(property).into_owned())?;
            values.iter().find_map(|(value, _)| match value {
                Term::Literal(literal) => Some(literal.value().to_owned()),
                _ => None,
            })
        };
        let pair = |latitude: &str, longitude: &str| Self::new(&text(latitude)?, &text(longitude)?);
        let schema = |namespace: &str| pair(&format!("{namespace}latitude"), &format!("{namespace}longitude"));
        pair(&format!("{GEO}lat"), &format!("{GEO}long"))
            .or_else(|| schema("http://schema.org/"))
            .or_else(|| schema("https://schema.org/"))
            .or_else(|| Self::from_point(&text("http://www.georss.org/georss/point")?))
            .or_else(|| Self::from_wkt(&text("http://www.opengis.net/ont/geosparql#asWKT")?))
    }

    fn new(latitude: &str, longitude: &str) -> Option<Self> {
        let (latitude, longitude) = (f64::from_str(latitude.trim()).ok()?, f64::from_str(longitude.trim()).ok()?);
        let is_valid = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        is_valid.then_some(Self { latitude, longitude })
    }

    /// `50.94 6.96`: latitude, then longitude.
    fn from_point(text: &str) -> Option<Self> {
        let mut parts = text.split_whitespace();
        Self::new(parts.next()?, parts.next()?)
    }

    /// `POINT(6.96 50.94)`: longitude, then latitude.
    fn from_wkt(text: &str) -> Option<Self> {
        let (_, rest) =
            text.to_ascii_uppercase().split_once("POINT").map(|(before, rest)| (before.len(), rest.to_owned()))?;
        let inner = rest.trim().strip_prefix('(')?.split(')').next()?.to_owned();
        let mut parts = inner.split_whitespace();
        let longitude = parts.next()?;
        Self::new(parts.next()?, longitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_in_both_orders() {
        let cologne = Some(Coordinates { latitude: 50.94, longitude: 6.96 });

        assert_eq!(Coordinates::from_point("50.94 6.96"), cologne);
        assert_eq!(Coordinates::from_wkt("POINT(6.96 50.94)"), cologne);
        assert_eq!(Coordinates::from_wkt("<http://www.opengis.net/def/crs/EPSG/0/4326> Point (6.96 50.94)"), cologne);
        for invalid in ["", "POINT(1)", "POINT(200 95)", "LINESTRING(1 2, 3 4)", "POINT(x y)"] {
            assert_eq!(Coordinates::from_wkt(invalid), None, "{invalid}");
        }
    }
}
