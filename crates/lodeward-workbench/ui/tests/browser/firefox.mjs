// Firefox, driven by WebDriver BiDi over a web socket: what a smoke run needs, without a driver.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onEnd, waitFor } from './harness.mjs';

const KEYS = { Enter: '\uE007', ArrowDown: '\uE015', Escape: '\uE00C' };

// Starts the browser; `faults` collects script errors and violations of the content security policy.
export async function startFirefox(program) {
  const profile = mkdtempSync(join(tmpdir(), 'lodeward-firefox-'));
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  onEnd(async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
    rmSync(profile, { recursive: true, force: true });
  });
  const address = await new Promise((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (data) => {
      const found = /WebDriver BiDi listening on (\S+)/.exec((output += data));
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`Firefox exited with ${code}: ${output}`)));
  });
  const { send, faults } = await connect(`${address}/session`);
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { context } = await send('browsingContext.create', { type: 'tab' });
  return new FirefoxPage(send, context, faults);
}

async function connect(address) {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: () => reject(new Error(`cannot connect to ${address}`)) }));
  const [waiting, faults] = [new Map(), []];
  let number = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === 'log.entryAdded' && message.params.level === 'error') faults.push(message.params.text);
    waiting.get(message.id)?.(message);
  };
  const send = async (method, params) => {
    const id = (number += 1);
    const answer = await new Promise((resolve) => (waiting.set(id, resolve), socket.send(JSON.stringify({ id, method, params }))));
    assert.equal(answer.type, 'success', `${method}: ${answer.message}`);
    return answer.result;
  };
  return { send, faults };
}

class FirefoxPage {
  constructor(send, context, faults) {
    Object.assign(this, { send, context, faults });
  }

  async goto(url) {
    await this.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('script.evaluate', { expression, target: { context: this.context }, awaitPromise: true });
    assert.equal(exceptionDetails, undefined, exceptionDetails?.text);
    return result.value;
  }

  async waitFor(expression) {
    return waitFor(expression, () => this.evaluate(`Boolean(${expression})`), 15_000);
  }

  async press(...keys) {
    const actions = keys.flatMap((key) => ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] ?? key })));
    await this.send('input.performActions', { context: this.context, actions: [{ type: 'key', id: 'keyboard', actions }] });
  }
}
