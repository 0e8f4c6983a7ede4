/** Two service processes on one database: races, stopping, and what one process leaves to the other. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, newConfirmation, uniqueId } from '../support/client.ts';
import { spawnService, testServiceProcesses } from '../support/service.ts';
import { listChildren, untilServing } from '../support/service-processes.ts';

const service = await testServiceProcesses(2);
const { key, partner } = await service.newPartner();
const clients = service.processes.map(({ baseUrl }) => new Client(baseUrl, key.apiKey));

/** Twenty requests at once, in turn to one process and the other. */
function race(send: (client: Client, index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 20 }, (_, index) => send(clients[index % clients.length] as Client, index)));
}

const originals = (answers: Answer[]) =>
  answers.filter(({ status, headers }) => status < 300 && headers.get('idempotent-replayed') === null);

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
      const children = count === 1 ? [] : await listChildren(unread.process.pid as number);
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

test('operators are answered with the role api alone, by one process and by the first of several', HANG_LIMIT, async () => {
  for (const [roles, status] of [
    ['webhooks,schedule', 404],
    ['api', 401],
  ] as const)
    for (const count of ['1', '2']) {
      const port = await freePort();
      const words = ['--processes', count, '--roles', roles];
      const served = await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, words);
      const answer = await fetch(`http://127.0.0.1:${port}/operator/v1/session`);
      assert.equal(answer.status, status, `${words.join(' ')}: ${await answer.text()}`);
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
      assert.equal(await served.end('SIGTERM'), 0);
    }
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
    const limited = await service.newPartner({ rates: { lookupsPerSecond: 2 } });
    const looker = new Client(crew.baseUrl, limited.key.apiKey);
    const lookUp = await looker.findByEvent('event-of-nobody');
    // Half of the burst of two seconds, less this one.
    const told = ['ratelimit', 'ratelimit-policy'].map((name) => lookUp.headers.get(name));
    assert.deepEqual(told, ['"lookups";r=1;t=1', '"lookups";q=2;w=2']);
    // More than the burst of both, and than what is granted within two minutes.
    const looked = await Promise.all(Array.from({ length: 300 }, () => looker.findByEvent('event-of-nobody')));
    const refused = looked.find(({ status }) => status === 429);
    assert.match(
      refused?.body.error.message,
      /^More than 1 lookups a second at this process of the service, .* your 2 a second\./,
    );
    await assert.rejects(
      spawnService(service.databaseUrl, { PORT: new URL(crew.baseUrl).port }, ['--processes', '2']),
      /is in use by another program, or by a service that is about to end/,
    );
    const [victim] = await listChildren(crew.process.pid as number);
    process.kill(victim as number, 'SIGKILL');
    await waitFor('process in its place', async () => {
      return (await listChildren(crew.process.pid as number)).filter((pid) => pid !== victim).length === 2;
    });
    assert.equal((await client.confirm()).status, 201);
    assert.equal(await crew.end('SIGTERM'), 0);
  });
});
