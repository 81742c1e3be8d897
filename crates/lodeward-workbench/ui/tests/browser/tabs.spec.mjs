// Many tabs share one event stream; a mark of one user appears for another.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { newContext, openPage, startService, startToyweb, waitFor } from './harness.mjs';

let service, web;
before(async () => {
  web = await startToyweb('demo');
  service = await startService({ web });
});

test('nine tabs use one event stream, and the next tab takes over', async () => {
  const context = await newContext();
  const streams = new Set();
  context.on('request', (request) => request.url().includes('/api/v1/events') && streams.add(request));
  for (const event of ['requestfinished', 'requestfailed']) context.on(event, (request) => streams.delete(request));
  const pages = [];
  for (let tab = 0; tab < 9; tab += 1) pages.push(await openPage(service, '#/crawls', { context }));
  for (const page of pages) await page.getByText('● live').waitFor();
  assert.equal(streams.size, 1);
  const order = (name) => service.api('POST', 'api/v1/crawls', { name, seeds: web.seeds.slice(0, 1), limits: { max_requests: 5 } });
  await order('first');
  for (const page of pages) await page.getByRole('link', { name: 'first' }).waitFor();
  await pages[0].close();
  await waitFor('the next tab reads the stream', async () => (await Promise.all(pages.slice(1).map((page) => page.getByText('● live').count()))).every((count) => count === 1));
  await order('second');
  for (const page of pages.slice(1)) {
    await page.getByRole('link', { name: 'second' }).waitFor();
    await page.verify();
  }
});
