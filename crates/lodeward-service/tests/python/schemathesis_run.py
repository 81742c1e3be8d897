"""Runs Schemathesis: requests generated from the OpenAPI document.

    schemathesis_run.py DOCUMENT examples=COUNT    deterministic requests
    schemathesis_run.py DOCUMENT seconds=COUNT     random requests

Schemathesis sends requests that conform to the document and requests that do not, and
checks the responses: no 5xx, no status, header, media type or body that the document does
not declare, no invalid request accepted. The environment variable AUTHORIZATION has the
value of that header field.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

# Checks of every response. `positive_data_acceptance` is not among them, because a string
# that conforms to the document need not be a valid filter or query.
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

# An event stream does not end, so one event is read.
CONFIGURATION = """
hooks = {hooks!r}
max-stream-events = 1
headers = {{ Authorization = "${{AUTHORIZATION}}" }}

# Statuses for requests that do not conform to the document; 414 and 431 are for heads that
# are too long.
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 422, 429, 431]
"""

# Number or time of requests. A count generates the same requests on every machine.
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
    # Schemathesis writes files to its working directory.
    with tempfile.TemporaryDirectory() as directory:
        configuration = pathlib.Path(directory, "schemathesis.toml")
        configuration.write_text(CONFIGURATION.format(hooks=hooks))
        command = [sys.executable, "-m", "schemathesis.cli", "run", document, *options]
        sys.exit(subprocess.run(command, cwd=directory, check=False).returncode)


if __name__ == "__main__":
    assert os.environ["AUTHORIZATION"], "AUTHORIZATION is not set"
    main(*sys.argv[1:])
