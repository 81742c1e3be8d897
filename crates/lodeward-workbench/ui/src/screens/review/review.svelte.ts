// The list of candidates of a crawl, and the marks on it.

import { listCandidates } from '../../api/candidates';
import type { Candidate, Schemas } from '../../api/client';
import { Problem } from '../../api/problem';
import { RowPages } from '../../components/pages.svelte';
import { session } from '../../shell/session.svelte';
import { RankingPreview } from './preview.svelte';
import { Marks, type MarkKind } from './marks.svelte';

export const MARK_FILTERS = ['all', 'none', 'keep', 'drop', 'undropped'] as const;
const MIN_PREVIEW_MARKS = 2;
export type MarkFilter = (typeof MARK_FILTERS)[number];

// Marks that a user has changed.
export interface MarkedEvent {
  by: string;
  at: string;
  mark: 'keep' | 'drop' | null;
  undo: boolean;
  count: number;
  entities: string[];
}

export class ReviewModel {
  readonly crawl: number;
  readonly marks: Marks;
  readonly preview: RankingPreview;
  ranking: Schemas['Ranking'] | undefined = $state.raw();
  // Number of candidates without a filter.
  all = $state(0);
  filter = $state('');
  markFilter: MarkFilter = $state('all');
  pages: RowPages<Candidate>;
  // Entities that this tab has marked; their events are already shown.
  readonly markedHere = new Set<string>();

  constructor(crawl: number) {
    this.crawl = crawl;
    this.preview = new RankingPreview(crawl);
    this.marks = new Marks(crawl, (entity, mark) => this.#confirm(entity, mark));
    this.pages = new RowPages((offset, limit, signal) => this.#page(offset, limit, signal));
  }

  async #page(offset: number, limit: number, signal: AbortSignal) {
    const page = await listCandidates(this.crawl, { offset, limit, mark: this.markFilter, filter: this.filter, ranking: this.preview.ranking }, signal);
    if (!this.preview.isOn) this.ranking = page.ranking;
    if (this.filter === '' && this.markFilter === 'all') this.all = page.total;
    return { total: page.total, rows: page.candidates };
  }

  #total(mark: MarkFilter): Promise<Schemas['CandidateListPage']> {
    return listCandidates(this.crawl, { mark, limit: 1, reasons: false });
  }

  // The marks may suggest another order: the ranking of the crawl does not use them.
  get isPreviewSuggested(): boolean {
    const marks = this.marks.kept + this.marks.dropped;
    return !this.preview.isOn && marks >= MIN_PREVIEW_MARKS && (this.ranking?.marks ?? 0) !== marks;
  }

  // The numbers of kept and dropped candidates.
  async loadCounts(): Promise<void> {
    const [all, kept, dropped] = await Promise.all([this.#total('all'), this.#total('keep'), this.#total('drop')]);
    this.all = all.total;
    this.marks.kept = kept.total;
    this.marks.dropped = dropped.total;
  }

  // The first candidate without a mark, as an index of the whole list.
  async firstUnmarked(): Promise<number> {
    const page = await listCandidates(this.crawl, { mark: 'none', limit: 1, reasons: false, ranking: this.preview.ranking });
    return (page.candidates[0]?.rank ?? 1) - 1;
  }

  // The place of a candidate in the list; undefined if it is not listed.
  async indexOf(entity: string): Promise<number | undefined> {
    const loaded = this.pages.indexOf((row) => row.entity === entity);
    if (loaded >= 0) return loaded;
    try {
      const selection = { mark: this.markFilter, filter: this.filter, ranking: this.preview.ranking };
      return (await listCandidates(this.crawl, { ...selection, at: entity, limit: 1, reasons: false })).offset;
    } catch (error) {
      if (Problem.of(error).status === 404) return undefined;
      throw error;
    }
  }

  // Marks of other tabs and other users appear in place.
  receive(events: MarkedEvent[]): void {
    const isOwn = ({ by, entities }: MarkedEvent) => by === session.user?.name && entities.every((entity) => this.markedHere.has(entity));
    const others = events.filter((event) => !isOwn(event));
    for (const { entities, mark, by, at } of others) {
      for (const entity of entities) this.#replaceMark(entity, mark === null ? null : { mark, by, at });
    }
    if (others.length > 0) void this.loadCounts().catch(() => undefined);
  }

  markOf(candidate: Candidate): { mark: MarkKind; isConfirmed: boolean } {
    const unconfirmed = this.marks.unconfirmed[candidate.entity];
    if (unconfirmed !== undefined) return { mark: unconfirmed, isConfirmed: false };
    return { mark: candidate.mark?.mark ?? 'none', isConfirmed: true };
  }

  #confirm(entity: string, mark: MarkKind): void {
    this.#replaceMark(entity, mark === 'none' ? null : { mark, by: session.user?.name ?? null, at: new Date().toISOString() });
  }

  // The marks have changed: a preview follows them, and the rows in view are loaded again.
  async reorder(): Promise<void> {
    if (this.preview.isOn) await this.preview.run();
    await this.pages.reload();
  }

  #replaceMark(entity: string, mark: Schemas['Mark'] | null): void {
    const index = this.pages.indexOf((row) => row.entity === entity);
    const row = index < 0 ? undefined : this.pages.at(index);
    if (row === undefined) return;
    this.pages.replace(index, { ...row, mark });
  }
}
