/** The types of the operator API for the console, made from openapi/operator.json by openapi-typescript. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Beside the compiler that it needs, of an earlier version than ours. */
const PROGRAM = join(ROOT, 'console/node_modules/openapi-typescript/bin/cli.js');

export const CONSOLE_TYPES = join(ROOT, 'console/src/api/operator-types.ts');

export function renderConsoleTypes(): string {
  const words = [join(ROOT, 'openapi/operator.json'), '--alphabetize=false'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`The types of the operator API could not be made.\n${stderr}`);
  return `// Written by \`npm run console:types\` from openapi/operator.json. A test fails when it is stale.\n${stdout}`;
}
