// Where seeds are drawn: by the number of links between them.

import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, type SimulationNodeDatum } from 'd3-force';
import type { Schemas } from '../../api/client';

const TICKS = 300;
const LINK_LENGTH = 45;
// Seeds farther apart than the analysis follows links.
const FAR_LINKS = 6;

export interface SeedNode extends SimulationNodeDatum {
  iri: string;
  x: number;
  y: number;
  // No other seed is near.
  isFar: boolean;
}

export interface SeedEdge {
  source: SeedNode;
  target: SeedNode;
  links: number;
}

// The layout is the same for the same data. Only connections of at most two links are drawn.
export function byDistance(distances: Schemas['SeedDistance'][], width: number, height: number): { nodes: SeedNode[]; edges: SeedEdge[] } {
  const nodes = new Map<string, SeedNode>();
  for (const iri of distances.flatMap(({ from, to }) => [from, to])) {
    const angle = nodes.size * 2.4;
    if (!nodes.has(iri)) nodes.set(iri, { iri, isFar: true, x: width / 2 + 20 * Math.cos(angle), y: height / 2 + 20 * Math.sin(angle) });
  }
  const pairs = distances.map(({ from, to, links }) => ({ source: nodes.get(from)!, target: nodes.get(to)!, links: links ?? FAR_LINKS }));
  for (const { source, target, links } of pairs) if (links < FAR_LINKS) source.isFar = target.isFar = false;
  forceSimulation([...nodes.values()])
    .force('link', forceLink(pairs.map((pair) => ({ ...pair }))).distance((pair) => LINK_LENGTH * (pair as unknown as SeedEdge).links).strength(0.6))
    .force('charge', forceManyBody().strength(-60))
    .force('collide', forceCollide(22))
    .force('centre', forceCenter(width / 2, height / 2))
    .stop()
    .tick(TICKS);
  fit([...nodes.values()], width, height);
  return { nodes: [...nodes.values()], edges: pairs.filter(({ links }) => links <= 2) };
}

// Scales the points to the picture, with room for their names.
function fit(nodes: SeedNode[], width: number, height: number): void {
  const scale = (key: 'x' | 'y', size: number, margin: number) => {
    const [low, high] = [Math.min(...nodes.map((node) => node[key])), Math.max(...nodes.map((node) => node[key]))];
    const factor = Math.min(1.5, (size - 2 * margin) / Math.max(1, high - low));
    for (const node of nodes) node[key] = size / 2 + (node[key] - (low + high) / 2) * factor;
  };
  scale('x', width, 70);
  scale('y', height, 22);
}
