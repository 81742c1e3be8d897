// Figures of the hosts of a crawl, from the outcomes of their URIs.

import type { Settled } from '../overview/harvest.svelte';

export interface HostFigures {
  host: string;
  requests: number;
  documents: number;
  rdf: number;
  redirects: number;
  faults: number;
  dropped: number;
  // Many requests and no RDF: possibly an endless part of a site.
  isSuspect: boolean;
}

export type HostOrder = keyof Omit<HostFigures, 'host' | 'isSuspect'> | 'host';

const SUSPECT_REQUESTS = 50;

export function hostFigures(entries: Settled[]): HostFigures[] {
  const hosts = new Map<string, HostFigures>();
  for (const entry of entries) {
    const figures = hosts.get(entry.host) ?? { host: entry.host, requests: 0, documents: 0, rdf: 0, redirects: 0, faults: 0, dropped: 0, isSuspect: false };
    hosts.set(entry.host, figures);
    figures.requests += Number(entry.isRequest);
    figures.documents += Number(entry.isDocument);
    figures.rdf += Number(entry.hasRdf);
    figures.faults += Number(entry.isFault);
    figures.dropped += Number(!entry.isRequest);
    figures.redirects += Number(entry.isRequest && !entry.isDocument && !entry.isFault);
  }
  for (const figures of hosts.values()) figures.isSuspect = figures.requests >= SUSPECT_REQUESTS && figures.rdf === 0;
  return [...hosts.values()];
}

export function ordered(hosts: HostFigures[], order: HostOrder): HostFigures[] {
  if (order === 'host') return hosts.toSorted((a, b) => a.host.localeCompare(b.host));
  return hosts.toSorted((a, b) => b[order] - a[order] || a.host.localeCompare(b.host));
}
