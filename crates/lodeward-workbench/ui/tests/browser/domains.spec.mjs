// Domains and the log: what slows a crawl, and what came of each URI.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startWeb } from './harness.mjs';

const PAGES = 12;
let web;
before(async () => {
  // Two hosts; one has a long crawl delay.
  web = await startWeb(({ host, pathname }) => {
    if (pathname === '/robots.txt') return { type: 'text/plain', body: host === 'slow.example' ? 'User-agent: *\nCrawl-delay: 5\nDisallow: /private/' : '' };
    if (pathname === '/gone') return { status: 410 };
    const links = Array.from({ length: PAGES }, (_, page) => `<http://${page % 3 === 0 ? 'fast' : 'slow'}.example/page/${page}>`);
    return { body: `<> <http://purl.org/dc/terms/hasPart> ${[...links, '<http://fast.example/gone>', '<http://slow.example/private/x>'].join(', ')} .` };
  });
});

test('J3: the overview names the slow domain, and its page says why', async () => {
  const service = await startService({ web });
  await service.api('POST', 'api/v1/crawls', { name: 'slow', seeds: ['http://fast.example/'] });
  const page = await openPage(service, '#/crawls/1');
  await page.locator('.status').getByText(/slow\.example has \d queued URIs and a crawl delay of 5 s \(robots\.txt\)/).waitFor();
  await page.getByRole('link', { name: 'Open slow.example' }).click();
  const panel = page.getByRole('region', { name: 'slow.example' });
  await panel.getByText('Crawl-delay: 5').waitFor();
  await panel.getByText('http://slow.example/page/').first().click();
  await page.getByRole('complementary', { name: 'Explain' }).getByText('Crawl-delay').waitFor();
  await page.getByRole('button', { name: 'Close the explanation' }).click();
  await page.getByRole('button', { name: 'Domain', exact: true }).click();
  await page.waitForFunction(() => location.hash.includes('order=name'));
  assert.match(await page.locator('tbody tr').first().innerText(), /^fast\.example/);
  await page.verify();
});

test('the log is filtered by outcome, domain and text, with totals, and links keep the filters', async () => {
  const service = await startService({ web, settings: '[crawl]\nstay = "domain"\n' });
  await service.crawl({ name: 'fast', seeds: ['http://fast.example/'] });
  const page = await openPage(service, '#/crawls/1/log?kind=failed');
  await page.getByRole('button', { name: /^Failed 1$/ }).waitFor();
  assert.deepEqual(await page.locator('tbody tr td.uri').allInnerTexts(), ['http://fast.example/gone']);
  await page.getByRole('button', { name: /^Fetched/ }).click();
  await page.getByText('http://fast.example/page/3').waitFor();
  await page.locator('[data-filter]').fill('page/9');
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
  await page.reload();
  await page.getByText('http://fast.example/page/9').waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.getByLabel('Domain or host').fill('nothing.example');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches the filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('http://fast.example/gone').waitFor();
  await page.open('#/crawls/1/documents?text=page%2F6');
  await page.getByRole('link', { name: 'http://fast.example/page/6' }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  await page.verify();
});
