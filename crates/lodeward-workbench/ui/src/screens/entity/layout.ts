// Which neighbours of an entity are drawn, and where.

import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';

export const MAX_PROPERTIES = 8;
const TICKS = 250;

export interface Neighbour {
  iri: string;
  label: string | undefined;
  property: string;
  isIncoming: boolean;
}

// Takes entities in turns from each property, the rarest first, so that none fills the picture.
export function chosen(groups: Neighbour[][], limit: number): Neighbour[] {
  const ordered = groups.filter((group) => group.length > 0).sort((a, b) => a.length - b.length).slice(0, MAX_PROPERTIES);
  const found: Neighbour[] = [];
  for (let round = 0; found.length < limit; round += 1) {
    const next = ordered.flatMap((group) => group.slice(round, round + 1));
    if (next.length === 0) break;
    found.push(...next);
  }
  return found.slice(0, limit);
}

export interface PlacedNode extends SimulationNodeDatum {
  iri: string;
  label: string | undefined;
  x: number;
  y: number;
}

export interface PlacedEdge {
  source: PlacedNode;
  target: PlacedNode;
  property: string;
  isIncoming: boolean;
}

export interface Layout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
}

// The layout is computed at once and does not move. It is the same for the same data.
export function placed(centre: { iri: string; label: string | undefined }, neighbours: Neighbour[], width: number, height: number): Layout {
  const byIri = new Map<string, PlacedNode>();
  const add = (iri: string, label: string | undefined) => {
    const angle = byIri.size * 2.4;
    const node = byIri.get(iri) ?? { iri, label, x: width / 2 + 12 * Math.sqrt(byIri.size) * Math.cos(angle), y: height / 2 + 12 * Math.sqrt(byIri.size) * Math.sin(angle) };
    byIri.set(iri, node);
    return node;
  };
  const middle = add(centre.iri, centre.label);
  middle.fx = width / 2;
  middle.fy = height / 2;
  const edges = neighbours.map((neighbour) => ({ source: middle, target: add(neighbour.iri, neighbour.label), property: neighbour.property, isIncoming: neighbour.isIncoming }));
  const nodes = [...byIri.values()];
  forceSimulation(nodes)
    .force('charge', forceManyBody().strength(-260))
    .force('link', forceLink(edges.map(({ source, target }) => ({ source, target }))).distance(nodes.length > 20 ? 150 : 120))
    .force('collide', forceCollide(26))
    .force('x', forceX(width / 2).strength(0.04))
    .force('y', forceY(height / 2).strength(0.12))
    .force('centre', forceCenter(width / 2, height / 2).strength(0.2))
    .stop()
    .tick(TICKS);
  for (const node of nodes) {
    node.x = Math.min(width - 70, Math.max(70, node.x));
    node.y = Math.min(height - 22, Math.max(16, node.y));
  }
  return { nodes, edges };
}
