"""Tests of the installed package, with the real program and the real interpreter."""

import http.server
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import lodeward

PAGE = """<!doctype html><title>A page</title>
<script type="application/ld+json">
{"@context": "https://schema.org/", "@id": "http://a.example/ada", "@type": "Person", "name": "Ada"}
</script>"""

TURTLE = b"""@prefix ex: <http://a.example/> .
ex:a ex:name "Ada"@en, "tab\\tand \\"quotes\\"" ; ex:age 36 ; ex:height 1.7 ; ex:is true ; ex:knows [ ex:age 1 ] ."""


class TurtleHandler(http.server.BaseHTTPRequestHandler):
    """Serves one document."""

    def do_GET(self):
        found = self.path == "/data"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/turtle" if found else "text/plain")
        self.send_header("Content-Length", str(len(TURTLE) if found else 0))
        self.end_headers()
        self.wfile.write(TURTLE if found else b"")

    def log_message(self, *arguments):
        pass


class PackageTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = lambda name: os.path.join(directory.name, name)
        with open(self.path("data.ttl"), "wb") as file:
            file.write(TURTLE)

    def test_statements_of_a_page_are_extracted(self):
        lines = lodeward.extract(PAGE)
        self.assertIn('<http://a.example/ada> <http://schema.org/name> "Ada" .', lines)

    def test_an_error_of_the_program_is_an_exception_with_its_text(self):
        with self.assertRaises(lodeward.LodewardError) as caught:
            lodeward.extract("<a> <b> <c> .", content_type="text/turtle")
        error = caught.exception
        run = [lodeward.binary_path(), "extract", "-", "--content-type", "text/turtle"]
        printed = subprocess.run(run, input=b"<a> <b> <c> .", capture_output=True).stderr.decode()
        self.assertEqual(f"error: {error}\nhint: {error.hint}\n", printed)
        self.assertEqual(error.code, 2)
        with self.assertRaises(lodeward.LodewardError) as caught:
            lodeward.query("SELECT", self.path("data.ttl"))
        self.assertIn("invalid query", str(caught.exception))

    def test_rows_have_terms(self):
        rows = lodeward.query("SELECT ?p ?o ?unbound { ?s ?p ?o } ORDER BY ?p", self.path("data.ttl"))
        self.assertEqual(rows.variables, ["p", "o", "unbound"])
        found = {(str(row["p"]).rsplit("/", 1)[1], row["o"].to_python()) for row in rows if "o" in row}
        expected = {("name", "Ada"), ("name", 'tab\tand "quotes"'), ("age", 36), ("age", 1), ("height", 1.7), ("is", True)}
        self.assertTrue(expected <= found, found)

    def test_ask_is_a_boolean_and_construct_returns_triples(self):
        self.assertIs(lodeward.query("ASK { ?s ?p 36 }", self.path("data.ttl")), True)
        self.assertIs(lodeward.query("ASK { ?s ?p 37 }", self.path("data.ttl")), False)
        query = "CONSTRUCT { ?s <urn:p> 1 } WHERE { ?s <http://a.example/height> ?o }"
        triples = lodeward.query(query, self.path("data.ttl"))
        self.assertEqual(len(triples), 1)
        self.assertTrue(triples[0].startswith("<http://a.example/a> <urn:p> "), triples)

    def test_a_crawl_returns_its_report_and_can_be_queried(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TurtleHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        seed = f"http://127.0.0.1:{server.server_port}/data"
        lines = []
        report = lodeward.crawl(
            seed,
            data=self.path("crawl"),
            allow_private=True,
            max_depth=0,
            settings={"politeness.delay": "0s"},
            progress=lines.append,
        )
        self.assertEqual((report["documents"], report["quads"]), (1, 7))
        self.assertTrue(any("stopped" in line for line in lines), lines)
        rows = list(lodeward.query("SELECT ?age { ?s <http://a.example/age> ?age }", data=self.path("crawl")))
        self.assertEqual(sorted(row["age"].to_python() for row in rows), [1, 36])

    def test_a_result_is_read_while_it_is_written_and_can_be_left(self):
        with open(self.path("many.nt"), "w", encoding="utf-8") as file:
            for number in range(50_000):
                file.write(f"<urn:s{number}> <urn:p> <urn:o{number}> .\n")
        rows = iter(lodeward.query("SELECT * { ?s ?p ?o }", self.path("many.nt")))
        self.assertEqual(next(rows)["p"].value, "urn:p")
        del rows

    def test_results_become_rdflib_terms_and_data_frames(self):
        try:
            import pandas
            import rdflib
        except ImportError as error:
            self.skipTest(f"an extra is not installed: {error}")
        query = "SELECT ?s ?o { ?s <http://a.example/age> ?o } ORDER BY ?o"
        terms = lodeward.query(query, self.path("data.ttl")).to_rdflib()
        self.assertEqual([row["o"] for row in terms], [rdflib.Literal(1), rdflib.Literal(36)])
        frame = lodeward.query(query, self.path("data.ttl")).to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["o"]), [1, 36])

    def test_the_command_of_the_package_is_the_program(self):
        printed = subprocess.run([sys.executable, "-m", "lodeward", "--version"], capture_output=True, text=True)
        self.assertTrue(printed.stdout.startswith("lodeward "), printed)


if __name__ == "__main__":
    unittest.main()
