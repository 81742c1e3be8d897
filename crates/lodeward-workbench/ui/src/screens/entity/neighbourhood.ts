// The neighbourhood of an entity: at most 60 entities, those of properties with the fewest values first.

import { RDF_TYPE, type EntityStatements } from './grouping';
import { MAX_PROPERTIES, chosen, type Neighbour } from './layout';
import { loadSubjects, type PropertyCount } from './statements';

export const MAX_NODES = 60;

export async function loadNeighbours(iri: string, statements: EntityStatements, incoming: PropertyCount[], signal: AbortSignal): Promise<Neighbour[]> {
  const outgoing = statements.properties
    .filter(({ property }) => property !== RDF_TYPE)
    .map(({ property, values }) => values.flatMap(({ term }) => (term.kind === 'iri' && term.value !== iri ? [{ iri: term.value, label: statements.labels.get(term.value), property, isIncoming: false }] : [])));
  const rarest = incoming.filter(({ property }) => property !== RDF_TYPE).sort((a, b) => a.count - b.count).slice(0, MAX_PROPERTIES);
  const linking = await Promise.all(
    rarest.map(async ({ property }) => (await loadSubjects(iri, property, MAX_NODES, signal)).filter((subject) => subject.iri !== iri).map((subject) => ({ ...subject, property, isIncoming: true }))),
  );
  const half = Math.floor((MAX_NODES - 1) / 2);
  const [out, into] = [chosen(outgoing, MAX_NODES - 1), chosen(linking, MAX_NODES - 1)];
  const fromOut = out.slice(0, Math.max(half, MAX_NODES - 1 - into.length));
  return [...fromOut, ...into.slice(0, MAX_NODES - 1 - fromOut.length)];
}
