// Text of the review of proposed links.

import { count } from '../../components/format';

const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export const linkMessages = {
  title: 'Links',
  list: 'Proposed links',
  empty: 'Links were not searched yet. A search compares entities of different domains, and proposes owl:sameAs and skos:related links for review.',
  noneMatch: 'No link matches.',
  showAll: 'Show all',
  find: 'Find links',
  predicate: 'Kind',
  anyPredicate: 'All kinds',
  predicates: { 'owl:sameAs': 'same (owl:sameAs)', 'skos:related': 'related (skos:related)' } as Record<string, string>,
  short: { 'owl:sameAs': '=', 'skos:related': '~' } as Record<string, string>,
  state: 'Review',
  states: { undropped: 'Not dropped', open: 'Unmarked', kept: 'Kept', dropped: 'Dropped', all: 'All' } as Record<string, string>,
  total: (n: number) => plural(n, 'link'),
  running: 'A job over the entities of the archive is running. Links appear here when it ends.',
  failed: (reason: string) => `The last search failed: ${reason}`,
  foundAt: 'found',
  columns: { score: 'score', source: 'entity', kind: 'kind', target: 'other entity', mark: 'mark' },
  export: 'Export kept links',
  exported: (n: number, graph: string) => `${plural(n, 'link')} exported to the graph ${graph}.`,
  download: 'Download kept links',
  details: 'Selected link',
  why: 'Evidence',
  features: {
    'label-equal': 'the labels are equal',
    'label-cosine': 'the labels share words',
    'trigram-jaccard': 'the labels are spelt alike',
    'one-of-targets': 'the other entity has few candidates',
    'one-of-sources': 'the entity has few candidates',
    'degree-share': 'they have a similar number of statements',
    degree: 'number of statements',
    'context-cosine': 'their neighbours share words',
    'type-lift': 'their types occur together',
  } as Record<string, string>,
  shared: 'In both',
  contradicting: 'Different',
  only: 'Only one has',
  property: 'Property',
  noLongerProposed: 'This link is no longer proposed.',
};
