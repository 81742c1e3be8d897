// Text of the Compare screen.

import { count } from '../../components/format';

export const compareMessages = {
  title: 'Compare',
  choose: 'Choose two crawls to compare.',
  chooseCrawl: 'Choose a crawl',
  first: 'First crawl',
  second: 'Second crawl',
  swap: 'Swap',
  counters: 'Counters',
  figure: 'Figure',
  figures: {
    state: 'State',
    strategy: 'Strategy',
    requests: 'Requests',
    documents: 'Documents',
    rdf_documents: 'Documents with RDF',
    share: 'Share of RDF',
    per_request: 'Documents with RDF per request',
    quads: 'Statements',
    uris_failed: 'Failed URIs',
    domains: 'Domains',
    elapsed_seconds: 'Time',
  } as Record<string, string>,
  overlap: 'Overlap of the rankings',
  overlapNote: 'How many of the first candidates of one crawl are among as many of the other.',
  at: (n: number) => `first ${count(n)}`,
  notRanked: (name: string) => `${name} has no ranking.`,
  changes: 'Rank changes',
  changesNote: (n: number) => `Candidates of both crawls among the first ${count(n)}, the largest changes first.`,
  noCommon: 'No candidate is in both.',
  candidate: 'Candidate',
  rankIn: (name: string) => `rank in ${name}`,
  change: 'Change',
  only: (name: string) => `Best candidates only in ${name}`,
  none: 'None.',
};
