// Ways of use: keys only, forced colours, reduced motion.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startToyweb } from './harness.mjs';

let service, web;
before(async () => {
  web = await startToyweb('demo');
  service = await startService({ web });
});

// Moves the focus by Tab until it is on an element with this text. It is never lost on the way.
async function tabTo(page, text) {
  for (let press = 0; press < 120; press += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      const style = getComputedStyle(element);
      return { text: (element.getAttribute('aria-label') ?? element.innerText ?? '').trim(), isPage: element === document.body, outline: style.outlineStyle };
    });
    if (focused.text.startsWith(text)) {
      assert.notEqual(focused.outline, 'none', `the focus on ${text} is visible`);
      return;
    }
  }
  assert.fail(`${text} is not reached by Tab`);
}

test('J1 by keyboard only: from seeds to a graph in the archive', async () => {
  const page = await openPage(service, '#/crawls');
  await page.getByText('No crawls yet.').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await page.locator('textarea').waitFor();
  while ((await page.evaluate(() => document.activeElement.tagName)) !== 'TEXTAREA') await page.keyboard.press('Tab');
  for (const seed of web.seeds.slice(0, 3)) {
    await page.keyboard.type(seed);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Control+Enter');
  await page.getByText('Finished:').waitFor({ timeout: 60_000 });
  await tabTo(page, 'Review');
  await page.keyboard.press('Enter');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  for (const key of ['k', 'd', 'k', 'u', 'k']) await page.keyboard.press(key);
  await page.getByText('✓ 3 kept').waitFor();
  await page.keyboard.press('e');
  await page.getByRole('complementary', { name: 'Explain' }).waitFor();
  await tabTo(page, 'Export');
  await page.keyboard.press('Enter');
  await page.getByText('3 candidates selected.').waitFor();
  await tabTo(page, 'Export');
  await page.keyboard.press('Enter');
  await page.getByText('urn:lodeward:crawl/1').waitFor();
  await tabTo(page, 'Query this graph');
  await page.keyboard.press('Enter');
  await page.locator('[data-editor]').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('[role=row][aria-rowindex="2"]').waitFor();
  await page.verify();
});

test('the focus returns to where it was after a dialog, and stays in the list after a mark', async () => {
  const page = await openPage(service, '#/crawls/1/review');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('k');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid');
  await page.verify();
});

test('with forced colours, selection and bars are shown by lines', async () => {
  const page = await openPage(service, '#/crawls/1/review', { forcedColors: 'active' });
  const selected = page.locator('[role=row][aria-selected=true]');
  await selected.waitFor();
  assert.equal(await selected.evaluate((row) => getComputedStyle(row).outlineStyle), 'solid');
  const bar = page.locator('td.bar > span').first();
  await bar.waitFor();
  const [color, behind] = await bar.evaluate((span) => [getComputedStyle(span).backgroundColor, getComputedStyle(document.body).backgroundColor]);
  assert.notEqual(color, behind);
  await page.verify();
});

test('nothing moves with reduced motion', async () => {
  for (const [reducedMotion, moves] of [['reduce', false], ['no-preference', true]]) {
    const page = await openPage(service, '#/crawls/1/review', { reducedMotion });
    await page.locator('[role=row][aria-selected=true]').waitFor();
    const durations = await page.evaluate(() => [...document.querySelectorAll('*')].flatMap((element) => [getComputedStyle(element).transitionDuration, getComputedStyle(element).animationDuration]));
    assert.equal(durations.some((duration) => !/^0s(, 0s)*$/.test(duration)), moves, reducedMotion);
  }
});
