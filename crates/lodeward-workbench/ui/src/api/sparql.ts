// Queries and updates of the archive. They are sent as a form, so that they stay out of the logs of proxies.

import { request } from './client';

export interface QueryOptions {
  accept: string;
  lenient?: boolean;
  timeout?: number;
  signal?: AbortSignal;
}

function form(values: Record<string, string>): URLSearchParams {
  return new URLSearchParams(values);
}

export function sendQuery(query: string, { accept, lenient, timeout, signal }: QueryOptions): Promise<Response> {
  const body = form({ query, ...(lenient && { lenient: 'true' }), ...(timeout !== undefined && { timeout: String(timeout) }) });
  return request('/sparql', { method: 'POST', headers: { accept }, body, ...(signal && { signal }) });
}

export function sendUpdate(update: string, lenient: boolean, signal: AbortSignal): Promise<Response> {
  return request('/update', { method: 'POST', body: form({ update, ...(lenient && { lenient: 'true' }) }), signal });
}

export interface JsonTerm {
  type: 'uri' | 'literal' | 'bnode';
  value: string;
  'xml:lang'?: string;
  datatype?: string;
}

// The rows of a small result.
export async function select(query: string, signal?: AbortSignal, timeout?: number): Promise<Record<string, JsonTerm>[]> {
  const options = { accept: 'application/sparql-results+json', ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
  const result = (await (await sendQuery(query, options)).json()) as { results: { bindings: Record<string, JsonTerm>[] } };
  return result.results.bindings;
}

export async function ask(query: string, signal?: AbortSignal): Promise<boolean> {
  const response = await sendQuery(query, { accept: 'application/sparql-results+json', ...(signal && { signal }) });
  return ((await response.json()) as { boolean: boolean }).boolean;
}
