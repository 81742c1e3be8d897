// The order that the marks suggest, as a further ranking beside that of the crawl, until it is applied or discarded.

import { listCandidates } from '../../api/candidates';
import { client, data } from '../../api/client';
import { Problem } from '../../api/problem';
import { session } from '../../shell/session.svelte';
import { movesBetween, type Move } from './moves';

// The first candidates whose places are compared.
export const COMPARED = 200;
const RANKER = 'feedback';

export class RankingPreview {
  isOn = $state(false);
  isRunning = $state(false);
  problem: Problem | undefined = $state.raw();
  moves: Map<string, Move> = $state.raw(new Map());
  // Number of compared candidates, and the time until they were there.
  compared = $state(0);
  seconds = $state(0);

  #crawl: number;
  #isWanted = false;
  // Events about rankings that this tab has requested.
  #expectedEvents = 0;

  constructor(crawl: number) {
    this.#crawl = crawl;
  }

  // The ranking to list; undefined for that of the crawl.
  get ranking(): string | undefined {
    return this.isOn ? this.#name : undefined;
  }

  // Each user has a preview of their own.
  get #name(): string {
    return `preview-${(session.user?.name ?? '').replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 30)}`;
  }

  // Ranks with the current marks. Marks that arrive meanwhile are ranked afterwards.
  async run(): Promise<void> {
    this.#isWanted = true;
    if (this.isRunning) return;
    this.isRunning = true;
    this.problem = undefined;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#rank();
      }
      this.isOn = true;
    } catch (error) {
      this.problem = Problem.of(error);
    } finally {
      this.isRunning = false;
    }
  }

  async #rank(): Promise<void> {
    const start = performance.now();
    this.#expectedEvents += 1;
    await client.POST('/api/v1/crawls/{id}/ranking', { params: { path: { id: this.#crawl }, query: { ranker: RANKER, as: this.#name } } });
    const first = { mark: 'none', limit: COMPARED } as const;
    const [before, after] = await Promise.all([listCandidates(this.#crawl, first), listCandidates(this.#crawl, { ...first, ranking: this.#name })]);
    this.moves = movesBetween(before.candidates, after.candidates);
    this.compared = after.candidates.length;
    this.seconds = (performance.now() - start) / 1000;
  }

  // Replaces the ranking of the crawl, for all users.
  async apply(): Promise<void> {
    this.#expectedEvents += 1;
    await data(client.POST('/api/v1/crawls/{id}/ranking', { params: { path: { id: this.#crawl }, query: { ranker: RANKER } } }));
    await this.discard();
  }

  async discard(): Promise<void> {
    this.isOn = false;
    this.moves = new Map();
    await client.DELETE('/api/v1/crawls/{id}/rankings/{name}', { params: { path: { id: this.#crawl, name: this.#name } } });
  }

  // Whether an event about a ranking is about one of this tab.
  isOwnEvent(): boolean {
    if (this.#expectedEvents === 0) return false;
    this.#expectedEvents -= 1;
    return true;
  }
}
