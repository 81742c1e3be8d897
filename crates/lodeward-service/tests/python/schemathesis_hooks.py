"""Hooks for Schemathesis: text bodies, and requests that would revoke its own token."""

import schemathesis

# Media types of text bodies, which the document does not describe further.
TEXTS = [
    "application/n-quads",
    "application/n-triples",
    "application/rdf+xml",
    "application/sparql-query",
    "application/sparql-update",
    "application/toml",
    "application/trig",
    "application/ld+json",
    "text/html",
    "text/turtle",
]


@schemathesis.serializer(*TEXTS)
def text(context, value):
    if isinstance(value, bytes):
        return value
    # Other values are sent as invalid text: serialized, `{}` would be valid TriG.
    return value.encode("utf-8", "replace") if isinstance(value, str) else b"\xff not text"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps the own user and token: otherwise all following requests would be rejected."""
    path = case.operation.path
    if case.method.upper() == "GET" or not path.startswith(("/api/v1/users/", "/api/v1/tokens/")):
        return
    for parameter, own in (("name", "admin"), ("id", None)):
        value = (case.path_parameters or {}).get(parameter)
        if value is not None and (own is None or str(value) == own):
            case.path_parameters[parameter] = "unknown"
