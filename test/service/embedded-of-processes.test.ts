/** Who starts the embedded server again: whoever does takes it along at the own end, and the others may still have work. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/service/open-database.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clearAway, makeDataDirectory } from '../support/postgres/embedded.ts';
import { spawnService } from '../support/service.ts';

after(clearAway);

test('of several processes the first one does, however often the server is killed', HANG_LIMIT, async () => {
  const { dataDirectory, service, port } = await startEmbedded(['--processes', '2']);
  assert.deepEqual(await killThrice(dataDirectory, port), Array(3).fill(service.process.pid));
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a service does, and not a command that runs beside it', HANG_LIMIT, async () => {
  const { dataDirectory, service, port } = await startEmbedded([]);
  const command = await openStore(readConfig({ DATA_DIR: dataDirectory }));
  assert.deepEqual(await killThrice(dataDirectory, port), Array(3).fill(service.process.pid));
  await command.close();
  assert.equal(await service.end('SIGTERM'), 0);
});

test('a stop ends a process that waits for the server while it takes the place of another one', HANG_LIMIT, async () => {
  const { dataDirectory, service, port } = await startEmbedded(['--processes', '2']);
  const children = () =>
    readFileSync(`/proc/${service.process.pid}/task/${service.process.pid}/children`, 'utf8').trim().split(' ').map(Number);
  const before = children().filter((pid) => pid !== postmasterPid(dataDirectory));
  renameSync(join(dataDirectory, 'postgres/pg_wal'), join(dataDirectory, 'elsewhere'));
  process.kill(postmasterPid(dataDirectory) as number, 'SIGKILL');
  await waitFor('reason in /readyz', async () => /pg_wal/.test(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()));
  process.kill(before[0] as number, 'SIGKILL');
  const young = await waitFor('process in its place', () =>
    children().find((pid) => !before.includes(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve')),
  );
  // While it loads the program it uses all of a processor.
  await waitFor('process that has loaded the program, and looks for the server', async () => {
    const used = ticksOf(young);
    await sleep(1_000);
    return used > 30 && ticksOf(young) - used < 20;
  });
  assert.equal(await service.end('SIGTERM'), 0);
  assert.doesNotMatch(service.output(), /took longer/);
});

/** Its processor time, in hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function startEmbedded(words: readonly string[]) {
  const dataDirectory = await makeDataDirectory();
  const port = await freePort();
  const env = { DATA_DIR: dataDirectory, OPERATIONS_PORT: String(port), LOG_LEVEL: 'silent' };
  return { dataDirectory, port, service: await spawnService('', env, words) };
}

/** @returns The process that started each of the servers that came after. */
async function killThrice(dataDirectory: string, port: number): Promise<number[]> {
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  const starters: number[] = [];
  for (let kills = 0; kills < 3; kills++) {
    const killed = postmasterPid(dataDirectory) as number;
    process.kill(killed, 'SIGKILL');
    await waitFor('new server', async () => ![killed, undefined].includes(postmasterPid(dataDirectory)) && isReady());
    starters.push(parentOf(postmasterPid(dataDirectory)));
  }
  return starters;
}

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
