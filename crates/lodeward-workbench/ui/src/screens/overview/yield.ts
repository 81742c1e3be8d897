// Documents with RDF over requests: as the crawl fetched them, and as an estimate for breadth-first order.

import type { Settled } from './harvest.svelte';

export interface YieldPoint {
  requests: number;
  crawl: number;
  estimate: number;
}

// The estimate takes the URIs that were requested, in the order of their hops. Breadth-first order would
// have requested others, too, so it is an upper bound for what this order finds in as many requests.
export function yieldOver(entries: Settled[], points = 60): YieldPoint[] {
  const requested = entries.filter((entry) => entry.isRequest);
  const breadthFirst = requested.map((entry, index) => ({ entry, index })).sort((a, b) => a.entry.hop - b.entry.hop || a.index - b.index);
  const step = Math.max(1, Math.ceil(requested.length / points));
  const result: YieldPoint[] = [{ requests: 0, crawl: 0, estimate: 0 }];
  let [crawl, estimate] = [0, 0];
  requested.forEach((entry, index) => {
    crawl += Number(entry.hasRdf);
    estimate += Number(breadthFirst[index]!.entry.hasRdf);
    if ((index + 1) % step === 0 || index === requested.length - 1) result.push({ requests: index + 1, crawl, estimate });
  });
  return result;
}

export interface Cell {
  hop: number;
  host: string;
  requests: number;
  rdf: number;
  faults: number;
}

// The cells of hops and hosts; small hosts are one sector.
export function coverage(entries: Settled[], maxHosts = 24): { hosts: string[]; hops: number; cells: Cell[] } {
  const requested = entries.filter((entry) => entry.isRequest && entry.host !== '');
  const sizes = new Map<string, number>();
  for (const { host } of requested) sizes.set(host, (sizes.get(host) ?? 0) + 1);
  const largest = [...sizes].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([host]) => host);
  const hosts = largest.length > maxHosts ? [...largest.slice(0, maxHosts - 1), ''] : largest;
  const cells = new Map<string, Cell>();
  for (const { host, hop, hasRdf, isFault } of requested) {
    const sector = hosts.includes(host) ? host : '';
    const key = `${hop} ${sector}`;
    const cell = cells.get(key) ?? { hop, host: sector, requests: 0, rdf: 0, faults: 0 };
    cells.set(key, { ...cell, requests: cell.requests + 1, rdf: cell.rdf + Number(hasRdf), faults: cell.faults + Number(isFault) });
  }
  return { hosts, hops: 1 + Math.max(0, ...requested.map(({ hop }) => hop)), cells: [...cells.values()] };
}
