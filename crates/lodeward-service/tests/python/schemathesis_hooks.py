"""What Schemathesis does not know by itself of our API."""

import schemathesis

# Bodies that are texts: the document says no more about them.
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
    # What is no text cannot be sent as one; written down, `{}` would even be TriG.
    return value.encode("utf-8", "replace") if isinstance(value, str) else b"\xff no text"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Whoever asks does not remove themselves: all that follows would be refused."""
    path = case.operation.path
    if case.method.upper() == "GET" or not path.startswith(("/api/v1/users/", "/api/v1/tokens/")):
        return
    for parameter, own in (("name", "admin"), ("id", None)):
        value = (case.path_parameters or {}).get(parameter)
        if value is not None and (own is None or str(value) == own):
            case.path_parameters[parameter] = "nobody"
