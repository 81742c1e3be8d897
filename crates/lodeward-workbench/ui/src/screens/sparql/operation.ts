// What can be read from the text of a query without parsing it: its kind, prefixes and graphs.

export type QueryForm = 'select' | 'ask' | 'construct' | 'describe' | 'update';

const SKIPPED = /^(?:\s+|#[^\n\r]*|BASE\s*<[^>]*>|PREFIX\s+[^\s:]*:\s*<[^>]*>)/i;

// The first keyword after the prologue decides.
export function formOf(query: string): QueryForm {
  let rest = query;
  for (let skipped = SKIPPED.exec(rest); skipped !== null; skipped = SKIPPED.exec(rest)) rest = rest.slice(skipped[0].length);
  const word = /^[a-z]+/i.exec(rest)?.[0].toLowerCase() ?? '';
  return ['select', 'ask', 'construct', 'describe'].includes(word) ? (word as QueryForm) : word === '' ? 'select' : 'update';
}

// Prefixes that a query declares, by name.
export function prefixesOf(query: string): Map<string, string> {
  return new Map([...query.matchAll(/\bPREFIX\s+([^\s:]*):\s*<([^>]*)>/gi)].map(([, name, iri]) => [name!, iri!]));
}

// The graphs of `FROM`.
export function graphsOf(query: string): string[] {
  return [...query.matchAll(/\bFROM\s+(?:NAMED\s+)?<([^>]*)>/gi)].map(([, iri]) => iri!);
}

// Whether a function is used that lenient mode changes.
export function usesStringFunction(query: string): boolean {
  return /\b(?:regex|replace|contains|strstarts|strends|strbefore|strafter|strlen|substr|ucase|lcase|concat|encode_for_uri)\s*\(/i.test(query);
}

// An IRI with a prefix of the query, if one fits.
export function withPrefix(iri: string, prefixes: Map<string, string>): string | undefined {
  for (const [name, start] of prefixes) {
    const local = start !== '' && iri.startsWith(start) ? iri.slice(start.length) : '';
    if (/^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(local)) return `${name}:${local}`;
  }
  return undefined;
}

export interface ErrorPlace {
  line: number;
  column: number;
}

// The place that an error of the service names.
export function placeOf(detail: string): ErrorPlace | undefined {
  const found = /line (\d+), column (\d+)/.exec(detail);
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) };
}

// Usual prefixes, for completion and for declaring one that is missing.
export const USUAL_PREFIXES: Record<string, string> = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  prov: 'http://www.w3.org/ns/prov#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  dct: 'http://purl.org/dc/terms/',
  dc: 'http://purl.org/dc/elements/1.1/',
  void: 'http://rdfs.org/ns/void#',
  geo: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
  schema: 'http://schema.org/',
  dbo: 'http://dbpedia.org/ontology/',
  dbr: 'http://dbpedia.org/resource/',
  dbp: 'http://dbpedia.org/property/',
  wd: 'http://www.wikidata.org/entity/',
  wdt: 'http://www.wikidata.org/prop/direct/',
  buildm: 'http://data.duraark.eu/vocab/buildm/',
};

// The prefix that an error reports as undeclared, if it is a usual one.
export function undeclaredPrefix(detail: string): string | undefined {
  const name = /prefix[^a-z]*`?([a-z][a-z0-9_-]*):?`?/i.exec(detail)?.[1];
  return name !== undefined && name in USUAL_PREFIXES ? name : undefined;
}
