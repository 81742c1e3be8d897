"""Requests that nobody thought of, made up from the OpenAPI document.

    schemathesis_run.py DOCUMENT SECONDS

Schemathesis makes requests that fit the document and requests that do not, and
checks what comes back: no 5xx, no status, header, media type or body that the
document does not promise. The environment may have AUTHORIZATION, the field that
lets it in.
"""

import os
import subprocess
import sys
import tempfile

# What a service must do whatever it is asked.
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


def main(document, seconds):
    options = [
        f"--max-time={seconds}",
        f"--checks={','.join(CHECKS)}",
        "--seed=7474",
        "--workers=2",
        "--generation-database=none",
        "--request-timeout=30",
        "--max-failures=50",
        "--continue-on-failure",
        "--warnings=off",
        "--no-color",
    ]
    authorization = os.environ.get("AUTHORIZATION")
    if authorization:
        options.append(f"--header=Authorization: {authorization}")
    command = [sys.executable, "-m", "schemathesis.cli", "run", document, *options]
    # It writes files where it is.
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(subprocess.run(command, cwd=folder, check=False).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
