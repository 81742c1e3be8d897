"""Data, both sides and comparison for benches/queries.sh.

    queries.py entities DIR FILE              entity graphs as N-Quads
    queries.py theirs PATH FILE ROUNDS        pyoxigraph: loads FILE, runs all queries; a line of JSON each
    queries.py compare LODEWARD PEER DIR ROUNDS    both sides, as tables
"""

import gzip
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
import urllib.parse

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
PREFIXES = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX dbp: <http://dbpedia.org/property/>
PREFIX dbr: <http://dbpedia.org/resource/>
PREFIX ns: <http://vocab.example/ns#>
"""
QUERIES = {
    "all quads, counted": "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
    "triples of the union, counted": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "classes by size": "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c ORDER BY DESC(?n) ?c",
    "predicates by size": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p",
    "graphs by size": "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
    "distinct subjects": "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
    "all labels": "SELECT ?s ?l { ?s rdfs:label ?l }",
    "one resource": "SELECT ?p ?o { <http://h0.example/resource/0> ?p ?o }",
    "what links to a resource": "SELECT ?s ?p { ?s ?p dbr:Angola }",
    "labels of a class": "SELECT ?s ?l { ?s a ns:C0 . ?s rdfs:label ?l }",
    "two labels of a link": "SELECT ?a ?b { ?s ns:p1 ?o . ?s rdfs:label ?a . ?o rdfs:label ?b }",
    "links with their classes": "SELECT ?c ?d (COUNT(*) AS ?n) { ?s ns:p2 ?o . ?s a ?c . ?o a ?d } GROUP BY ?c ?d",
    "two hops": "SELECT (COUNT(*) AS ?n) { ?a ns:p0 ?b . ?b ns:p1 ?c }",
    "three hops": "SELECT (COUNT(*) AS ?n) { ?a ns:p0 ?b . ?b ns:p1 ?c . ?c ns:p2 ?d }",
    "triangles": "SELECT (COUNT(*) AS ?n) { ?a ns:p0 ?b . ?b ns:p0 ?c . ?c ns:p0 ?a }",
    "common neighbours": "SELECT (COUNT(*) AS ?n) { ?a ns:p3 ?x . ?b ns:p3 ?x . FILTER(STR(?a) < STR(?b)) }",
    "labels that match": 'SELECT ?s ?l { ?s rdfs:label ?l FILTER(REGEX(?l, "^s.*t$")) }',
    "labels that contain": 'SELECT ?s ?l { ?s rdfs:label ?l FILTER(CONTAINS(?l, "tempo")) }',
    "optional labels": "SELECT ?s ?l { ?s a ns:C1 OPTIONAL { ?s rdfs:label ?l } }",
    "without a label": "SELECT (COUNT(*) AS ?n) { ?s a ?c FILTER NOT EXISTS { ?s rdfs:label ?l } }",
    "minus": "SELECT (COUNT(*) AS ?n) { ?s a ns:C0 MINUS { ?s ns:p0 ?o } }",
    "a union": "SELECT (COUNT(*) AS ?n) { { ?s ns:p0 ?o } UNION { ?s ns:p1 ?o } }",
    "two graphs that share a subject": "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s a ns:C0 } GRAPH ?h { ?s rdfs:label ?l } }",
    "a path": "SELECT (COUNT(*) AS ?n) { <http://h0.example/resource/0> (ns:p0|ns:p1|ns:p2)+ ?o }",
    "broader concepts": "SELECT (COUNT(*) AS ?n) { ?s skos:broader+ ?o }",
    "concepts of a scheme with matches": "SELECT ?s ?m { ?s skos:inScheme <http://nomisma.org/id/> . ?s skos:exactMatch ?m }",
    "topics of replaced entities": "SELECT ?d ?new { ?d foaf:topic ?s . ?s dcterms:isReplacedBy ?new }",
    "birth places with labels": "SELECT ?l ?m { ?s dbp:birthPlace ?o . ?s rdfs:label ?l . ?o rdfs:label ?m }",
    "first labels in order": "SELECT ?s ?l { ?s rdfs:label ?l } ORDER BY ?l ?s LIMIT 100",
    "a subject with most values": "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s ORDER BY DESC(?n) ?s LIMIT 10",
}


def rows(directory, name):
    with gzip.open(os.path.join(directory, name), "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")


def iri(text):
    # Characters that no IRI may have, among them U+FFFD.
    return "<%s>" % re.sub(r'[\x00-\x20<>"{}|^`\\\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff]', lambda found: urllib.parse.quote(found.group(), safe=""), text)


def literal(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def entities(directory, path):
    with open(path, "w", encoding="utf-8") as out:
        def write(graph, subject, predicate, term):
            out.write(f"{iri(subject)} {iri(predicate)} {term} <{graph}> .\n")

        names = dict(rows(directory, "dbp15k-en.predicates.tsv.gz"))
        dbpedia, nomisma = "http://dbpedia.example/graph", "http://nomisma.example/graph"
        for uri, label, *_ in rows(directory, "dbp15k-en.entities.tsv.gz"):
            write(dbpedia, uri, RDFS_LABEL, literal(label))
        for uri, kind, *_ in rows(directory, "dbp15k-en.types.tsv.gz"):
            write(dbpedia, uri, RDF_TYPE, iri("http://dbpedia.example/class/" + kind))
        for subject, relation, target, *_ in rows(directory, "dbp15k-en.triples.tsv.gz"):
            write(dbpedia, subject, names.get(relation, "urn:relation:" + relation), iri(target))
        for uri, types, label, *_ in rows(directory, "nomisma.entities.tsv.gz"):
            for kind in types.split():
                write(nomisma, uri, RDF_TYPE, iri(kind))
            if label:
                write(nomisma, uri, RDFS_LABEL, literal(label))
        for subject, predicate, target, *_ in rows(directory, "nomisma.links.tsv.gz"):
            write(nomisma, subject, predicate, iri(target))


def theirs(path, file, rounds):
    from pyoxigraph import QueryResultsFormat, RdfFormat, Store

    store = Store(path)
    if len(store) == 0:
        store.bulk_load(path=file, format=RdfFormat.N_QUADS)
        store.flush()
        store.optimize()
    for name, query in QUERIES.items():
        times, found = [], 0
        for _ in range(rounds + 1):
            start = time.process_time()
            results = store.query(PREFIXES + query, use_default_graph_as_union=True)
            text = results.serialize(format=QueryResultsFormat.TSV)
            times.append(time.process_time() - start)
            found = text.count(b"\n") - 1
        print(json.dumps({"name": name, "rows": found, "cpu": statistics.mean(times[1:])}), flush=True)


def ours(peer, archive, rounds):
    """The archive in the process of the example `peer`."""
    command = [peer, "table", archive, str(rounds), *(PREFIXES + query for query in QUERIES.values())]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name, line in zip(QUERIES, map(json.loads, out.splitlines())):
        yield {"name": name, "rows": line["count"], "cpu": line["cpu"] / rounds}


def start_cost(lodeward, data):
    """CPU seconds of `ASK {}`, the smallest of five runs."""
    costs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([lodeward, "query", "ASK {}", "--data", data, "--no-catch-up", "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return costs


def compare(lodeward, peer, directory, rounds):
    data, file = os.path.join(directory, "data"), os.path.join(directory, "harvest.nq")
    with open(file, "rb") as quads:
        count = sum(1 for _ in quads)
    closed = start_cost(lodeward, data)
    print(f"{count:,} quads. CPU time of `lodeward query 'ASK {{}}'`: {min(closed) * 1000:.0f} ms "
          f"(five runs: {', '.join(f'{cost * 1000:.0f}' for cost in closed)}).\n")
    command = [sys.executable, os.path.abspath(__file__), "theirs", os.path.join(directory, "theirs"), file, str(rounds)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    others = {line["name"]: line for line in map(json.loads, out.splitlines())}
    print(f"Mean of {rounds} rounds after one; a ratio above 1 favours lodeward.\n")
    print("| query | rows | lodeward, CPU ms | pyoxigraph, CPU ms | ratio |\n|---|--:|--:|--:|--:|")
    ratios = []
    for one in ours(peer, os.path.join(data, "archive"), rounds):
        other = others[one["name"]]
        note = "" if one["rows"] == other["rows"] else f" (pyoxigraph: {other['rows']:,})"
        ratios.append(other["cpu"] / max(one["cpu"], 1e-6))
        print(f"| {one['name']} | {one['rows']:,}{note} | {one['cpu'] * 1000:,.2f} | {other['cpu'] * 1000:,.2f} | {ratios[-1]:.1f} × |",
              flush=True)
    slower = sum(ratio < 1 for ratio in ratios)
    print(f"\nMedian ratio {statistics.median(ratios):.1f} ×, smallest {min(ratios):.2f} ×, largest {max(ratios):.0f} ×; "
          f"{slower} of {len(ratios)} queries are slower than in pyoxigraph.")


if __name__ == "__main__":
    if sys.argv[1] == "entities":
        entities(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "theirs":
        theirs(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        compare(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
