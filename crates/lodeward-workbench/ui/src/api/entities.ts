// Similar entities, clusters, and proposed links between entities.

import { request } from './client';

interface ScoreShare {
  feature: string;
  value: number;
  share: number;
}

export interface SimilarEntity {
  iri: string;
  label: string;
  score: number;
  types: string[];
  why: ScoreShare[];
}

export interface EntityJob {
  running: boolean;
  started_at: string | null;
  error: string | null;
}

export interface Cluster {
  id: number;
  label: string;
  types: string[];
  size: number;
}

export interface ClusterPage {
  run: { algorithm: string; crawl: number | null; clustered_at: string; entities: number } | null;
  job: EntityJob;
  total: number;
  clusters: Cluster[];
}

export interface ClusterMembers extends Cluster {
  members: { iri: string; label: string }[];
}

export type LinkPredicate = 'owl:sameAs' | 'skos:related';
export type LinkState = 'undropped' | 'open' | 'kept' | 'dropped' | 'all';

export interface ProposedLink {
  source: string;
  source_label: string;
  predicate: LinkPredicate;
  target: string;
  target_label: string;
  score: number | null;
  why: ScoreShare[];
  mark: { mark: 'keep' | 'drop'; by: string | null; at: string | null } | null;
}

export interface LinkPage {
  found_at: string | null;
  job: EntityJob;
  total: number;
  links: ProposedLink[];
}

export interface LinkMarkResult {
  changed: number;
  kept: number;
  dropped: number;
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, signal ? { signal } : {})).json()) as T;
}

async function change<T>(method: string, path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await request(path, { method, ...options })).json()) as T;
}

const query = (values: Record<string, string | number | undefined>) =>
  new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]))).toString();

export const similarTo = async (iri: string, limit: number, signal: AbortSignal) => (await get<{ results: SimilarEntity[] }>(`/api/v1/similar?${query({ iri, limit })}`, signal)).results;

export const listClusters = (limit: number, signal: AbortSignal) => get<ClusterPage>(`/api/v1/clusters?${query({ limit })}`, signal);
export const getCluster = (id: number, limit: number, signal: AbortSignal) => get<ClusterMembers>(`/api/v1/clusters/${id}?${query({ limit })}`, signal);
export const startClusters = (crawl: number | undefined) => change<EntityJob>('POST', '/api/v1/clusters', { entities: crawl === undefined ? {} : { crawl } });

export interface LinkQuery {
  state: LinkState;
  predicate: LinkPredicate | '';
  offset: number;
  limit: number;
}

export const listLinks = (values: LinkQuery, signal?: AbortSignal) => get<LinkPage>(`/api/v1/links?${query({ ...values })}`, signal);
export const startLinks = (predicate: LinkPredicate) => change<EntityJob>('POST', '/api/v1/links', { predicate });
export const markLink = ({ source, predicate, target }: ProposedLink, mark: 'keep' | 'drop' | 'none') => change<LinkMarkResult>('POST', '/api/v1/links/marks', { links: [{ source, predicate, target }], mark });
export const undoLinkMark = () => change<LinkMarkResult>('DELETE', '/api/v1/links/marks');
export const exportLinks = () => change<{ graph: string; links: number }>('POST', '/api/v1/links/export');
