//! The contexts that most of the web uses.
//!
//! They are tables of ours, written from what the contexts say, and checked
//! term by term against copies of them. Where a vocabulary covers the terms
//! that are not in the table, as for schema.org, these are left out of it.
//! A context is here only if what is published under its address is known for
//! sure: a wrong one makes wrong statements, and one that is missing none.
//! [`Bundled`](super::Bundled) lists them.

mod table;

use std::sync::LazyLock;

use foldhash::HashMap;

/// A context, and the addresses it is found at: without the scheme, of which
/// there are always two, and without a slash at the end.
struct Bundle {
    addresses: &'static [&'static str],
    document: LazyLock<Vec<u8>>,
}

macro_rules! bundles {
    ($($table:literal: $($address:literal)+;)+) => {
        [$(Bundle {
            addresses: &[$($address),+],
            document: LazyLock::new(|| table::expanded(include_str!(concat!("tables/", $table, ".txt")))),
        }),+]
    };
}

static BUNDLES: [Bundle; 26] = bundles! {
    "schema-org": "schema.org" "www.schema.org" "health-lifesci.schema.org" "pending.schema.org" "bib.schema.org"
        "auto.schema.org" "iot.schema.org" "meta.schema.org" "attic.schema.org"
        "schema.org/docs/jsonldcontext" "schema.org/docs/jsonldcontext.json" "schema.org/docs/jsonldcontext.jsonld"
        "schema.org/docs/jsonldcontext.json.txt" "www.schema.org/docs/jsonldcontext.json"
        "www.schema.org/docs/jsonldcontext.jsonld" "schema.org/version/latest/schemaorgcontext.jsonld";
    "activitystreams": "www.w3.org/ns/activitystreams" "w3.org/ns/activitystreams"
        "www.w3.org/ns/activitystreams.jsonld";
    "credentials-v1": "www.w3.org/2018/credentials/v1";
    "credentials-v2": "www.w3.org/ns/credentials/v2";
    "did-v1": "www.w3.org/ns/did/v1" "w3id.org/did/v1";
    "security-v1": "w3id.org/security/v1";
    "security-v2": "w3id.org/security/v2";
    "data-integrity-v1": "w3id.org/security/data-integrity/v1";
    "data-integrity-v2": "w3id.org/security/data-integrity/v2";
    "multikey-v1": "w3id.org/security/multikey/v1";
    "ed25519-2018-v1": "w3id.org/security/suites/ed25519-2018/v1";
    "ed25519-2020-v1": "w3id.org/security/suites/ed25519-2020/v1";
    "x25519-2020-v1": "w3id.org/security/suites/x25519-2020/v1";
    "jws-2020-v1": "w3id.org/security/suites/jws-2020/v1";
    "status-list-2021-v1": "w3id.org/vc/status-list/2021/v1";
    "identity-v1": "w3id.org/identity/v1";
    "openbadges-v2": "w3id.org/openbadges/v2";
    "web-annotation": "www.w3.org/ns/anno.jsonld" "www.w3.org/ns/anno";
    "odrl": "www.w3.org/ns/odrl.jsonld";
    "iiif-presentation-2": "iiif.io/api/presentation/2/context.json";
    "iiif-image-2": "iiif.io/api/image/2/context.json";
    "codemeta-2": "doi.org/10.5063/schema/codemeta-2.0" "purl.org/codemeta/2.0" "w3id.org/codemeta/2.0"
        "raw.githubusercontent.com/codemeta/codemeta/2.0/codemeta.jsonld"
        "raw.githubusercontent.com/codemeta/codemeta/2.0-rc/codemeta.jsonld";
    "codemeta-3": "w3id.org/codemeta/3.0" "w3id.org/codemeta/v3.0"
        "raw.githubusercontent.com/codemeta/codemeta/3.0/codemeta.jsonld";
    "geojson": "geojson.org/geojson-ld/geojson-context.jsonld";
    "person": "json-ld.org/contexts/person.jsonld" "json-ld.org/contexts/person";
    "rdfa-1.1": "www.w3.org/2013/json-ld-context/rdfa11";
};

static BY_ADDRESS: LazyLock<HashMap<&str, &Bundle>> = LazyLock::new(|| {
    BUNDLES.iter().flat_map(|bundle| bundle.addresses.iter().map(move |address| (*address, bundle))).collect()
});

/// The text of a context that is at hand.
pub(super) fn context(address: &str) -> Option<&'static [u8]> {
    let address = address.split_once('#').map_or(address, |(address, _)| address);
    let (scheme, address) = address.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let key = [&host.to_ascii_lowercase(), "/", path].concat();
    BY_ADDRESS.get(key.trim_end_matches('/')).map(|bundle| bundle.document.as_slice())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::json_ld::{Bundled, Contexts, Options, read};
    use crate::{Fault, Sink, Syntax};

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Sink for Lines {
        fn quad(&mut self, _: Syntax, quad: oxrdf::QuadRef<'_>) {
            self.0.push(quad.to_string());
        }

        fn fault(&mut self, fault: Fault) {
            self.0.push(fault.detail);
        }

        fn begin(&mut self, _: Syntax) {}
    }

    fn lines(document: &str) -> Vec<String> {
        let contexts: Arc<dyn Contexts> = Arc::new(Bundled);
        let mut lines = Lines::default();
        read(document.as_bytes(), "http://a.org/", &Options::default(), &contexts, &mut lines);
        lines.0
    }

    #[test]
    fn all_contexts_can_be_read() {
        for address in BUNDLES.iter().flat_map(|bundle| bundle.addresses) {
            assert_eq!(lines(&format!(r#"{{"@context": "https://{address}"}}"#)), Vec::<String>::new(), "{address}");
        }
    }

    #[test]
    fn addresses_are_known_in_all_their_forms() {
        for address in [
            "http://schema.org",
            "https://schema.org/",
            "HTTPS://Schema.org",
            "http://www.schema.org/#",
            "https://schema.org#",
            "https://schema.org/docs/jsonldcontext.jsonld",
            "http://health-lifesci.schema.org/",
            "http://www.w3.org/ns/anno.jsonld",
        ] {
            assert!(context(address).is_some(), "{address}");
        }
        for address in
            ["schema.org", "ftp://schema.org/", "https://schema.org/Person", "https://a.schema.org/", "http://"]
        {
            assert_eq!(context(address), None);
        }
    }

    #[test]
    fn terms_mean_what_they_mean_elsewhere() {
        let check = |document: &str, expected: &[&str]| assert_eq!(lines(document), expected);

        check(
            r#"{"@context": "https://schema.org", "@id": "/a", "@type": "Book", "name": "N", "image": "i", "datePublished": "2020"}"#,
            &[
                "<http://a.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Book>",
                "<http://a.org/a> <http://schema.org/name> \"N\"",
                "<http://a.org/a> <http://schema.org/image> <http://a.org/i>",
                "<http://a.org/a> <http://schema.org/datePublished> \"2020\"^^<http://schema.org/Date>",
            ],
        );
        check(
            r#"{"@context": ["https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"], "id": "/a",
                "nameMap": {"en": "N"}, "unknown": 1, "publicKey": {"id": "/k", "publicKeyPem": "P"}}"#,
            &[
                "<http://a.org/a> <https://www.w3.org/ns/activitystreams#name> \"N\"@en",
                "<http://a.org/a> <https://w3id.org/security#publicKey> <http://a.org/k>",
                "<http://a.org/k> <https://w3id.org/security#publicKeyPem> \"P\"",
            ],
        );
    }
}
