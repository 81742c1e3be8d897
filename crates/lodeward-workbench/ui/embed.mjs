// Writes the table of embedded files (../src/files.rs) and the digest of the sources
// (../dist/sources.sha256), which a Rust test compares with the sources.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ui = dirname(fileURLToPath(import.meta.url));
const dist = join(ui, '../dist');
const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function filesBelow(directory) {
  return readdirSync(directory).flatMap((name) => {
    if (name === 'node_modules' || name === 'tests') return [];
    const path = join(directory, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function sourcesDigest() {
  const digest = createHash('sha256');
  const names = filesBelow(ui).map((path) => relative(ui, path));
  for (const name of names.sort(byBytes)) {
    const content = readFileSync(join(ui, name));
    digest.update(`${name}\0${content.length}\0`).update(content);
  }
  return digest.digest('hex');
}

function entry(path, name) {
  const content = readFileSync(join(dist, path));
  const tag = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const mediaType = mediaTypes[extname(path)];
  if (!mediaType) throw new Error(`${path}: no media type`);
  return `WorkbenchFile::new(
        "${name}",
        "${mediaType}",
        "\\"${tag}\\"",
        include_bytes!("../dist/${path}"),
    )`;
}

const assets = readdirSync(join(dist, 'assets')).sort(byBytes);
writeFileSync(join(dist, 'sources.sha256'), `${sourcesDigest()}\n`);
writeFileSync(
  join(ui, '../src/files.rs'),
  `//! The table of embedded files, written by \`make ui\`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    ${entry('index.html', 'index.html').replaceAll('\n        ', ' ').replace('( ', '(').replace(',\n    )', ')').replaceAll('\n', '')};

#[rustfmt::skip]
pub(super) static ASSETS: [WorkbenchFile; ${assets.length}] = [
${assets.map((name) => `    ${entry(`assets/${name}`, name)},`).join('\n')}
];
`,
);
