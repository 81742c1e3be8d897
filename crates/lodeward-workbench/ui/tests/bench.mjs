// Times of the browser interface, with a real service: first load, review of 100,000 candidates, a preview
// after a mark, live overview. Prints a table for eval/results/workbench.md.
import { waitFor, cleanUp, newContext, openPage, startService, startToyweb } from './browser/harness.mjs';
import { startProxy } from './browser/proxy.mjs';
import { startCandidateWeb } from './candidate-web.mjs';
import { lighthouseScores } from './lighthouse.mjs';

// Whatever fails, the programs that were started end.
process.on('uncaughtException', async (error) => {
  console.error(error);
  await cleanUp();
  process.exit(1);
});

const SETTINGS = '[ranking]\nmax_listed = 100000\n[service]\nrate_limit_per_minute = 60000\n';
const CANDIDATES = Number(process.env.WORKBENCH_CANDIDATES ?? 100_000);
const EVENTS_PER_SECOND = 1000;
const percentile = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const rows = [];
const report = (what, budget, measured) => rows.push(`| ${what} | ${budget} | ${measured} |`);
const ms = (value) => `${Math.round(value)} ms`;
const ended = (service) => waitFor('the crawl ends', async () => ['finished', 'stopped', 'failed'].includes((await service.api('GET', 'api/v1/crawls/1')).state), 900_000);

async function focusCrawl(candidates) {
  const web = await startCandidateWeb(candidates);
  const service = await startService({ web, index: false, settings: SETTINGS });
  await service.api('POST', 'api/v1/crawls', { name: 'bench', seeds: web.seeds, strategy: 'focus' });
  await ended(service);
  return service;
}

// Three cold loads; the best one, because other work on the machine only adds time.
async function coldLoads(url) {
  const loads = [];
  for (let run = 0; run < 3; run += 1) {
    await loads.at(-1)?.context.close();
    const context = await newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Performance.enable');
    let [bytes, files] = [0, 0];
    const kinds = new Map();
    session.on('Network.responseReceived', ({ requestId, response }) => kinds.set(requestId, response.url));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (/\/assets\/|\/$/.test(kinds.get(requestId) ?? '')) [bytes, files] = [bytes + encodedDataLength, files + 1];
    });
    await page.goto(`${url}#/crawls/1/review`);
    await page.locator('[role=row][aria-selected]').first().waitFor();
    const times = await page.evaluate(() => ({
      rows: performance.now(),
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      service: Math.max(...performance.getEntriesByType('resource').filter(({ name }) => name.includes('/candidates?offset')).map(({ duration }) => duration)),
    }));
    const { metrics } = await session.send('Performance.getMetrics');
    loads.push({ ...times, bytes, files, heap: metrics.find(({ name }) => name === 'JSHeapUsedSize').value, elements: await page.locator('*').count(), context, page });
  }
  return loads;
}

async function keyTimes(page, key, count) {
  const times = [];
  for (let press = 0; press < count; press += 1) {
    await page.evaluate(() => {
      const measure = () => {
        const start = performance.now();
        requestAnimationFrame(() => setTimeout(() => (window.lastKey = performance.now() - start)));
      };
      addEventListener('keydown', measure, { once: true, capture: true });
    });
    await page.keyboard.press(key);
    await page.waitForFunction(() => window.lastKey !== undefined);
    times.push(await page.evaluate(() => [window.lastKey, delete window.lastKey][0]));
  }
  return times;
}

async function scrollTimes(page) {
  return page.evaluate(async () => {
    const list = document.querySelector('[role=grid]');
    const times = [];
    let last = performance.now();
    for (let frame = 0; frame < 120; frame += 1) {
      list.scrollTop = (frame * 900) % (list.scrollHeight - list.clientHeight || 1);
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times;
  });
}

async function review() {
  const service = await focusCrawl(CANDIDATES);
  const { total } = await service.api('GET', 'api/v1/crawls/1/candidates?mark=all&limit=1');
  const loads = await coldLoads(service.url);
  const best = (key) => Math.min(...loads.map((load) => load[key]));
  const { page, elements, files, bytes } = loads.at(-1);
  report(`review of ${total} candidates, cold: files, bytes`, 'JS ≤ 60 kB for the first load', `${files} files, ${(bytes / 1000).toFixed(1)} kB (with the chunks of Review)`);
  report('- first paint', '≤ 500 ms', ms(best('paint')));
  report('- first rows', "≤ 600 ms + the service's page", `${ms(best('rows'))}, of which the service ${ms(best('service'))}`);
  report('- elements, JS heap', '≤ 1,500, ≤ 60 MB', `${elements}, ${(best('heap') / 1e6).toFixed(1)} MB`);
  await page.waitForTimeout(2000);
  await page.getByRole('grid').focus();
  report('- key to paint, p95: move, mark', '≤ 50 ms', `${ms(percentile(await keyTimes(page, 'ArrowDown', 60), 0.95))}, ${ms(percentile(await keyTimes(page, 'k', 20), 0.95))}`);
  const start = Date.now();
  await page.keyboard.press('End');
  await page.locator(`#row-${total - 1} [role=gridcell]`).nth(1).waitFor();
  report(`- \`End\` to row ${total}`, '≤ 500 ms + page', ms(Date.now() - start));
  const scrolled = await scrollTimes(page);
  report('- scrolling 30 rows a frame', 'p95 ≤ 34 ms', `p50 ${ms(percentile(scrolled, 0.5))}, p95 ${ms(percentile(scrolled, 0.95))}`);
  for (const [form, scores] of Object.entries(await lighthouseScores(service.url))) report(`Lighthouse, ${form}: performance, accessibility, best practices`, '≥ 98, 100, 100', scores.join(', '));
  await service.stop();
}

async function preview() {
  const service = await focusCrawl(5000);
  const page = await openPage(service, '#/crawls/1/review');
  await page.locator('[role=row][aria-selected=true]').waitFor();
  for (const key of ['k', 'd']) await page.keyboard.press(key);
  await page.getByText(/^2 of/).waitFor();
  await page.keyboard.press('p');
  await page.getByText('Preview with your marks').waitFor();
  const times = [];
  for (let mark = 0; mark < 5; mark += 1) {
    const selected = await page.evaluate(() => location.hash);
    const start = Date.now();
    await page.keyboard.press(mark % 2 === 0 ? 'k' : 'd');
    await page.waitForFunction((selected) => location.hash !== selected, selected);
    times.push(Date.now() - start);
  }
  report('preview after a mark at 5,000 candidates: mark, ranking, rows', '≤ 200 ms', `median ${ms(percentile(times, 0.5))}`);
  await service.stop();
}

async function frames(page) {
  await page.locator('main h2').first().waitFor();
  return page.evaluate(async () => {
    let [count, long] = [0, 0];
    new PerformanceObserver((list) => (long += list.getEntries().length)).observe({ entryTypes: ['longtask'] });
    const start = performance.now();
    while (performance.now() - start < 8000) {
      await new Promise(requestAnimationFrame);
      count += 1;
    }
    return { rate: count / ((performance.now() - start) / 1000), long };
  });
}

async function overview() {
  const web = await startToyweb(process.env.WORKBENCH_PRESET ?? 'mixed');
  const service = await startService({ web, index: false, settings: SETTINGS });
  await service.api('POST', 'api/v1/crawls', { name: 'live', seeds: web.seeds.slice(0, 5), limits: { max_requests: 30_000 } });
  // The service as it is, and with events of requests repeated up to the rate of the budget.
  const urls = [['', service.url], [`, repeated to ${EVENTS_PER_SECOND}/s`, await startProxy(service, '/', EVENTS_PER_SECOND)]];
  for (const [note, url] of urls) {
    const { rate, long } = await frames(await openPage(service, '#/crawls/1', { url }));
    const { counters } = await service.api('GET', 'api/v1/crawls/1');
    const speed = counters.requests / counters.elapsed_seconds;
    report(`live overview at ${speed.toFixed(0)} requests/s${note}, for 8 s`, '≥ 50 fps, no task > 50 ms', `${rate.toFixed(0)} fps, ${long} long tasks`);
  }
  await service.stop();
}

await overview();
await preview();
await review();
console.log(`| what | budget | measured |\n|---|---|---|\n${rows.join('\n')}`);
await cleanUp();
