// RDF terms in the rows of a result: tab-separated values (SPARQL 1.1) and N-Triples, line by line.

export type Term =
  | { kind: 'iri'; value: string }
  | { kind: 'blank'; value: string }
  | { kind: 'literal'; value: string; language?: string; datatype?: string };

export type Row = (Term | undefined)[];

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TERM = /<([^>]*)>|_:(\S+)|"((?:[^"\\]|\\.)*)"(?:@([a-zA-Z0-9-]+)|\^\^<([^>]*)>)?/y;
const ESCAPES: Record<string, string> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', '"': '"', "'": "'", '\\': '\\' };

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs, (whole, short?: string, long?: string, sign?: string) => {
    if (sign !== undefined) return ESCAPES[sign] ?? sign;
    const code = parseInt(short ?? long ?? '', 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function termAt(text: string, at: number): [Term, number] | undefined {
  TERM.lastIndex = at;
  const found = TERM.exec(text);
  if (found === null) return undefined;
  const [, iri, blank, literal, language, datatype] = found;
  if (iri !== undefined) return [{ kind: 'iri', value: unescape(iri) }, TERM.lastIndex];
  if (blank !== undefined) return [{ kind: 'blank', value: blank }, TERM.lastIndex];
  const term: Term = { kind: 'literal', value: unescape(literal ?? '') };
  if (language !== undefined) term.language = language;
  if (datatype !== undefined) term.datatype = datatype;
  return [term, TERM.lastIndex];
}

// A field of tab-separated values. Numbers and truth values have no quotes.
function fieldTerm(field: string): Term | undefined {
  if (field === '') return undefined;
  const [term] = termAt(field, 0) ?? [];
  if (term) return term;
  const datatype = /^(true|false)$/.test(field) ? 'boolean' : /[eE]/.test(field) ? 'double' : field.includes('.') ? 'decimal' : 'integer';
  return { kind: 'literal', value: field, datatype: XSD + datatype };
}

export const tsvRow = (line: string): Row => line.split('\t').map(fieldTerm);
export const tsvHead = (line: string): string[] => (line === '' ? [] : line.split('\t').map((name) => name.replace(/^\?/, '')));

// The terms of an N-Triples line.
export function tripleRow(line: string): Row {
  const row: Row = [];
  for (let at = 0; row.length < 3; ) {
    while (line[at] === ' ') at += 1;
    const found = termAt(line, at);
    if (found === undefined) break;
    row.push(found[0]);
    at = found[1];
  }
  return row;
}

const NUMBERS = ['integer', 'decimal', 'double', 'float', 'int', 'long', 'short', 'byte', 'nonNegativeInteger', 'positiveInteger', 'gYear'].map((name) => XSD + name);

export const isNumber = (term: Term | undefined): boolean => term?.kind === 'literal' && term.datatype !== undefined && NUMBERS.includes(term.datatype);

// The order of two terms in a sorted column: unbound first, numbers by value, others by text.
export function compareTerms(a: Term | undefined, b: Term | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (isNumber(a) && isNumber(b)) return Number(a.value) - Number(b.value);
  return a.value < b.value ? -1 : Number(a.value > b.value);
}

// The lines of a text that arrives in pieces.
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + piece.value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.replace(/\r$/, '');
    }
    if (rest !== '') yield rest;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
