// The screens, by the first part of their location. Each is loaded when it is first shown.

import type { Component } from 'svelte';
import { router } from '../shell/router.svelte';
import { tabFor } from './crawl/tabs';
import Crawls from './crawls/Crawls.svelte';

const loaders: Record<string, () => Promise<{ default: Component }>> = {
  crawls: () => Promise.resolve({ default: Crawls }),
  crawl: () => {
    // The tab is loaded beside the screen, not after it.
    void tabFor(router.path[2] ?? 'overview').catch(() => undefined);
    return import('./crawl/Crawl.svelte');
  },
  archive: () => import('./archive/Archive.svelte'),
  compare: () => import('./compare/Compare.svelte'),
  admin: () => import('./admin/Admin.svelte'),
  account: () => import('./account/Account.svelte'),
  sparql: () => import('./sparql/Sparql.svelte'),
  search: () => import('./search/Search.svelte'),
  entity: () => import('./entity/Entity.svelte'),
  links: () => import('./links/Links.svelte'),
  new: () => import('./new/NewCrawl.svelte'),
};

export async function screenFor(name: string): Promise<Component> {
  const load = loaders[name] ?? (() => import('./NotFound.svelte'));
  return (await load()).default;
}
