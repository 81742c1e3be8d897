// Domains and the log: what slows a crawl, and what came of each URI.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startWeb, waitFor } from './harness.mjs';

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

test('J3: a slow domain is excluded after a dry run, without a restart, and a raised limit resumes the crawl', async () => {
  const service = await startService({ web });
  await service.api('POST', 'api/v1/crawls', { name: 'change', seeds: ['http://fast.example/'] });
  await waitFor('URIs of the slow domain', async () => (await service.api('GET', 'api/v1/crawls/1/domains?filter=slow')).queued > 2);
  const page = await openPage(service, '#/crawls/1/domains/slow.example');
  await page.getByRole('button', { name: 'Exclude…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Exclude URIs' });
  await dialog.getByText(/^! Drops \d+ queued URIs\.$/).waitFor();
  await dialog.getByLabel('Pattern').fill('(');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Pattern').fill('//slow\\.example/page/');
  await dialog.getByText(/^! Drops \d+ queued URIs\.$/).waitFor();
  await dialog.getByText('http://slow.example/page/').first().waitFor();
  const before = await service.api('GET', 'api/v1/crawls/1/domains?filter=slow');
  assert.ok(before.domains[0].queued > 1, 'a dry run drops nothing');
  await dialog.getByRole('button', { name: 'Exclude', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('finished').waitFor({ timeout: 30_000 });

  // What was excluded is explained, and can be requested all the same.
  await page.open('#/crawls/1/explain?uri=http%3A%2F%2Fslow.example%2Fpage%2F4');
  await page.getByText('Dropped').waitFor();
  await page.open('#/crawls/1/settings');
  await page.getByLabel('Not URIs that match').fill('');
  await page.getByLabel('Requests', { exact: true }).fill('500');
  await page.getByRole('button', { name: 'See what changes' }).click();
  await page.getByText('No queued URI is dropped.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The change is stored.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('running').first().waitFor();
  const { settings } = await service.api('GET', 'api/v1/crawls/1');
  assert.equal(settings.crawl.max_requests, 500);
  assert.equal(settings.crawl.exclude?.length ?? 0, 0);
  await page.verify();
});
