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

test('every list has an order that is declared, filters, and pages', () => {
  const lists = ROUTES.filter(({ operation }) => operation.startsWith('list'));
  assert.ok(lists.length > 20);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const operations: any[] = Object.values<any>(document.paths).flatMap((path) => Object.values(path));
  for (const { operation } of lists) {
    const { parameters } = operations.find(({ operationId }) => operationId === operation);
    const query = parameters.filter((each: { in: string }) => each.in === 'query');
    const names: string[] = query.map(({ name }: { name: string }) => name);
    const sort = query.find(({ name }: { name: string }) => name === 'sort')?.schema;
    assert.ok(sort?.enum.length >= 2 && sort.enum.includes(sort.default), `${operation} has no sort`);
    for (const order of sort.enum.filter((each: string) => !each.startsWith('-'))) assert.ok(sort.enum.includes(`-${order}`));
    const filters = names.filter((name) => !['limit', 'after', 'sort'].includes(name));
    assert.ok(filters.length > 0, `${operation} has no filter`);
    // The jobs stand in the program, and a settlement has two answers at most.
    const isShort = ['listJobs', 'listAcknowledgements'].includes(operation);
    assert.equal(names.includes('after') && names.includes('limit'), !isShort, operation);
  }
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

test('docs/operating.md lists the operations that need a recent sign-in: these, and no others', () => {
  const guide = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
  const [, section = ''] = guide.split('\n### Operations that need a recent sign-in\n');
  const rows = section.split('\n### ')[0]?.match(/^\|.*\|$/gm) ?? [];
  const listed = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, operation]) => operation as string));
  const needing = ROUTES.filter(({ needsRecentSignIn }) => needsRecentSignIn).map(({ operation }) => operation);
  assert.ok(needing.length > 0);
  assert.deepEqual(listed.sort(), needing.sort());
});
