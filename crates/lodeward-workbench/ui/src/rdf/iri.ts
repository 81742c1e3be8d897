// IRIs in queries.

// What cannot occur in an IRI is encoded, so that data never becomes a part of a query.
export function iriRef(iri: string): string {
  return `<${iri.replace(/[\u0000-\u0020<>"{}|^`\\]/g, (sign) => encodeURIComponent(sign))}>`;
}
