/** The processes of `serve --processes` that stand still for as long as the first one waits for them: while they load the program, and at a stop. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HANG_LIMIT } from '../../support/assertions/hang-limit.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { Client } from '../../support/client.ts';
import { spawnService, testServiceProcesses } from '../../support/service.ts';
import { listChildren, untilServing } from '../../support/service-processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const service = await testServiceProcesses(1);
const { key } = await service.newPartner();

describe('a process in place of another (serve --processes)', { concurrency: 2 }, () => {
  test(
    'one that stands still before it said that it works is ended too, and another one starts in its place',
    HANG_LIMIT,
    async () => {
      const folder = temporaryFolder('standstill');
      const [program, wanted] = [join(folder, 'stop.mjs'), join(folder, 'wanted')];
      // A process stops itself before it loads the program, while the file is there: no signal of a test is sure to come as early.
      const stop = `if (existsSync(${JSON.stringify(wanted)})) process.kill(process.pid, 'SIGSTOP');`;
      await writeFile(program, `import { existsSync } from 'node:fs';\n${stop}\n`);
      const env = { LOG_LEVEL: 'error', NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${program}` };
      const crew = await spawnService(service.databaseUrl, env, ['--processes', '2']);
      const before = await listChildren(crew.process.pid as number);
      await writeFile(wanted, '');
      process.kill(before[0] as number, 'SIGKILL');
      const young = await waitFor('process in its place, which stands still', async () => {
        const pid = (await listChildren(crew.process.pid as number)).find((each) => !before.includes(each));
        return pid !== undefined && (await isStopped(pid)) && pid;
      });
      await rm(wanted);
      // It has three quarters of a minute: too near to the limit of other waits.
      while (!crew.output().includes(`"pid":${young},"seconds":45,"msg":"a process does not respond`)) await sleep(100);
      await waitFor('process in place of that one', async () => {
        const pids = await listChildren(crew.process.pid as number);
        return pids.length === 2 && !pids.includes(young);
      });
      await untilServing(new Client(crew.baseUrl, key.apiKey));
      assert.equal(await crew.end('SIGTERM'), 0);
    },
  );

  test('a stop during which one stands still ends after ten seconds and names it', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, {}, ['--processes', '2']);
    const [still] = await listChildren(crew.process.pid as number);
    process.kill(still as number, 'SIGSTOP');
    assert.equal(await crew.end('SIGTERM'), 1);
    assert.match(
      crew.output(),
      new RegExp(`The stop took longer than 10 s and is cut short. Not ended, and killed: process ${still}`),
    );
  });
});

async function isStopped(pid: number): Promise<boolean> {
  return /^State:\tT/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
}
