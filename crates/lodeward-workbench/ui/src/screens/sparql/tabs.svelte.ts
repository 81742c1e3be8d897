// Queries in tabs, stored in this browser.

import { store, stored } from '../../shell/preferences.svelte';
import { sparqlMessages as m } from './messages';
import type { QueryRun } from './run.svelte';

export interface QueryTab {
  id: number;
  name: string;
  query: string;
  lenient: boolean;
}

const KEY = 'lodeward-queries';
const MAX_TABS = 20;
const FIRST = `SELECT ?s ?p ?o {\n  ?s ?p ?o\n}\nLIMIT 100\n`;

class QueryTabs {
  list: QueryTab[] = $state([]);
  currentId = $state(0);
  // The last run of each tab. Results are not stored.
  runs: Record<number, QueryRun> = $state({});

  constructor() {
    const saved = stored<{ list: QueryTab[]; current: number }>(KEY);
    const isTab = (tab: unknown): tab is QueryTab => typeof (tab as QueryTab)?.id === 'number' && typeof (tab as QueryTab).query === 'string';
    this.list = (Array.isArray(saved?.list) ? saved.list.filter(isTab) : []).map((tab) => ({ id: tab.id, name: String(tab.name), query: tab.query, lenient: tab.lenient === true }));
    if (this.list.length === 0) this.open(FIRST);
    else this.currentId = this.list.some(({ id }) => id === saved?.current) ? saved!.current : this.list[0]!.id;
  }

  get current(): QueryTab {
    return this.list.find(({ id }) => id === this.currentId) ?? this.list[0]!;
  }

  open(query = FIRST, lenient = false, name?: string): QueryTab {
    const number = 1 + Math.max(0, ...this.list.map(({ id }) => id));
    const tab = { id: number, name: name ?? m.tabName(number), query, lenient };
    this.list = [...this.list, tab].slice(-MAX_TABS);
    this.currentId = number;
    this.save();
    return tab;
  }

  // Opens a query that a link names, unless a tab has it already.
  openLinked(query: string, lenient: boolean): void {
    const found = this.list.find((tab) => tab.query.trim() === query.trim());
    if (found === undefined) {
      this.open(query, lenient);
      return;
    }
    found.lenient ||= lenient;
    this.currentId = found.id;
  }

  close(id: number): void {
    const at = this.list.findIndex((tab) => tab.id === id);
    this.runs[id]?.cancel();
    delete this.runs[id];
    this.list = this.list.filter((tab) => tab.id !== id);
    if (this.list.length === 0) this.open();
    else if (this.currentId === id) this.currentId = this.list[Math.max(0, at - 1)]!.id;
    this.save();
  }

  save(): void {
    store(KEY, { list: this.list, current: this.currentId });
  }
}

export const tabs = new QueryTabs();
