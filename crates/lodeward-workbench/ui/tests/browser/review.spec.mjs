// Review: the order that marks suggest, and lists of any length.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startToyweb } from './harness.mjs';
import { startCandidateWeb } from '../candidate-web.mjs';

let service;
before(async () => {
  const web = await startToyweb('demo');
  service = await startService({ web });
  await service.crawl({ name: 'cologne', seeds: web.seeds.slice(0, 3), strategy: 'focus', limits: { max_requests: 200 } });
});

const rankings = async () => (await service.api('GET', 'api/v1/crawls/1/rankings')).rankings.map(({ name, ranking }) => [name ?? null, ranking.ranker]);
const best = async (query = '') => (await service.api('GET', `api/v1/crawls/1/candidates?mark=none&limit=20${query}`)).candidates.map(({ entity }) => entity);

test('J4: marks suggest another order, which is previewed with its reasons, and discarded or applied', async () => {
  const page = await openPage(service, '#/crawls/1/review');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  assert.equal(await page.getByText('Preview the order').count(), 0, 'without marks there is no other order');
  for (const key of ['d', 'k', 'd', 'k']) await page.keyboard.press(key);
  await page.getByText(/^4 of [\d,]+ reviewed/).waitFor();
  const before = await best();

  await page.keyboard.press('p');
  await page.getByText('Preview with your marks').waitFor();
  await page.getByText(/unmarked candidates move by more than 10 places/).waitFor();
  const selected = page.locator('[role=row][aria-selected=true]');
  await page.locator('[role=gridcell] :text-matches("[▲▼] ")').first().waitFor();
  const previewed = await best('&ranking=preview-local');
  assert.notDeepEqual(previewed, before);
  assert.deepEqual(await best(), before, 'a preview does not change the order of the crawl');
  await page.waitForFunction((entity) => location.hash.includes(encodeURIComponent(entity)), previewed[0]);
  await page.getByRole('region', { name: 'Selected candidate' }).getByRole('heading', { name: 'Why it moves' }).waitFor();

  // A mark is ranked at once, and the best of the new order is next.
  await page.keyboard.press('k');
  await page.getByText(/^5 of [\d,]+ reviewed/).waitFor();
  await page.waitForFunction((entity) => !location.hash.includes(encodeURIComponent(entity)), previewed[0]);
  await selected.waitFor();

  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Preview with your marks').waitFor({ state: 'detached' });
  assert.deepEqual(await rankings(), [[null, 'hybrid']]);
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('summary').getByText('feedback, ').waitFor();
  assert.deepEqual(await rankings(), [[null, 'feedback']]);
  assert.equal(await page.getByText('Preview the order').count(), 0, 'the order uses the marks');
  await page.verify();
});

test('a link opens a candidate far down a long list', async () => {
  const many = await startService({ web: await startCandidateWeb(3000), index: false });
  await many.crawl({ name: 'many', seeds: ['http://many.example/seed'], strategy: 'focus' });
  const { candidates, total } = await many.api('GET', 'api/v1/crawls/1/candidates?mark=all&limit=1&offset=2000');
  assert.ok(total > 2900, `${total} candidates`);
  const page = await openPage(many, `#/crawls/1/review?at=${encodeURIComponent(candidates[0].entity)}`);
  await page.locator('#row-2000[aria-selected=true]').waitFor();
  await page.locator('#row-2000').getByText('2001').waitFor();
  assert.ok((await page.locator('[role=row]').count()) < 100, 'only the rows in view exist');
  await page.verify();
});
