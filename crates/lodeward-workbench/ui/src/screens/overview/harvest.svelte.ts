// The settled URIs of a crawl, read from its log, for the pictures of the overview.

import { client, data, type Schemas } from '../../api/client';
import { Problem } from '../../api/problem';

const PAGE = 500;
const MAX_ENTRIES = 10_000;

export interface Settled {
  host: string;
  hop: number;
  // Whether a request was sent, and whether the document has RDF.
  isRequest: boolean;
  hasRdf: boolean;
  isDocument: boolean;
  isFault: boolean;
}

export class Harvest {
  entries: Settled[] = $state.raw([]);
  isComplete = $state(false);
  isTruncated = $state(false);
  problem: Problem | undefined = $state.raw();

  #crawl: number;
  #next: number | undefined;
  #isLoading = false;

  constructor(crawl: number) {
    this.#crawl = crawl;
  }

  // Reads what the log has beyond the entries that were read before.
  async load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.problem = undefined;
    try {
      for (let isLast = false; !isLast; ) {
        const query = { limit: PAGE, ...(this.#next !== undefined && { after: this.#next }) };
        const page = await data(client.GET('/api/v1/crawls/{id}/log', { params: { path: { id: this.#crawl }, query } }));
        this.#next = page.next ?? page.entries.at(-1)?.number ?? this.#next;
        this.entries = [...this.entries, ...page.entries.map(settled)];
        this.isTruncated = this.entries.length >= MAX_ENTRIES;
        isLast = page.next == null || page.entries.length < PAGE || this.isTruncated;
      }
      this.isComplete = true;
    } catch (error) {
      this.problem = Problem.of(error);
    } finally {
      this.#isLoading = false;
    }
  }
}

function settled({ uri, depth, outcome }: Schemas['LogEntry']): Settled {
  return {
    host: URL.canParse(uri) ? new URL(uri).host : '',
    hop: depth,
    isRequest: outcome.kind !== 'dropped',
    hasRdf: outcome.kind === 'document' && outcome.quads > 0,
    isDocument: outcome.kind === 'document',
    isFault: outcome.kind === 'failed',
  };
}
