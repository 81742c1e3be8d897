// Proposed links and their marks. A mark is shown at once, and confirmed by the service; one that fails
// is reverted.

import { listLinks, markLink, undoLinkMark, type EntityJob, type LinkPredicate, type LinkState, type ProposedLink } from '../../api/entities';
import type { Schemas } from '../../api/client';
import { Problem } from '../../api/problem';
import { RowPages } from '../../components/pages.svelte';
import { session } from '../../shell/session.svelte';

export const LINK_STATES: LinkState[] = ['all', 'open', 'undropped', 'kept', 'dropped'];
export type LinkMark = 'keep' | 'drop' | 'none';

export class LinkReview {
  pages: RowPages<ProposedLink>;
  linkState: LinkState = $state('all');
  predicate: LinkPredicate | '' = $state('');
  job: EntityJob | undefined = $state.raw();
  foundAt: string | null = $state(null);
  problem: Problem | undefined = $state.raw();
  // Marks that are not confirmed yet, by link.
  unconfirmed: Record<string, LinkMark> = $state({});

  constructor() {
    this.pages = new RowPages(async (offset, limit, signal) => {
      const page = await listLinks({ state: this.linkState, predicate: this.predicate, offset, limit }, signal);
      this.job = page.job;
      this.foundAt = page.found_at ?? null;
      return { total: page.total, rows: page.links };
    });
  }

  keyOf({ source, predicate, target }: ProposedLink): string {
    return `${source} ${predicate} ${target}`;
  }

  markOf(link: ProposedLink): { mark: LinkMark; isConfirmed: boolean } {
    const unconfirmed = this.unconfirmed[this.keyOf(link)];
    if (unconfirmed !== undefined) return { mark: unconfirmed, isConfirmed: false };
    return { mark: link.mark?.mark ?? 'none', isConfirmed: true };
  }

  async mark(link: ProposedLink, mark: LinkMark): Promise<void> {
    const key = this.keyOf(link);
    this.unconfirmed[key] = mark;
    this.problem = undefined;
    try {
      await markLink(link, mark);
      const index = this.pages.indexOf((row) => this.keyOf(row) === key);
      if (index >= 0) this.pages.replace(index, { ...link, mark: mark === 'none' ? null : { mark, by: session.user?.name ?? null, at: new Date().toISOString() } });
    } catch (error) {
      this.problem = Problem.of(error);
    }
    delete this.unconfirmed[key];
  }

  async undo(): Promise<Schemas['LinkMarkResult'] | undefined> {
    this.problem = undefined;
    try {
      const result = await undoLinkMark();
      await this.pages.reload();
      return result;
    } catch (error) {
      this.problem = Problem.of(error);
      return undefined;
    }
  }
}
