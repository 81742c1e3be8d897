// Tests of the logic of queries, entities, links, comparisons and metrics.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const source = join(dirname(fileURLToPath(import.meta.url)), '../../src');
const load = async (path) => (await runnerImport(join(source, path), { configFile: false, logLevel: 'silent' })).module;

test('the kind of a query is read after its prologue', async () => {
  const { formOf } = await load('screens/sparql/operation.ts');
  assert.equal(formOf('# delete\nPREFIX a: <http://a.example/#>\nBASE <http://b.example/>\n select * {}'), 'select');
  assert.deepEqual(['ASK {}', 'DESCRIBE <a:b>', 'construct {} {}', 'INSERT DATA {}', 'clear all', ''].map(formOf), ['ask', 'describe', 'construct', 'update', 'update', 'select']);
});

test('graphs, prefixes and places of errors are found in text', async () => {
  const { graphsOf, placeOf, prefixesOf, undeclaredPrefix, usesStringFunction, withPrefix } = await load('screens/sparql/operation.ts');
  assert.deepEqual(graphsOf('SELECT * FROM <http://a.example/> from named <urn:b> {}'), ['http://a.example/', 'urn:b']);
  const prefixes = prefixesOf('PREFIX dbo: <http://dbpedia.org/ontology/>\nprefix : <http://a.example/>');
  assert.equal(withPrefix('http://dbpedia.org/ontology/Church', prefixes), 'dbo:Church');
  assert.equal(withPrefix('http://a.example/x', prefixes), ':x');
  assert.equal(withPrefix('http://a.example/x/y', prefixes), undefined);
  assert.deepEqual(placeOf('cannot parse query: line 3, column 14: expected'), { line: 3, column: 14 });
  assert.equal(placeOf('timeout'), undefined);
  assert.equal(undeclaredPrefix('undeclared prefix `foaf:`'), 'foaf');
  assert.equal(undeclaredPrefix('undeclared prefix `nothing:`'), undefined);
  assert.deepEqual([usesStringFunction('FILTER regex (?x, "a")'), usesStringFunction('?s <http://regex.example/> ?o')], [true, false]);
});

test('rows of results are read from tab-separated values and N-Triples', async () => {
  const { compareTerms, linesOf, tripleRow, tsvHead, tsvRow } = await load('rdf/terms.ts');
  assert.deepEqual(tsvHead('?a\t?b'), ['a', 'b']);
  const [iri, text, number, unbound, blank] = tsvRow('<http://a.example/>\t"a\\tb \\"c\\" \\u00fc"@de\t1.5\t\t_:b0');
  assert.deepEqual(iri, { kind: 'iri', value: 'http://a.example/' });
  assert.deepEqual(text, { kind: 'literal', value: 'a\tb "c" ü', language: 'de' });
  assert.equal(number.datatype, 'http://www.w3.org/2001/XMLSchema#decimal');
  assert.equal(unbound, undefined);
  assert.deepEqual(blank, { kind: 'blank', value: 'b0' });
  assert.deepEqual(tripleRow('<a:s> <a:p> "x > y"^^<a:d> .').map((term) => term.value), ['a:s', 'a:p', 'x > y']);
  const [ten, nine] = tsvRow('10\t9');
  assert.ok(compareTerms(ten, nine) > 0 && compareTerms(undefined, nine) < 0);
  const bytes = new TextEncoder().encode('a\r\nbü\nc');
  const pieces = [bytes.slice(0, 5), bytes.slice(5)];
  const lines = [];
  for await (const line of linesOf(new Blob(pieces).stream())) lines.push(line);
  assert.deepEqual(lines, ['a', 'bü', 'c']);
});

test('an IRI of data cannot change a query', async () => {
  const { iriRef } = await load('rdf/iri.ts');
  assert.equal(iriRef('http://a.example/> } DROP ALL #'), '<http://a.example/%3E%20%7D%20DROP%20ALL%20#>');
});

test('statements are grouped by property, with their sources and a label of the user', async () => {
  const { grouped, preferred } = await load('screens/entity/grouping.ts');
  const uri = (value) => ({ type: 'uri', value });
  const rows = [
    { p: uri('a:p'), o: uri('a:o'), g: uri('g:1') },
    { p: uri('a:p'), o: uri('a:o'), g: uri('g:2') },
    { p: uri('a:p'), o: { type: 'literal', value: 'a:o' } },
    { p: uri('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), o: uri('a:T'), g: uri('g:1') },
  ];
  const [types, values] = grouped(rows);
  assert.equal(types.values[0].term.value, 'a:T');
  assert.deepEqual(values.values.map(({ sources }) => sources), [['g:1', 'g:2'], []]);
  const labels = [{ kind: 'literal', value: 'Köln', language: 'de' }, { kind: 'literal', value: 'Cologne', language: 'en' }, { kind: 'literal', value: 'Koeln' }];
  assert.deepEqual([preferred(labels, ['de-AT']), preferred(labels, ['fr']), preferred(labels.slice(2), ['fr']), preferred([], [])], ['Köln', 'Cologne', 'Koeln', undefined]);
});

test('a property with many values does not fill the neighbourhood', async () => {
  const { chosen, placed } = await load('screens/entity/layout.ts');
  const group = (property, size) => Array.from({ length: size }, (_, index) => ({ iri: `${property}${index}`, label: undefined, property, isIncoming: false }));
  const found = chosen([group('many', 500), group('rare', 2), group('some', 10)], 20);
  assert.equal(found.length, 20);
  assert.deepEqual(['rare', 'some', 'many'].map((property) => found.filter((neighbour) => neighbour.property === property).length), [2, 9, 9]);
  assert.equal(chosen(Array.from({ length: 12 }, (_, index) => group(`p${index}-`, 1)), 60).length, 8);
  const layout = placed({ iri: 'x', label: 'x' }, found, 480, 380);
  assert.equal(layout.nodes.length, 21);
  for (const { x, y } of layout.nodes) assert.ok(x >= 0 && x <= 480 && y >= 0 && y <= 380);
  assert.deepEqual(placed({ iri: 'x', label: 'x' }, found, 480, 380).nodes.map(({ x }) => x), layout.nodes.map(({ x }) => x));
});

test('statements of two entities are compared by the names of their properties', async () => {
  const { compared } = await load('screens/links/compare.ts');
  const side = (groups) => ({ properties: Object.entries(groups).map(([property, texts]) => ({ property, values: texts.map((value) => ({ term: { kind: 'literal', value }, sources: [] })) })) });
  const rows = compared(side({ 'a:x#name': ['Cologne'], 'a:x#height': ['157'], 'a:x#a': ['1'] }), side({ 'b:y#name': ['cologne ', 'Köln'], 'b:y#height': ['162'] }));
  assert.deepEqual(rows.map(({ kind }) => kind), ['shared', 'contradicting', 'only']);
});

test('rankings overlap, move, and differ', async () => {
  const { onlyIn, overlaps, rankChanges } = await load('screens/compare/compare.ts');
  const ranking = (names) => names.map((entity, index) => ({ entity, rank: index + 1 }));
  const [a, b] = [ranking(['x', 'y', 'z']), ranking(['z', 'y', 'w', 'v'])];
  assert.deepEqual(overlaps(a, b), [{ depth: 10, common: 2, possible: 3 }]);
  assert.deepEqual(rankChanges(a, b).map(({ candidate, before, after }) => [candidate.entity, before, after]), [['z', 3, 1], ['y', 2, 2]]);
  assert.deepEqual(onlyIn(a, b).map(({ entity }) => entity), ['x']);
  assert.deepEqual(overlaps([], []), [{ depth: 10, common: 0, possible: 0 }]);
});

test('metrics are read by route', async () => {
  const { parseMetrics, routesOf, serverErrors, valueOf } = await load('screens/admin/metrics.ts');
  const samples = parseMetrics('# TYPE x counter\nlodeward_http_requests_total{route="/a",method="GET",status="200"} 3\nlodeward_http_requests_total{route="/a",method="GET",status="500"} 1\nlodeward_http_request_duration_seconds_sum{route="/a",method="GET"} 2\nlodeward_http_request_duration_seconds_count{route="/a",method="GET"} 4\nmemory_bytes 17\n# EOF\n');
  assert.deepEqual(routesOf(samples), [{ route: 'GET /a', requests: 4, errors: 1, mean: 0.5 }]);
  assert.deepEqual([serverErrors(samples), valueOf(samples, 'memory_bytes'), valueOf(samples, 'nothing')], [1, 17, undefined]);
});

test('properties are counted by vocabulary', async () => {
  const { byVocabulary } = await load('screens/archive/vocabularies.ts');
  const terms = [{ iri: 'http://a.example/ns#p', name: null, count: 3 }, { iri: 'http://a.example/ns#q', count: 4 }, { iri: 'http://purl.org/dc/terms/title', name: 'dct:title', count: 5 }];
  assert.deepEqual(byVocabulary(terms), [{ name: 'http://a.example/ns#', value: 7 }, { name: 'dct:', value: 5 }]);
});
