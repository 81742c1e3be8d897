// The crawls that know an entity or a document. One request per crawl, the latest first.

import { client, data, type Crawl, type Explanation } from '../../api/client';
import { Problem } from '../../api/problem';

export const MAX_CRAWLS = 20;

export interface EntityInCrawl {
  crawl: Crawl;
  explanation: Explanation;
}

async function latestCrawls(signal?: AbortSignal): Promise<Crawl[]> {
  const page = await data(client.GET('/api/v1/crawls', { ...(signal && { signal }), params: { query: { limit: MAX_CRAWLS } } }));
  return page.crawls;
}

// What is not found is `undefined`; other failures are problems.
async function optional<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    const problem = Problem.of(error);
    if (problem.status === 404 || problem.status === 400 || problem.status === 422) return undefined;
    throw problem;
  }
}

export async function crawlsOf(iri: string, signal: AbortSignal): Promise<EntityInCrawl[]> {
  const found: EntityInCrawl[] = [];
  for (const crawl of await latestCrawls(signal)) {
    const explanation = await optional(data(client.GET('/api/v1/crawls/{id}/explain', { signal, params: { path: { id: crawl.id }, query: { uri: iri } } })));
    if (explanation) found.push({ crawl, explanation });
  }
  return found;
}

const documents = new Map<string, number>();

export async function crawlOfDocument(uri: string): Promise<number | null> {
  const known = documents.get(uri);
  if (known !== undefined) return known;
  try {
    for (const { id } of await latestCrawls()) {
      const explanation = await optional(data(client.GET('/api/v1/crawls/{id}/explain', { params: { path: { id }, query: { uri } } })));
      if (explanation?.outcome?.kind === 'document') {
        documents.set(uri, id);
        return id;
      }
    }
  } catch {
    // The source is shown without a link to its request.
  }
  return null;
}

// The crawl whose export the graph is, by the name of the graph.
export function crawlOfExport(graph: string): number | undefined {
  const found = /[:/]crawl\/(\d+)$/.exec(graph);
  return found === null ? undefined : Number(found[1]);
}
