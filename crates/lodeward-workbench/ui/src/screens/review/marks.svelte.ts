// Marks of candidates: shown at once, stored in order, one request per key press, because undo reverts
// one request. While the service cannot be reached, marks wait in this tab.

import { client, data, type Schemas } from '../../api/client';
import { connection } from '../../api/connection.svelte';
import { Problem } from '../../api/problem';
import { pending } from '../../shell/pending.svelte';

export type MarkKind = 'keep' | 'drop' | 'none';

interface QueuedMark {
  entity: string;
  mark: MarkKind;
}

export class Marks {
  // Marks that are not confirmed yet, by entity.
  unconfirmed: Record<string, MarkKind> = $state({});
  kept = $state(0);
  dropped = $state(0);
  problem: Problem | undefined = $state.raw(undefined);
  // Time between two marks of this session, in seconds.
  pace: number | undefined = $state();

  #crawl: number;
  #queue: QueuedMark[] = [];
  #sending: Promise<void> | undefined;
  #times: number[] = [];
  #confirmed: (entity: string, mark: MarkKind) => void;

  constructor(crawl: number, confirmed: (entity: string, mark: MarkKind) => void) {
    this.#crawl = crawl;
    this.#confirmed = confirmed;
  }

  set(entity: string, mark: MarkKind): void {
    this.#times = [...this.#times.slice(-20), Date.now()];
    const [first, last] = [this.#times[0]!, this.#times.at(-1)!];
    this.pace = this.#times.length < 3 ? undefined : (last - first) / 1000 / (this.#times.length - 1);
    this.unconfirmed[entity] = mark;
    this.#queue.push({ entity, mark });
    this.#count();
    void this.send();
  }

  // Sends the marks that wait. A rejected mark is reverted; an unsent one stays in the queue.
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const { entity, mark } = this.#queue[0]!;
      try {
        this.counted(await data(client.POST('/api/v1/crawls/{id}/candidates/marks', { params: { path: { id: this.#crawl } }, body: { entities: [entity], mark } })));
        this.#confirmed(entity, mark);
      } catch (error) {
        this.problem = Problem.of(error);
        if (this.problem.isOffline) break;
      }
      this.#queue.shift();
      if (!this.#queue.some((queued) => queued.entity === entity)) delete this.unconfirmed[entity];
      this.#count();
    }
  }

  // When all marks that wait are stored.
  async settled(): Promise<void> {
    await this.#sending;
  }

  // Reverts my last change: one that is not sent yet, or else the last one that was stored.
  async undo(): Promise<void> {
    if (connection.since !== null && this.#queue.length > 0) {
      const { entity } = this.#queue.pop()!;
      delete this.unconfirmed[entity];
      this.#count();
      return;
    }
    this.counted(await data(client.DELETE('/api/v1/crawls/{id}/candidates/marks', { params: { path: { id: this.#crawl } } })));
  }

  async setByFilter(filter: string, mark: MarkKind, ranking: string | undefined): Promise<number> {
    const result = await data(client.POST('/api/v1/crawls/{id}/candidates/marks', { params: { path: { id: this.#crawl } }, body: { filter, mark, ...(ranking && { ranking }) } }));
    this.counted(result);
    return result.changed;
  }

  counted(result: Schemas['MarkingResult']): void {
    this.kept = result.kept;
    this.dropped = result.dropped;
  }

  #count(): void {
    pending.marks = this.#queue.length;
  }
}
