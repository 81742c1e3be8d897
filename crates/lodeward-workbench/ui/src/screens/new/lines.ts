// The lines of a seed list: URIs, names of entities, comments.

export type LineKind = 'uri' | 'label' | 'duplicate' | 'invalid' | 'comment';

export interface SeedLine {
  number: number;
  text: string;
  kind: LineKind;
  // What the user may have meant.
  suggestion?: string;
}

export function readLines(text: string): SeedLine[] {
  const seen = new Set<string>();
  return text.split('\n').map((raw, index) => {
    const line = raw.trim().replace(/^<(.*)>$/, '$1');
    const number = index + 1;
    if (line === '' || line.startsWith('#')) return { number, text: line, kind: 'comment' };
    if (seen.has(line)) return { number, text: line, kind: 'duplicate' };
    seen.add(line);
    return { number, text: line, ...classify(line) };
  });
}

function classify(line: string): { kind: LineKind; suggestion?: string } {
  if (/^https?:\/\//i.test(line)) return isUrl(line) ? { kind: 'uri' } : { kind: 'invalid' };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(line)) return { kind: 'invalid' };
  // A host name without a scheme, and no word of a language.
  if (/^[\w-]+(\.[\w-]+)+(\/\S*)?$/.test(line)) return { kind: 'invalid', suggestion: `https://${line.includes('/') ? line : `${line}/`}` };
  return { kind: 'label' };
}

function isUrl(text: string): boolean {
  return !/\s/.test(text) && URL.canParse(text);
}
