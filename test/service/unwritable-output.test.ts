/** What collects the log has stopped: the disk is full, or nobody reads any more. Partners are answered all the same. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client } from '../support/client.ts';
import { serviceEnv, testService } from '../support/service.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const { databaseUrl, newPartner } = await testService();
const { key } = await newPartner();

/** Every write fails: there is no space left on the device. */
const fullDisk = openSync('/dev/full', 'w');
after(() => closeSync(fullDisk));

for (const words of [[], ['--processes', '2']])
  test(
    `a service whose output is on a full disk starts, answers and stops in order (serve ${words.join(' ')})`,
    HANG_LIMIT,
    async () => {
      const { port, child } = await serve(words, [fullDisk, fullDisk]);
      await assertAnswersUntilItsEnd(child, port);
    },
  );

test('a service whose output nobody reads any more answers and stops in order', HANG_LIMIT, async () => {
  const { port, child } = await serve([], ['pipe', 'pipe']);
  child.stdout?.destroy();
  child.stderr?.destroy();
  await assertAnswersUntilItsEnd(child, port);
});

test('a mistake in the settings keeps its exit code', async () => {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...process.env, ...serviceEnv(databaseUrl, {}), PORT: 'eighty' },
    stdio: ['ignore', fullDisk, fullDisk],
  });
  assert.deepEqual(await once(child, 'exit'), [2, null]);
});

async function serve(words: readonly string[], output: ['pipe' | number, 'pipe' | number]) {
  const port = await freePort();
  const env = {
    ...process.env,
    ...serviceEnv(databaseUrl, {}),
    LOG_LEVEL: 'info',
    PORT: String(port),
    OPERATIONS_PORT: String(await freePort()),
  };
  const child = spawn(process.execPath, [MAIN, 'serve', ...words], { env, stdio: ['ignore', ...output] });
  after(() => child.kill('SIGKILL'));
  const client = new Client(`http://127.0.0.1:${port}`, key.apiKey);
  await waitFor('answer', async () => {
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], 'it has ended');
    return (await client.call('/v1/partner').catch(() => undefined))?.status === 200;
  });
  return { port, child };
}

async function assertAnswersUntilItsEnd(child: ChildProcess, port: number): Promise<void> {
  assert.equal((await new Client(`http://127.0.0.1:${port}`, key.apiKey).confirm()).status, 201);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}
