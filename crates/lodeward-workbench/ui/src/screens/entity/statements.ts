// The statements about an entity with the documents that have them, and the links to it.

import { select } from '../../api/sparql';
import { iriRef } from '../../rdf/iri';
import type { Term } from '../../rdf/terms';
import { LABELS, RDF_TYPE, grouped, preferred, termOf, type EntityStatements } from './grouping';

export const MAX_STATEMENTS = 3000;
const MAX_LABELS = 300;
export async function loadStatements(iri: string, signal: AbortSignal): Promise<EntityStatements> {
  const entity = iriRef(iri);
  const rows = await select(`SELECT ?p ?o ?g { ${entity} ?p ?o OPTIONAL { GRAPH ?g { ${entity} ?p ?o } } } LIMIT ${MAX_STATEMENTS}`, signal);
  const properties = grouped(rows);
  const valuesOf = (property: string) => properties.find((group) => group.property === property)?.values ?? [];
  const types = valuesOf(RDF_TYPE).flatMap(({ term }) => (term.kind === 'iri' ? [term.value] : []));
  const label = LABELS.map((property) => preferred(valuesOf(property).map(({ term }) => term))).find((text) => text !== undefined);
  const named = properties.flatMap(({ property, values }) => [property, ...values.flatMap(({ term }) => (term.kind === 'iri' ? [term.value] : []))]);
  const labels = await loadLabels([...new Set(named)], signal);
  return { properties, types, label, isPartial: rows.length === MAX_STATEMENTS, labels };
}

export async function loadLabels(iris: string[], signal?: AbortSignal): Promise<Map<string, string>> {
  const known = iris.filter((iri) => !iri.startsWith('_:')).slice(0, MAX_LABELS);
  if (known.length === 0) return new Map();
  const properties = LABELS.slice(0, 2).map(iriRef).join('|');
  const rows = await select(`SELECT ?e ?l { VALUES ?e { ${known.map(iriRef).join(' ')} } ?e ${properties} ?l } LIMIT ${MAX_LABELS * 10}`, signal);
  const terms = new Map<string, Term[]>();
  for (const { e, l } of rows) if (e && l) terms.set(e.value, [...(terms.get(e.value) ?? []), termOf(l)]);
  return new Map([...terms].flatMap(([iri, labels]) => { const text = preferred(labels); return text === undefined ? [] : [[iri, text] as const]; }));
}

export interface PropertyCount {
  property: string;
  count: number;
}

export async function loadIncoming(iri: string, signal: AbortSignal): Promise<PropertyCount[]> {
  const rows = await select(`SELECT ?p (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ${iriRef(iri)} } GROUP BY ?p ORDER BY DESC(?n) LIMIT 100`, signal);
  const counts = rows.flatMap(({ p, n }) => (p && n ? [{ property: p.value, count: Number(n.value) }] : []));
  return counts.sort((a, b) => b.count - a.count || a.property.localeCompare(b.property, 'en', { numeric: true }));
}

export interface NamedEntity {
  iri: string;
  label: string | undefined;
}

// The first entities that link here by a property.
export async function loadSubjects(iri: string, property: string, limit: number, signal?: AbortSignal): Promise<NamedEntity[]> {
  const rows = await select(`SELECT DISTINCT ?s { ?s ${iriRef(property)} ${iriRef(iri)} FILTER isIRI(?s) } LIMIT ${limit}`, signal);
  const iris = rows.flatMap(({ s }) => (s ? [s.value] : []));
  const labels = await loadLabels(iris, signal);
  return iris.map((iri) => ({ iri, label: labels.get(iri) }));
}
