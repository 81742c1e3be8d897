//! The bundled contexts.
//!
//! They are our own tables, written from the published contexts and checked term by term against
//! copies of them. If a context has a `@vocab` that covers further terms, as for schema.org, the
//! table omits these terms. A context is included only if its published content is known for
//! certain: a wrong context creates wrong statements, a missing one creates none.
//! [`BundledContexts`](super::BundledContexts) lists them.

mod table;

use std::sync::LazyLock;

use foldhash::HashMap;

/// A context and its URLs: without the scheme, which can be `http` or `https`, and without a
/// trailing slash.
struct BundledContext {
    urls: &'static [&'static str],
    document: LazyLock<Vec<u8>>,
}

macro_rules! bundles {
    ($($table:literal: $($url:literal)+;)+) => {
        [$(BundledContext {
            urls: &[$($url),+],
            document: LazyLock::new(|| table::to_json(include_str!(concat!("tables/", $table, ".txt")))),
        }),+]
    };
}

static BUNDLES: [BundledContext; 26] = bundles! {
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

static BUNDLES_BY_URL: LazyLock<HashMap<&str, &BundledContext>> =
    LazyLock::new(|| BUNDLES.iter().flat_map(|bundle| bundle.urls.iter().map(move |url| (*url, bundle))).collect());

/// The text of a bundled context.
pub(super) fn context(url: &str) -> Option<&'static [u8]> {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let (scheme, url) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let (host, path) = url.split_once('/').unwrap_or((url, ""));
    let key = [&host.to_ascii_lowercase(), "/", path].concat();
    BUNDLES_BY_URL.get(key.trim_end_matches('/')).map(|bundle| bundle.document.as_slice())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::json_ld::{BundledContexts, ContextLoader, JsonLdOptions, read};
    use crate::{QuadSink, RdfFault};

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl QuadSink for Lines {
        fn quad(&mut self, quad: oxrdf::QuadRef<'_>) {
            self.0.push(quad.to_string());
        }

        fn fault(&mut self, fault: RdfFault) {
            self.0.push(fault.detail);
        }
    }

    fn lines(document: &str) -> Vec<String> {
        let contexts: Arc<dyn ContextLoader> = Arc::new(BundledContexts);
        let mut lines = Lines::default();
        read(document.as_bytes(), "http://a.org/", &JsonLdOptions::default(), &contexts, &mut lines);
        lines.0
    }

    #[test]
    fn all_bundled_contexts_are_valid() {
        for url in BUNDLES.iter().flat_map(|bundle| bundle.urls) {
            assert_eq!(lines(&format!(r#"{{"@context": "https://{url}"}}"#)), Vec::<String>::new(), "{url}");
        }
    }

    #[test]
    fn contexts_are_found_by_all_forms_of_their_url() {
        for url in [
            "http://schema.org",
            "https://schema.org/",
            "HTTPS://Schema.org",
            "http://www.schema.org/#",
            "https://schema.org#",
            "https://schema.org/docs/jsonldcontext.jsonld",
            "http://health-lifesci.schema.org/",
            "http://www.w3.org/ns/anno.jsonld",
        ] {
            assert!(context(url).is_some(), "{url}");
        }
        for url in ["schema.org", "ftp://schema.org/", "https://schema.org/Person", "https://a.schema.org/", "http://"]
        {
            assert_eq!(context(url), None);
        }
    }

    #[test]
    fn bundled_terms_expand_like_the_published_ones() {
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
