"""Requests that nobody thought of, made up from the OpenAPI document.

    schemathesis_run.py DOCUMENT examples=COUNT    the same ones each time
    schemathesis_run.py DOCUMENT seconds=COUNT     others each time

Schemathesis makes requests that fit the document and requests that do not, and
checks what comes back: no 5xx, no status, header, media type or body that the
document does not promise, nothing taken that it forbids. The environment has
AUTHORIZATION, the field that lets it in.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

# What must be true of every answer. Not among them: that whatever fits the document
# is taken (`positive_data_acceptance`), for a filter or a query that is a text need
# not be one that can be read.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
]

# A stream of events never ends: one of them will do.
CONFIGURATION = """
hooks = {hooks!r}
max-stream-events = 1
headers = {{ Authorization = "${{AUTHORIZATION}}" }}

# With these a request is refused that does not fit the document; 414 and 431 are those
# of a head that is too long to be read.
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 422, 429, 431]
"""

# How much is made up. However fast the machine is, a count makes the same requests, one
# after the other.
BOUNDS = {
    "examples": lambda count: [f"--max-examples={count}", "--generation-deterministic", "--workers=1"],
    "seconds": lambda count: [f"--max-time={count}", "--generation-database=none", "--workers=2"],
}


def main(document, bound):
    kind, count = bound.split("=")
    options = [
        *BOUNDS[kind](count),
        f"--checks={','.join(CHECKS)}",
        "--request-timeout=60",
        "--continue-on-failure",
        "--warnings=off",
        "--no-color",
    ]
    hooks = str(pathlib.Path(__file__).with_name("schemathesis_hooks.py"))
    # It writes files where it is.
    with tempfile.TemporaryDirectory() as folder:
        configuration = pathlib.Path(folder, "schemathesis.toml")
        configuration.write_text(CONFIGURATION.format(hooks=hooks))
        command = [sys.executable, "-m", "schemathesis.cli", "run", document, *options]
        sys.exit(subprocess.run(command, cwd=folder, check=False).returncode)


if __name__ == "__main__":
    assert os.environ["AUTHORIZATION"], "who asks?"
    main(*sys.argv[1:])
