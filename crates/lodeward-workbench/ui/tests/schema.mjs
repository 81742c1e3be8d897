// The types of the API, generated from its OpenAPI document.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

export const schemaPath = join(dirname(fileURLToPath(import.meta.url)), '../src/api/schema.d.ts');

export async function typesOf(url) {
  const document = await (await fetch(url)).json();
  // The published API of DURAARK is not used by the interface.
  for (const path of Object.keys(document.paths)) if (path.startsWith('/CrawlAPI')) delete document.paths[path];
  return `// Generated from the OpenAPI document by \`make ui-types\`.\n\n${astToString(await openapiTS(document))}`;
}
