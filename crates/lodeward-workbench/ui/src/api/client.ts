// The client of the API. URLs are relative to the page, for any path prefix. If the session has ended,
// a request waits until the user has signed in again.

import createClient from 'openapi-fetch';
import type { components, paths } from './schema';
import { Problem } from './problem';
import { connection } from './connection.svelte';
import { signIn } from '../shell/session.svelte';

export type Schemas = components['schemas'];
export type Crawl = Schemas['Crawl'];
export type Candidate = Schemas['Candidate'];
export type Explanation = Schemas['Explanation'];
export type CrawlCounters = Schemas['CrawlCounters'];

export const baseUrl = new URL('.', document.baseURI).href.replace(/\/$/, '');

// Sends a request; throws a problem if it fails.
export async function send(request: Request): Promise<Response> {
  const retry = request.clone();
  let response = await reach(request);
  if (response.status === 401 && !request.url.endsWith('/api/v1/session')) {
    await signIn();
    response = await reach(retry);
  }
  if (!response.ok) throw await Problem.fromResponse(response);
  return response;
}

async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    connection.noteReached();
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.noteFailed();
    throw Problem.offline();
  }
}

export const client = createClient<paths>({ baseUrl, fetch: send });

// A request for which the typed client has no single media type.
export async function request(path: string, options: RequestInit = {}): Promise<Response> {
  return send(new Request(`${baseUrl}${path}`, options));
}

// The data of a typed response.
export async function data<T>(response: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  return (await response).data as T;
}
