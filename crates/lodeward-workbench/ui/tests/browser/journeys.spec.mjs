// The journeys of the design, as a user does them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startToyweb, waitFor } from './harness.mjs';

let service, web;
before(async () => {
  web = await startToyweb('demo');
  service = await startService({ web });
});

test('J1: a seed list becomes a reviewed graph in the archive', async () => {
  const page = await openPage(service, '#/new');
  await page.locator('textarea').fill(`# buildings\n${web.seeds[0]}\n${web.seeds[1]}\n${web.seeds[1]}\nexample.org\n`);
  await page.getByText('2 URIs, 0 names, 1 duplicate, 1 invalid').waitFor();
  await page.getByRole('button', { name: 'Use https://example.org/' }).click();
  await page.getByText('3 URIs, 0 names, 1 duplicate').waitFor();
  await page.locator('textarea').fill(web.seeds.slice(0, 3).join('\n'));
  await page.getByLabel('Name', { exact: true }).fill('buildings');
  assert.ok(await page.getByLabel('Stay on topic').isChecked());
  await page.getByLabel('Hops').fill('3');
  await page.getByLabel('Budget').fill('200');
  await page.getByText('At most about').waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Finished: request limit reached.').waitFor({ timeout: 30_000 });
  await page.locator('.status').getByRole('link', { name: 'Review' }).click();
  await page.locator('[role=row][aria-selected=true]').waitFor();
  await page.locator('[data-filter]').fill('hop = 3');
  await page.keyboard.press('Enter');
  const matches = Number(/[\d,]+/.exec(await page.getByText(/^[\d,]+ match$/).textContent())[0].replace(',', ''));
  await page.waitForFunction(() => location.hash.includes('filter='));
  await page.getByRole('button', { name: 'Drop all shown' }).click();
  await page.getByRole('dialog').getByText('Undo reverts it as one change').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop all shown' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { total } = await service.api('GET', 'api/v1/crawls/1/candidates?mark=drop&limit=1');
  assert.ok(total > 0 && total <= matches, `${total} dropped of ${matches}`);
  await page.locator('[data-filter]').fill('');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !location.hash.includes('filter='));
  await page.getByRole('grid').focus();
  await page.keyboard.press('Home');
  for (const key of ['k', 'k', 'd', 'k']) await page.keyboard.press(key);
  await page.getByText('✓ 3 kept').waitFor();
  await page.getByRole('link', { name: 'Export' }).click();
  await page.getByText('3 candidates selected.').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText(/^.*Exported.* 3 candidates, 3 seeds, /).waitFor();
  await page.getByText('urn:lodeward:crawl/1').waitFor();
  await page.getByRole('link', { name: 'Query this graph' }).waitFor();
  const response = await fetch(`${service.url}sparql`, { method: 'POST', headers: { 'content-type': 'application/sparql-query', accept: 'application/sparql-results+json' }, body: 'SELECT (COUNT(DISTINCT ?s) AS ?n) FROM <urn:lodeward:crawl/1> { ?s ?p ?o }' });
  const found = Number((await response.json()).results.bindings[0].n.value);
  assert.ok(found >= 3, `${found} entities in the graph`);
  await page.verify();
});

test('J2: records as RDF become the seeds of a crawl', async () => {
  const page = await openPage(service, '#/new');
  await page.getByLabel('Records').check();
  const records = `@prefix dbo: <http://dbpedia.org/ontology/> . <urn:b1> a dbo:Building ; dbo:location <${web.seeds[0]}> . <urn:b2> dbo:location <${web.seeds[1]}> ; dbo:architect <${web.seeds[2]}> .`;
  await page.locator('input[type=file]').setInputFiles({ name: 'buildings.ttl', mimeType: 'text/turtle', buffer: Buffer.from(records) });
  await page.getByText('buildings.ttl', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /places/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('records');
  await page.getByLabel('Budget').fill('60');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Finished:').waitFor({ timeout: 30_000 });
  const { crawls } = await service.api('GET', 'api/v1/crawls?name=records');
  const { seeds } = await service.api('GET', `api/v1/crawls/${crawls[0].id}/seeds`);
  assert.deepEqual(seeds.map(({ uri }) => uri).sort(), web.seeds.slice(0, 2).sort());
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('buildings.ttl', { exact: false }).first().waitFor();
  await page.verify();
});

test('an error of the service stays beside the form, and a copy has the settings of its crawl', async () => {
  const page = await openPage(service, '#/new');
  await page.locator('textarea').fill('no such name at all');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.locator('textarea').inputValue(), 'no such name at all');
  await page.open('#/new?like=1');
  await page.getByText('Copy of crawl 1').waitFor();
  await page.waitForFunction((seed) => document.querySelector('textarea').value.includes(seed), web.seeds[0]);
  assert.equal(await page.getByLabel('Budget').inputValue(), '200');
  assert.equal(await page.getByLabel('Hops').inputValue(), '3');
  await page.verify();
});

test('J4: 50 candidates are reviewed by keyboard alone, and a reload shows all marks', async () => {
  const reviewed = await service.crawl({ name: 'review', seeds: web.seeds.slice(0, 3), strategy: 'focus', limits: { max_requests: 200 } });
  const page = await openPage(service, '#/crawls');
  await page.getByRole('link', { name: 'review' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Type a screen' }).waitFor();
  await page.keyboard.type('review');
  await page.getByRole('option', { name: 'review finished' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Finished:').waitFor();
  while ((await page.evaluate(() => document.activeElement?.textContent)) !== 'Review') await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  for (let mark = 0; mark < 50; mark += 1) await page.keyboard.press(mark % 5 === 4 ? 'd' : 'k');
  await page.getByText('50 of').waitFor();
  await page.getByText('✓ 40 kept').waitFor();
  assert.equal(await page.locator('[role=row][aria-selected=true] [role=gridcell]').first().textContent(), '51');
  await page.keyboard.press('z');
  await page.getByText('49 of').waitFor();
  await page.reload();
  await page.getByText('49 of').waitFor();
  await page.getByText('✓ 40 kept').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Home');
  await page.locator('#row-0').getByText('✓ kept').waitFor();
  await page.locator('#row-4').getByText('✕ dropped').waitFor();
  await page.keyboard.press('e');
  await page.getByRole('complementary', { name: 'Explain' }).waitFor();
  const { total } = await service.api('GET', `api/v1/crawls/${reviewed.id}/candidates?mark=keep&limit=1`);
  assert.equal(total, 40);
  await page.verify();
});

test('a running crawl is watched, paused and resumed', async () => {
  const slow = await startService({ web, delay: '200ms' });
  const { crawl } = await slow.api('POST', 'api/v1/crawls', { name: 'slow', seeds: web.seeds.slice(0, 4), limits: { max_requests: 400 } });
  const page = await openPage(slow, `#/crawls/${crawl.id}`);
  await page.locator('ol li').first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('paused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('running', { exact: false }).first().waitFor();
  await page.locator('ol li button').first().click();
  await page.getByRole('complementary', { name: 'Explain' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await waitFor('stopped', async () => (await slow.api('GET', `api/v1/crawls/${crawl.id}`)).state === 'stopped');
  await page.getByText('stopped').first().waitFor();
  await page.verify();
});
