// The location is in the fragment: `#/crawls/7/review?filter=…`. All view state is there, so links can
// be shared, and IRIs and queries stay out of the logs of proxies.

import { href, parseLocation, type Location, type Parameters } from './location';

export { href };

class Router {
  #location: Location = $state.raw(parseLocation(globalThis.location?.hash ?? ''));
  // Whether the location has changed, but the screen for it is still being loaded.
  isLeaving = $state(false);

  constructor() {
    globalThis.addEventListener?.('hashchange', () => {
      this.#location = parseLocation(globalThis.location.hash);
    });
  }

  get path(): string[] {
    return this.#location.path;
  }

  parameter(name: string): string {
    return this.#location.query.get(name) ?? '';
  }

  go(reference: string): void {
    globalThis.location.hash = reference;
  }

  // Changes parameters of this location. `replace` adds no entry to the history.
  set(parameters: Parameters, replace = true): void {
    // The user has gone elsewhere, and the event about it is still to come: the change is for a screen that is left.
    if (this.isLeaving || parseLocation(globalThis.location.hash).path.join('/') !== this.#location.path.join('/')) return;
    const merged: Parameters = { ...Object.fromEntries(this.#location.query), ...parameters };
    const reference = href(this.#location.path, merged);
    if (replace) {
      history.replaceState(history.state, '', reference);
      this.#location = parseLocation(reference);
    } else {
      this.go(reference);
    }
  }
}

export const router = new Router();
