import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CONSOLE_TYPES, renderConsoleTypes } from '../../scripts/render-console-types.ts';

test("the console's types of the operator API are those of openapi/operator.json", () => {
  const isCurrent = readFileSync(CONSOLE_TYPES, 'utf8') === renderConsoleTypes();
  assert.ok(isCurrent, 'run `npm run console:types` and review the difference');
});
