// The screens, by the first part of their location. Each is loaded when it is first shown.

import type { Component } from 'svelte';
import Crawls from './crawls/Crawls.svelte';

const loaders: Record<string, () => Promise<{ default: Component }>> = {
  crawls: () => Promise.resolve({ default: Crawls }),
  crawl: () => import('./crawl/Crawl.svelte'),
  new: () => import('./new/NewCrawl.svelte'),
};

export async function screenFor(name: string): Promise<Component> {
  const load = loaders[name] ?? (() => import('./NotFound.svelte'));
  return (await load()).default;
}
