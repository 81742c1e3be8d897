// Text of other sites in commands that users paste into a shell.

import { visible } from './text';

// One word of a shell. Hidden characters are made visible, so that a command does only what it shows.
export function quoteWord(text: string): string {
  return `'${visible(text, 4000).replaceAll("'", `'\\''`)}'`;
}

// A text of several lines as one word. Line ends stay, because they end comments of a query.
export function quoteLines(text: string): string {
  const lines = text.split('\n').map((line) => quoteWord(line).slice(1, -1));
  return `'${lines.join('\n')}'`;
}
