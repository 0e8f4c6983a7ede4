/** The document that the console's client is generated from. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { validate } from '@scalar/openapi-validator';
import { renderOperatorDocument } from '../../src/operator-api/openapi/render-document.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { ROOT } from '../support/document-blocks.ts';

const written = readFileSync(join(ROOT, 'openapi/operator.json'), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the document is read as the JSON that it is
const document: any = JSON.parse(written);

test('openapi/operator.json is what the routes make', () => {
  assert.equal(renderOperatorDocument(), written, 'run `npm run openapi` and review the difference');
});

test('it is OpenAPI 3.1, by the published schema of that format', () => {
  const { valid, errors, version } = validate(document);
  assert.deepEqual([valid, errors, version], [true, [], '3.1']);
});

test('every operation, parameter and field says what it is', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const operations: any[] = Object.values<any>(document.paths).flatMap((path) => Object.values(path));
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), ROUTES.map(({ operation }) => operation).sort());
  for (const { operationId, summary, parameters } of operations) {
    assert.match(summary, /^[A-Z]/, operationId);
    for (const { name, description } of parameters) assert.match(description ?? '', /^[A-Z].*\.$/s, `${operationId} ${name}`);
  }
  const undescribed: string[] = [];
  const look = (schema: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties } = schema as { properties?: Record<string, { description?: string; $ref?: string }> };
    for (const [name, member] of Object.entries(properties ?? {}))
      if (member.description === undefined && member.$ref === undefined) undescribed.push(`${path}.${name}`);
    for (const [name, member] of Object.entries(schema)) look(member, `${path}.${name}`);
  };
  const { Error: _, ...schemas } = document.components.schemas;
  look(schemas, '');
  look(document.paths, '');
  assert.deepEqual(undescribed, []);
});
