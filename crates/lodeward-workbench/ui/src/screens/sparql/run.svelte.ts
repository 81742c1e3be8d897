// One run of a query: rows appear while they arrive, and the run can be cancelled.

import { ask, sendQuery, sendUpdate } from '../../api/sparql';
import { iriRef } from '../../rdf/iri';
import { Problem, isAborted } from '../../api/problem';
import { formOf, graphsOf, usesStringFunction, type QueryForm } from './operation';
import { linesOf, tripleRow, tsvHead, tsvRow, type Row } from '../../rdf/terms';

// More rows are not shown; they can be downloaded.
export const MAX_ROWS = 100_000;
const PAINT_MS = 250;
const PREVIEW_TIMEOUT_SECONDS = 10;
const PREVIEW_ROWS = 1000;

export class QueryRun {
  readonly query: string;
  readonly form: QueryForm;
  readonly lenient: boolean;
  columns: string[] = $state.raw([]);
  rows: Row[] = $state.raw([]);
  answer: boolean | undefined = $state();
  problem: Problem | undefined = $state.raw();
  isRunning = $state(false);
  isPartial = $state(false);
  isCancelled = $state(false);
  seconds = $state(0);
  // The number of rows in lenient mode, if only strictness empties the result.
  lenientRows: number | undefined = $state();
  // A graph of `FROM` that the archive does not have.
  missingGraph: string | undefined = $state();

  #controller = new AbortController();

  constructor(query: string, lenient: boolean) {
    this.query = query;
    this.form = formOf(query);
    this.lenient = lenient;
  }

  get isUpdate(): boolean {
    return this.form === 'update';
  }

  async start(): Promise<void> {
    const started = performance.now();
    this.isRunning = true;
    try {
      if (this.isUpdate) await sendUpdate(this.query, this.lenient, this.#controller.signal);
      else await this.#read();
    } catch (error) {
      if (isAborted(error) || this.#controller.signal.aborted) this.isCancelled = !this.isPartial;
      else this.problem = Problem.of(error);
    }
    this.seconds = (performance.now() - started) / 1000;
    this.isRunning = false;
    if (this.form === 'select' && this.rows.length === 0 && this.problem === undefined && !this.isCancelled) await this.#explainEmpty();
  }

  cancel(): void {
    this.#controller.abort();
  }

  get accept(): string {
    if (this.form === 'ask') return 'application/sparql-results+json';
    return this.form === 'select' ? 'text/tab-separated-values' : 'application/n-triples';
  }

  async #read(): Promise<void> {
    const { accept, lenient } = this;
    const response = await sendQuery(this.query, { accept, lenient, signal: this.#controller.signal });
    if (this.form === 'ask') {
      this.answer = ((await response.json()) as { boolean: boolean }).boolean;
      return;
    }
    if (this.form !== 'select') this.columns = ['subject', 'predicate', 'object'];
    await this.#readRows(response.body!);
  }

  async #readRows(body: ReadableStream<Uint8Array>): Promise<void> {
    const rows: Row[] = [];
    let painted = performance.now();
    const paint = () => {
      this.rows = rows.slice();
      painted = performance.now();
    };
    let isHead = this.form === 'select';
    try {
      for await (const line of linesOf(body)) {
        if (isHead) this.columns = tsvHead(line);
        else if (this.form === 'select') rows.push(tsvRow(line));
        else if (line !== '') rows.push(tripleRow(line));
        isHead = false;
        if (performance.now() - painted > PAINT_MS) paint();
        if (rows.length >= MAX_ROWS) {
          this.isPartial = true;
          this.#controller.abort();
          break;
        }
      }
    } finally {
      paint();
    }
  }

  // Why a result may be empty: a graph that does not exist, or a string function on an IRI.
  async #explainEmpty(): Promise<void> {
    try {
      for (const graph of graphsOf(this.query).slice(0, 4)) {
        if (!(await ask(`ASK { GRAPH ${iriRef(graph)} { ?s ?p ?o } }`))) {
          this.missingGraph = graph;
          return;
        }
      }
      if (this.lenient || !usesStringFunction(this.query)) return;
      const response = await sendQuery(this.query, { accept: 'text/tab-separated-values', lenient: true, timeout: PREVIEW_TIMEOUT_SECONDS });
      let lines = -1;
      for await (const _ of linesOf(response.body!)) if ((lines += 1) >= PREVIEW_ROWS) break;
      if (lines > 0) this.lenientRows = lines;
    } catch {
      // Only a note: without it, the result is still complete.
    }
  }
}

export const LENIENT_PREVIEW_ROWS = PREVIEW_ROWS;
