"""Queries and updates of the archive by SPARQLWrapper and RDFLib.

Arguments: URL of the service, token of an admin, name and password of an admin, name and
password of a reader.
"""

import sys
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import rdflib
from rdflib.compare import isomorphic
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import (
    BASIC, CSV, DIGEST, GET, JSON, JSONLD, N3, POST, POSTDIRECTLY, RDFXML, TSV, TURTLE, URLENCODED, XML, SPARQLWrapper,
)
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed, SPARQLWrapperException

SERVICE_URL, TOKEN, ADMIN, ADMIN_PASSWORD, READER, READER_PASSWORD = sys.argv[1:]
A = rdflib.Namespace("http://a.example/")
GRAPH = A.graph
DATA = """
@prefix : <http://a.example/> .
:alice :name "Alice", "Алиса"@ru ; :age 42 ; :knows :bob , [ :name "Carol" ] .
:bob :name "Bob" .
"""


def wrapper(path="/sparql", how="basic", user=ADMIN, password=ADMIN_PASSWORD):
    client = SPARQLWrapper(SERVICE_URL + path)
    if how == "token":
        client.addCustomHttpHeader("Authorization", "Bearer " + TOKEN)
    else:
        client.setHTTPAuth(BASIC)
        client.setCredentials(user, password)
    return client


def http(method, path, body=None, **fields):
    """Status, headers and body of a request with the token."""
    headers = {"Authorization": "Bearer " + TOKEN}
    headers.update({name.replace("_", "-"): value for name, value in fields.items()})
    request = Request(SERVICE_URL + path, data=body, headers=headers, method=method)
    try:
        with urlopen(request) as response:
            return response.status, response.headers, response.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


def updates_work_with_every_request_method():
    for how, method in [("basic", URLENCODED), ("token", POSTDIRECTLY)]:
        for path in ["/sparql", "/update"]:
            client = wrapper(path, how)
            client.setMethod(POST)
            client.setRequestMethod(method)
            client.setQuery("INSERT DATA { GRAPH <urn:ways> { <urn:%s> <urn:%s> '%s' } }" % (how, method, path))
            client.query()
    client = wrapper()
    client.setReturnFormat(JSON)
    client.setQuery("SELECT (COUNT(*) AS ?n) { GRAPH <urn:ways> { ?s ?p ?o } }")
    assert client.queryAndConvert()["results"]["bindings"][0]["n"]["value"] == "4"


def select_results_are_available_in_every_format():
    query = "SELECT ?name FROM <http://a.example/graph> { ?person <http://a.example/name> ?name } ORDER BY ?name"
    for how in ["basic", "token"]:
        for method, request_method in [(GET, URLENCODED), (POST, URLENCODED), (POST, POSTDIRECTLY)]:
            for form in [JSON, XML, CSV, TSV]:
                client = wrapper(how=how)
                client.setMethod(method)
                client.setRequestMethod(request_method)
                client.setQuery(query)
                client.setReturnFormat(form)
                result = client.queryAndConvert()
                if form == JSON:
                    names = [row["name"]["value"] for row in result["results"]["bindings"]]
                elif form == XML:
                    names = [node.firstChild.data for node in result.getElementsByTagName("literal")]
                else:
                    lines = result.decode().replace("\r\n", "\n").strip().split("\n")[1:]
                    names = [line.split("@")[0].strip('"') for line in lines]
                assert names == ["Alice", "Bob", "Carol", "Алиса"], (form, names)


def graphs_are_available_in_every_format():
    query = "CONSTRUCT { ?s ?p ?o } FROM <http://a.example/graph> { ?s ?p ?o }"
    expected = rdflib.Graph().parse(data=DATA, format="turtle")
    for form, name in [(TURTLE, "turtle"), (RDFXML, "xml"), (N3, "n3"), (JSONLD, "json-ld")]:
        client = wrapper()
        client.setQuery(query)
        client.setReturnFormat(form)
        result = client.queryAndConvert()
        graph = result if isinstance(result, rdflib.Graph) else rdflib.Graph().parse(data=result, format=name)
        assert isomorphic(graph, expected), form
    for media_type, name in [("application/n-triples", "nt"), ("text/turtle", "turtle")]:
        status, headers, body = http("GET", "/sparql?query=" + quote(query), accept=media_type)
        assert status == 200 and headers.get_content_type() == media_type, (status, headers)
        assert isomorphic(rdflib.Graph().parse(data=body, format=name), expected), media_type


def ask_queries_return_a_boolean():
    for form in [JSON, XML]:
        client = wrapper()
        client.setQuery("ASK { GRAPH <http://a.example/graph> { ?s <http://a.example/age> 42 } }")
        client.setReturnFormat(form)
        result = client.queryAndConvert()
        if form == JSON:
            assert result["boolean"] is True
        else:
            assert result.getElementsByTagName("boolean")[0].firstChild.data == "true"


def invalid_sparql_is_rejected():
    client = wrapper()
    client.setQuery("SELECT nonsense")
    try:
        client.query()
        raise AssertionError("an invalid query was accepted")
    except QueryBadFormed as error:
        assert "bad-request" in str(error), error


def a_reader_can_query_and_not_update():
    client = wrapper(user=READER, password=READER_PASSWORD)
    client.setReturnFormat(JSON)
    client.setQuery("ASK { ?s ?p ?o }")
    assert client.queryAndConvert()["boolean"] is True
    client = wrapper("/update", user=READER, password=READER_PASSWORD)
    client.setMethod(POST)
    client.setQuery("CLEAR ALL")
    try:
        client.query()
        raise AssertionError("a reader has updated the archive")
    except (HTTPError, SPARQLWrapperException) as error:
        assert "403" in str(error) or "Forbidden" in str(error), error
    client = wrapper(user=READER, password="wrong password")
    client.setQuery("ASK {}")
    try:
        client.query()
        raise AssertionError("a wrong password was accepted")
    except (HTTPError, SPARQLWrapperException) as error:
        assert "401" in str(error) or "Unauthorized" in str(error), error


def the_graph_store_stores_graphs():
    graph = rdflib.Graph().parse(data=DATA, format="turtle")
    path = "/store?graph=" + quote(GRAPH, safe="")
    sent = [("text/turtle", "turtle"), ("application/n-triples", "nt"), ("application/rdf+xml", "xml")]
    for number, (media_type, name) in enumerate(sent):
        body = graph.serialize(format=name, encoding="utf-8")
        status, _, response = http("PUT", path, body, content_type=media_type)
        assert status == (201 if number == 0 else 204), (media_type, status, response)
        status, headers, _ = http("HEAD", path)
        assert status == 200 and headers.get_content_type() == "text/turtle", (status, headers)
        for accepted, form in sent + [("application/ld+json", "json-ld")]:
            status, headers, body = http("GET", path, accept=accepted)
            assert status == 200 and headers.get_content_type() == accepted, (status, accepted, headers)
            assert isomorphic(rdflib.Graph().parse(data=body, format=form), graph), (media_type, accepted)
    assert http("GET", path, accept="image/png")[0] == 406
    assert http("GET", "/store?graph=http://a.example/unknown")[0] == 404
    assert http("PUT", path, b"this is not Turtle", content_type="text/turtle")[0] == 400
    assert http("PUT", path, b"x", content_type="image/png")[0] == 415

    status, headers, _ = http("POST", "/store", b"<urn:s> <urn:p> 'new' .", content_type="text/turtle")
    assert status == 201, status
    location = headers["Location"]
    assert location.startswith(SERVICE_URL + "/store/"), location
    path = location[len(SERVICE_URL):]
    assert b"new" in http("GET", path)[2]
    assert http("POST", path, b"<urn:s> <urn:p> 'more' .", content_type="text/turtle")[0] == 200
    assert b"more" in http("GET", path)[2] and b"new" in http("GET", path)[2]
    assert http("DELETE", path)[0] == 200
    assert http("GET", path)[0] == 404 and http("DELETE", path)[0] == 404

    status, headers, body = http("GET", "/store", accept="application/n-quads")
    assert status == 200 and headers.get_content_type() == "application/n-quads"
    whole = rdflib.Dataset()
    whole.parse(data=body, format="nquads")
    assert isomorphic(whole.graph(GRAPH), graph)


def rdflib_reads_through_its_store():
    store = SPARQLStore(SERVICE_URL + "/sparql", auth=(READER, READER_PASSWORD))
    graph = rdflib.Graph(store, identifier=GRAPH)
    assert (A.bob, A.name, rdflib.Literal("Bob")) in graph
    assert set(graph.objects(A.alice, A.age)) == {rdflib.Literal(42)}
    rows = graph.query("SELECT ?n { ?s <http://a.example/name> ?n } ORDER BY ?n")
    assert [str(row.n) for row in rows] == ["Alice", "Bob", "Carol", "Алиса"]
    assert len(graph) == 7, len(graph)
    loaded = rdflib.Graph().parse(data=http("GET", "/store?graph=" + quote(GRAPH, safe=""))[2], format="turtle")
    assert len(loaded) == 7


def rdflib_writes_through_its_store():
    store = SPARQLUpdateStore(SERVICE_URL + "/sparql", SERVICE_URL + "/update", auth=(ADMIN, ADMIN_PASSWORD))
    graph = rdflib.Graph(store, identifier=A.written)
    graph.add((A.carol, A.name, rdflib.Literal('Ca"rol\n', lang="en")))
    graph.add((A.carol, A.age, rdflib.Literal(7)))
    assert len(graph) == 2
    graph.remove((A.carol, A.age, None))
    assert set(graph) == {(A.carol, A.name, rdflib.Literal('Ca"rol\n', lang="en"))}
    graph.update("DELETE WHERE { ?s ?p ?o }")
    assert len(graph) == 0
    try:
        store = SPARQLUpdateStore(SERVICE_URL + "/sparql", SERVICE_URL + "/update", auth=(READER, READER_PASSWORD))
        rdflib.Graph(store, identifier=A.written).add((A.mallory, A.name, rdflib.Literal("Mallory")))
        raise AssertionError("a reader has written")
    except HTTPError as error:
        assert error.code == 403, error


def the_service_describes_itself():
    status, headers, body = http("GET", "/sparql", accept="text/turtle")
    assert status == 200, status
    graph = rdflib.Graph().parse(data=body, format="turtle")
    sd = rdflib.Namespace("http://www.w3.org/ns/sparql-service-description#")
    [service] = graph.subjects(rdflib.RDF.type, sd.Service)
    assert (service, sd.endpoint, rdflib.URIRef(SERVICE_URL + "/sparql")) in graph
    assert (service, sd.supportedLanguage, sd.SPARQL11Query) in graph


the_graph_store_stores_graphs()
updates_work_with_every_request_method()
select_results_are_available_in_every_format()
graphs_are_available_in_every_format()
ask_queries_return_a_boolean()
invalid_sparql_is_rejected()
a_reader_can_query_and_not_update()
rdflib_reads_through_its_store()
rdflib_writes_through_its_store()
the_service_describes_itself()
print("all checks passed")
