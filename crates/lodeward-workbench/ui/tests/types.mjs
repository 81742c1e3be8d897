// Writes the types of the API from the OpenAPI document of a service: node tests/types.mjs URL
import { writeFileSync } from 'node:fs';
import { schemaPath, typesOf } from './schema.mjs';

writeFileSync(schemaPath, await typesOf(new URL('api/v1/openapi.json', process.argv[2])));
