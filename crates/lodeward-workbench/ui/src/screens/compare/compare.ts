// Two crawls beside each other: counters, and the overlap of their rankings.

import type { Candidate, Crawl } from '../../api/client';

export interface Overlap {
  depth: number;
  common: number;
  // The number of candidates that both could have in common.
  possible: number;
}

export function overlaps(a: Candidate[], b: Candidate[], depths = [10, 100, 1000]): Overlap[] {
  return depths
    .filter((depth, index) => index === 0 || Math.max(a.length, b.length) > depths[index - 1]!)
    .map((depth) => {
      const second = new Set(b.slice(0, depth).map(({ entity }) => entity));
      const common = a.slice(0, depth).filter(({ entity }) => second.has(entity)).length;
      return { depth, common, possible: Math.min(depth, a.length, b.length) };
    });
}

export interface RankChange {
  candidate: Candidate;
  before: number;
  after: number;
}

export function rankChanges(a: Candidate[], b: Candidate[]): RankChange[] {
  const ranks = new Map(b.map(({ entity, rank }) => [entity, rank]));
  const common = a.flatMap((candidate) => { const after = ranks.get(candidate.entity); return after === undefined ? [] : [{ candidate, before: candidate.rank, after }]; });
  return common.sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before));
}

export function onlyIn(a: Candidate[], b: Candidate[]): Candidate[] {
  const other = new Set(b.map(({ entity }) => entity));
  return a.filter(({ entity }) => !other.has(entity));
}

export type Figure = number | undefined;

export function figuresOf({ counters }: Crawl): Record<string, Figure> {
  if (!counters) return {};
  const { requests, documents, rdf_documents, quads, uris_failed, domains, elapsed_seconds } = counters;
  const share = documents === 0 ? undefined : rdf_documents / documents;
  return { requests, documents, rdf_documents, share, per_request: requests === 0 ? undefined : rdf_documents / requests, quads, uris_failed, domains, elapsed_seconds };
}
