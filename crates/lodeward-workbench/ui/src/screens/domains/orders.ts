// The orders of domains, as the service names them.

export const DOMAIN_ORDERS = ['queued', 'documents', 'rdf', 'faults', 'dropped', 'delay', 'name'] as const;
export type DomainOrder = (typeof DOMAIN_ORDERS)[number];

export const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0);
