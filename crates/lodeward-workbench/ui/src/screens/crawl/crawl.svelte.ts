// The crawl whose tabs are shown, kept up to date by events.

import { client, data, type Crawl, type CrawlCounters } from '../../api/client';
import { Resource } from '../../api/resource.svelte';
import type { StreamEvent } from '../../live/parser';

export interface CrawlEvent {
  crawl: number;
  at: string;
}

export class CrawlModel {
  readonly id: number;
  readonly resource: Resource<Crawl>;

  constructor(id: number) {
    this.id = id;
    this.resource = new Resource((signal) => data(client.GET('/api/v1/crawls/{id}', { signal, params: { path: { id } } })));
  }

  receive(events: StreamEvent[]): void {
    const own = this.eventsOf(events);
    const crawl = this.resource.data;
    if (crawl === undefined || own.some(({ name }) => !['progress', 'request'].includes(name))) {
      void this.resource.load();
    } else {
      const last = own.findLast(({ name }) => name === 'progress');
      if (last) this.resource.data = { ...crawl, counters: (last.data as { counters: CrawlCounters }).counters };
    }
  }

  // Snapshots concern every crawl.
  eventsOf(events: StreamEvent[]): StreamEvent[] {
    return events.filter(({ name, data }) => ['snapshot', 'poll'].includes(name) || (data as CrawlEvent).crawl === this.id);
  }

  async order(action: 'pause' | 'resume' | 'stop'): Promise<void> {
    const options = { params: { path: { id: this.id } } };
    this.resource.data = await data(client.POST(`/api/v1/crawls/{id}/${action}`, options));
  }
}
