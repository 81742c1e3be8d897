// Accessibility: no violation of axe (WCAG 2.0 to 2.2, A and AA, best practice) on any screen, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { openPage, startService, startToyweb } from './harness.mjs';
import { SCREENS, settled } from './screens.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let service, web;
before(async () => {
  web = await startToyweb('demo');
  service = await startService({ web });
  await service.crawl({ name: 'cologne', seeds: web.seeds.slice(0, 3), strategy: 'focus', limits: { max_requests: 150 } });
});

async function violations(page) {
  // The policy of the page allows no script from here, so axe runs in the isolated world of the test.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
  await session.send('Runtime.evaluate', { contextId, expression: axe });
  const expression = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then((result) => JSON.stringify(result.violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.target + ' ' + node.failureSummary.replace(/\\s+/g, ' ').slice(0, 160)).join(' | '))))`;
  const { result } = await session.send('Runtime.evaluate', { contextId, expression, awaitPromise: true });
  await session.detach();
  return JSON.parse(result.value);
}

for (const theme of ['light', 'dark']) {
  test(`no violation on any screen in the ${theme} theme`, async () => {
    const page = await openPage(service, '', { theme });
    for (const screen of SCREENS(1, web.seeds[0])) {
      await page.open(screen.at);
      await settled(page, screen);
      assert.deepEqual(await violations(page), [], screen.at);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await violations(page), [], 'palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await violations(page), [], 'shortcuts');
    await page.verify();
  });
}

test('a narrow screen at 200 % zoom does not scroll sideways', async () => {
  const page = await openPage(service, '', { width: 390, height: 800 });
  for (const screen of SCREENS(1, web.seeds[0])) {
    await page.open(screen.at);
    await settled(page, screen);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(excess <= 0, `${screen.at}: ${excess} px too wide`);
  }
});
