// Checks the sources for what the content security policy forbids or the design excludes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), '../src');
const MAX_COMPONENT_LINES = 150;
const FORBIDDEN = [
  [/\{@html/, 'markup from data'],
  [/innerHTML|outerHTML|insertAdjacentHTML|document\.write/, 'markup from data'],
  [/\beval\(|new Function\(/, 'code from data'],
  [/\sstyle=/, 'inline style; use a `style:` directive'],
  [/href=["']?javascript:/, 'script URL'],
  [/https?:\/\/(?!xmlns\.com)[a-z]+\.(com|net|io)\b/, 'URL of another site'],
];

function filesBelow(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

const problems = [];
for (const path of filesBelow(source)) {
  if (path.endsWith('schema.d.ts')) continue;
  const [name, text] = [relative(source, path), readFileSync(path, 'utf8')];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    for (const [pattern, reason] of FORBIDDEN) if (pattern.test(line)) problems.push(`${name}:${index + 1}: ${reason}`);
  });
  if (/target="_blank"/.test(text) && !/rel="noopener noreferrer nofollow"/.test(text)) problems.push(`${name}: target=_blank without rel`);
  if (path.endsWith('.svelte') && lines.length > MAX_COMPONENT_LINES) problems.push(`${name}: ${lines.length} lines, more than ${MAX_COMPONENT_LINES}`);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
