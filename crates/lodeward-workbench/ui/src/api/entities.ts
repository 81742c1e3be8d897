// Similar entities, clusters, and proposed links between entities.

import { client, data, type Schemas } from './client';

export type EntityJob = Schemas['EntityJob'];
export type LinkPredicate = 'owl:sameAs' | 'skos:related';
// The generator of types writes an enumeration with a description as one that no text matches.
export type ProposedLink = Omit<Schemas['ProposedLink'], 'predicate'> & { predicate: LinkPredicate };
export type LinkPage = Omit<Schemas['LinkListPage'], 'links'> & { links: ProposedLink[] };
export type LinkState = 'undropped' | 'open' | 'kept' | 'dropped' | 'all';

export async function similarTo(iri: string, limit: number, signal: AbortSignal): Promise<Schemas['SimilarEntity'][]> {
  return (await data(client.GET('/api/v1/similar', { signal, params: { query: { iri, limit } } }))).results;
}

export function listClusters(limit: number, signal: AbortSignal): Promise<Schemas['ClusterPage']> {
  return data(client.GET('/api/v1/clusters', { signal, params: { query: { limit } } })) as Promise<unknown> as Promise<Schemas['ClusterPage']>;
}

export function getCluster(id: number, limit: number, signal: AbortSignal): Promise<Schemas['ClusterMembers']> {
  return data(client.GET('/api/v1/clusters/{id}', { signal, params: { path: { id }, query: { limit } } }));
}

export function startClusters(crawl: number | undefined): Promise<EntityJob> {
  return data(client.POST('/api/v1/clusters', { body: { entities: crawl === undefined ? {} : { crawl } } as Schemas['NewClusters'] }));
}

export interface LinkQuery {
  state: LinkState;
  predicate: LinkPredicate | '';
  offset: number;
  limit: number;
}

export function listLinks({ predicate, ...query }: LinkQuery, signal?: AbortSignal): Promise<LinkPage> {
  const parameters = { ...query, ...(predicate !== '' && { predicate }) };
  return data(client.GET('/api/v1/links', { ...(signal && { signal }), params: { query: parameters } })) as Promise<unknown> as Promise<LinkPage>;
}

export function startLinks(predicate: LinkPredicate): Promise<EntityJob> {
  return data(client.POST('/api/v1/links', { body: { predicate } as Schemas['NewLinks'] }));
}

export function markLink({ source, predicate, target }: ProposedLink, mark: 'keep' | 'drop' | 'none'): Promise<Schemas['LinkMarkResult']> {
  const body = { links: [{ source, predicate, target }], mark } as unknown as Schemas['NewLinkMarks'];
  return data(client.POST('/api/v1/links/marks', { body }));
}

export function undoLinkMark(): Promise<Schemas['LinkMarkResult']> {
  return data(client.DELETE('/api/v1/links/marks'));
}

export function exportLinks(): Promise<Schemas['LinkExport']> {
  return data(client.POST('/api/v1/links/export'));
}
