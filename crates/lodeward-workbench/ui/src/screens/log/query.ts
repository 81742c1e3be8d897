// The filters of the log, as they are in the location and in the request.

export interface LogQuery {
  kind?: string;
  domain?: string;
  status?: number;
  fault?: string;
  reason?: string;
  depth?: number;
  text?: string;
}

const TEXTS = ['kind', 'domain', 'fault', 'reason', 'text'] as const;
const NUMBERS = ['status', 'depth'] as const;

export function logQuery(parameter: (name: string) => string): LogQuery {
  const query: LogQuery = {};
  for (const name of TEXTS) {
    const value = parameter(name).trim();
    if (value !== '') query[name] = value;
  }
  for (const name of NUMBERS) if (/^\d+$/.test(parameter(name))) query[name] = Number(parameter(name));
  return query;
}

// The request, as text: equal for equal filters.
export function queryText(query: LogQuery): string {
  return new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
}
