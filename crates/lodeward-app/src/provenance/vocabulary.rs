//! The RDF terms used for provenance and descriptions.

/// Declares terms of a namespace.
macro_rules! terms {
    ($(#[$meta:meta])* $module:ident = $namespace:literal { $($name:ident = $local:literal,)+ }) => {
        $(#[$meta])*
        pub(super) mod $module {
            use oxrdf::NamedNodeRef;

            $(pub(in super::super) const $name: NamedNodeRef<'static> =
                NamedNodeRef::new_unchecked(concat!($namespace, $local));)+
        }
    };
}

terms! {
    /// PROV-O: the provenance ontology.
    prov = "http://www.w3.org/ns/prov#" {
        ENTITY = "Entity",
        ACTIVITY = "Activity",
        SOFTWARE_AGENT = "SoftwareAgent",
        WAS_GENERATED_BY = "wasGeneratedBy",
        GENERATED_AT_TIME = "generatedAtTime",
        WAS_INVALIDATED_BY = "wasInvalidatedBy",
        INVALIDATED_AT_TIME = "invalidatedAtTime",
        STARTED_AT_TIME = "startedAtTime",
        ENDED_AT_TIME = "endedAtTime",
        WAS_DERIVED_FROM = "wasDerivedFrom",
        WAS_ASSOCIATED_WITH = "wasAssociatedWith",
        WAS_INFORMED_BY = "wasInformedBy",
    }
}

terms! {
    /// HTTP Vocabulary in RDF 1.0.
    http = "http://www.w3.org/2011/http#" {
        REQUEST = "Request",
        RESPONSE = "Response",
        METHOD_NAME = "methodName",
        ABSOLUTE_URI = "absoluteURI",
        RESP = "resp",
        STATUS_CODE_VALUE = "statusCodeValue",
        HEADERS = "headers",
        MESSAGE_HEADER = "MessageHeader",
        FIELD_NAME = "fieldName",
        FIELD_VALUE = "fieldValue",
    }
}

terms! {
    /// Dublin Core.
    dcterms = "http://purl.org/dc/terms/" {
        FORMAT = "format",
        LICENSE = "license",
        MODIFIED = "modified",
        TITLE = "title",
        TYPE = "type",
        DESCRIPTION = "description",
    }
}

terms! {
    /// TDM Reservation Protocol.
    tdm = "http://www.w3.org/ns/tdmrep#" {
        RESERVATION = "reservation",
        POLICY = "policy",
    }
}

terms! {
    /// `VoID`: descriptions of linked datasets.
    void = "http://rdfs.org/ns/void#" {
        DATASET = "Dataset",
        LINKSET = "Linkset",
        IN_DATASET = "inDataset",
        SUBSET = "subset",
        TRIPLES = "triples",
        ENTITIES = "entities",
        DOCUMENTS = "documents",
        CLASSES = "classes",
        PROPERTIES = "properties",
        CLASS_PARTITION = "classPartition",
        CLASS = "class",
        PROPERTY_PARTITION = "propertyPartition",
        PROPERTY = "property",
        SUBJECTS_TARGET = "subjectsTarget",
        OBJECTS_TARGET = "objectsTarget",
        ROOT_RESOURCE = "rootResource",
    }
}

terms! {
    /// FOAF, for names of agents.
    foaf = "http://xmlns.com/foaf/0.1/" {
        NAME = "name",
    }
}

terms! {
    /// The project's own terms, where no public vocabulary has one: `docs/provenance.md`.
    own = "https://lodeward.example/ns#" {
        SYNTAX = "syntax",
        BYTES = "bytes",
        DIGEST = "digest",
        ETAG = "etag",
        FAULT = "fault",
        FAULT_CLASS = "Fault",
    }
}
