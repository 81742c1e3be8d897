"""Data generator, pyoxigraph side and comparison for benches/archive.sh.

    archive.py generate FILE                    2,000,000 quads
    archive.py load|put|drop|query PATH …       one step, reported as a line of JSON
    archive.py compare DIR PEER ROUNDS          all steps, both sides alternating
"""

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time

DOCUMENTS, DOCUMENT_QUADS, BIG_GRAPH_QUADS = 45_000, 40, 200_000
BIG_GRAPH = "http://big.example/graph"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
GROUP = 64
QUERIES = {
    "count": ("SELECT (COUNT(*) AS ?c) WHERE { GRAPH ?g { ?s ?p ?o } }", 2),
    "group by predicate": ("SELECT ?p (COUNT(*) AS ?c) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?p", 2),
    "one graph": ("SELECT * WHERE { GRAPH <http://site7.example/doc/1007> { ?s ?p ?o } }", 500),
    "three-way join": (
        "SELECT (COUNT(*) AS ?c) WHERE { GRAPH ?g { ?a a <http://schema.org/Class7> . "
        "?a <http://schema.org/author> ?b } GRAPH ?h { ?b <http://schema.org/name> ?n } }",
        10,
    ),
}


def generate(path):
    """Documents of 40 quads about a few entities each, and one large graph."""
    rng = random.Random(7)
    named = ["name", "author", "about", "url", "description", "datePublished", "publisher", "image", "knows", "isPartOf"]
    predicates = [f"http://schema.org/{name}" for name in named]
    predicates += [f"http://vocab{i % 20}.example/ns#p{i}" for i in range(90)]

    def literal():
        kind = rng.random()
        if kind < 0.6:
            return '"%s"' % " ".join(f"word{rng.randrange(20_000)}" for _ in range(rng.randrange(2, 12)))
        if kind < 0.75:
            return f'"word{rng.randrange(20_000)}"@en'
        if kind < 0.88:
            return f'"{rng.randrange(100_000)}"^^<{XSD}integer>'
        return f'"20{rng.randrange(26):02}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"^^<{XSD}date>'

    def document(out, number, quads, graph):
        entities = [f"http://site{number % 500}.example/resource/{number}#e{k}" for k in range(max(1, quads // 8))]
        for entity in entities:
            out.write(f"<{entity}> <{RDF_TYPE}> <http://schema.org/Class{rng.randrange(50)}> <{graph}> .\n")
        for _ in range(quads - len(entities)):
            predicate = predicates[min(int(rng.expovariate(0.12)), len(predicates) - 1)]
            target = rng.randrange(DOCUMENTS)
            link = f"<http://site{target % 500}.example/resource/{target}#e{rng.randrange(5)}>"
            value = link if rng.random() < 0.4 else literal()
            out.write(f"<{rng.choice(entities)}> <{predicate}> {value} <{graph}> .\n")

    with open(path + ".new", "w", encoding="utf-8") as out:
        for number in range(DOCUMENTS):
            document(out, number, DOCUMENT_QUADS, f"http://site{number % 500}.example/doc/{number}")
        document(out, 99_999, BIG_GRAPH_QUADS, BIG_GRAPH)
    os.rename(path + ".new", path)


class Clock:
    def __init__(self):
        self.cpu, self.wall = time.process_time(), time.time()

    def report(self, step, count):
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        cpu, wall = time.process_time() - self.cpu, time.time() - self.wall
        print(json.dumps({"step": step, "count": count, "cpu": cpu, "wall": wall, "rss_mb": rss}), flush=True)


def pyoxigraph_step(step, path, *arguments):
    from pyoxigraph import NamedNode, RdfFormat, Store, parse

    if step == "load":
        clock = Clock()
        store = Store(path)
        store.bulk_load(path=arguments[0], format=RdfFormat.N_QUADS)
        store.flush()
        clock.report("load", 0)
    elif step == "put":
        documents, last = [], None
        for quad in parse(path=arguments[0], format=RdfFormat.N_QUADS):
            if quad.graph_name != last:
                documents.append([])
                last = quad.graph_name
            documents[-1].append(quad)
        groups = [
            [quad for document in documents[at : at + int(arguments[1])] for quad in document]
            for at in range(0, len(documents), int(arguments[1]))
        ]
        store = Store(path)
        clock = Clock()
        for group in groups:
            store.extend(group)
        store.flush()
        clock.report("put", 0)
    elif step == "drop":
        store = Store(path)
        clock = Clock()
        store.remove_graph(NamedNode(arguments[0]))
        clock.report("drop", 0)
        store.flush()
        store.optimize()
        clock.report("reclaim", 0)
    elif step == "query":
        store = Store(path)
        for query in arguments[1:]:
            found = sum(1 for _ in store.query(query))
            clock = Clock()
            for _ in range(int(arguments[0])):
                found = sum(1 for _ in store.query(query))
            clock.report("query", found)


def run(command):
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def disk_mb(path):
    """Allocated blocks, not file lengths: journals are preallocated and mostly empty."""
    return sum(os.stat(os.path.join(at, name)).st_blocks for at, _, names in os.walk(path) for name in names) / 2**11


def compare(directory, peer, rounds):
    quads, documents = os.path.join(directory, "quads.nq"), os.path.join(directory, "documents.nq")
    sides = {"ours": [peer], "theirs": [sys.executable, os.path.abspath(__file__)]}
    values = {side: {} for side in sides}

    def record(side, metric, value):
        values[side].setdefault(metric, []).append(value)

    for _ in range(rounds):
        for side, command in sides.items():
            path = os.path.join(directory, side)
            shutil.rmtree(path, ignore_errors=True)
            (load,) = run([*command, "load", path, quads])
            record(side, "bulk load, CPU s", load["cpu"])
            record(side, "bulk load, wall s", load["wall"])
            record(side, "memory while loading, MB", load["rss_mb"])
            record(side, "disk after loading, MB", disk_mb(path))
            for name, (query, times) in QUERIES.items():
                (result,) = run([*command, "query", path, str(times), query])
                record(side, f"{name}, CPU ms", result["cpu"] / times * 1000)
            drop, reclaim = run([*command, "drop", path, BIG_GRAPH])
            record(side, "drop of 200,000 quads, CPU s", drop["cpu"])
            record(side, "drop including space reclamation, CPU s", reclaim["cpu"])
            shutil.rmtree(path)
            (put,) = run([*command, "put", path, documents, str(GROUP)])
            record(side, f"10,000 documents of 40 quads, {GROUP} at a time, CPU s", put["cpu"])
            shutil.rmtree(path)
    print("| | lodeward-archive | pyoxigraph | ratio | ratio per round |\n|---|--:|--:|--:|---|")
    for metric in values["ours"]:
        ours, others = values["ours"][metric], values["theirs"][metric]
        one, other = statistics.median(ours), statistics.median(others)
        each = ", ".join(f"{b / max(a, 1e-9):.1f}" for a, b in zip(ours, others))
        form = "{:,.1f}" if other >= 10 else "{:,.2f}"
        print(f"| {metric} | {form.format(one)} | {form.format(other)} | {other / max(one, 1e-9):.1f} × | {each} |")


if __name__ == "__main__":
    if sys.argv[1] == "generate":
        generate(sys.argv[2])
    elif sys.argv[1] == "compare":
        compare(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        pyoxigraph_step(*sys.argv[1:])
