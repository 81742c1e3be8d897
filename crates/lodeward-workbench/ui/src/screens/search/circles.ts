// Circles beside each other, as near to the middle as there is room.

import { forceCollide, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import type { Schemas } from '../../api/client';

const TICKS = 200;
const GAP = 2;
const MIN_RADIUS = 4;
// The part of the picture that the circles cover.
const FILL = 0.5;

export interface Circle extends SimulationNodeDatum {
  cluster: Schemas['Cluster'];
  radius: number;
  x: number;
  y: number;
}

export function packed(clusters: Schemas['Cluster'][], width: number, height: number): Circle[] {
  const members = clusters.reduce((sum, { size }) => sum + size, 0);
  const area = (FILL * width * height) / Math.max(1, members);
  const largest = height / 2 - 2 * GAP;
  const circles = clusters.map((cluster, index): Circle => {
    const [angle, distance] = [index * 2.4, 14 * Math.sqrt(index)];
    const radius = Math.min(largest, Math.max(MIN_RADIUS, Math.sqrt((area * cluster.size) / Math.PI)));
    return { cluster, radius, x: width / 2 + distance * Math.cos(angle), y: height / 2 + distance * Math.sin(angle) };
  });
  forceSimulation(circles)
    .force('x', forceX(width / 2).strength(0.05))
    .force('y', forceY(height / 2).strength(0.12))
    .force('collide', forceCollide<Circle>(({ radius }) => radius + GAP).iterations(4))
    .stop()
    .tick(TICKS);
  for (const circle of circles) {
    circle.x = Math.min(width - circle.radius - GAP, Math.max(circle.radius + GAP, circle.x));
    circle.y = Math.min(height - circle.radius - GAP, Math.max(circle.radius + GAP, circle.y));
  }
  return circles;
}
