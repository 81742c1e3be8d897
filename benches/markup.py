"""Throughput on real pages, compared with extruct.

markup.py collect SUITES DIR          writes the pages of the suites to DIR, in UTF-8
markup.py compare DIR OURS [ROUNDS]   measures both sides, alternating, and prints a table

The class of a page is the set of its syntaxes, for example `microdata+json-ld`;
a group is a union of classes. CPU time is user + system of one thread.
"""
import gzip
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile
import time

SYNTAXES = ["rdfa", "microdata", "json-ld"]
BASE = "http://example.org/"

# The files of each suite that are pages.
SUITES = {
    "readability-test-pages": re.compile(r"/source\.html$"),
    "article-extraction-benchmark": re.compile(r"/html/[^/]+\.html\.gz$"),
    "extruct-samples": re.compile(r"\.html$"),
    "any23-test-resources": re.compile(r"\.x?html$"),
}


def decoded(data):
    """The text of a page, by its declared encoding; both sides read the same text."""
    match = re.search(rb"charset=[\"']?([\w-]+)", data[:2048])
    for encoding in ["utf-8-sig", match and match[1].decode(), "windows-1252"]:
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError, TypeError):
            continue
    return data.decode("latin-1")


def classify(text):
    """The syntaxes of a page. Open Graph is RDFa, but a separate class: most pages have it."""
    import lxml.html
    try:
        tree = lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    except Exception:
        return "none"
    found = []
    if tree.xpath("//*[@typeof or @vocab or @about or @datatype or @inlist or @rev]|//*[@property][not(self::meta)]"):
        found.append("rdfa")
    if tree.xpath("//*[@itemscope]"):
        found.append("microdata")
    if tree.xpath("//script[starts-with(@type, 'application/ld+json')]"):
        found.append("json-ld")
    if not found and tree.xpath("//meta[@property]"):
        found.append("open-graph-only")
    return "+".join(found) or "none"


def collect(suites, directory):
    directory.mkdir(parents=True, exist_ok=True)
    lines = []
    for suite, pattern in SUITES.items():
        with tarfile.open(suites / f"{suite}.tar.gz") as archive:
            for member in archive:
                if not (member.isfile() and pattern.search(member.name)):
                    continue
                data = archive.extractfile(member).read()
                data = gzip.decompress(data) if member.name.endswith(".gz") else data
                text = decoded(data)
                if not text.strip():
                    continue
                name = re.sub(r"[^\w.-]+", "_", member.name.removesuffix(".gz"))
                (directory / name).write_text(text, encoding="utf-8", newline="")
                lines.append(f"{classify(text)}\t{name}")
    (directory / "pages.tsv").write_text("\n".join(sorted(lines)) + "\n")
    print(f"{len(lines)} pages", file=sys.stderr)


def pages_by_class(directory):
    classes = {}
    for line in (directory / "pages.tsv").read_text().splitlines():
        name, file = line.split("\t")
        classes.setdefault(name, []).append((file, (directory / file).read_bytes().decode()))
    return dict(sorted(classes.items()))


def theirs(classes):
    """CPU seconds of extruct per class, including pages on which it fails."""
    import extruct
    seconds = {}
    for name, pages in classes.items():
        start = time.process_time()
        for file, text in pages:
            try:
                extruct.extract(text, base_url=BASE + file, syntaxes=SYNTAXES, uniform=False, errors="ignore")
            except Exception:
                pass
        seconds[name] = time.process_time() - start
    return seconds


def ours(reader):
    reader.stdin.write("\n")
    reader.stdin.flush()
    seconds = {}
    for line in iter(reader.stdout.readline, "end\n"):
        name, _, taken, _, _ = line.split("\t")
        seconds[name] = float(taken)
    return seconds


def compare(directory, binary, rounds):
    import logging
    import warnings
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    classes = pages_by_class(directory)
    reader = subprocess.Popen([binary, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ours(reader), theirs(classes)  # warm-up
    turns = [(ours(reader), theirs(classes)) for _ in range(rounds)]
    reader.stdin.close()
    reader.wait()

    def rate(side, names):
        size = sum(len(text.encode()) for name in names for _, text in classes[name])
        return [size / 1e6 / sum(turn[side][name] for name in names) for turn in turns]

    groups = {"all pages": list(classes)}
    for part in [*SYNTAXES, "open-graph-only", "none"]:
        groups[f"with {part}" if part in SYNTAXES else part] = [name for name in classes if part in name.split("+")]
    print("| pages | number | MB | lodeward, MB per CPU-second | extruct | ratio | smallest | largest |")
    print("|---|---|---|---|---|---|---|---|")
    for group, names in groups.items():
        count = sum(len(classes[name]) for name in names)
        if not count:
            continue
        size = sum(len(text.encode()) for name in names for _, text in classes[name]) / 1e6
        mine, peer = rate(0, names), rate(1, names)
        ratios = [a / b for a, b in zip(mine, peer)]
        print(f"| {group} | {count} | {size:.1f} | {statistics.median(mine):.1f} | {statistics.median(peer):.2f} "
              f"| {statistics.median(ratios):.1f} | {min(ratios):.1f} | {max(ratios):.1f} |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["collect", suites, directory]:
            collect(pathlib.Path(suites), pathlib.Path(directory))
        case ["compare", directory, binary, *rounds]:
            compare(pathlib.Path(directory), binary, int(rounds[0]) if rounds else 5)
        case _:
            sys.exit(__doc__)
