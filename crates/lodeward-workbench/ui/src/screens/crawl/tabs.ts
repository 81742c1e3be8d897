// The tabs of a crawl. Each is loaded when it is first shown.

import type { Component } from 'svelte';
import type { Crawl } from '../../api/client';
import type { CrawlModel } from './crawl.svelte';

export interface TabProps {
  crawl: Crawl;
  model: CrawlModel;
}

const loaders = {
  overview: () => import('../overview/Overview.svelte'),
  review: () => import('../review/Review.svelte'),
  domains: () => import('../domains/Domains.svelte'),
  log: () => import('../log/Log.svelte'),
  documents: () => import('../documents/Documents.svelte'),
  explain: () => import('../explain/Explain.svelte'),
  export: () => import('../export/Export.svelte'),
  settings: () => import('../settings/Settings.svelte'),
};

export type TabName = keyof typeof loaders;
export const TABS = Object.keys(loaders) as TabName[];

export async function tabFor(name: string): Promise<Component<TabProps>> {
  const load = loaders[name as TabName] ?? (() => import('../NotFound.svelte'));
  return (await load()).default as Component<TabProps>;
}
