"""Harvest RDF from the web: crawl, extract and query with the program `lodeward`.

The package contains the program. Each function runs it as a process of its own, so a crawl uses the
memory of that process, and a crash of it does not end the interpreter. An error of the program is
raised as `LodewardError` with the same text.
"""

import json
import os
import tempfile

from .rows import Rows, Term, parse_row
from .run import LodewardError, binary_path, run_lines, to_flags

__all__ = ["LodewardError", "Rows", "Term", "binary_path", "crawl", "extract", "query"]

DEFAULT_DATA = "./lodeward-data"


def crawl(seeds=(), *, data=DEFAULT_DATA, settings=None, progress=None, **flags):
    """Runs a crawl to its end, and returns its report as a dictionary.

    `seeds` is a URI or several; without seeds, an existing crawl is resumed. Keyword arguments are
    flags of `lodeward crawl`: `max_documents=100` is `--max-documents 100`, `sitemaps=True` is
    `--sitemaps`, and a list repeats its flag. `settings` has any other setting, as
    `{"crawl.hops.strict": True}`. `progress` is called with each line of progress.
    """
    seeds = [seeds] if isinstance(seeds, str) else list(seeds)
    with tempfile.TemporaryDirectory(prefix="lodeward-") as directory:
        report = os.path.join(directory, "report.json")
        arguments = ["crawl", *seeds, "--data", os.fspath(data), "--report", report, *to_flags(flags)]
        for key, value in (settings or {}).items():
            arguments += ["--set", f"{key}={json.dumps(value)}"]
        run_lines(arguments, errors=progress).drain()
        with open(report, encoding="utf-8") as file:
            return json.load(file)


def extract(document, *, base=None, content_type=None):
    """Returns the statements of a document, as lines of N-Quads.

    `document` is text or bytes. `base` is its URL; it is required only if the document has relative
    IRIs. `content_type` is needed if the format cannot be detected.
    """
    content = document.encode("utf-8") if isinstance(document, str) else document
    arguments = ["extract", "-", *to_flags({"base": base, "content_type": content_type})]
    return list(run_lines(arguments, content=content))


def query(query, *files, data=None, **flags):
    """Runs a SPARQL query on the archive in `data`, or on these files.

    SELECT returns `Rows`, which are read while the program writes them. ASK returns a boolean.
    CONSTRUCT and DESCRIBE return lines of N-Triples. Keyword arguments are flags of `lodeward query`,
    such as `timeout="10s"`.
    """
    arguments = ["query", query, *map(os.fspath, files)]
    if not files:
        arguments += ["--data", os.fspath(data or DEFAULT_DATA)]
    lines = run_lines([*arguments, *to_flags(flags)])
    first = next(lines, None)
    if first in ("true", "false"):
        lines.drain()
        return first == "true"
    if first is not None and (first.startswith("?") or not first):
        return Rows([name[1:] for name in first.split("\t") if name], map(parse_row, lines))
    return [] if first is None else [first, *lines]
