// Filters of candidates, in the language of the service. Facets add and remove conditions at the end of
// the text: `type = <IRI>`, joined by `and`; what the user has typed is not changed.

export function hasCondition(filter: string, condition: string): boolean {
  return conditions(filter).includes(condition);
}

export function toggleCondition(filter: string, condition: string): string {
  const parts = conditions(filter);
  if (parts.includes(condition)) return parts.filter((part) => part !== condition).join(' and ');
  if (filter.trim() === '') return condition;
  const isJoined = parts.length > 1 && parts.some((part) => / or /.test(part));
  return isJoined || / or /.test(filter) ? `(${filter.trim()}) and ${condition}` : `${filter.trim()} and ${condition}`;
}

// The conditions that `and` joins at the top level, outside of parentheses, quotes and IRIs.
export function conditions(filter: string): string[] {
  const parts: string[] = [];
  let [depth, quote, start] = [0, '', 0];
  for (let at = 0; at < filter.length; at += 1) {
    const character = filter[at]!;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"') quote = '"';
    else if (character === '<' && /^<[a-z][a-z0-9+.-]*:/i.test(filter.slice(at))) quote = '>';
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0 && filter.slice(at, at + 5) === ' and ') {
      parts.push(filter.slice(start, at).trim());
      start = at + 5;
    }
  }
  const last = filter.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}

export const typeCondition = (iri: string): string => `type = <${iri}>`;
export const domainCondition = (domain: string): string => `domain = ${domain}`;
export const hopCondition = (hop: number): string => `hop = ${hop}`;
