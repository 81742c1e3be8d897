// The check of seeds before a crawl starts.

import { request } from './client';
import { Problem } from './problem';

export interface LabelMatch {
  entity: string;
  label: string;
  language: string;
  statements: number;
}

export interface CheckedLine {
  text: string;
  state: 'valid' | 'ambiguous' | 'unknown' | 'invalid' | 'blocked' | 'duplicate';
  entity: string | null;
  label: string | null;
  choices: LabelMatch[];
  detail: string | null;
  hint: string | null;
}

export interface SeedCheck {
  seeds: CheckedLine[];
  labels: CheckedLine[];
  others: { entity: string; label: string | null; origin: string }[];
  others_total: number;
  remarks: string[];
  problems: string[];
  analysis: {
    coherence: number | null;
    known: { entity: string; weight: number }[];
    unknown: string[];
    distances: { from: string; to: string; links: number | null }[];
    notes: string[];
    partial: boolean;
  };
  estimate: { documents: number; domains: number; max_requests: number | null; delay_seconds: number; seconds: number | null };
}

// The result; undefined if the service has no check.
export async function checkSeeds(order: Record<string, unknown>, signal: AbortSignal): Promise<SeedCheck | undefined> {
  try {
    const response = await request('/api/v1/seeds/check', { method: 'POST', signal, headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) });
    return (await response.json()) as SeedCheck;
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
