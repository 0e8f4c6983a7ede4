/** What a service of one process and one of several write of a database that is gone, each of which is a program of its own. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../../support/assertions/hang-limit.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { databaseProxy } from '../../support/postgres/database-proxy.ts';
import { clearAway, makeDataDirectory } from '../../support/postgres/embedded.ts';
import { spawnService, testService, withPartners } from '../../support/service.ts';

after(clearAway);

const { database, databaseUrl } = await testService();

for (const words of [[], ['--processes', '2']])
  test(`an embedded server that cannot start again: /readyz and one line say why (${words.join(' ') || 'one process'})`, async () => {
    const dataDirectory = await makeDataDirectory();
    const cluster = join(dataDirectory, 'postgres');
    const port = await freePort();
    const env = { DATA_DIR: dataDirectory, OPERATIONS_PORT: String(port), LOG_LEVEL: 'info' };
    const service = await spawnService('', env, words);
    const readiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
    renameSync(join(cluster, 'pg_wal'), join(dataDirectory, 'elsewhere'));
    process.kill(Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    await waitFor(
      'the reason in /readyz',
      async () => /does not run.*did not start: .*pg_wal/.test(await readiness()),
      readiness,
    );
    const attempts = () => readFileSync(join(dataDirectory, 'postgres.log'), 'utf8').split('does not exist').length;
    const furtherAttempts = (wanted: number) => {
      const before = attempts();
      return waitFor('further attempts to start', () => attempts() >= before + wanted);
    };
    // The log is written with a delay.
    await furtherAttempts(2);
    const countLines = () => service.output().split(/"reason":"(?:unreachable|starting)"/).length;
    const told = countLines();
    // Each look meets another state of a server that ends while it starts.
    await furtherAttempts(4);
    assert.equal(countLines(), told);
    assert.equal(service.output().match(/the embedded database does not run.*did not start: .*pg_wal/g)?.length, 1);
    renameSync(join(dataDirectory, 'elsewhere'), join(cluster, 'pg_wal'));
    await waitFor('the database', async () => /^ready\n$/.test(await readiness()));
    await service.end('SIGTERM');
  });

for (const count of [1, 2])
  test(`an outage is one line of the log, and each request says its cause, with --processes ${count}`, HANG_LIMIT, async () => {
    const proxy = await databaseProxy(databaseUrl);
    const service = await spawnService(proxy.databaseUrl, { LOG_LEVEL: 'info' }, ['--processes', String(count)]);
    const { client } = await withPartners(service.baseUrl, database).newPartner();
    const lines = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line));
    assert.equal((await client.confirm()).status, 201);
    proxy.cut();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.findByEvent('an-event-0001')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    const told = () => lines().filter(({ msg }) => msg?.startsWith('the database has a problem: it cannot be reached'));
    await waitFor('line about the outage', () => told().length > 0);
    const refused = await waitFor('line of each request', () => {
      const found = lines().filter(({ status }) => status === 503);
      return found.length === answers.length && found;
    });
    for (const line of refused) assert.match(line.cause, /Connection terminated|ECONNRESET|socket/);
    const unexpected = lines().filter(({ msg }) => msg === 'unexpected error');
    // Each process writes each kind of error once.
    assert.ok(unexpected.length <= count * new Set(unexpected.map(({ err }) => err.message)).size);
    proxy.heal();
    const over = () => lines().filter(({ msg }) => msg === 'the database does all of its work again');
    await waitFor('line about its end', () => over().length > 0);
    assert.deepEqual([told().length, over().length], [1, 1]);
    assert.equal(await service.end('SIGTERM'), 0);
  });

const PRLIMIT = '/usr/bin/prlimit';

test('a process that may open no file for a new connection is told so, and not to read the log of the database', {
  ...HANG_LIMIT,
  skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
}, async () => {
  const proxy = await databaseProxy(databaseUrl);
  const service = await spawnService(proxy.databaseUrl, { LOG_LEVEL: 'warn' }, ['--roles', 'webhooks']);
  const allow = (files: number) =>
    execFileSync(PRLIMIT, ['--pid', String(service.process.pid), `--nofile=${files}:`], { stdio: 'pipe' });
  allow(1);
  proxy.cut();
  proxy.heal();
  await waitFor(
    'the reason in the log',
    () => /"reason":"files_used_up","cause":"connect EMFILE/.test(service.output()),
    service.output,
  );
  allow(1_024);
  await waitFor('the line about its end', () => service.output().includes('the database does all of its work again'));
  await service.end('SIGTERM');
});
