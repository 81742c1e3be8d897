// Completion in the query editor: keywords, variables of the query, and usual prefixes.

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { USUAL_PREFIXES, prefixesOf } from './operation';

const KEYWORDS =
  'SELECT DISTINCT REDUCED CONSTRUCT DESCRIBE ASK FROM NAMED WHERE GRAPH OPTIONAL UNION MINUS FILTER EXISTS NOT BIND VALUES SERVICE GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET PREFIX BASE COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT STR LANG LANGMATCHES DATATYPE BOUND IRI REGEX REPLACE CONTAINS STRSTARTS STRENDS STRLEN SUBSTR UCASE LCASE CONCAT COALESCE IF YEAR NOW isIRI isBLANK isLITERAL INSERT DELETE DATA WITH USING LOAD CLEAR DROP CREATE'.split(' ');

export function complete(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString();
  const variable = context.matchBefore(/[?$]\w*/);
  if (variable) return { from: variable.from, options: variablesOf(text, variable.text), validFor: /^[?$]\w*$/ };
  const declared = context.matchBefore(/\bPREFIX\s+\w*/i);
  if (declared) return { from: context.pos - (/\w*$/.exec(declared.text)?.[0].length ?? 0), options: declarations(), validFor: /^\w*$/ };
  const word = context.matchBefore(/[A-Za-z_]+/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const prefixes = [...prefixesOf(text).keys()].map((name): Completion => ({ label: `${name}:`, type: 'namespace' }));
  return { from: word.from, options: [...KEYWORDS.map((label): Completion => ({ label, type: 'keyword' })), ...prefixes], validFor: /^\w*$/ };
}

function variablesOf(text: string, typed: string): Completion[] {
  const names = new Set([...text.matchAll(/[?$]\w+/g)].map(([name]) => name));
  names.delete(typed);
  return [...names].map((label) => ({ label, type: 'variable' }));
}

const declarations = (): Completion[] => Object.entries(USUAL_PREFIXES).map(([name, iri]) => ({ label: name, apply: `${name}: <${iri}>`, detail: iri, type: 'namespace' }));
