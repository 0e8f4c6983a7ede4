/** What an experiment starts ends with it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listProcesses } from '../../src/embedded-postgres/processes.ts';

const HARNESS = join(import.meta.dirname, '../../reliability/harness/installation.ts');
/** Says where its installation is, and then waits as one that measures does. */
const EXPERIMENT = `
  import { Installation } from ${JSON.stringify(HARNESS)};
  const { dataDirectory, service } = await Installation.start();
  process.send({ dataDirectory, pid: service.pid });
  setInterval(() => {}, 1_000);
`;

test('an experiment that a signal ends leaves neither its service nor its database', async () => {
  const experiment = spawn(process.execPath, ['--input-type=module', '--eval', EXPERIMENT], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const complaint = text(experiment.stderr as NonNullable<typeof experiment.stderr>);
  const started = once(experiment, 'message');
  await Promise.race([started, once(experiment, 'exit')]);
  assert.equal(experiment.exitCode, null, `the experiment ended by itself: ${experiment.exitCode === null || (await complaint)}`);
  const [{ dataDirectory, pid }] = (await started) as [{ dataDirectory: string; pid: number }];
  assert.notDeepEqual(listProcesses(join(dataDirectory, 'postgres')), []);

  experiment.kill('SIGTERM');
  const [code] = await once(experiment, 'exit');
  assert.equal(code, 1);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  assert.equal(existsSync(dataDirectory), false);
});
