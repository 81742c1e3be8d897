// The latest requests of a crawl. Lists repaint when events arrive in batches, four times a second.

import type { StreamEvent } from '../../live/parser';

export interface RequestEntry {
  key: number;
  uri: string;
  depth: number;
  status: number | null;
  quads: number;
  fault: string | null;
}

const MAX_ENTRIES = 200;

export class RequestLog {
  entries: RequestEntry[] = $state.raw([]);
  // While false, new requests are collected but not shown.
  isFollowing = $state(true);

  #next = 0;
  #waiting: RequestEntry[] = [];

  receive(events: StreamEvent[]): void {
    const arrived = events.filter(({ name }) => name === 'request').slice(-MAX_ENTRIES);
    for (const { data } of arrived) this.#waiting.unshift({ ...(data as Omit<RequestEntry, 'key'>), key: this.#next++ });
    this.#waiting.length = Math.min(this.#waiting.length, MAX_ENTRIES);
    if (this.isFollowing && arrived.length > 0) this.show();
  }

  show(): void {
    this.entries = [...this.#waiting, ...this.entries].slice(0, MAX_ENTRIES);
    this.#waiting = [];
  }
}
