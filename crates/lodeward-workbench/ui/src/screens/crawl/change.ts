// Changes of a crawl after its start. A dry run says what a change would do.

import { client, data, type Crawl, type Schemas } from '../../api/client';

// What is missing stays as it is; the generator of types takes fields with a default as required.
export interface CrawlPatch {
  name?: string;
  limits?: Record<string, number | null>;
  include?: string[];
  exclude?: string[];
}
export type ChangeResult = Schemas['CrawlChangeView'];

export function changeCrawl(id: number, body: CrawlPatch, dryRun: boolean, signal?: AbortSignal): Promise<ChangeResult> {
  return data(client.PATCH('/api/v1/crawls/{id}', { body: body as Schemas['CrawlPatch'], ...(signal && { signal }), params: { path: { id }, query: { dry_run: dryRun } } }));
}

// A setting of the crawl, such as its patterns; undefined if it has the default.
export function crawlSetting<T>(crawl: Crawl, name: string): T | undefined {
  return crawl.settings['crawl']?.[name] as T | undefined;
}

export const patternsOf = (crawl: Crawl, name: 'include' | 'exclude'): string[] => crawlSetting<string[]>(crawl, name) ?? [];

// A pattern for all URIs of a domain and its hosts.
export function domainPattern(domain: string): string {
  return `^https?://([^/]*\\.)?${domain.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(:\\d+)?(/|$)`;
}

// A pattern for URIs like this one: the same host and first part of the path.
export function similarPattern(uri: string): string {
  const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (!URL.canParse(uri)) return `^${escaped(uri)}`;
  const { protocol, host, pathname } = new URL(uri);
  const first = /^\/[^/]*\//.exec(pathname)?.[0] ?? '/';
  return `^${protocol}//${escaped(host)}${escaped(first)}`;
}
