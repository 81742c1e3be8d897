// Media types of RDF files, by their extension.

const MEDIA_TYPES: Record<string, string> = {
  ttl: 'text/turtle',
  nt: 'application/n-triples',
  nq: 'application/n-quads',
  trig: 'application/trig',
  rdf: 'application/rdf+xml',
  xml: 'application/rdf+xml',
  jsonld: 'application/ld+json',
  json: 'application/ld+json',
  html: 'text/html',
};

export const mediaTypeOf = (name: string): string => MEDIA_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/turtle';
