// The graphs of the archive, with their sizes.

import { request } from '../../api/client';
import { select } from '../../api/sparql';

export const MAX_GRAPHS = 500;

export interface Graph {
  name: string;
  statements: number;
}

export async function loadGraphs(text: string, signal: AbortSignal): Promise<Graph[]> {
  const filter = text === '' ? '' : `FILTER CONTAINS(STR(?g), ${JSON.stringify(text)})`;
  const rows = await select(`SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } ${filter} } GROUP BY ?g ORDER BY DESC(?n) LIMIT ${MAX_GRAPHS}`, signal);
  return rows.flatMap(({ g, n }) => (g && n ? [{ name: g.value, statements: Number(n.value) }] : []));
}

export type GraphKind = 'export' | 'import' | 'description' | 'links' | 'document';

export function kindOf(name: string): GraphKind {
  if (/[:/]crawl\/\d+$/.test(name)) return 'export';
  if (/[:/]crawl\/\d+\/description$/.test(name)) return 'description';
  if (/[:/]import\/[^/]+$/.test(name)) return 'import';
  return /^urn:.*[:/]links$/.test(name) ? 'links' : 'document';
}

const at = (name: string) => `/store?graph=${encodeURIComponent(name)}`;

export async function downloadGraph(name: string): Promise<Blob> {
  return (await request(at(name), { headers: { accept: 'text/turtle' } })).blob();
}

export async function deleteGraph(name: string): Promise<void> {
  await request(at(name), { method: 'DELETE' });
}
