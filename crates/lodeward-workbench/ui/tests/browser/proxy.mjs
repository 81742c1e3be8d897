// A proxy in front of a service, under a path prefix. With LODEWARD_UI_DIST it serves the page from that
// folder, with the headers of the service, so that a change of the page needs no new binary. With
// `eventsPerSecond` it repeats the events of requests, so that a slow service sends as many as a fast one.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { extname, join } from 'node:path';
import { onEnd } from './harness.mjs';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };

export async function startProxy(service, prefix = '/', eventsPerSecond = 0) {
  const target = new URL(service.url);
  const dist = process.env.LODEWARD_UI_DIST;
  const own = [...(await fetch(service.url)).headers].filter(([name]) => !/^content-(length|encoding|type)$|^date$|^etag$/.test(name));
  const server = createServer((incoming, response) => {
    if (!incoming.url.startsWith(prefix)) return response.writeHead(404).end();
    const path = `/${incoming.url.slice(prefix.length)}`;
    const file = dist && join(dist, path === '/' ? 'index.html' : path.split('?')[0]);
    if (file && (path === '/' || path.startsWith('/assets/')) && existsSync(file)) {
      response.writeHead(200, { ...Object.fromEntries(own), 'content-type': TYPES[extname(file)] });
      return response.end(readFileSync(file));
    }
    const outgoing = forward({ host: target.hostname, port: target.port, path, method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      if (eventsPerSecond > 0 && path.startsWith('/api/v1/events')) repeatRequests(answer, response, eventsPerSecond);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }));
  return `http://127.0.0.1:${server.address().port}${prefix}`;
}

// Sends the last event of a request again, so often that the rate is reached.
function repeatRequests(answer, response, eventsPerSecond) {
  const INTERVAL_MS = 20;
  let last;
  answer.on('data', (data) => (last = String(data).split('\n\n').findLast((event) => event.includes('event: request') && event.includes('data: {') && event.endsWith('}')) ?? last));
  const timer = setInterval(() => last && response.write(`${last}\n\n`.repeat((eventsPerSecond * INTERVAL_MS) / 1000)), INTERVAL_MS);
  response.on('close', () => clearInterval(timer));
}
