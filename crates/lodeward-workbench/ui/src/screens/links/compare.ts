// What the statements of two entities have in common, and where they differ.

import { LABELS, type EntityStatements, type PropertyValues } from '../entity/grouping';
import type { Term } from '../../rdf/terms';

export interface ComparedProperty {
  property: string;
  kind: 'shared' | 'contradicting' | 'only';
  left: Term[];
  right: Term[];
}

// Literals are the same if their texts are, whatever their case and language.
const keyOf = (term: Term) => (term.kind === 'literal' ? term.value.trim().toLowerCase() : `<${term.value}>`);
// All properties that name an entity are one.
const nameOf = (iri: string) => (LABELS.includes(iri) ? 'label' : (/[^/#]+$/.exec(iri)?.[0].toLowerCase() ?? iri));

// Properties of different vocabularies are compared by their local names.
export function compared(left: EntityStatements, right: EntityStatements): ComparedProperty[] {
  const byName = (groups: PropertyValues[]) => {
    const names = new Map<string, PropertyValues[]>();
    for (const group of groups) names.set(nameOf(group.property), [...(names.get(nameOf(group.property)) ?? []), group]);
    return names;
  };
  const [ofLeft, ofRight] = [byName(left.properties), byName(right.properties)];
  const found: ComparedProperty[] = [];
  for (const name of new Set([...ofLeft.keys(), ...ofRight.keys()])) {
    const [a, b] = [ofLeft.get(name) ?? [], ofRight.get(name) ?? []];
    const terms = (groups: PropertyValues[]) => groups.flatMap(({ values }) => values.map(({ term }) => term));
    const [leftTerms, rightTerms] = [terms(a), terms(b)];
    const keys = new Set(rightTerms.map(keyOf));
    const isShared = leftTerms.some((term) => keys.has(keyOf(term)));
    const kind = a.length === 0 || b.length === 0 ? 'only' : isShared ? 'shared' : 'contradicting';
    found.push({ property: (a[0] ?? b[0])!.property, kind, left: leftTerms, right: rightTerms });
  }
  const order = { shared: 0, contradicting: 1, only: 2 };
  return found.sort((a, b) => order[a.kind] - order[b.kind]);
}
