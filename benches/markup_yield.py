"""Compares the statements found in real pages with extruct and with any23's expectations.

markup_yield.py DIR OURS OUT [SUITES]

DIR is the output of `markup.py collect`, OURS the example `yield` (quoted if it has
options: 'yield --stray'), OUT the file to write: a summary, then every page that
differs, with its differences. Both outputs are first normalised to a multiset of
lines `property value` per page and syntax, without blank node labels and white
space, and truncated, because extruct inserts white space between elements and
omits scripts.
"""
import collections
import json
import logging
import pathlib
import re
import subprocess
import sys
import tarfile
import warnings
from urllib.parse import urljoin

import extruct
import extruct.rdfa
import rdflib
import rdflib.compare

BASE = "http://example.org/"
MAX_LINES = 12
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")


class RecordedGraph(rdflib.Graph):
    """Records the graph of a page before extruct converts it to JSON."""
    last = None

    def serialize(self, *arguments, **options):
        RecordedGraph.last = self
        return super().serialize(*arguments, **options)


extruct.rdfa.Graph = RecordedGraph


def plain(text):
    return re.sub(r"\s+", "", str(text))[:80]


# extruct declares these prefixes for pages that do not declare them; by RDFa 1.1 such
# names are absolute IRIs. It also always reads `role`, which is optional here. Neither
# difference is an error, so both are removed before the comparison.
UNDECLARED = {
    "article:": "http://ogp.me/ns/article#", "book:": "http://ogp.me/ns/book#", "fb:": "http://ogp.me/ns/fb#",
    "music:": "http://ogp.me/ns/music#", "profile:": "http://ogp.me/ns/profile#", "product:": "http://ogp.me/ns/product#",
    "twitter:": "https://dev.twitter.com/cards#", "video:": "http://ogp.me/ns/video#",
}
ROLE = "http://www.w3.org/1999/xhtml/vocab#role"


def bag_of_graph(graph):
    def form(term):
        return "_" if isinstance(term, rdflib.BNode) else plain(term)

    def predicate(term):
        prefix = next((it for it in UNDECLARED if str(term).startswith(it)), None)
        return form(UNDECLARED[prefix] + str(term)[len(prefix):] if prefix else term)
    return collections.Counter(f"{form(s)} {predicate(p)} {form(o)}" for s, p, o in graph if str(p) != ROLE)


def lines_of_items(items, base, statements, counts):
    """Microdata: a set of (subject, line). Items with the same id are merged, duplicates removed."""
    for item in items:
        counts["items"] += 1
        subject = item.get("id") or id(item)
        types = item.get("type", [])
        statements.update((subject, f"type {it}") for it in ([types] if isinstance(types, str) else types))
        for name, values in item.get("properties", {}).items():
            for value in values if isinstance(values, list) else [values]:
                if isinstance(value, dict) or value is None:  # None: an item that occurred before
                    value = value or {}
                    form = plain(urljoin(base, value["id"])) if "id" in value else "_"
                    statements.add((subject, f"{local(name)} {form}", id(value)))
                    lines_of_items([value] if value else [], base, statements, counts)
                else:
                    statements.add((subject, f"{local(name)} {plain(value)}"))


def bag_of_json(value, bag):
    """Counts every JSON-LD key as a property: sufficient to find missing statements."""
    for it in value if isinstance(value, list) else [value]:
        if not isinstance(it, dict):
            continue
        for key, below in it.items():
            if key in ("@graph", "@reverse"):
                bag_of_json(below, bag)
            elif key == "@type":
                for name in below if isinstance(below, list) else [below]:
                    bag[f"type {local(name)}"] += 1
            elif not key.startswith("@"):
                for one in below if isinstance(below, list) else [below]:
                    if one is not None:
                        bag[local(key)] += 1
                bag_of_json(below, bag)


def local(name):
    return re.split(r"[/#:]", str(name))[-1]


def read_theirs(path):
    text, bags, counts = path.read_bytes().decode(), {}, collections.Counter()
    def extract(syntax):
        try:
            return extruct.extract(text, base_url=BASE + path.name, syntaxes=[syntax])[syntax]
        except Exception as error:
            counts[f"{syntax} failed: {type(error).__name__}"] += 1
            return []
    RecordedGraph.last = rdflib.Graph()
    extract("rdfa")
    bags["rdfa"] = bag_of_graph(RecordedGraph.last)
    statements = set()
    items = extract("microdata")
    lines_of_items(items, BASE + path.name, statements, counts)
    bags["microdata"] = collections.Counter(line for _, line, *_ in statements)
    bags["json-ld"] = collections.Counter()
    objects = extract("json-ld")
    counts["objects"] = len(objects)
    bag_of_json(objects, bags["json-ld"])
    return bags, counts


def triples(quads, prefix):
    """Our statements of a syntax, parsed together to preserve blank nodes."""
    dataset = rdflib.Dataset()
    dataset.parse(data="\n".join(quad for syntax, quad in quads if syntax.startswith(prefix)), format="nquads")
    graph = rdflib.Graph()
    for s, p, o, _ in dataset.quads():
        graph.add((s, p, o))
    return graph


def our_bags(page):
    bags = {"rdfa": bag_of_graph(triples(page["quads"], "rdfa"))}
    bags["microdata"] = collections.Counter()
    for _, p, o in triples(page["quads"], "microdata"):
        if p == rdflib.RDF.type:
            bags["microdata"][f"type {o}"] += 1
        else:
            bags["microdata"][f"{local(p)} {'_' if isinstance(o, rdflib.BNode) else plain(o)}"] += 1
    bags["json-ld"] = collections.Counter()
    for _, p, o in triples(page["quads"], "json-ld"):
        bags["json-ld"][f"type {local(o)}" if p == rdflib.RDF.type else local(p)] += 1
    return bags


def differences(ours, theirs):
    lines = [f"  only extruct: {count} × {line[:160]}" for line, count in sorted((theirs - ours).items())]
    lines += [f"  only lodeward: {count} × {line[:160]}" for line, count in sorted((ours - theirs).items())]
    return lines[:MAX_LINES] + ([f"  and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else [])


def any23(suites, binary, out):
    """The pages with any23 expectations, compared without graph names and `md:item`."""
    import tempfile
    files = {}
    with tarfile.open(suites / "any23-test-resources.tar.gz") as archive:
        for member in archive:
            if member.isfile():
                files[member.name] = archive.extractfile(member).read()
    print("\n## any23's expectations\n", file=out)
    for name, data in sorted(files.items()):
        match = re.match(r"(.*(?:microdata|rdfa)/.*)-expected\.n(?:q|quads)$", name)
        page = match and files.get(match[1] + ".html")
        if not page:
            continue
        expected = rdflib.Graph()
        dataset = rdflib.Dataset()
        dataset.parse(data=data.decode(), format="nquads")
        graphs = {str(g) for _, _, _, g in dataset.quads()}
        for s, p, o, _ in dataset.quads():
            if str(p) != "http://www.w3.org/1999/xhtml/microdata#item":
                expected.add((s, p, o))
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / pathlib.Path(match[1]).name
            path.write_bytes(page)
            base = (sorted(graphs) or [BASE])[0]
            output = subprocess.run([*binary.split(), "--quads", "--base", base, path], capture_output=True, text=True, check=True)
        result = json.loads(output.stdout.splitlines()[0])
        syntax = "microdata" if "/microdata/" in name else "rdfa"
        found = triples(result["quads"], syntax)
        verdict = "equal" if rdflib.compare.isomorphic(found, expected) else "differs"
        print(f"{pathlib.Path(match[1]).name}: {verdict}, {len(found)} of {len(expected)} triples", file=out)
        if verdict == "differs":
            _, ours, theirs = rdflib.compare.graph_diff(found, expected)
            for line in differences(bag_of_graph(ours), bag_of_graph(theirs)):
                print(line.replace("extruct", "any23"), file=out)


def main(directory, binary, out_path, suites=None):
    names = [line.split("\t")[1] for line in (directory / "pages.tsv").read_text().splitlines()]
    results = {}
    output = subprocess.run([*binary.split(), "--quads", *(directory / name for name in names)], capture_output=True, text=True, check=True)
    for line in output.stdout.splitlines():
        page = json.loads(line)
        results[page["page"]] = page
    totals, pages = collections.Counter(), []
    for name in names:
        theirs, counts = read_theirs(directory / name)
        ours = our_bags(results[name])
        for syntax in theirs:
            mine, peer = ours[syntax].total(), theirs[syntax].total()
            totals[syntax, "ours"] += mine
            totals[syntax, "theirs"] += peer
            totals[syntax, "pages ours"] += mine > 0
            totals[syntax, "pages theirs"] += peer > 0
            totals[syntax, "pages equal"] += ours[syntax] == theirs[syntax]
            totals[syntax, "pages less"] += mine < peer
            if ours[syntax] != theirs[syntax]:
                notes = [note for note in counts if "failed" in note] + results[name]["faults"][:3]
                pages.append((syntax, name, mine, peer, notes, differences(ours[syntax], theirs[syntax])))
    with open(out_path, "w") as out:
        print("| syntax | statements, lodeward | extruct | pages with any, lodeward | extruct | pages equal | pages with fewer |", file=out)
        print("|---|---|---|---|---|---|---|", file=out)
        for syntax in ["rdfa", "microdata", "json-ld"]:
            row = [totals[syntax, key] for key in ["ours", "theirs", "pages ours", "pages theirs", "pages equal", "pages less"]]
            print(f"| {syntax} | " + " | ".join(map(str, row)) + " |", file=out)
        for syntax, name, mine, peer, notes, lines in sorted(pages):
            print(f"\n{syntax} {name}: lodeward {mine}, extruct {peer} {notes or ''}", file=out)
            print("\n".join(lines), file=out)
        if suites:
            any23(suites, binary, out)
    print(f"{len(pages)} differences in {len(names)} pages: {out_path}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], *map(pathlib.Path, sys.argv[4:5]))
