// Data of a screen that is loaded from the service, with its states.

import { Problem, isAborted } from './problem';

// Nothing is shown for a short load, and a long one can be cancelled.
const SKELETON_AFTER_MS = 200;
const SLOW_AFTER_MS = 3000;

export class Resource<T> {
  data: T | undefined = $state.raw(undefined);
  problem: Problem | undefined = $state.raw(undefined);
  isLoading = $state(false);
  // The load takes long enough to show a skeleton, or long enough to offer to cancel it.
  showsSkeleton = $state(false);
  isSlow = $state(false);

  #fetch: (signal: AbortSignal) => Promise<T>;
  #controller: AbortController | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  async load(): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.isLoading = true;
    const timers = [
      setTimeout(() => (this.showsSkeleton = true), SKELETON_AFTER_MS),
      setTimeout(() => (this.isSlow = true), SLOW_AFTER_MS),
    ];
    try {
      const data = await this.#fetch(controller.signal);
      if (this.#controller !== controller) return;
      this.data = data;
      this.problem = undefined;
    } catch (error) {
      if (this.#controller !== controller || isAborted(error)) return;
      this.problem = Problem.of(error);
    } finally {
      timers.forEach(clearTimeout);
      if (this.#controller === controller) {
        this.isLoading = false;
        this.showsSkeleton = false;
        this.isSlow = false;
      }
    }
  }

  cancel(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.isLoading = false;
    this.showsSkeleton = false;
    this.isSlow = false;
  }
}
