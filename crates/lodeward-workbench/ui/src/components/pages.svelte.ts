// The rows of a long list, loaded in pages when they come into view.

import { Problem, isAborted } from '../api/problem';

export interface Page<T> {
  total: number;
  rows: T[];
}

const PAGE = 200;
const SETTLE_MS = 80;
const MAX_CONCURRENT = 4;

export class RowPages<T> {
  total = $state(0);
  problem: Problem | undefined = $state.raw(undefined);
  // Whether the first page has arrived.
  isReady = $state(false);

  #fetch: (offset: number, limit: number, signal: AbortSignal) => Promise<Page<T>>;
  #pages: Record<number, T[]> = $state.raw({});
  #running = new Map<number, AbortController>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #range: [number, number] = [0, 1];

  constructor(fetch: (offset: number, limit: number, signal: AbortSignal) => Promise<Page<T>>) {
    this.#fetch = fetch;
  }

  at(index: number): T | undefined {
    return this.#pages[Math.floor(index / PAGE)]?.[index % PAGE];
  }

  // Replaces a row that has changed.
  replace(index: number, row: T): void {
    const page = Math.floor(index / PAGE);
    const rows = this.#pages[page];
    if (rows === undefined) return;
    this.#pages = { ...this.#pages, [page]: rows.with(index % PAGE, row) };
  }

  indexOf(matches: (row: T) => boolean): number {
    for (const [page, rows] of Object.entries(this.#pages)) {
      const at = rows.findIndex(matches);
      if (at >= 0) return Number(page) * PAGE + at;
    }
    return -1;
  }

  // The rows in view have changed. They are requested when scrolling has stopped.
  want(first: number, last: number): void {
    this.#range = [first, last];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), SETTLE_MS);
  }

  // Loads all rows in view again, and forgets the others.
  async reload(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
    await Promise.all(this.#wanted().map((page) => this.#load(page, true)));
  }

  #wanted(): number[] {
    const [first, last] = this.#range;
    const pages: number[] = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < Math.max(last, 1); page += 1) pages.push(page);
    return pages;
  }

  #settle(): void {
    const wanted = this.#wanted();
    for (const [page, controller] of this.#running) {
      if (!wanted.includes(page)) {
        controller.abort();
        this.#running.delete(page);
      }
    }
    const missing = wanted.filter((page) => this.#pages[page] === undefined && !this.#running.has(page));
    for (const page of missing.slice(0, MAX_CONCURRENT)) void this.#load(page, false);
  }

  async #load(page: number, isFresh: boolean): Promise<void> {
    const controller = new AbortController();
    this.#running.set(page, controller);
    try {
      const { total, rows } = await this.#fetch(page * PAGE, PAGE, controller.signal);
      this.total = total;
      this.#pages = isFresh ? { ...keepOnly(this.#pages, this.#wanted()), [page]: rows } : { ...this.#pages, [page]: rows };
      this.problem = undefined;
      this.isReady = true;
    } catch (error) {
      if (!isAborted(error)) this.problem = Problem.of(error);
    } finally {
      if (this.#running.get(page) === controller) this.#running.delete(page);
    }
  }
}

function keepOnly<T>(pages: Record<number, T>, wanted: number[]): Record<number, T> {
  return Object.fromEntries(Object.entries(pages).filter(([page]) => wanted.includes(Number(page))));
}
