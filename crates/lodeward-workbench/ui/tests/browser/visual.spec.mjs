// Twelve pictures of screens, compared with the committed ones: both themes, wide and narrow. Chromium and
// fonts change, so in `make test` a difference is reported only; `make ui-test` fails. `make ui-pictures`
// writes them anew (LODEWARD_UI_SNAPSHOTS=write).
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startCandidateWeb } from '../candidate-web.mjs';
import { newContext, openPage, startService } from './harness.mjs';
import { settled } from './screens.mjs';

const snapshots = join(dirname(fileURLToPath(import.meta.url)), '../snapshots');
const mode = process.env.LODEWARD_UI_SNAPSHOTS ?? 'compare';
const TOLERANCE = 0.001;
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

let service, screens;
before(async () => {
  // One host, so that the order of requests is the same in each run.
  const web = await startCandidateWeb(240);
  service = await startService({ web });
  await service.crawl({ name: 'cologne', seeds: web.seeds, strategy: 'focus' });
  const iri = encodeURIComponent('http://many.example/set/0#e7');
  screens = {
    crawls: { at: '#/crawls', ready: 'table' },
    review: { at: '#/crawls/1/review', ready: '[role=row][aria-selected=true]' },
    explain: { at: `#/crawls/1/explain?uri=${encodeURIComponent('http://many.example/set/0')}`, ready: 'dl' },
    entity: { at: `#/entity?iri=${iri}`, ready: 'svg' },
    settings: { at: '#/crawls/1/settings', ready: 'table' },
    new: { at: '#/new', ready: 'textarea' },
  };
});

// The part of pixels that differ, computed in the browser.
async function difference(before, after) {
  const page = await (await newContext()).newPage();
  const ratio = await page.evaluate(async (images) => {
    const [a, b] = await Promise.all(
      images.map(async (image) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${image}`)).blob());
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      }),
    );
    if (a.width !== b.width || a.height !== b.height) return 1;
    let changed = 0;
    for (let at = 0; at < a.data.length; at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 24)) changed += 1;
    }
    return changed / (a.width * a.height);
  }, [before.toString('base64'), after.toString('base64')]);
  await page.close();
  return ratio;
}

async function picture(name, theme, size) {
  const page = await openPage(service, screens[name].at, { theme, ...size });
  await settled(page, screens[name]);
  await page.getByText('● live').waitFor();
  await page.waitForTimeout(400);
  // Times differ from run to run.
  await page.evaluate(() => {
    for (const time of document.querySelectorAll('time')) time.textContent = '1 minute ago';
    for (const element of document.querySelectorAll('.head span')) if (/ elapsed$/.test(element.textContent)) element.textContent = '0:05 elapsed';
  });
  const image = await page.screenshot({ animations: 'disabled' });
  await page.verify();
  await page.context().close();
  return image;
}

for (const [index, name] of ['crawls', 'review', 'explain', 'entity', 'settings', 'new'].entries()) {
  test(`${name} looks as in its pictures`, async () => {
    const themes = index % 2 === 0 ? ['light', 'dark'] : ['dark', 'light'];
    for (const [theme, size] of [[themes[0], WIDE], [themes[1], NARROW]]) {
      const file = `${name}-${theme}-${size.width}.png`;
      const image = await picture(name, theme, size);
      if (mode === 'write') {
        mkdirSync(snapshots, { recursive: true });
        writeFileSync(join(snapshots, file), image);
        continue;
      }
      assert.ok(existsSync(join(snapshots, file)), `${file} is missing: run \`make ui-pictures\``);
      const ratio = await difference(readFileSync(join(snapshots, file)), image);
      if (ratio <= TOLERANCE) continue;
      const actual = join(tmpdir(), `lodeward-${file}`);
      writeFileSync(actual, image);
      const text = `${(100 * ratio).toFixed(2)} % of ${file} differ: ${join(snapshots, file)} and ${actual}`;
      if (mode === 'report') console.log(text);
      else assert.fail(text);
    }
  });
}
