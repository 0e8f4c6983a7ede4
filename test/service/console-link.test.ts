/** The one-time link to the console, as a start and a command print it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
const LINK = /http:\/\/localhost:(\d+)\/sign-in#pi_code_\w+/;

const statusAt = async (port: number) => (await fetch(`http://localhost:${port}/livez`)).status;

test('the link of a start has the port that listens, also where the system chose it', HANG_LIMIT, async () => {
  const service = await spawnService(databaseUrl, { OPERATIONS_PORT: '0' }, ['--first-call']);
  const [, port] = await waitFor('link', async () => LINK.exec(service.output()));
  assert.notEqual(port, '0');
  assert.equal(await statusAt(Number(port)), 200);
});

test('the link of a command has the port of OPERATIONS_PORT, and says beside it that it is this one', HANG_LIMIT, async () => {
  const port = await freePort();
  const settings = { OPERATIONS_PORT: String(port) };
  await spawnService(databaseUrl, settings);
  const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, ...settings });
  const terms = ['--email', 'noura@example.org', '--role', 'admin'];
  const { stdout } = await run(['operator', 'create', '--name', 'Noura', ...terms]);
  assert.equal(LINK.exec(stdout)?.[1], String(port));
  assert.ok(stdout.endsWith(`\n(where the service runs with OPERATIONS_PORT=${port})\n`), stdout);
  const { console_link } = await runJson('operator', 'create', '--name', 'Huda', '--role', 'viewer');
  assert.equal(LINK.exec(console_link)?.[1], String(port));
  assert.equal(await statusAt(port), 200);
});
