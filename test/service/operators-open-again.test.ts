/** The interface of operators is opened for its first request, which may fail. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';

import { waitFor } from '../support/assertions/wait-for.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService } from '../support/service.ts';

const PRLIMIT = '/usr/bin/prlimit';

test('a process that may open no file for its first request of an operator answers a later one', {
  ...HANG_LIMIT,
  skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
}, async () => {
  const { databaseUrl } = await testDatabase();
  const port = await freePort();
  const service = await spawnService(databaseUrl, { OPERATIONS_PORT: String(port), LOG_LEVEL: 'error' }, ['--roles', 'api']);
  const allow = (files: number) =>
    execFileSync(PRLIMIT, ['--pid', String(service.process.pid), `--nofile=${files}:`], { stdio: 'pipe' });
  // On one connection, which is there before the process may open no more.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());
  const statusOf = async (path: string) => {
    const [answer] = (await once(request({ port, path, agent }).end(), 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    return answer.statusCode;
  };

  assert.equal(await statusOf('/livez'), 200);
  allow(1);
  assert.equal(await statusOf('/operator/v1/session'), 500);
  const line = /open files.*"msg":"the interface of operators could not be opened"/;
  await waitFor('line of the log', () => line.test(service.output()), service.output);
  allow(1_024);
  assert.equal(await statusOf('/operator/v1/session'), 401);
});
