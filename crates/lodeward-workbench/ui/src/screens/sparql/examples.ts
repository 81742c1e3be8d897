// Example queries: the nine listings of DURAARK D3.6, section 5, and some for any archive.

import listing1 from '../../../../../../docs/examples/duraark/listing-1.rq?raw';
import listing2 from '../../../../../../docs/examples/duraark/listing-2.rq?raw';
import listing3 from '../../../../../../docs/examples/duraark/listing-3.rq?raw';
import listing4 from '../../../../../../docs/examples/duraark/listing-4.rq?raw';
import listing5 from '../../../../../../docs/examples/duraark/listing-5.rq?raw';
import listing6 from '../../../../../../docs/examples/duraark/listing-6.rq?raw';
import listing7 from '../../../../../../docs/examples/duraark/listing-7.rq?raw';
import listing8 from '../../../../../../docs/examples/duraark/listing-8.rq?raw';
import listing9 from '../../../../../../docs/examples/duraark/listing-9.rq?raw';
import { sparqlMessages as m } from './messages';

export interface Example {
  name: string;
  // Name of its tab.
  title: string;
  query: string;
  // Listings that apply a string function to IRIs.
  lenient: boolean;
}

const LENIENT_LISTINGS = [1, 2, 4, 9];

export const LISTINGS: Example[] = [listing1, listing2, listing3, listing4, listing5, listing6, listing7, listing8, listing9].map((query, index) => ({
  name: `${index + 1}: ${/listing \d+: (.*)/.exec(query)?.[1] ?? ''}`,
  title: m.listing(index + 1),
  query,
  lenient: LENIENT_LISTINGS.includes(index + 1),
}));

export const GRAPHS_QUERY = 'SELECT ?graph (COUNT(*) AS ?statements) {\n  GRAPH ?graph { ?s ?p ?o }\n}\nGROUP BY ?graph ORDER BY DESC(?statements) LIMIT 1000\n';

export const GENERAL: Example[] = [
  { name: m.examplesText.graphs, query: GRAPHS_QUERY },
  { name: m.examplesText.classes, query: 'SELECT ?class (COUNT(DISTINCT ?s) AS ?instances) {\n  ?s a ?class\n}\nGROUP BY ?class ORDER BY DESC(?instances) LIMIT 100\n' },
  { name: m.examplesText.properties, query: 'SELECT ?property (COUNT(*) AS ?statements) {\n  ?s ?property ?o\n}\nGROUP BY ?property ORDER BY DESC(?statements) LIMIT 100\n' },
  { name: m.examplesText.labels, query: 'PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\nSELECT ?entity ?label {\n  ?entity rdfs:label ?label\n  FILTER CONTAINS(LCASE(?label), "church")\n}\nLIMIT 100\n' },
].map((example) => ({ ...example, title: example.name, lenient: false }));
