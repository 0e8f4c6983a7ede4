/** The embedded server of a service of several processes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clearAway, makeDataDirectory } from '../support/postgres/embedded.ts';
import { spawnService } from '../support/service.ts';

after(clearAway);

/** Whoever started a server takes it along at the own end, and the others may still have work. */
test('is started by the first process alone, however often it is killed', HANG_LIMIT, async () => {
  const dataDirectory = await makeDataDirectory();
  const port = await freePort();
  const env = { DATA_DIR: dataDirectory, OPERATIONS_PORT: String(port), LOG_LEVEL: 'silent' };
  const service = await spawnService('', env, ['--processes', '2']);
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  const starters: number[] = [];
  for (let kills = 0; kills < 3; kills++) {
    const killed = postmasterPid(dataDirectory) as number;
    process.kill(killed, 'SIGKILL');
    await waitFor('another server', async () => ![killed, undefined].includes(postmasterPid(dataDirectory)) && isReady());
    starters.push(parentOf(postmasterPid(dataDirectory)));
  }
  assert.deepEqual(starters, Array(3).fill(service.process.pid));
  assert.equal(await service.end('SIGTERM'), 0);
});

function postmasterPid(dataDirectory: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(dataDirectory, 'postgres/postmaster.pid'), 'utf8'), 10);
  } catch {
    // Between two servers.
    return undefined;
  }
}

function parentOf(pid: number | undefined): number {
  return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
