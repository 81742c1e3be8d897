// The committed types are those of the API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startService, startToyweb } from './harness.mjs';
import { schemaPath, typesOf } from '../schema.mjs';

test('the committed types are generated from the OpenAPI document of the service', async () => {
  const service = await startService({ web: await startToyweb('tiny') });
  const types = await typesOf(new URL('api/v1/openapi.json', service.url));
  assert.ok(types === readFileSync(schemaPath, 'utf8'), 'the API has changed: run `make ui-types`, then `make ui`');
});
