// Statements about an entity, grouped by property.

import type { JsonTerm } from '../../api/sparql';
import type { Term } from '../../rdf/terms';

export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
export const LABELS = ['http://www.w3.org/2000/01/rdf-schema#label', 'http://www.w3.org/2004/02/skos/core#prefLabel', 'http://xmlns.com/foaf/0.1/name', 'http://schema.org/name', 'http://purl.org/dc/terms/title'];

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
  return [...groups].map(([property, values]) => ({ property, values: [...values.values()] })).sort((a, b) => importance(a.property) - importance(b.property) || byText(a.property, b.property));
}

const byText = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

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
