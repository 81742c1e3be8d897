// The page works behind a proxy under a path, as a signed-in user.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPage, startService, startToyweb } from './harness.mjs';
import { startProxy } from './proxy.mjs';

test('a user signs in, starts a crawl and reviews it under a path prefix', async () => {
  const web = await startToyweb('demo');
  const service = await startService({ web, auth: true });
  const password = readFileSync(join(service.directory, 'data/service/admin-password.txt'), 'utf8').trim();
  const url = await startProxy(service, '/tools/lodeward/');
  const page = await openPage(service, '#/new', { url });
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('textarea').fill(web.seeds.slice(0, 3).join('\n'));
  await page.getByLabel('Budget: requests').fill('80');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('link', { name: 'Review' }).first().waitFor();
  await page.getByText('Finished:').waitFor({ timeout: 30_000 });
  await page.locator('.status').getByRole('link', { name: 'Review' }).click();
  await page.locator('[role=row][aria-selected=true]').waitFor();
  await page.keyboard.press('k');
  await page.getByText('1 of', { exact: false }).waitFor();
  assert.ok(page.url().startsWith(`${url}#/crawls/1/review`));
  await page.verify();
});
