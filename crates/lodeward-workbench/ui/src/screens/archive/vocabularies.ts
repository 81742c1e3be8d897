// Properties grouped by their namespace: the prefix if it is usual, or else the IRI up to the last `#` or `/`.

export function byVocabulary(terms: { iri: string; name?: string | null; count: number }[]): { name: string; value: number }[] {
  const counts = new Map<string, number>();
  for (const { iri, name, count } of terms) {
    const vocabulary = name ? name.slice(0, name.indexOf(':') + 1) : iri.replace(/[^#/]*$/, '');
    counts.set(vocabulary, (counts.get(vocabulary) ?? 0) + count);
  }
  return [...counts].map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value);
}
