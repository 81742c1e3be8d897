// Runs all browser tests in one process, with one browser.
import { after, describe } from 'node:test';
import { cleanUp } from './harness.mjs';

const only = process.argv.slice(2);
const specs = ['contract', 'hostile', 'states', 'axe', 'tabs', 'prefix', 'journeys', 'access', 'review', 'domains', 'archive', 'visual', 'firefox'];
for (const spec of specs) if (only.length === 0 || only.includes(spec)) describe(spec, () => import(`./${spec}.spec.mjs`));
after(cleanUp);
