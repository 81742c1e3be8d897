// Counts of candidates by type, domain, hop, mark and score.

import { request } from './client';
import { Problem } from './problem';

interface FacetCounts {
  values: { value: string; count: number }[];
  more: number;
}

export interface CandidateFacets {
  total: number;
  types: FacetCounts;
  domains: FacetCounts;
  hops: { hop: number | null; count: number }[];
  marks: { keep: number; drop: number; none: number };
  described: number;
  scores: { min: number | null; max: number | null; counts: number[] };
}

// The facets of the selected candidates; undefined if the service does not have them.
export async function candidateFacets(crawl: number, filter: string, mark: string, signal: AbortSignal): Promise<CandidateFacets | undefined> {
  const query = new URLSearchParams({ mark, ...(filter !== '' && { filter }) });
  try {
    return (await (await request(`/api/v1/crawls/${crawl}/candidates/facets?${query}`, { signal })).json()) as CandidateFacets;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}
