// Tests of logic without a browser.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const source = join(dirname(fileURLToPath(import.meta.url)), '../../src');
const load = async (path) => (await runnerImport(join(source, path), { configFile: false, logLevel: 'silent' })).module;

test('hidden and bidirectional characters become visible', async () => {
  const { visible } = await load('components/text.ts');
  assert.equal(visible('a\u202eb'), 'a⟨U+202E⟩b');
  assert.equal(visible('a\u0000b\u200bc'), 'a␀b⟨U+200B⟩c');
  assert.equal(visible('x\n y'), 'x  y');
  assert.equal(visible(`e${'\u0301'.repeat(50)}`).length, 4);
  assert.equal(visible('x'.repeat(2000)).length, 601);
  assert.equal(visible('<img onerror=alert(1)>'), '<img onerror=alert(1)>');
});

test('only http and https become links', async () => {
  const { safeUrl } = await load('components/text.ts');
  assert.equal(safeUrl('http://a.example/x'), 'http://a.example/x');
  for (const iri of ['javascript:alert(1)', 'data:text/html,x', 'urn:x', 'file:///etc/passwd', ' javascript:x', 'x']) assert.equal(safeUrl(iri), undefined, iri);
});

test('look-alike host names are shown in ASCII', async () => {
  const { iriText, localName } = await load('components/text.ts');
  assert.equal(iriText('http://раураl.example/ü'), 'http://xn--l-7sba6dbr.example/ü');
  assert.equal(iriText('urn:x:y'), 'urn:x:y');
  assert.equal(localName('http://dbpedia.org/resource/K%C3%B6ln'), 'Köln');
  assert.equal(localName('http://a.example/ns#Church'), 'Church');
});

test('events that arrive in pieces are parsed', async () => {
  const { StreamParser } = await load('live/parser.ts');
  const parser = new StreamParser();
  assert.deepEqual(parser.push('event: state\nda'), []);
  assert.deepEqual(parser.push('ta: {"crawl":1}\n\n: keep-alive\n\nevent: x\ndata: no json\n\n'), [{ name: 'state', data: { crawl: 1 } }]);
  assert.deepEqual(parser.push('data: 1\r\n\r\n'), [{ name: 'message', data: 1 }]);
});

test('conditions of a filter are added and removed', async () => {
  const { conditions, toggleCondition, hasCondition } = await load('screens/review/filter.ts');
  const church = 'type = <http://a.example/ and b>';
  assert.deepEqual(conditions(`hop = 1 and ${church} and (a = 1 and b = 2)`), ['hop = 1', church, '(a = 1 and b = 2)']);
  assert.equal(toggleCondition('', church), church);
  assert.equal(toggleCondition('hop = 1', church), `hop = 1 and ${church}`);
  assert.equal(toggleCondition(`hop = 1 and ${church}`, church), 'hop = 1');
  assert.equal(toggleCondition('hop = 1 or hop = 2', church), `(hop = 1 or hop = 2) and ${church}`);
  assert.equal(hasCondition('label ~ "x and y"', 'y"'), false);
});

test('locations keep any text', async () => {
  const { href, parseLocation } = await load('shell/location.ts');
  const { path, query } = parseLocation(href(['crawls', 7, 'a/b?c'], { filter: 'x & y = "z"', none: '' }));
  assert.deepEqual(path, ['crawls', '7', 'a/b?c']);
  assert.equal(query.get('filter'), 'x & y = "z"');
  assert.equal(query.has('none'), false);
});

test('counts, sizes and durations are readable', async () => {
  const { bytes, clock, duration, percent, short } = await load('components/format.ts');
  assert.deepEqual([bytes(999), bytes(1500), bytes(685913)], ['999 B', '1.5 kB', '686 kB']);
  assert.deepEqual([clock(134), clock(3725)], ['2:14', '1:02:05']);
  assert.deepEqual([duration(23_100), duration(45), duration(400_000)], ['6 h 25 min', '45 s', '5 days']);
  assert.deepEqual([percent(1, 0), percent(1, 3), short(9_999), short(12_345)], ['–', '33 %', '9,999', '12.3K']);
});

test('text in commands is one word of a shell', async () => {
  const { quoteLines, quoteWord } = await load('components/shell.ts');
  assert.equal(quoteWord("a'; rm -rf ~ #"), `'a'\\''; rm -rf ~ #'`);
  assert.equal(quoteWord('a\u202eb\rc'), "'a⟨U+202E⟩b␍c'");
  assert.equal(quoteLines("# it's\nASK {}"), `'# it'\\''s\nASK {}'`);
});

test('the yield and its estimate end at the same number of documents', async () => {
  const { coverage, yieldOver } = await load('screens/overview/yield.ts');
  const entry = (host, hop, hasRdf, isRequest = true) => ({ host, hop, hasRdf, isRequest, isFault: false });
  const entries = [entry('a', 0, true), entry('a', 2, true), entry('b', 1, false), entry('b', 1, false, false), entry('a', 1, false)];
  assert.deepEqual(yieldOver(entries), [
    { requests: 0, crawl: 0, estimate: 0 },
    { requests: 1, crawl: 1, estimate: 1 },
    { requests: 2, crawl: 2, estimate: 1 },
    { requests: 3, crawl: 2, estimate: 1 },
    { requests: 4, crawl: 2, estimate: 2 },
  ]);
  const { hosts, hops, cells } = coverage(entries, 2);
  assert.deepEqual([hosts, hops, cells.length], [['a', 'b'], 3, 4]);
  assert.deepEqual(coverage(entries, 1).hosts, ['']);
});

test('moves between two rankings have their places and the reasons that change', async () => {
  const { movesBetween, isLarge } = await load('screens/review/moves.ts');
  const candidate = (entity, ...reasons) => ({ entity, reasons: reasons.map(([text, weight]) => ({ text, weight })) });
  const before = [candidate('a'), candidate('b', ['is 1 hop from x', 2], ['mentions sea, as does x', 1]), candidate('c')];
  const after = [candidate('b', ['is 1 hop from y', 2], ['mentions land, as does y', 3]), candidate('a'), candidate('d', ['is 2 hops', 1])];
  const moves = movesBetween(before, after);
  assert.deepEqual([...moves].map(([entity, { rise }]) => [entity, rise]), [['b', 1], ['a', -1], ['d', undefined]]);
  assert.deepEqual(moves.get('b').changes, [{ text: 'mentions land, as does y', change: 2 }]);
  assert.deepEqual([...moves.values()].map(isLarge), [false, false, true]);
});
