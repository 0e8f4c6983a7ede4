/** A search for an operation id finds its route (ARCHITECTURE.md): the export of the route has that name. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { ROUTES as ROUTES_OF_OPERATORS } from '../../src/operator-api/routes.ts';
import { ROUTES as ROUTES_OF_PARTNERS } from '../../src/partner-api/routes.ts';
import { ROOT } from '../support/document-blocks.ts';

test('every route of operators is exported under its operation id, and is registered', async () => {
  const files = globSync('src/operator-api/*/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const modules: object[] = await Promise.all(files.map((file) => import(join(ROOT, file))));
  const routes = modules.flatMap((module) => Object.entries(module)).filter(([, value]) => isRoute(value));
  assert.deepEqual(
    routes.filter(([name, { operation }]) => name !== operation).map(([name, { operation }]) => `${name} is ${operation}`),
    [],
  );
  const written = ROUTES_OF_OPERATORS.filter(({ answer, operation }) => answer !== 'csv' || !operation.startsWith('export'));
  assert.deepEqual(routes.map(([name]) => name).sort(), written.map(({ operation }) => operation).sort());
});

test('every route of partners is a function with the name of its operation', () => {
  for (const register of ROUTES_OF_PARTNERS) {
    const operations = [...register.toString().matchAll(/\boperation: '(\w+)'/g)].map(([, operation]) => operation);
    assert.deepEqual(operations, [register.name]);
  }
});

function isRoute(value: unknown): value is OperatorRoute {
  return typeof value === 'object' && value !== null && 'operation' in value && 'handle' in value;
}
