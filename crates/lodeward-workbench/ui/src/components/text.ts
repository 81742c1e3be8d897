// Text of other sites, made safe to read: control and bidirectional characters become visible, stacks
// of combining characters and very long texts are cut. Markup needs no care: all text is set as text.

const MAX_LENGTH = 600;
const MAX_COMBINING = 3;

// Characters that reorder or hide text: bidirectional controls, zero-width characters, separators, tags.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const COMBINING = new RegExp(`(\\p{M}{${MAX_COMBINING}})\\p{M}+`, 'gu');

export function visible(text: string, maxLength = MAX_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(COMBINING, '$1').replace(INVISIBLE, sign);
}

function sign(character: string): string {
  const code = character.codePointAt(0)!;
  if (code === 0x0a || code === 0x09) return ' ';
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

// The URL of a link: only http and https, so that no script and no local file is opened.
export function safeUrl(iri: string): string | undefined {
  try {
    const url = new URL(iri);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

// An IRI as text. Host names are shown in ASCII, so that look-alikes of another script are noticed.
export function iriText(iri: string, maxLength = MAX_LENGTH): string {
  let text = iri;
  if (/[^\u0000-\u007f]/.test(iri.slice(0, 300))) {
    try {
      const url = new URL(iri);
      if (url.host !== '') text = iri.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)/i, (_, scheme: string) => scheme + url.host);
    } catch {
      // Not a URL: shown as it is.
    }
  }
  return visible(text, maxLength);
}

// The last part of an IRI, for a column that is narrow.
export function localName(iri: string): string {
  const name = /[^/#:]+[/#]?$/.exec(iri)?.[0] ?? iri;
  let text = name.replace(/[/#]$/, '');
  try {
    text = decodeURIComponent(text);
  } catch {
    // Not encoded text: shown as it is.
  }
  return visible(text, 80);
}
