// Hostile data is the normal case: on every screen nothing runs, nothing is loaded from a crawled host,
// only http and https become links, and hidden characters are visible.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openPage, startService, startWeb } from './harness.mjs';
import { SCREENS, settled } from './screens.mjs';

const HOSTILE = [
  '<img src=x onerror="window.pwned=1">',
  '</script><script>window.pwned=1</script>',
  'javascript:window.pwned=1',
  '{@html "<b>x</b>"} ${window.pwned=1} {{constructor}}',
  'evil \u202elive\u202c \u2066x\u2069 zero\u200bwidth',
  `zalgo${'\u0301\u0330'.repeat(100)}`,
  'x'.repeat(100_000),
  "=HYPERLINK('http://evil.example')",
];
const escaped = (text) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const ENTITY = 'http://hostile.example/thing/';

function document(url) {
  if (url.pathname === '/robots.txt') return { status: 404 };
  const at = /\/thing\/(\d+)/.exec(url.pathname);
  if (url.hostname === 'hostile.example' && at) return { body: thing(Number(at[1])), headers: { etag: '"<img onerror=window.pwned=1>"' } };
  if (url.pathname === '/moved') return { status: 303, headers: { location: `${ENTITY}1` } };
  return { status: 404, type: 'text/html', body: '<script>window.pwned=1</script>' };
}

function thing(number) {
  const links = Array.from({ length: 8 }, (_, index) => `<${ENTITY}${(number * 3 + index) % 40}>`);
  const label = HOSTILE[number % HOSTILE.length];
  return `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix x: <http://hostile.example/ns#> .
<${ENTITY}${number}> a x:Church, <http://hostile.example/%3Cscript%3E>, <javascript:window.pwned=1> ;
  rdfs:label "${escaped(label)} ${number}"@en ; rdfs:comment "${escaped(HOSTILE[(number + 1) % HOSTILE.length])}" ;
  x:link ${links.join(', ')} ; x:bad <javascript:window.pwned=1>, <data:text/html,%3Cscript%3E>, <http://раураl.example/x> ;
  x:image <http://hostile.example/pixel.png> ; x:homepage <http://hostile.example/moved> .`;
}

let service;
before(async () => {
  const web = await startWeb(document);
  service = await startService({ web });
  await service.crawl({ name: '<img src=x onerror=window.pwned=1>', seeds: [`${ENTITY}0`, `${ENTITY}1`, 'http://hostile.example/moved'], strategy: 'focus', limits: { max_requests: 60 } });
});

test('hostile data runs nothing and loads nothing on every screen', async () => {
  const page = await openPage(service);
  for (const screen of SCREENS(1, `${ENTITY}1`)) {
    await page.open(screen.at);
    await settled(page, screen);
    await page.verify();
    const links = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map((link) => [link.getAttribute('href'), link.target, link.rel]));
    for (const [target, opens, rel] of links) {
      assert.match(target, /^(#\/|https?:\/\/)/, `${screen.at}: ${target}`);
      if (opens === '_blank') assert.equal(rel, 'noopener noreferrer nofollow');
    }
    const text = await page.evaluate(() => document.body.innerText + [...document.querySelectorAll('[title],[aria-label]')].map((element) => `${element.title} ${element.ariaLabel}`).join(' '));
    assert.doesNotMatch(text, /[\u0000-\u0008\u202a-\u202e\u2066-\u2069\u200b]/, `${screen.at}: hidden characters`);
    assert.ok(text.length < 200_000, `${screen.at}: ${text.length} characters`);
  }
});

test('hostile data and variable names in the result of a query are text', async () => {
  const page = await openPage(service);
  const query = `SELECT ?s ("=1+1" AS ?constructor) ?__proto__ ?o { ?s ?__proto__ ?o } ORDER BY STRLEN(STR(?o))`;
  await page.open(`#/sparql?query=${encodeURIComponent(query)}`);
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.locator('[role=row][aria-selected]').first().waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.getByRole('region', { name: 'Selected row' }).waitFor();
  const heights = await page.evaluate(() => [...document.querySelectorAll('[role=row][aria-selected]')].map((row) => row.getBoundingClientRect().height));
  assert.deepEqual([...new Set(heights)], [30]);
  for (const target of await page.evaluate(() => [...document.querySelectorAll('main a[href]')].map((link) => link.getAttribute('href')))) assert.match(target, /^(#\/|https?:\/\/)/);
  assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /[\u0000-\u0008\u202a-\u202e\u2066-\u2069\u200b]/);
  // A shared query shows what it hides.
  await page.open(`#/sparql?query=${encodeURIComponent('SELECT * { ?s ?p "evil \u202elive" }')}`);
  await page.locator('.cm-specialChar').waitFor();
  await page.verify();
});

test('rows keep their height whatever their text is', async () => {
  const page = await openPage(service, '#/crawls/1/review');
  await page.locator('[role=row][aria-selected]').first().waitFor();
  const heights = await page.evaluate(() => [...document.querySelectorAll('[role=row][aria-selected]')].map((row) => row.getBoundingClientRect().height));
  assert.ok(heights.length > 5);
  assert.deepEqual([...new Set(heights)], [30]);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
  await page.verify();
});

test('the page has its policy, and markup from text is blocked', async () => {
  const response = await fetch(service.url);
  const policy = response.headers.get('content-security-policy');
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", 'trusted-types svelte-trusted-html']) {
    assert.ok(policy.includes(part), part);
  }
  assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(response.headers.get('cache-control'), 'no-cache');
  const page = await openPage(service);
  const blocked = await page.evaluate(() => {
    try {
      document.createElement('div').innerHTML = '<b>x</b>';
      return false;
    } catch {
      return true;
    }
  });
  assert.ok(blocked, 'innerHTML is not blocked');
});
