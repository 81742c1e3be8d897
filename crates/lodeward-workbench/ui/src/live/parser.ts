// A parser of server-sent events that arrive in pieces.

export interface StreamEvent {
  name: string;
  data: unknown;
}

export class StreamParser {
  #rest = '';

  // The events that this piece completes.
  push(piece: string): StreamEvent[] {
    this.#rest += piece.replaceAll('\r\n', '\n');
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(parseBlock).filter((event) => event !== undefined);
  }
}

function parseBlock(block: string): StreamEvent | undefined {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [field = '', value = ''] = split(line);
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  if (data.length === 0) return undefined;
  try {
    return { name, data: JSON.parse(data.join('\n')) as unknown };
  } catch {
    return undefined;
  }
}

function split(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}
