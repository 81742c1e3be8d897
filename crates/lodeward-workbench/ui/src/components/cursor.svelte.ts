// A list that the service returns in pages: each page names where the next one starts.

import { Problem, isAborted } from '../api/problem';

export interface CursorPage<T> {
  rows: T[];
  next: number | undefined;
}

export class CursorList<T> {
  rows: T[] = $state.raw([]);
  next: number | undefined = $state();
  isLoading = $state(false);
  problem: Problem | undefined = $state.raw();

  #fetch: (cursor: number | undefined, signal: AbortSignal) => Promise<CursorPage<T>>;
  #controller: AbortController | undefined;

  constructor(fetch: (cursor: number | undefined, signal: AbortSignal) => Promise<CursorPage<T>>) {
    this.#fetch = fetch;
  }

  // Loads the first page, in place of the rows that are shown.
  async load(): Promise<void> {
    await this.#add(undefined);
  }

  async loadMore(): Promise<void> {
    await this.#add(this.next);
  }

  async #add(cursor: number | undefined): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.isLoading = true;
    this.problem = undefined;
    try {
      let page = await this.#fetch(cursor, controller.signal);
      // A filter may leave no row of a page.
      while (page.rows.length === 0 && page.next !== undefined && page.next !== cursor) page = await this.#fetch(page.next, controller.signal);
      if (this.#controller !== controller) return;
      this.rows = cursor === undefined ? page.rows : [...this.rows, ...page.rows];
      this.next = page.next;
    } catch (error) {
      if (this.#controller === controller && !isAborted(error)) this.problem = Problem.of(error);
    } finally {
      if (this.#controller === controller) this.isLoading = false;
    }
  }
}
