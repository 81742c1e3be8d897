// A web of few documents with many entities, so that a short crawl has as many candidates as a long one.
import { startWeb } from './browser/harness.mjs';

const HOST = 'http://many.example';
const PER_DOCUMENT = 1000;
const KINDS = ['Church', 'Bridge', 'Museum', 'Person', 'Place', 'Style'];

// `candidates` entities, all two links from the seed, in documents of 1,000.
export async function startCandidateWeb(candidates) {
  const documents = Math.ceil(candidates / PER_DOCUMENT);
  const web = await startWeb(({ pathname }) => {
    if (pathname === '/seed') return { type: 'text/turtle', body: seed(documents) };
    const number = /^\/set\/(\d+)$/.exec(pathname)?.[1];
    return number === undefined || Number(number) >= documents ? undefined : { type: 'text/turtle', body: set(Number(number), candidates) };
  });
  return { ...web, seeds: [`${HOST}/seed`] };
}

function seed(documents) {
  const links = Array.from({ length: documents }, (_, number) => `<${HOST}/set/${number}>`);
  return `<${HOST}/seed> <http://www.w3.org/2000/01/rdf-schema#label> "Seed"@en ; <http://purl.org/dc/terms/hasPart> ${links.join(', ')} .`;
}

function set(number, candidates) {
  const first = number * PER_DOCUMENT;
  const lines = [`@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix dbo: <http://dbpedia.org/ontology/> . @prefix dct: <http://purl.org/dc/terms/> .`];
  for (let entity = first; entity < Math.min(candidates, first + PER_DOCUMENT); entity += 1) {
    lines.push(`<${HOST}/set/${number}> dct:hasPart <#e${entity}> . <#e${entity}> a dbo:${KINDS[entity % KINDS.length]} ; rdfs:label "Entity ${entity}"@en .`);
  }
  return lines.join('\n');
}
