// Live updates: one event stream per browser. Browsers open six connections per server, so a stream
// in each tab would block the seventh. The tab that holds a lock reads the stream and forwards it to
// the others; when it closes, the next one takes over.

import { baseUrl } from '../api/client';
import { connection } from '../api/connection.svelte';
import { signIn } from '../shell/session.svelte';
import { StreamParser, type StreamEvent } from './parser';

const NAME = `lodeward-events ${baseUrl}`;
// Screens repaint four times a second.
const FLUSH_MS = 250;
const POLL_MS = 5000;
// A tab that shows requests says so regularly; a closed tab stops doing so.
const WANT_MS = 4000;

export type LiveStatus = 'off' | 'live' | 'polling';
type Listener = (events: StreamEvent[]) => void;
type ChannelMessage = { events: StreamEvent[] } | { status: LiveStatus } | { wants: string } | { hello: true };

class LiveEvents {
  status: LiveStatus = $state('off');
  // Whether this tab reads the stream.
  isLeader = false;
  // Number of events that were lost because this browser was too slow.
  lagged = $state(0);

  #channel = new BroadcastChannel(NAME);
  #listeners = new Set<Listener>();
  #buffer: StreamEvent[] = [];
  #ownWants = 0;
  #wants = new Map<string, number>();
  #stream: AbortController | undefined;
  #tab = crypto.randomUUID?.() ?? String(Math.random());

  start(): void {
    this.#channel.onmessage = ({ data }: MessageEvent<ChannelMessage>) => this.#receive(data);
    this.#channel.postMessage({ hello: true });
    setInterval(() => this.#flush(), FLUSH_MS);
    setInterval(() => this.#tellWants(), WANT_MS);
    if (navigator.locks === undefined) void this.#lead();
    else void navigator.locks.request(NAME, () => this.#lead());
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // Also sends an event for each request, until the returned function is called.
  wantRequests(): () => void {
    this.#ownWants += 1;
    this.#tellWants();
    return () => {
      this.#ownWants -= 1;
      this.#wants.delete(this.#tab);
      if (this.#ownWants === 0 && this.isLeader && !this.#wantsRequests()) this.#stream?.abort('requests');
    };
  }

  #receive(message: ChannelMessage): void {
    if ('events' in message) this.#buffer.push(...message.events);
    else if ('status' in message) this.status = message.status;
    else if ('wants' in message) this.#noteWant(message.wants);
    else if (this.isLeader) this.#channel.postMessage({ status: this.status });
  }

  #tellWants(): void {
    if (this.#ownWants === 0) return;
    this.#noteWant(this.#tab);
    this.#channel.postMessage({ wants: this.#tab });
  }

  #noteWant(tab: string): void {
    const isNew = !this.#wantsRequests();
    this.#wants.set(tab, Date.now());
    if (isNew && this.isLeader) this.#stream?.abort('requests');
  }

  #wantsRequests(): boolean {
    return [...this.#wants.values()].some((time) => time > Date.now() - 3 * WANT_MS);
  }

  #flush(): void {
    if (this.#buffer.length === 0) return;
    const events = this.#buffer;
    this.#buffer = [];
    for (const event of events) {
      if (event.name === 'lagged') this.lagged += (event.data as { count: number }).count;
    }
    for (const listener of this.#listeners) listener(events);
  }

  #setStatus(status: LiveStatus): void {
    this.status = status;
    this.#channel.postMessage({ status });
  }

  #publish(events: StreamEvent[]): void {
    this.#buffer.push(...events);
    this.#channel.postMessage({ events });
  }

  // Reads the stream until the page is closed.
  async #lead(): Promise<never> {
    this.isLeader = true;
    for (let failures = 0; ; ) {
      const outcome = await this.#read();
      failures = outcome === 'ended' ? failures + 1 : 0;
      if (outcome === 'busy') {
        this.#setStatus('polling');
        this.#publish([{ name: 'poll', data: {} }]);
        await sleep(POLL_MS);
      } else if (outcome === 'ended') {
        this.#setStatus('off');
        await sleep(Math.min(1000 * 2 ** (failures - 1), 30_000) * (0.8 + 0.4 * Math.random()));
      }
    }
  }

  async #read(): Promise<'busy' | 'ended' | 'again'> {
    const stream = new AbortController();
    this.#stream = stream;
    try {
      const url = `${baseUrl}/api/v1/events${this.#wantsRequests() ? '?requests=true' : ''}`;
      const response = await fetch(url, { signal: stream.signal });
      connection.noteReached();
      if (response.status === 401) {
        await signIn();
        return 'again';
      }
      if (!response.ok || response.body === null) return 'busy';
      this.#setStatus('live');
      const parser = new StreamParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'ended';
        this.#publish(parser.push(value));
      }
    } catch {
      if (stream.signal.aborted) return 'again';
      connection.noteFailed();
      return 'ended';
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const live = new LiveEvents();
