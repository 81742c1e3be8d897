// The order of a new crawl, as the form edits it.

import { client, data, type Crawl, type Schemas } from '../../api/client';
import { readLines } from './lines';

export type Source = 'list' | 'template' | 'records';
export type SettingValue = string | number | boolean | string[];

const SEED_PAGE = 500;

export class Order {
  source: Source = $state('list');
  text = $state('');
  name = $state('');
  strategy = $state('focus');
  hops: number | undefined = $state(2);
  budget: number | undefined = $state(500);
  template = $state('');
  // Values of placeholders, one per line.
  values: Record<string, string> = $state({});
  files: Schemas['InstanceData'][] = $state([]);
  roles: string[] = $state([]);
  resolveLiterals = $state(true);
  includeSubjects = $state(false);
  recordWarc = $state(false);
  // Further settings by key, such as `crawl.stay`.
  settings: Record<string, SettingValue> = $state({});

  readonly lines = $derived(readLines(this.text));

  get hasSeeds(): boolean {
    if (this.source === 'template') return this.template !== '';
    if (this.source === 'records') return this.files.length > 0;
    return this.lines.some(({ kind }) => kind === 'uri' || kind === 'label');
  }

  // The body of the request.
  body(): Record<string, unknown> {
    const isFocus = this.strategy === 'focus';
    const settings = new Map(Object.entries(this.settings));
    // The hops limit both the links that are followed and the candidates, as in the API of DURAARK.
    if (isFocus && this.hops !== undefined) settings.set('ranking.max_hops', this.hops);
    return {
      ...(this.name.trim() !== '' && { name: this.name.trim() }),
      ...this.#seeds(),
      strategy: this.strategy,
      limits: {
        ...(this.budget !== undefined && { max_requests: this.budget }),
        ...(this.hops !== undefined && { max_depth: this.hops }),
      },
      ...(settings.size > 0 && { settings: nested(settings) }),
      ...(this.recordWarc && { record_warc: true }),
    };
  }

  // The body to show, without the content of files.
  shortBody(): Record<string, unknown> {
    const body = this.body();
    return this.source === 'records' ? { ...body, instances: this.files.map(({ name }) => ({ name, content: '…' })) } : body;
  }

  #seeds(): Record<string, unknown> {
    if (this.source === 'template') {
      const values = Object.entries(this.values).map(([name, text]) => [name, text.split('\n').map((line) => line.trim()).filter((line) => line !== '')] as const);
      return { template: this.template, values: Object.fromEntries(values.filter(([, lines]) => lines.length > 0)) };
    }
    if (this.source === 'records') {
      return { instances: this.files, roles: this.roles, resolve_literals: this.resolveLiterals, include_subjects: this.includeSubjects };
    }
    const of = (kind: string) => this.lines.filter((line) => line.kind === kind).map(({ text }) => text);
    const [seeds, labels] = [[...of('uri'), ...of('invalid')], of('label')];
    return { seeds, ...(labels.length > 0 && { labels }) };
  }

  // Fills the form with the seeds and settings of another crawl.
  async copy(id: number): Promise<void> {
    const path = { id };
    const [crawl, page] = await Promise.all([
      data(client.GET('/api/v1/crawls/{id}', { params: { path } })),
      data(client.GET('/api/v1/crawls/{id}/seeds', { params: { path, query: { limit: SEED_PAGE } } })),
    ]);
    this.text = page.seeds.map(({ uri }) => uri).join('\n');
    this.#take(crawl);
  }

  #take(crawl: Crawl): void {
    const settings = { ...crawl.settings['crawl'] };
    this.strategy = crawl.strategy;
    this.budget = settings['max_requests'] as number | undefined;
    this.hops = (crawl.settings['ranking']?.['max_hops'] ?? settings['max_depth']) as number | undefined;
    this.recordWarc = crawl.record_warc;
    const rest = Object.entries(crawl.settings).flatMap(([section, values]) => Object.entries(values).map(([key, value]) => [`${section}.${key}`, value as SettingValue] as const));
    const own = ['crawl.max_requests', 'crawl.max_depth', 'crawl.strategy', 'ranking.max_hops'];
    this.settings = Object.fromEntries(rest.filter(([key, value]) => !own.includes(key) && typeof value !== 'object'));
  }
}

// `crawl.hops.strict` becomes `{ crawl: { hops: { strict: … } } }`.
function nested(settings: Map<string, SettingValue>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of settings) {
    const parts = key.split('.');
    const last = parts.pop()!;
    let section = root;
    for (const part of parts) section = (section[part] ??= {}) as Record<string, unknown>;
    section[last] = value;
  }
  return root;
}
