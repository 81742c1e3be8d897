// What browser tests share: a generated web, a service, and a browser, all on loopback. No part of the
// service is replaced. Every page is watched: a script error, a violation of the content security policy
// or a request to another host fails the test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startProxy } from './proxy.mjs';

const BIN = process.env.LODEWARD_BIN ?? '../../../target/debug';
const CHROMIUM = process.env.LODEWARD_TEST_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

const cleanups = [];
export const onEnd = (cleanup) => cleanups.push(cleanup);

export async function cleanUp() {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

function scratch() {
  const directory = mkdtempSync(join(tmpdir(), 'lodeward-ui-'));
  onEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

// Starts a program, and waits until it prints where it listens.
async function start(program, args) {
  // Variables of the tests are not settings of the program.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LODEWARD_')));
  const child = spawn(join(BIN, program), args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let [output, errors] = ['', ''];
  child.stderr.on('data', (data) => (errors += data));
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += data;
      const found = /listening on (?:http:\/\/)?(\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`${program} exited with ${code}: ${errors}`)));
  });
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  onEnd(stop);
  return { address, stop };
}

// A generated web. It is a proxy: host names do not matter.
export async function startToyweb(preset = 'demo', ...more) {
  const directory = scratch();
  const seeds = join(directory, 'seeds.txt');
  const web = await start('toyweb', ['world', '--preset', preset, '--listen', '127.0.0.1:0', '--no-log', '--seeds-out', seeds, ...more]);
  return { ...web, seeds: readFileSync(seeds, 'utf8').trim().split('\n') };
}

// A web of documents that a function returns, for hostile data.
export async function startWeb(respond) {
  const server = createServer((request, response) => {
    const { status = 200, type = 'text/turtle', headers = {}, body = '' } = respond(new URL(request.url)) ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }));
  return { address: `127.0.0.1:${server.address().port}` };
}

export async function startService({ web, auth = false, index = true, delay = '0', settings = '', port = 0, directory = scratch() }) {
  const config = join(directory, 'lodeward.toml');
  writeFileSync(config, `[politeness]\ndelay = "${delay}"\n[fetch]\nproxy = "http://${web.address}"\ncontact = "test@example.org"\n[search]\nindex = ${index}\n${settings}`);
  const args = ['serve', '--listen', `127.0.0.1:${port}`, '--data', join(directory, 'data'), '--config', config, ...(auth ? [] : ['--no-auth'])];
  const service = await start('lodeward', args);
  let url = `http://${service.address}/`;
  if (process.env.LODEWARD_UI_DIST) url = await startProxy({ url });
  const api = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const restart = () => startService({ web, auth, index, delay, settings, directory, port: Number(service.address.split(':')[1]) });
  // Runs a crawl until it has ended.
  const crawl = async (order, headers) => {
    const { crawl } = await api('POST', 'api/v1/crawls', order, headers);
    return waitFor(`crawl ${crawl.name}`, async () => {
      const current = await api('GET', `api/v1/crawls/${crawl.id}`, undefined, headers);
      return ['finished', 'stopped', 'failed'].includes(current.state) && current;
    });
  };
  return { ...service, url, api, crawl, restart, directory };
}

export async function waitFor(what, condition, timeout = 30_000) {
  for (const end = Date.now() + timeout; ; ) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `timeout: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let browser;
export async function startBrowser() {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') });
  return browser;
}
onEnd(() => browser?.close());

// A page of the service. `page.verify()` fails if something ran, was loaded or was reported that must not.
export async function openPage(service, fragment = '', options = {}) {
  const { context = await newContext(options) } = options;
  const page = await context.newPage();
  const faults = [];
  const origin = new URL(options.url ?? service.url).origin;
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('blob:')) faults.push(`request to ${request.url().slice(0, 200)}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('reportViolation', (text) => faults.push(`content security policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  page.verify = async () => {
    assert.equal(await page.evaluate('window.pwned'), undefined, 'data was run as a script');
    assert.deepEqual(faults.splice(0), []);
  };
  page.open = async (where) => {
    await page.evaluate((where) => (location.hash = where), where);
  };
  await page.goto(`${options.url ?? service.url}${fragment}`);
  return page;
}

export async function newContext({ theme = 'light', width = 1440, height = 900, ...more } = {}) {
  const context = await (await startBrowser()).newContext({ colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce', ...more });
  onEnd(() => context.close().catch(() => undefined));
  return context;
}
