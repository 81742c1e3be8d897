// Scores of Lighthouse, which benches/workbench.sh installs (LODEWARD_TEST_LIGHTHOUSE is its program).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
const FORMS = { desktop: ['--preset=desktop'], mobile: [] };

export async function lighthouseScores(url) {
  const program = process.env.LODEWARD_TEST_LIGHTHOUSE;
  if (!program) return {};
  const scores = {};
  for (const [form, options] of Object.entries(FORMS)) {
    const args = [program, url, '--quiet', '--output=json', `--only-categories=${CATEGORIES.join(',')}`, '--chrome-flags=--headless --no-sandbox --disable-gpu', ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, CHROME_PATH: process.env.LODEWARD_TEST_CHROMIUM }, maxBuffer: 64 * 2 ** 20 });
    const { categories } = JSON.parse(stdout);
    scores[form] = CATEGORIES.map((name) => Math.round(100 * categories[name].score));
  }
  return scores;
}
