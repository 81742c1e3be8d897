// Locations in the fragment of the URL: `#/crawls/7/review?filter=…`.

export interface Location {
  path: string[];
  query: URLSearchParams;
}

export type Parameters = Record<string, string | number | boolean | null | undefined>;

export function parseLocation(fragment: string): Location {
  const text = fragment.replace(/^#?\/?/, '');
  const [path = '', query = ''] = splitOnce(text, '?');
  const parts = path.split('/').filter((part) => part !== '').map(decode);
  return { path: parts, query: new URLSearchParams(query) };
}

// A reference to a location, for `href`. Parts are encoded; empty parameters are left out.
export function href(path: (string | number)[], parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '' && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
