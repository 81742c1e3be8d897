// The states that every screen shares: no permission, offline, errors, the end of a session.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPage, newContext, startService, startToyweb, waitFor } from './harness.mjs';

let web, service, admin;
before(async () => {
  web = await startToyweb('demo');
  service = await startService({ web, auth: true });
  const password = readFileSync(join(service.directory, 'data/service/admin-password.txt'), 'utf8').trim();
  admin = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  await service.api('POST', 'api/v1/users', { name: 'alice', password: 'alice-password-1', role: 'operator' }, admin);
  await service.api('POST', 'api/v1/users', { name: 'rita', password: 'rita-password-1', role: 'reader' }, admin);
  const alice = { authorization: `Basic ${Buffer.from('alice:alice-password-1').toString('base64')}` };
  await service.crawl({ name: 'shared', seeds: web.seeds.slice(0, 3), strategy: 'focus', limits: { max_requests: 100 } }, alice);
});

async function signIn(page, name) {
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(`${name}-password-1`);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('a user signs in over the screen and sees it', async () => {
  const page = await openPage(service, '#/crawls/1/review');
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await page.getByLabel('User name').fill('alice');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await signIn(page, 'alice');
  await page.locator('[role=row][aria-selected]').first().waitFor();
  await page.verify();
});

test('a reader sees why a change is not allowed', async () => {
  const page = await openPage(service, '#/crawls/1');
  await signIn(page, 'rita');
  const remove = page.getByRole('button', { name: 'Delete' });
  await remove.waitFor();
  assert.equal(await remove.getAttribute('aria-disabled'), 'true');
  assert.equal(await remove.getAttribute('title'), 'Requires the role operator; your role is reader');
  await remove.click({ force: true });
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.verify();
});

test('marks wait while the service is stopped, and are stored afterwards', async () => {
  const page = await openPage(service, '#/crawls/1/review');
  await signIn(page, 'alice');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  await page.keyboard.press('k');
  await page.getByText('1 of', { exact: false }).waitFor();
  await service.stop('SIGKILL');
  await page.keyboard.press('k');
  await page.keyboard.press('d');
  await page.getByText('2 marks waiting in this tab.').waitFor();
  service = await service.restart();
  await page.getByText('3 of', { exact: false }).waitFor({ timeout: 40_000 });
  assert.equal(await page.getByText('waiting in this tab').count(), 0);
  await page.keyboard.press('z');
  await page.getByText('2 of', { exact: false }).waitFor();
  await page.verify();
});

test('a session that ends opens the dialog again', async () => {
  const context = await newContext();
  const page = await openPage(service, '#/crawls/1/review', { context });
  await signIn(page, 'alice');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  await context.clearCookies();
  await page.keyboard.press('k');
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await signIn(page, 'alice');
  await waitFor('the mark is stored', async () => (await page.getByText('3 of', { exact: false }).count()) > 0);
  await page.verify();
});
