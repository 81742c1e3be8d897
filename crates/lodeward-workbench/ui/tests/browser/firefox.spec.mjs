// A smoke run in Firefox: every screen is shown, a candidate is marked by key, and a query runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFirefox } from './firefox.mjs';
import { startService, startToyweb } from './harness.mjs';
import { SCREENS } from './screens.mjs';

const program = process.env.LODEWARD_TEST_FIREFOX;

test('the page works in Firefox', { skip: !program && 'Firefox is not installed' }, async () => {
  const web = await startToyweb('demo');
  const service = await startService({ web });
  await service.crawl({ name: 'cologne', seeds: web.seeds.slice(0, 3), strategy: 'focus', limits: { max_requests: 100 } });
  const page = await startFirefox(program);
  await page.goto(service.url);
  await page.waitFor(`document.body.innerText.includes('● live')`);
  for (const { at, ready } of SCREENS(1, web.seeds[0])) {
    await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
    await page.waitFor(`document.querySelector(${JSON.stringify(`main ${ready}`)})`);
  }
  await page.evaluate(`location.hash = '#/crawls/1/review'`);
  await page.waitFor(`document.querySelector('[role=row][aria-selected=true]')`);
  await page.press('k', 'd');
  await page.waitFor(`document.body.innerText.includes('2 of')`);
  assert.equal((await service.api('GET', 'api/v1/crawls/1/candidates?mark=keep&limit=1')).total, 1);
  await page.evaluate(`location.hash = ${JSON.stringify(`#/sparql?query=${encodeURIComponent('ASK {}')}`)}`);
  await page.waitFor(`document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-content')`);
  await page.evaluate(`document.querySelector('button.primary').click()`);
  await page.waitFor(`/\\btrue\\b|Yes/i.test(document.querySelector('main [role=status]')?.innerText ?? '')`);
  assert.deepEqual(page.faults, []);
});
