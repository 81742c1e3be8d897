// The first candidates of a crawl, for a comparison.

import { listCandidates } from '../../api/candidates';
import type { Candidate } from '../../api/client';
import { Problem } from '../../api/problem';

export const COMPARED = 1000;
const PAGE = 500;


// The first candidates of a crawl; undefined if it has no ranking.
export async function firstCandidates(crawl: number, signal: AbortSignal): Promise<Candidate[] | undefined> {
  try {
    const found: Candidate[] = [];
    for (let offset = 0; offset < COMPARED; offset += PAGE) {
      const page = await listCandidates(crawl, { offset, limit: PAGE, mark: 'all' }, signal);
      found.push(...page.candidates);
      if (found.length >= page.total) break;
    }
    return found;
  } catch (error) {
    const problem = Problem.of(error);
    if (problem.status === 409) return undefined;
    throw problem;
  }
}
