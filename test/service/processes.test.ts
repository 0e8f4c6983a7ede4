/** Two service processes on one database: races, stopping, and what one process leaves to the other. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, newConfirmation, uniqueId } from '../support/client.ts';
import { spawnService, testServiceProcesses } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testServiceProcesses(2);
const { key, partner } = await service.newPartner();
const clients = service.processes.map(({ baseUrl }) => new Client(baseUrl, key.apiKey));

/** Twenty requests at once, in turn to one process and the other. */
function race(send: (client: Client, index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 20 }, (_, index) => send(clients[index % clients.length] as Client, index)));
}

/** Asks until all of many at once are served: on a busy cluster the first connections of a process take longer than a request may wait. */
function untilServing(client: Client): Promise<true> {
  return waitFor('a process that serves many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.confirm()));
    return answers.every(({ status }) => status === 201);
  });
}

const originals = (answers: Answer[]) =>
  answers.filter(({ status, headers }) => status < 300 && headers.get('idempotent-replayed') === null);

const PRLIMIT = '/usr/bin/prlimit';

const secretsKey = `test:${Buffer.alloc(32, 7).toString('base64')}`;

describe('races across processes have one winner', () => {
  test('the same key: one original, nineteen replays', async () => {
    for (let round = 0; round < 10; round++) {
      const fields = newConfirmation();
      const headers = { 'idempotency-key': uniqueId('key') };
      const answers = await race((client) => client.confirm(fields, headers));
      assert.deepEqual(countByStatus(answers), { 201: 20 });
      assert.equal(originals(answers).length, 1);
      assert.equal(new Set(answers.map(({ body }) => body.contribution.transaction_id)).size, 1);
    }
  });

  test('partner_event_conflict: the same event under twenty keys', async () => {
    for (let round = 0; round < 10; round++) {
      const { partner_event_id } = newConfirmation();
      const answers = await race((client) => client.confirm({ partner_event_id }));
      assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
    }
  });

  test('partner_order_conflict: one order confirms once, however many requests race', async () => {
    for (let round = 0; round < 10; round++) {
      const { partner_order_ref } = newConfirmation();
      const answers = await race((client) => client.confirm({ partner_order_ref }));
      assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
      const { rows } = await service.database.pool.query(
        'select count(*)::int4 as n from contribution where partner_id = $1 and partner_order_ref = $2',
        [partner.partnerId, partner_order_ref],
      );
      assert.equal(rows[0].n, 1);
    }
  });

  test('batches that hold the same events in another order neither deadlock nor fail', async () => {
    const events = Array.from({ length: 60 }, () => ({
      fields: newConfirmation(),
      headers: { 'idempotency-key': uniqueId('key') },
    }));
    const send = (client: Client, order: typeof events) => order.map(({ fields, headers }) => client.confirm(fields, headers));
    const [first, second] = clients as [Client, Client];
    const answers = await Promise.all([...send(first, events), ...send(second, [...events].reverse())]);
    assert.deepEqual(countByStatus(answers), { 201: 120 });
    assert.equal(originals(answers).length, 60);
  });

  test('one estimate: twenty associations at once make one link', async () => {
    const { calculation_id, partner_order_ref } = (await (clients[0] as Client).estimate()).body.estimate;
    const { transaction_id } = (await (clients[0] as Client).confirm({ partner_order_ref })).body.contribution;
    const answers = await race((client) => client.associate(transaction_id, calculation_id));
    assert.deepEqual(countByStatus(answers), { 201: 1, 409: 19 });
  });
});

test('what one process confirmed the other finds at once', async () => {
  const [first, second] = clients as [Client, Client];
  const { contribution } = (await first.confirm()).body;
  assert.deepEqual((await second.findByEvent(contribution.partner_event_id)).body.contribution, contribution);
});

describe('kill -9 in the middle of confirmations', HANG_LIMIT, () => {
  test('what was acknowledged is found, the rest is recovered by look-up and the same request, and everything is there once', async () => {
    while (!(await killAmidst()));
  });

  /** @returns Whether something was not acknowledged yet: a process that is killed late, on a busy machine, may have answered all. */
  async function killAmidst(): Promise<boolean> {
    const dying = await spawnService(service.databaseUrl);
    const [doomed, survivor] = [new Client(dying.baseUrl, key.apiKey), clients[0] as Client];
    const events = Array.from({ length: 300 }, () => ({
      fields: newConfirmation(),
      headers: { 'idempotency-key': uniqueId('key') },
    }));
    let acknowledged = 0;
    // Sent at the first acknowledgement, so that requests are under way at the sixtieth.
    const later: Promise<Answer | undefined>[] = [];
    const send = async ({ fields, headers }: (typeof events)[number]) => {
      const answer = await doomed.confirm(fields, headers).catch(() => undefined);
      if (answer?.status !== 201) return undefined;
      acknowledged++;
      if (acknowledged === 1) later.push(...events.slice(200).map(send));
      if (acknowledged === 60) dying.process.kill('SIGKILL');
      return answer;
    };
    const answers = [...(await Promise.all(events.slice(0, 200).map(send))), ...(await Promise.all(later))];
    const transactions = await Promise.all(
      events.map(async ({ fields, headers }, index) => {
        const found = await survivor.findByEvent(fields.partner_event_id);
        const settled = found.status === 404 ? await survivor.confirm(fields, headers) : found;
        const { transaction_id } = settled.body.contribution;
        const told = answers[index]?.body?.contribution?.transaction_id;
        if (told !== undefined) assert.deepEqual([found.status, transaction_id], [200, told]);
        return transaction_id;
      }),
    );
    assert.ok(acknowledged >= 60, `${acknowledged} of 300 were acknowledged`);
    const { rows } = await service.database.pool.query(
      'select count(*)::int4 as rows, count(distinct partner_event_id)::int4 as events from contribution where partner_id = $1 and partner_event_id = any($2)',
      [partner.partnerId, events.map(({ fields }) => fields.partner_event_id)],
    );
    assert.deepEqual([rows[0], new Set(transactions).size], [{ rows: 300, events: 300 }, 300]);
    return acknowledged < 300;
  }
});

describe('SIGTERM', () => {
  test('answers every request that was accepted, resets none, notes the last use of its key to the minute, and ends with 0', async () => {
    const stopping = await spawnService(service.databaseUrl);
    const used = await service.newPartner();
    const client = new Client(stopping.baseUrl, used.key.apiKey);
    await untilServing(client);
    const events = Array.from({ length: 200 }, () => newConfirmation());
    const outcomes: Promise<Answer>[] = [];
    for (const fields of events.slice(0, 100)) outcomes.push(client.confirm(fields));
    // Once: at the very end of a process a signal has its old effect again.
    const ended = stopping.end('SIGTERM');
    for (const fields of events.slice(100)) outcomes.push(client.confirm(fields));
    assert.deepEqual(countByStatus(await Promise.all(outcomes)), { 201: 200 });
    assert.equal(await ended, 0);
    const { rows } = await service.database.pool.query(
      `select last_used_at = date_trunc('minute', last_used_at) as "isMinute", last_used_at >= date_trunc('minute', created_at) as "isSince"
        from api_key where key_id = $1`,
      [used.key.key.keyId],
    );
    assert.deepEqual(rows, [{ isMinute: true, isSince: true }]);
  });

  for (const count of [1, 2])
    test(`ends with 0 although a connection never sends a request, with --processes ${count}`, async () => {
      const stopping = await spawnService(service.databaseUrl, {}, ['--processes', String(count)]);
      const { hostname, port } = new URL(stopping.baseUrl);
      const silent = connect(Number(port), hostname).on('error', () => {});
      await once(silent, 'connect');
      assert.equal(await stopping.end('SIGTERM'), 0);
    });
});

describe('a log that nobody reads', HANG_LIMIT, () => {
  for (const count of [1, 2])
    test(`keeps no process from answering or from its end, with --processes ${count}`, async () => {
      const unread = await spawnService(service.databaseUrl, { LOG_LEVEL: 'info' }, ['--processes', String(count)]);
      unread.process.stdout?.pause();
      const client = new Client(unread.baseUrl, key.apiKey);
      // More than the system keeps for a reader.
      const query = `?partner_event_id=${'e'.repeat(128)}`;
      for (let batch = 0; batch < 100; batch++)
        await Promise.all(Array.from({ length: 50 }, () => client.call(`/v1/impact-transactions${query}`)));
      assert.equal((await client.confirm()).status, 201);
      const children = count === 1 ? [] : await childrenOf(unread.process.pid as number);
      await unread.end('SIGTERM');
      await waitFor('the end of all processes', async () => children.every((pid) => !existsSync(`/proc/${pid}`)));
    });
});

describe('the start refuses what would go wrong later, with a sentence', () => {
  const refusals: [string, Record<string, string>, RegExp][] = [
    [
      'settings with wrong values, all of them named',
      { PORT: 'eighty', SERVICE_ENVIRONMENT: 'test', TRUSTED_PROXIES: 'here' },
      /PORT must be[\s\S]*SERVICE_ENVIRONMENT must be[\s\S]*TRUSTED_PROXIES must be|SERVICE_ENVIRONMENT must be[\s\S]*PORT must be[\s\S]*TRUSTED_PROXIES must be/,
    ],
    ['a port that is taken', { PORT: new URL(service.processes[0]?.baseUrl ?? '').port }, /The port \d+ is in use[\s\S]*PORT=/],
    ['an address that is none', { HOST: '999.1.1.1' }, /HOST must be an address of this machine[\s\S]*it is "999\.1\.1\.1"/],
    [
      'an address of another machine',
      { OPERATIONS_HOST: '203.0.113.1' },
      /OPERATIONS_HOST must be an address of this machine[\s\S]*it is "203\.0\.113\.1"/,
    ],
    [
      'a database of the other environment',
      { SERVICE_ENVIRONMENT: 'production', SECRETS_KEY: secretsKey, AUDIT_KEY: secretsKey },
      /belongs to the sandbox environment/,
    ],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' },
      /database cannot be reached[\s\S]*DATABASE_URL/,
    ],
  ];
  for (const [title, env, sentence] of refusals) {
    test(title, async () => {
      await assert.rejects(spawnService(service.databaseUrl, env), sentence);
    });
  }
});

test('a service that finds its internal port in use has not served anybody', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  for (const words of [[], ['--processes', '2']]) {
    const refused = spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, words);
    await assert.rejects(refused, (error: Error) => {
      assert.match(error.message, /is in use by another program/);
      assert.doesNotMatch(error.message, /listens on/);
      return true;
    });
  }
  holder.close();
});

describe('several processes on one port (serve --processes)', () => {
  test("they answer as one, each grants its share of a partner's rate, a dead one is replaced, a second copy is refused, and SIGTERM stops all", async () => {
    const crew = await spawnService(service.databaseUrl, {}, ['--processes', '2']);
    const client = new Client(crew.baseUrl, key.apiKey);
    await untilServing(client);
    const fields = newConfirmation();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.confirm(fields, { 'idempotency-key': 'key-of-the-crew' })),
    );
    assert.deepEqual([countByStatus(answers), originals(answers).length], [{ 201: 20 }, 1]);
    const limited = await service.newPartner({ rates: { lookupsPerSecond: 40 } });
    const lookUp = await new Client(crew.baseUrl, limited.key.apiKey).findByEvent('event-of-nobody');
    // Half of the burst of two seconds, less this one.
    assert.equal(lookUp.headers.get('ratelimit'), '"lookups";r=39;t=1');
    await assert.rejects(
      spawnService(service.databaseUrl, { PORT: new URL(crew.baseUrl).port }, ['--processes', '2']),
      /is in use by another program, or by a service that is about to end/,
    );
    const [victim] = await childrenOf(crew.process.pid as number);
    process.kill(victim as number, 'SIGKILL');
    await waitFor('process in its place', async () => {
      return (await childrenOf(crew.process.pid as number)).filter((pid) => pid !== victim).length === 2;
    });
    assert.equal((await client.confirm()).status, 201);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('one that stands still is ended and replaced, and what was answered meanwhile is found', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const client = new Client(crew.baseUrl, key.apiKey);
    await untilServing(client);
    const before = await childrenOf(crew.process.pid as number);
    const [still] = before as [number, number];
    process.kill(still, 'SIGSTOP');
    const asked = Array.from({ length: 20 }, () => newConfirmation());
    const answers = await Promise.all(asked.map((fields) => client.confirm(fields).catch(() => undefined)));
    const left = await waitFor('process in its place', async () => {
      const pids = await childrenOf(crew.process.pid as number);
      return pids.length === 2 && !pids.includes(still) && pids;
    });
    assert.equal(left.filter((pid) => before.includes(pid)).length, 1, 'the other one goes on');
    await waitFor('line about it', () =>
      crew.output().includes('"seconds":15,"msg":"a process does not respond; the service kills and replaces it"'),
    );
    await untilServing(client);
    for (const [index, { partner_event_id }] of asked.entries()) {
      const told = answers[index]?.body?.contribution?.transaction_id;
      const found = await client.findByEvent(partner_event_id);
      if (told !== undefined) assert.deepEqual([found.status, found.body.contribution.transaction_id], [200, told]);
    }
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('a connection that one was handed and did not take before it was killed is closed', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const [still] = (await childrenOf(crew.process.pid as number)) as [number, number];
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
    const before = await childrenOf(crew.process.pid as number);
    process.kill(before[0] as number, 'SIGKILL');
    const young = await waitFor('process in its place', async () =>
      (await childrenOf(crew.process.pid as number)).find((pid) => !before.includes(pid)),
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
    const before = await childrenOf(crew.process.pid as number);
    const lock = await lockStarts();
    process.kill(before[0] as number, 'SIGKILL');
    await lock.untilOneWaits();
    const [young] = (await childrenOf(crew.process.pid as number)).filter((pid) => !before.includes(pid));
    process.kill(young as number, 'SIGSTOP');
    await lock.release();
    await waitFor('line about it', () => crew.output().includes(`"pid":${young},"seconds":15,"msg":"a process does not respond`));
    const client = new Client(crew.baseUrl, key.apiKey);
    await waitFor('process in its place', async () => {
      const pids = await childrenOf(crew.process.pid as number);
      return pids.length === 2 && !pids.includes(young as number);
    });
    await untilServing(client);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

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
      const before = await childrenOf(crew.process.pid as number);
      await writeFile(wanted, '');
      process.kill(before[0] as number, 'SIGKILL');
      const young = await waitFor('process in its place, which stands still', async () => {
        const pid = (await childrenOf(crew.process.pid as number)).find((each) => !before.includes(each));
        return pid !== undefined && (await isStopped(pid)) && pid;
      });
      await rm(wanted);
      // It has three quarters of a minute: too near to the limit of other waits.
      while (!crew.output().includes(`"pid":${young},"seconds":45,"msg":"a process does not respond`)) await sleep(100);
      await waitFor('process in place of that one', async () => {
        const pids = await childrenOf(crew.process.pid as number);
        return pids.length === 2 && !pids.includes(young);
      });
      await untilServing(new Client(crew.baseUrl, key.apiKey));
      assert.equal(await crew.end('SIGTERM'), 0);
    },
  );

  test('one that cannot be started, because the first process may open no file, is started when it may again', {
    ...HANG_LIMIT,
    skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
  }, async () => {
    const crew = await spawnService(service.databaseUrl, { LOG_LEVEL: 'error' }, ['--processes', '2']);
    const allow = (files: number) =>
      execFileSync(PRLIMIT, ['--pid', String(crew.process.pid), `--nofile=${files}:`], { stdio: 'pipe' });
    const client = new Client(crew.baseUrl, key.apiKey);
    const before = await childrenOf(crew.process.pid as number);
    allow(1);
    process.kill(before[0] as number, 'SIGKILL');
    await waitFor(
      'line about it',
      () => /EMFILE.*"msg":"a process could not start in place of another/.test(crew.output()),
      crew.output,
    );
    allow(1_024);
    await waitFor('process in its place', async () => (await childrenOf(crew.process.pid as number)).length === 2);
    await untilServing(client);
    assert.equal(await crew.end('SIGTERM'), 0);
  });

  test('kill -9 of the first one ends the others, and none of them prints an error', HANG_LIMIT, async () => {
    const port = await freePort();
    const crew = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2']);
    const others = await childrenOf(crew.process.pid as number);
    const allEnded = once(crew.process, 'close');
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

  test('a stop during which one stands still ends after ten seconds and names it', HANG_LIMIT, async () => {
    const crew = await spawnService(service.databaseUrl, {}, ['--processes', '2']);
    const [still] = await childrenOf(crew.process.pid as number);
    process.kill(still as number, 'SIGSTOP');
    assert.equal(await crew.end('SIGTERM'), 1);
    assert.match(
      crew.output(),
      new RegExp(`The stop took longer than 10 s and is cut short. Not ended, and killed: process ${still}`),
    );
  });
});

describe('/metrics with --processes', HANG_LIMIT, () => {
  test('says what the others say while one stands still, is killed during a scrape, and starts', async () => {
    const port = await freePort();
    const crew = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2']);
    await untilServing(new Client(crew.baseUrl, key.apiKey));
    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const [comment] = /^# \d of .*/.exec(text) ?? [];
      const counts = [...text.matchAll(/^partner_impact_requests_total\{.*status="201".*\} (\d+)$/gm)];
      return { comment, confirmed: counts.reduce((sum, [, count]) => sum + Number(count), 0) };
    };
    const [still] = (await childrenOf(crew.process.pid as number)) as [number, number];
    const ofBoth = await scrape();
    assert.ok(ofBoth.confirmed >= 40);

    process.kill(still, 'SIGSTOP');
    const comment = '# 1 of 2 processes did not answer: their last figures are shown.';
    assert.deepEqual(await scrape(), { ...ofBoth, comment });

    const lock = await lockStarts();
    const during = scrape();
    // Answered after the first process has asked the others.
    await fetch(`http://127.0.0.1:${port}/livez`);
    process.kill(still, 'SIGKILL');
    const ofOne = await during;
    assert.ok(ofOne.confirmed < ofBoth.confirmed, `${ofOne.confirmed} of ${ofBoth.confirmed}`);

    await lock.untilOneWaits();
    assert.deepEqual(await scrape(), { comment: undefined, confirmed: ofOne.confirmed });
    await lock.release();
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
    async release() {
      await lock.query('rollback');
      lock.release();
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

async function isStopped(pid: number): Promise<boolean> {
  return /^State:\tT/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
}
