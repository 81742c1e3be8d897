// The keys that move through a list.

export function moveOf(event: KeyboardEvent, pageRows: number): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: pageRows, PageUp: -pageRows, Home: -Infinity, End: Infinity };
  return moves[event.key];
}
