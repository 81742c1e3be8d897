// Candidates as JSON: the operation also has CSV, so the typed client does not know which one it gets.

import { client, data, type Schemas } from './client';

export interface CandidateQuery {
  filter?: string;
  mark?: 'all' | 'none' | 'keep' | 'drop' | 'undropped';
  // The name of a further ranking; without it, the ranking of the crawl.
  ranking?: string | undefined;
  // The candidate whose page is listed.
  at?: string;
  reasons?: boolean;
  offset?: number;
  limit?: number;
}

export async function listCandidates(crawl: number, query: CandidateQuery, signal?: AbortSignal): Promise<Schemas['CandidateListPage']> {
  const { filter, ranking, ...rest } = query;
  const parameters = { ...rest, ...(filter && { filter }), ...(ranking && { ranking }) };
  const options = { params: { path: { id: crawl }, query: parameters }, ...(signal && { signal }) };
  return (await data(client.GET('/api/v1/crawls/{id}/candidates', options))) as Schemas['CandidateListPage'];
}
