/**
 * The processes of `serve --processes` in place of others: killed, standing still, or not to be started. They are the same on every
 * database. What takes longest of a process that stands still is in `processes/standing-still.test.ts`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { once } from '../../src/service/once.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client, newConfirmation } from '../support/client.ts';
import { spawnService, testServiceProcesses } from '../support/service.ts';
import { listChildren, untilServing } from '../support/service-processes.ts';

const service = await testServiceProcesses(1);
const { key } = await service.newPartner();

const PRLIMIT = '/usr/bin/prlimit';

describe('a process in place of another (serve --processes)', () => {
  test('one that stands still is ended and replaced, and what was answered meanwhile is found', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const client = new Client(crew.baseUrl, key.apiKey);
    await untilServing(client);
    const before = await listChildren(crew.process.pid as number);
    const [still] = before as [number, number];
    process.kill(still, 'SIGSTOP');
    const asked = Array.from({ length: 20 }, () => newConfirmation());
    const answers = await Promise.all(asked.map((fields) => client.confirm(fields).catch(() => undefined)));
    const left = await waitFor('process in its place', async () => {
      const pids = await listChildren(crew.process.pid as number);
      return pids.length === 2 && !pids.includes(still) && pids;
    });
    assert.equal(left.filter((pid) => before.includes(pid)).length, 1, 'the other one goes on');
    await waitFor('line about it', () =>
      crew.output().includes('"seconds":15,"msg":"a process does not respond; the service kills and replaces it"'),
    );
    await untilServing(client);
    const told = answers.flatMap((answer) => (answer?.status === 201 ? answer.body.contribution : []));
    assert.ok(told.length > 0, 'the other one answers');
    for (const { partner_event_id, transaction_id } of told) {
      const found = await client.findByEvent(partner_event_id);
      assert.deepEqual([found.status, found.body.contribution.transaction_id], [200, transaction_id]);
    }
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('a connection that one was handed and did not take before it was killed is closed', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const [still] = (await listChildren(crew.process.pid as number)) as [number, number];
    const { hostname, port } = new URL(crew.baseUrl);
    const waiting = new Set<Socket>();
    process.kill(still, 'SIGSTOP');
    // One of each two is handed to the process that stands still; the other process answers the rest.
    for (let opened = 0; opened < 6; opened++) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      waiting.add(socket);
      socket.once('data', () => waiting.delete(socket) && socket.destroy());
      socket.write(`GET /v1/none HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    }
    await waitFor('answers to all but one', () => waiting.size === 1);
    const [handed] = waiting as unknown as [Socket];
    // The first process kills it by itself after 15 s, which the answers may take on a busy machine.
    if (!handed.closed) {
      const closed = new Promise((resolve) => handed.once('close', resolve));
      process.kill(still, 'SIGKILL');
      await closed;
    }
    assert.equal(handed.bytesRead, 0);
    await crew.end('SIGKILL');
  });

  test('one that is killed while it starts is named in the log, and another one starts in its place', async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const before = await listChildren(crew.process.pid as number);
    process.kill(before[0] as number, 'SIGKILL');
    const young = await waitFor('process in its place', async () =>
      (await listChildren(crew.process.pid as number)).find((pid) => !before.includes(pid)),
    );
    process.kill(young, 'SIGKILL');
    await waitFor('line about it', () => /ended by SIGKILL while it started/.test(crew.output()), crew.output);
    assert.match(crew.output(), /"missing":1,"msg":"a process could not start in place of another/);
    const client = new Client(crew.baseUrl, key.apiKey);
    await untilServing(client);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('one that stands still while it starts is ended, and another one starts in its place', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const before = await listChildren(crew.process.pid as number);
    const lock = await lockStarts();
    process.kill(before[0] as number, 'SIGKILL');
    await lock.untilOneWaits();
    const [young] = (await listChildren(crew.process.pid as number)).filter((pid) => !before.includes(pid));
    process.kill(young as number, 'SIGSTOP');
    await lock.release();
    await waitFor('line about it', () => crew.output().includes(`"pid":${young},"seconds":15,"msg":"a process does not respond`));
    const client = new Client(crew.baseUrl, key.apiKey);
    await waitFor('process in its place', async () => {
      const pids = await listChildren(crew.process.pid as number);
      return pids.length === 2 && !pids.includes(young as number);
    });
    await untilServing(client);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('one that cannot be started, because the first process may open no file, is started when it may again', {
    ...HANG_LIMIT,
    skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
  }, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const allow = (files: number) =>
      execFileSync(PRLIMIT, ['--pid', String(crew.process.pid), `--nofile=${files}:`], { stdio: 'pipe' });
    const client = new Client(crew.baseUrl, key.apiKey);
    const before = await listChildren(crew.process.pid as number);
    allow(1);
    process.kill(before[0] as number, 'SIGKILL');
    await waitFor(
      'line about it',
      () => /EMFILE.*"msg":"a process could not start in place of another/.test(crew.output()),
      crew.output,
    );
    allow(1_024);
    await waitFor('process in its place', async () => (await listChildren(crew.process.pid as number)).length === 2);
    await untilServing(client);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('kill -9 of the first one ends the others, and none of them prints an error', HANG_LIMIT, async () => {
    const port = await freePort();
    const crew = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2']);
    const others = await listChildren(crew.process.pid as number);
    const allEnded = onceEmitted(crew.process, 'close');
    for (const pid of others) process.kill(pid, 'SIGSTOP');
    const metrics = fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    // Answered after it has asked the others for their metrics.
    await fetch(`http://127.0.0.1:${port}/livez`);
    await crew.end('SIGKILL');
    await metrics;
    for (const pid of others) process.kill(pid, 'SIGCONT');
    await allEnded;
    assert.doesNotMatch(crew.output(), /Error/);
  });
});

describe('/readyz with --processes', HANG_LIMIT, () => {
  test('is 200 while one cannot be replaced and another takes requests, with the reason, and 503 while none does', async (t) => {
    const port = await freePort();
    const env = { OPERATIONS_PORT: String(port), LOG_LEVEL: 'error' };
    const crew = await spawnService(service.databaseUrl, env, ['--processes', '2']);
    t.after(() => crew.end('SIGKILL'));
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      return `${answer.status} ${await answer.text()}`;
    };
    const countMissing = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^partner_impact_processes_missing (\d)$/m.exec(text)?.[1];
    };
    assert.deepEqual([await ask(), await countMissing()], ['200 ready\n', '0']);
    const [first, second] = (await listChildren(crew.process.pid as number)) as [number, number];

    const lock = await lockStarts();
    t.after(lock.release);
    process.kill(first, 'SIGKILL');
    await lock.untilOneWaits();
    assert.match(await ask(), /^200 ready, but 1 of 2 processes take requests; the log says why/);
    assert.equal(await countMissing(), '1');
    const client = new Client(crew.baseUrl, key.apiKey);
    for (let asked = 0; asked < 4; asked++) assert.equal((await client.confirm()).status, 201);

    process.kill(second, 'SIGKILL');
    await waitFor('refusal', async () => (await ask()) === '503 not ready: 0 of 2 processes take requests\n', ask);
    assert.equal(await countMissing(), '2');

    await lock.release();
    await waitFor('readiness', async () => (await ask()) === '200 ready\n', ask);
    assert.equal(await countMissing(), '0');
  });
});

describe('the time of the start of the service', HANG_LIMIT, () => {
  for (const count of [1, 2])
    test(`is in /metrics once and stays until the service is started again, with --processes ${count}`, async () => {
      const port = await freePort();
      const open = () =>
        spawnService(service.databaseUrl, { LOG_LEVEL: 'error', OPERATIONS_PORT: String(port) }, ['--processes', `${count}`]);
      const read = async () => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const times = [...text.matchAll(/^partner_impact_start_time_seconds (\S+)$/gm)].map(([, seconds]) => Number(seconds));
        assert.equal(times.length, 1);
        return times[0] as number;
      };
      const before = Math.floor(Date.now() / 1_000);
      const crew = await open();
      const first = await read();
      assert.ok(first >= before - 1 && first <= Date.now() / 1_000 + 1, `${first} and ${before}`);
      const [killed] = await listChildren(crew.process.pid as number);
      if (killed !== undefined) {
        process.kill(killed, 'SIGKILL');
        await waitFor('process in its place', async () => {
          const pids = await listChildren(crew.process.pid as number);
          return pids.length === 2 && !pids.includes(killed);
        });
      }
      assert.equal(await read(), first);
      assert.equal(await crew.end('SIGTERM'), 0);
      const again = await open();
      assert.ok((await read()) > first);
      assert.equal(await again.end('SIGTERM'), 0);
    });
});

describe('/metrics with --processes', HANG_LIMIT, () => {
  test('tells of the open files of the first process where it has the most', async () => {
    const port = await freePort();
    const crew = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2']);
    const first = crew.process.pid as number;
    // The admin listener belongs to the first process.
    const idle = Array.from({ length: 60 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    const ofOthers = Math.max(...(await Promise.all((await listChildren(first)).map(countOpenFiles))));
    await waitFor('first process with the most open files', async () => (await countOpenFiles(first)) > ofOthers);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const told = [...text.matchAll(/^process_open_fds (\d+)$/gm)].map(([, files]) => Number(files));
    assert.equal(told.length, 1);
    assert.ok(Number(told[0]) > ofOthers, `${told[0]} of ${ofOthers}`);
    assert.match(text, /^partner_impact_log_lines_dropped_total 0$/m);
    for (const socket of idle) socket.destroy();
    await crew.end('SIGKILL');
  });

  test('goes on from the last figures of one that stands still and is killed during a scrape, so that no counter falls', async (t) => {
    const port = await freePort();
    const crew = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2']);
    await untilServing(new Client(crew.baseUrl, key.apiKey));
    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const add = (line: RegExp) => [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
      const confirmed = add(/^partner_impact_requests_total\{.*status="201".*\} (\d+)$/gm);
      const timed = add(/^partner_impact_request_duration_seconds_count\{.*\} (\d+)$/gm);
      const connections = add(/^partner_impact_database_connections\{.*\} (\d+)$/gm);
      const died = add(/^partner_impact_processes_died_total (\d+)$/gm);
      const silent = add(/^partner_impact_processes_silent (\d+)$/gm);
      return { connections, died, said: { silent, confirmed, timed } };
    };
    const [still] = (await listChildren(crew.process.pid as number)) as [number, number];
    const { said: ofBoth, connections, died } = await scrape();
    assert.equal(died, 0);
    assert.ok(ofBoth.confirmed >= 40);

    process.kill(still, 'SIGSTOP');
    assert.equal(ofBoth.silent, 0);
    assert.deepEqual((await scrape()).said, { ...ofBoth, silent: 1 });

    const lock = await lockStarts();
    t.after(lock.release);
    const during = scrape();
    // Answered after the first process has asked the others.
    await fetch(`http://127.0.0.1:${port}/livez`);
    process.kill(still, 'SIGKILL');
    const ofOne = await during;
    assert.deepEqual(ofOne.said, ofBoth);
    assert.ok(ofOne.connections < connections, `${ofOne.connections} of ${connections}`);

    await lock.untilOneWaits();
    assert.deepEqual((await scrape()).said, ofBoth);
    await waitFor('count of the one that died', async () => (await scrape()).died === 1);
    await lock.release();
    await untilServing(new Client(crew.baseUrl, key.apiKey));
    const later = (await scrape()).said;
    assert.ok(later.confirmed >= ofBoth.confirmed + 40, `${later.confirmed} after ${ofBoth.confirmed}`);
    assert.ok(later.timed >= ofBoth.timed + 40, `${later.timed} after ${ofBoth.timed}`);
    await crew.end('SIGKILL');
  });
});

/** Until it is released, a process waits while it starts, however long it takes until then. */
async function lockStarts() {
  const lock = await service.database.pool.connect();
  await lock.query('begin; set local idle_in_transaction_session_timeout = 0; lock table installation in access exclusive mode');
  return {
    untilOneWaits: () =>
      waitFor('process that waits for the database while it starts', async () => {
        const { rows } = await service.database.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%installation%'",
        );
        return rows.length > 0;
      }),
    /** Once; further calls change nothing. */
    release: once(async () => {
      await lock.query('rollback');
      lock.release();
    }),
  };
}

async function countOpenFiles(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
