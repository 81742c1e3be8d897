// The statements about an entity, grouped by property, with the documents that have them.

import { iriRef, select, type JsonTerm } from '../../api/sparql';
import type { Term } from '../../rdf/terms';

export const MAX_STATEMENTS = 3000;
const MAX_LABELS = 300;
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const LABELS = ['http://www.w3.org/2000/01/rdf-schema#label', 'http://www.w3.org/2004/02/skos/core#prefLabel', 'http://xmlns.com/foaf/0.1/name', 'http://schema.org/name', 'http://purl.org/dc/terms/title'];

export interface Value {
  term: Term;
  // The graphs that have the statement; empty for the default graph.
  sources: string[];
}

export interface PropertyValues {
  property: string;
  values: Value[];
}

export interface EntityStatements {
  properties: PropertyValues[];
  types: string[];
  label: string | undefined;
  isPartial: boolean;
  // Labels of entities that the statements name.
  labels: Map<string, string>;
}

export function termOf(term: JsonTerm): Term {
  if (term.type === 'uri') return { kind: 'iri', value: term.value };
  if (term.type === 'bnode') return { kind: 'blank', value: term.value };
  return { kind: 'literal', value: term.value, ...(term['xml:lang'] && { language: term['xml:lang'] }), ...(term.datatype && { datatype: term.datatype }) };
}

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

export function grouped(rows: Record<string, JsonTerm>[]): PropertyValues[] {
  const groups = new Map<string, Map<string, Value>>();
  for (const { p, o, g } of rows) {
    if (p === undefined || o === undefined) continue;
    const values = groups.get(p.value) ?? new Map<string, Value>();
    groups.set(p.value, values);
    const key = JSON.stringify([o.type, o.value, o['xml:lang'], o.datatype]);
    const value = values.get(key) ?? { term: termOf(o), sources: [] };
    values.set(key, value);
    if (g && !value.sources.includes(g.value)) value.sources.push(g.value);
  }
  return [...groups].map(([property, values]) => ({ property, values: [...values.values()] })).sort((a, b) => importance(a.property) - importance(b.property));
}

// Types and labels come first.
function importance(property: string): number {
  if (property === RDF_TYPE) return 0;
  return LABELS.includes(property) ? 1 : 2;
}

// The text in the language of the user, or in English, or without a language, or any.
export function preferred(terms: Term[], languages: readonly string[] = globalThis.navigator?.languages ?? []): string | undefined {
  const texts = terms.flatMap((term) => (term.kind === 'literal' ? [term] : []));
  for (const language of [...languages.map((language) => language.split('-')[0]!), 'en', undefined]) {
    const found = texts.find((text) => text.language?.split('-')[0] === language);
    if (found) return found.value;
  }
  return texts[0]?.value;
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
  return rows.flatMap(({ p, n }) => (p && n ? [{ property: p.value, count: Number(n.value) }] : []));
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
