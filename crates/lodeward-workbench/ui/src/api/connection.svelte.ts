// Whether the service can be reached. While it cannot, it is tried again after 1, 2, 4 … 30 s.

const MAX_WAIT_SECONDS = 30;

class Connection {
  // When the service stopped responding; null while it responds.
  since: Date | null = $state(null);
  // Seconds until the next attempt.
  retryIn = $state(0);
  // Increases when the service responds again, so that screens load their data again.
  restored = $state(0);

  #attempts = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  noteReached(): void {
    this.#attempts = 0;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.since === null) return;
    this.since = null;
    this.restored += 1;
  }

  noteFailed(): void {
    this.since ??= new Date();
    if (this.#timer !== undefined) return;
    const wait = Math.min(2 ** this.#attempts, MAX_WAIT_SECONDS);
    this.#attempts += 1;
    // Clients that lost their connection together do not all return together.
    this.retryIn = Math.ceil(wait * (0.8 + 0.4 * Math.random()));
    this.#timer = setInterval(() => {
      this.retryIn -= 1;
      if (this.retryIn <= 0) void this.tryAgain();
    }, 1000);
  }

  async tryAgain(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.retryIn = 0;
    try {
      await fetch(new URL('health', document.baseURI), { cache: 'no-store' });
      this.noteReached();
    } catch {
      this.noteFailed();
    }
  }
}

export const connection = new Connection();
