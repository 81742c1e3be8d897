// The pictures of README and docs/workbench.md, from a service with the crawls of `make workbench`.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, openPage, onEnd } from './browser/harness.mjs';
import { startProxy } from './browser/proxy.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const pictures = join(root, 'docs/pictures');
const PICTURES = [
  ['review', '#/crawls/1/review?at=http%3A%2F%2Fh8.example%2Fdata%2F0%23part1', 'light', '[role=row][aria-selected=true]'],
  ['overview', '#/crawls/3', 'light', 'figure svg path'],
];

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LODEWARD_')));
// Its own group, so that all that the script has started ends with it.
const workbench = spawn('bash', [join(root, 'scripts/workbench.sh'), process.env.LODEWARD_BIN, '127.0.0.1:0'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
onEnd(() => process.kill(-workbench.pid, 'SIGTERM'));
const url = await new Promise((resolve, reject) => {
  let output = '';
  workbench.stdout.on('data', (data) => {
    output += data;
    const found = /listening on (\S+)/.exec(output);
    if (found) resolve(`${found[1]}/`);
  });
  workbench.on('exit', (code) => reject(new Error(`workbench.sh exited with ${code}`)));
});

const service = { url: process.env.LODEWARD_UI_DIST ? await startProxy({ url }) : url };
mkdirSync(pictures, { recursive: true });
for (const [name, at, theme, ready] of PICTURES) {
  const page = await openPage(service, at, { theme, width: 1280, height: 760 });
  await page.locator(ready).first().waitFor();
  await page.getByText('● live').waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.verify();
}
await cleanUp();
