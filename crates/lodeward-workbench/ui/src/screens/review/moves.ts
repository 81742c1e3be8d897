// How candidates move from one ranking to another, and why.

import type { Candidate } from '../../api/client';

export interface Move {
  // Places that the candidate rises; negative if it falls; undefined if it was not among the compared ones.
  rise: number | undefined;
  // The kinds of reasons whose weight changes, the largest change first.
  changes: { text: string; change: number }[];
}

// Smaller moves are common, and say little.
export const LARGE_MOVE = 10;
const MIN_CHANGE = 0.005;
const MAX_CHANGES = 6;

// The candidates of `after` whose place changes. Both lists have candidates without a mark only, so that a
// mark does not move all that follow.
export function movesBetween(before: Candidate[], after: Candidate[]): Map<string, Move> {
  const places = new Map(before.map((candidate, place) => [candidate.entity, { candidate, place }]));
  const moves = new Map<string, Move>();
  after.forEach((candidate, place) => {
    const known = places.get(candidate.entity);
    const rise = known && known.place - place;
    if (rise !== 0) moves.set(candidate.entity, { rise, changes: changedReasons(known?.candidate, candidate) });
  });
  return moves;
}

// A reason names examples, which differ between two rankings; its first words say what it is about.
const kindOf = (text: string): string => /^(mentions|\S+ \S+)/.exec(text)?.[0] ?? text;

export const isLarge = ({ rise }: Move): boolean => rise === undefined || Math.abs(rise) > LARGE_MOVE;

function changedReasons(before: Candidate | undefined, after: Candidate): Move['changes'] {
  const kinds = new Map<string, { text: string; change: number }>();
  const add = (text: string, change: number) => {
    const known = kinds.get(kindOf(text));
    kinds.set(kindOf(text), { text: known?.text ?? text, change: (known?.change ?? 0) + change });
  };
  for (const { text, weight } of after.reasons) add(text, weight);
  for (const { text, weight } of before?.reasons ?? []) add(text, -weight);
  const changes = [...kinds.values()].filter(({ change }) => Math.abs(change) >= MIN_CHANGE);
  return changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, MAX_CHANGES);
}
